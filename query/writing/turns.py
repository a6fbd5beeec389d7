"""Turns, interactions and feedback (CONTRACT "Writing", D1, D16)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Body, Request

from query import events, models
from query.body import Route
from query.errors import invalid
from query.writing.publish import Entry, Publish, Publisher
from schemas.log import topics

router = APIRouter(route_class=Route, tags=["writing"])


@router.post("/v1/turns", status_code=202)
async def post_turns(
    request: Request, body: Annotated[models.TurnsIn, Body()], publish: Publish
) -> models.TurnsAccepted:
    """Take up to 1,000 turns; all or none pass validation, and an answer means that the brokers have them."""
    limit: int = request.app.state.config.max_turns
    if len(body.turns) > limit:
        raise invalid("turns", f"must have at most {limit} items")
    entries = [turn_entry(turn, f"turns.{i}", publish) for i, turn in enumerate(body.turns)]
    token = await publish.publish(entries)
    return models.TurnsAccepted(accepted=len(entries), turn_ids=tuple(e.id for e in entries), freshness_token=token)


def turn_entry(turn: models.TurnIn, item: str, publish: Publisher) -> Entry:
    """`item`: as an error names the turn. Raises ProblemError, OutOfScopeError."""
    tenant = publish.scope.user(turn.user_id).owner.tenant
    if turn.project_id is not None:
        publish.scope.project(turn.project_id)
    publish.check_time(turn.occurred_at, f"{item}.occurred_at")
    event = events.turn_event(tenant, turn, publish.now, publish.may_name() if turn.project_id is None else None)
    return Entry(topics.TURNS, event, item, events.turn_id_of(tenant, turn), turn.project_id)


@router.post("/v1/interactions", status_code=202)
async def post_interaction(
    body: Annotated[models.InteractionIn, Body()], publish: Publish
) -> models.TurnsAccepted:
    """One interaction of the memory engine: two turns, and feedback where it has some."""
    publish.check_time(body.timestamp, "timestamp")
    turns = [_half(body, "user", body.user_query, body.timestamp)]
    if body.ai_response is not None:
        turns.append(_half(body, "assistant", body.ai_response, body.timestamp + timedelta(milliseconds=1)))
    entries = [turn_entry(turn, "", publish) for turn in turns]
    feedback = body.user_feedback
    if feedback is not None and (feedback.rating is not None or feedback.correction is not None):
        given = models.FeedbackIn(
            user_id=body.user_id,
            interaction_id=body.interaction_id,
            rating=feedback.rating,
            correction=feedback.correction,
        )
        entries.append(feedback_entry(given, publish))
    token = await publish.publish(entries)
    turn_ids = tuple(e.id for e in entries[: len(turns)])
    return models.TurnsAccepted(accepted=len(turns), turn_ids=turn_ids, freshness_token=token)


def _half(body: models.InteractionIn, role: Any, content: str, when: datetime) -> models.TurnIn:
    """What the model was given goes with its reply."""
    replied = role == "assistant"
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
        context_id=body.context_id if replied or body.ai_response is None else None,
        llm_context=body.llm_context if replied else None,
    )


@router.post("/v1/feedback", status_code=202)
async def post_feedback(body: Annotated[models.FeedbackIn, Body()], publish: Publish) -> models.FeedbackAccepted:
    """What the user thought of an answer, a memory or a record."""
    if missing := events.missing_in_feedback(body):
        raise invalid(*missing)
    entry = feedback_entry(body, publish)
    entries = [entry]
    if body.by is not None:
        tenant = publish.scope.user(body.by).owner.tenant
        if (judge := events.judges_feedback(tenant, body, publish.now)) is not None:
            entries.append(Entry(topics.LEDGER, judge, "", entry.id))
    token = await publish.publish(entries)
    return models.FeedbackAccepted(accepted=1, feedback_id=entry.id, freshness_token=token)


def feedback_entry(body: models.FeedbackIn, publish: Publisher) -> Entry:
    """The same words about the same thing are the same feedback: repeating the call counts once."""
    event = events.feedback_event(publish.scope.user(body.user_id).owner.tenant, body, publish.now)
    return Entry(topics.LEDGER, event, "", event.feedback_id)
