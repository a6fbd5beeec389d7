"""Session commands (CONTRACT "Writing", E5): logged events, so that a rebuild has them."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import uuid4

from fastapi import APIRouter, Body, Path, Query

from query import models
from query.body import Route
from query.writing.publish import SAFE, TWICE, Entry, Publish, Publisher
from schemas.base import Id
from schemas.events.turns import SessionCommand, SessionCommandBody
from schemas.log import topics

router = APIRouter(route_class=Route, tags=["writing"])
SessionId = Annotated[Id, Path()]
Word = Literal["create", "reset", "close", "patch", "anchors", "checkpoint"]


async def _send(
    publish: Publisher,
    user_id: str,
    session_id: str,
    command: Word,
    body: SessionCommandBody | None = None,
    recent_turns: int | None = None,
) -> models.CommandAccepted:
    owner = publish.scope.user(user_id).owner
    event = SessionCommand(
        tenant=owner.tenant,
        user_id=user_id,
        session_id=session_id,
        command=command,
        command_id=str(uuid4()),
        accepted_at=publish.now,
        recent_turns=recent_turns,
        sealed=body or SessionCommandBody(),
    )
    # The caller's own state, replaced by the same, is the same; another checkpoint is one more.
    repeat = TWICE if command == "checkpoint" else SAFE
    token = await publish.publish([Entry(topics.TURNS, event, "", event.command_id)], repeat)
    return models.CommandAccepted(accepted=1, command_id=event.command_id, freshness_token=token)


@router.post("/v1/sessions", status_code=202)
async def create(body: Annotated[models.SessionIn, Body()], publish: Publish) -> models.CommandAccepted:
    """Create a session; one that exists is reset."""
    return await _send(publish, body.user_id, body.session_id, "create")


@router.patch("/v1/sessions/{session_id}", status_code=202)
async def patch(
    session_id: SessionId, body: Annotated[models.SessionPatch, Body()], publish: Publish
) -> models.CommandAccepted:
    """Write the caller's own state; absent keys change nothing."""
    sealed = SessionCommandBody(
        global_state=body.global_state, current_agent_key=body.current_agent_key, user_snapshot=body.user_snapshot
    )
    return await _send(publish, body.user_id, session_id, "patch", sealed)


@router.put("/v1/sessions/{session_id}/anchors", status_code=202)
async def anchors(
    session_id: SessionId, body: Annotated[models.AnchorsIn, Body()], publish: Publish
) -> models.CommandAccepted:
    """Session-level instructions, whole."""
    return await _send(publish, body.user_id, session_id, "anchors", SessionCommandBody(anchors=body.anchors))


@router.post("/v1/sessions/{session_id}/checkpoint", status_code=202)
async def checkpoint(
    session_id: SessionId, body: Annotated[models.CheckpointIn, Body()], publish: Publish
) -> models.CommandAccepted:
    """Checkpoint by hand; without a summary one is made."""
    sealed = SessionCommandBody(summary=body.summary)
    return await _send(publish, body.user_id, session_id, "checkpoint", sealed, body.recent_turns)


@router.post("/v1/sessions/{session_id}/close", status_code=202)
async def close(
    session_id: SessionId, body: Annotated[models.SessionUser, Body()], publish: Publish
) -> models.CommandAccepted:
    """The conversation has ended."""
    return await _send(publish, body.user_id, session_id, "close")


@router.delete("/v1/sessions/{session_id}", status_code=202)
async def reset(
    session_id: SessionId, user_id: Annotated[Id, Query()], publish: Publish
) -> models.CommandAccepted:
    """Reset: working memory starts over, the turns stay."""
    return await _send(publish, user_id, session_id, "reset")
