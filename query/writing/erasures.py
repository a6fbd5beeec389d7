"""Erasure of a user, a session, a tenant (C9, N6): the door writes one event, the log carries it everywhere."""

from __future__ import annotations

from typing import Annotated
from uuid import uuid4

from fastapi import APIRouter, Path

from query.auth.boundary import demand
from query.body import Route
from query.writing.publish import Entry, Publish, Publisher
from schemas.base import Frozen, Id
from schemas.events.erasure import Erasure
from schemas.log import topics
from schemas.security.scope import Permission

router = APIRouter(route_class=Route, tags=["erasure"])
PathId = Annotated[Id, Path()]


class ErasureAccepted(Frozen):
    """`GET /v1/erasures/{erasure_id}` tells how far it is; what is written from now on is kept."""

    accepted: int = 1
    erasure_id: Id
    freshness_token: str


async def _erase(publish: Publisher, user_id: str, session_id: str | None = None) -> ErasureAccepted:
    owner = publish.scope.user(user_id).owner
    event = Erasure(
        tenant=owner.tenant, erasure_id=str(uuid4()), scope="session" if session_id else "user", user_id=user_id,
        session_id=session_id, accepted_at=publish.now if session_id else await publish.cut_off(owner),
    )  # fmt: skip
    token = await publish.publish([Entry(topics.TURNS, event, "", event.erasure_id)])
    return ErasureAccepted(erasure_id=event.erasure_id, freshness_token=token)


@router.delete("/v1/users/{user_id}", status_code=202)
async def erase_user(user_id: PathId, publish: Publish) -> ErasureAccepted:
    """Erase everything of a user: turns, memories, sessions, what projects made of them. A user who returns starts
    over."""
    return await _erase(publish, user_id)


@router.delete("/v1/users/{user_id}/sessions/{session_id}", status_code=202)
async def erase_session(user_id: PathId, session_id: PathId, publish: Publish) -> ErasureAccepted:
    """Erase a session: its turns, its state, and the memories that came from it. (`DELETE /v1/sessions/{id}` only
    resets the working memory.)"""
    return await _erase(publish, user_id, session_id)


@router.delete("/v1/tenant", status_code=202)
async def erase_tenant(publish: Publish) -> ErasureAccepted:
    """Erase everything of the tenant of this key. Needs the admin scope."""
    demand(publish.scope, Permission.ADMIN)
    event = Erasure(
        tenant=publish.scope.tenant, erasure_id=str(uuid4()), scope="tenant", accepted_at=publish.now, everywhere=True
    )
    entries = [Entry(topics.TURNS, event, "", event.erasure_id, partition=p) for p in range(publish.partitions)]
    token = await publish.publish(entries)
    return ErasureAccepted(erasure_id=event.erasure_id, freshness_token=token)
