"""From what a caller sends to the event that goes on the log: the same at the door and in a client that writes to
Kafka itself (K5). Pure: ids and times come in."""

from __future__ import annotations

from datetime import datetime

from query import models
from schemas.base import Json
from schemas.events.memory import Feedback, FeedbackBody, MemoryCommand, MemoryCommandBody
from schemas.events.turns import TurnBody, TurnEvent
from schemas.log import ids
from schemas.log.owner import user


def turn_id_of(tenant: str, turn: models.TurnIn) -> str:
    """The turn's own id, else one made of what it says (DESIGN, delivery rule 3)."""
    return turn.turn_id or ids.turn_id(tenant, turn.user_id, turn.session_id, turn.role, turn.occurred_at, turn.content)


def turn_event(
    tenant: str, turn: models.TurnIn, accepted_at: datetime | None, reaches: tuple[str, ...] | None = None
) -> TurnEvent:
    """`accepted_at` None: the record's Kafka timestamp counts. `reaches`: projects that its text may name; None: all.
    """
    return TurnEvent(
        tenant=tenant,
        user_id=turn.user_id,
        session_id=turn.session_id,
        turn_id=turn_id_of(tenant, turn),
        role=turn.role,
        occurred_at=turn.occurred_at,
        accepted_at=accepted_at,
        project_id=turn.project_id,
        agent_id=turn.agent_id,
        interaction_id=turn.interaction_id,
        context_id=turn.context_id,
        intent=turn.intent,
        language=turn.language,
        reaches=reaches,
        sealed=TurnBody(
            content=turn.content,
            speaker=turn.speaker,
            llm_context=turn.llm_context,
            recalled=turn.recalled,
            metadata=turn.metadata,
            existing_info=turn.existing_info,
        ),
    )


def feedback_id_of(tenant: str, body: models.FeedbackIn) -> str:
    """The same words about the same thing are the same feedback: repeating the call counts once."""
    about: list[Json] = [body.interaction_id, body.context_id, *body.memory_ids, body.record_id]
    content: list[Json] = [body.rating, body.score, body.correction, body.comment, body.adopted]
    about_more = None if body.about == "answer" else body.about
    more: list[Json] = [body.outcome, body.feature, body.traits or None, body.by, about_more]
    content += [*more] if any(x is not None for x in more) else []
    return ids.record_id(user(tenant, body.user_id), "feedback", *about, *content)


def missing_in_feedback(body: models.FeedbackIn) -> tuple[str, str] | None:
    """Field and expectation where feedback is about nothing or says nothing."""
    named = any((body.interaction_id, body.context_id, body.record_id, body.memory_ids, body.traits))
    if not named and body.about == "answer":
        return "interaction_id", "one of interaction_id, context_id, memory_ids, record_id is required"
    statements = (body.rating, body.score, body.correction, body.comment, body.adopted, body.outcome)
    if all(x is None for x in statements):
        return "rating", "one of rating, score, correction, comment, adopted, outcome is required"
    return None


def judges_feedback(tenant: str, body: models.FeedbackIn, accepted_at: datetime | None) -> Feedback | None:
    """What a judge who is not the user says, as feedback of their own: it teaches of them (C6). What became of the
    user is no more theirs than the record is; the comment is in their own words, and their wishes stand in it."""
    if body.by is None or body.by == body.user_id:
        return None
    event = feedback_event(tenant, body, accepted_at)
    feedback = FeedbackBody(comment=body.comment, traits=body.traits)
    clear = {"user_id": body.by, "about": "suggestion", "memory_ids": (), "record_id": body.record_id}
    return event.model_copy(
        update={
            **clear, "feedback_id": f"{event.feedback_id}/by", "interaction_id": None, "context_id": None,
            "by": None,
            "sealed": feedback,
        }
    )  # fmt: skip


def feedback_event(tenant: str, body: models.FeedbackIn, accepted_at: datetime | None) -> Feedback:
    return Feedback(
        tenant=tenant,
        user_id=body.user_id,
        feedback_id=feedback_id_of(tenant, body),
        interaction_id=body.interaction_id,
        context_id=body.context_id,
        memory_ids=body.memory_ids,
        record_id=body.record_id,
        rating=body.rating,
        score=body.score,
        adopted=body.adopted,
        about=body.about,
        feature=body.feature,
        by=body.by,
        accepted_at=accepted_at,
        sealed=FeedbackBody(
            correction=body.correction,
            comment=body.comment,
            outcome=body.outcome,
            traits=body.traits if body.by in (None, body.user_id) else {},
        ),
    )


def command_id_of(tenant: str, user_id: str, command: str, once: str) -> str:
    """The command that an Idempotency-Key names, whatever way it is sent."""
    return ids.record_id(user(tenant, user_id), "command", command, once)


def remember_command(
    tenant: str, body: models.MemoryIn, command_id: str, accepted_at: datetime | None, many: bool = False
) -> MemoryCommand:
    """`many`: the field's values stand beside each other, so the command names the record."""
    return MemoryCommand(
        tenant=tenant,
        user_id=body.user_id,
        command="remember",
        command_id=command_id,
        memory_id=memory_id_of(tenant, body, command_id, many) if many else None,
        kind=body.kind,
        field=body.field,
        category=body.category,
        scope=body.scope,
        project_id=body.project_id,
        occurred_at=body.occurred_at,
        accepted_at=accepted_at,
        sealed=MemoryCommandBody(text=body.text, value=body.value),
    )


def memory_id_of(tenant: str, body: models.MemoryIn, command_id: str, many: bool = False) -> str:
    """The id that a remembered memory will have: a field of one value names its record, else the command does
    (processors/memory/commands.py)."""
    identity = (body.scope, "", body.field) if body.field and not many else (command_id,)
    return ids.record_id(user(tenant, body.user_id), body.kind, *identity)
