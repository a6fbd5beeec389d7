"""Turns, interactions and feedback (CONTRACT "Writing", D1, D16)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Body, Request

from query import models
from query.body import Route
from query.errors import invalid
from query.writing.publish import Entry, Publish, Publisher
from schemas import ids, topics
from schemas.memory import Feedback, FeedbackBody
from schemas.owner import user
from schemas.turns import TurnBody, TurnEvent

router = APIRouter(route_class=Route, tags=["writing"])


@router.post("/v1/turns", status_code=202)
async def post_turns(
    request: Request, body: Annotated[models.TurnsIn, Body()], publish: Publish
) -> models.TurnsAccepted:
    """Take up to 1,000 turns; all or none pass validation, and an answer means that the brokers have them."""
    limit: int = request.app.state.config.max_turns
    if len(body.turns) > limit:
        raise invalid("turns", f"must have at most {limit} items")
    entries = [_entry(turn, f"turns.{i}", publish) for i, turn in enumerate(body.turns)]
    token = await publish.publish(entries)
    return models.TurnsAccepted(accepted=len(entries), turn_ids=tuple(e.id for e in entries), freshness_token=token)


def _entry(turn: models.TurnIn, item: str, publish: Publisher) -> Entry:
    tenant = publish.scope.user(turn.user_id).owner.tenant
    if turn.project_id is not None:
        publish.scope.project(turn.project_id)
    publish.check_time(turn.occurred_at, f"{item}.occurred_at")
    turn_id = turn.turn_id or ids.turn_id(
        tenant, turn.user_id, turn.session_id, turn.role, turn.occurred_at, turn.content
    )
    event = TurnEvent(
        tenant=tenant,
        user_id=turn.user_id,
        session_id=turn.session_id,
        turn_id=turn_id,
        role=turn.role,
        occurred_at=turn.occurred_at,
        accepted_at=publish.now,
        project_id=turn.project_id,
        agent_id=turn.agent_id,
        interaction_id=turn.interaction_id,
        intent=turn.intent,
        language=turn.language,
        sealed=TurnBody(
            content=turn.content,
            speaker=turn.speaker,
            llm_context=turn.llm_context,
            recalled=turn.recalled,
            metadata=turn.metadata,
        ),
    )
    return Entry(topics.TURNS, event, item, turn_id, turn.project_id)


@router.post("/v1/interactions", status_code=202)
async def post_interaction(
    body: Annotated[models.InteractionIn, Body()], publish: Publish
) -> models.TurnsAccepted:
    """One interaction of the memory engine: two turns, and feedback where it has some (D1)."""
    publish.check_time(body.timestamp, "timestamp")
    turns = [_half(body, "user", body.user_query, body.timestamp, None)]
    if body.ai_response is not None:
        reply_at = body.timestamp + timedelta(milliseconds=1)
        turns.append(_half(body, "assistant", body.ai_response, reply_at, body.llm_context))
    entries = [_entry(turn, "", publish) for turn in turns]
    told = body.user_feedback
    if told is not None and (told.rating is not None or told.correction is not None):
        given = models.FeedbackIn(
            user_id=body.user_id, interaction_id=body.interaction_id, rating=told.rating, correction=told.correction
        )
        entries.append(feedback_entry(given, publish))
    token = await publish.publish(entries)
    turn_ids = tuple(e.id for e in entries[: len(turns)])
    return models.TurnsAccepted(accepted=len(turns), turn_ids=turn_ids, freshness_token=token)


def _half(body: models.InteractionIn, role: Any, content: str, when: datetime, context: str | None) -> models.TurnIn:
    return models.TurnIn(
        turn_id=f"{body.interaction_id}:{role}",
        user_id=body.user_id,
        session_id=body.session_id,
        role=role,
        content=content,
        occurred_at=when,
        project_id=body.project_id,
        agent_id=body.agent_id,
        interaction_id=body.interaction_id,
        llm_context=context,
    )


@router.post("/v1/feedback", status_code=202)
async def post_feedback(body: Annotated[models.FeedbackIn, Body()], publish: Publish) -> models.FeedbackAccepted:
    """What the user thought of an answer, a memory or a record (D16)."""
    about = (body.interaction_id, body.context_id, body.record_id)
    if not any(about) and not body.memory_ids:
        raise invalid("interaction_id", "one of interaction_id, context_id, memory_ids, record_id is required")
    said = (body.rating, body.score, body.correction, body.comment, body.adopted)
    if all(x is None for x in said):
        raise invalid("rating", "one of rating, score, correction, comment, adopted is required")
    entry = feedback_entry(body, publish)
    token = await publish.publish([entry])
    return models.FeedbackAccepted(accepted=1, feedback_id=entry.id, freshness_token=token)


def feedback_entry(body: models.FeedbackIn, publish: Publisher) -> Entry:
    """The same words about the same thing are the same feedback: repeating the call counts once."""
    owner = publish.scope.user(body.user_id).owner
    about = [body.interaction_id, body.context_id, *body.memory_ids, body.record_id]
    said = [body.rating, body.score, body.correction, body.comment, body.adopted]
    feedback_id = ids.record_id(user(owner.tenant, body.user_id), "feedback", *about, *said)
    event = Feedback(
        tenant=owner.tenant,
        user_id=body.user_id,
        feedback_id=feedback_id,
        interaction_id=body.interaction_id,
        context_id=body.context_id,
        memory_ids=body.memory_ids,
        record_id=body.record_id,
        rating=body.rating,
        score=body.score,
        adopted=body.adopted,
        accepted_at=publish.now,
        sealed=FeedbackBody(correction=body.correction, comment=body.comment),
    )
    return Entry(topics.LEDGER, event, "", feedback_id)
