"""What the PII policy `encrypt` took out of a turn, read again by who may (D5)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter

from query.auth.boundary import OriginalsReader
from query.body import Route
from query.errors import not_found
from query.freshness import Freshness
from query.reading.common import Ctx, PathId, UserId
from query.views import turns
from schemas.log.owner import Owner
from schemas.security.encrypted_values import Original, Originals
from schemas.security.sealing import KeyDestroyed, SealedError

log = logging.getLogger(__name__)
router = APIRouter(route_class=Route, tags=["reading"])


@router.get("/v1/turns/{turn_id}/originals")
async def get_originals(
    turn_id: PathId, user_id: UserId, scope: OriginalsReader, fresh: Freshness, ctx: Ctx
) -> dict[str, Any]:
    """The values that the policy `encrypt` replaced in a turn, with the placeholder of each. Every call is
    in the access log. Nothing is left where the key was destroyed with its user."""
    owner = scope.user(user_id)
    await fresh.wait("turns")
    kept = await turns.originals(ctx.db, owner, turn_id, ctx.deps.clock())
    if kept is None:
        raise not_found("turn")
    found = await _opened(ctx, owner.owner, turn_id, kept) if kept else []
    ctx.saw(owner)
    return {"turn_id": turn_id, "user_id": user_id, "originals": [o._asdict() for o in found]}


async def _opened(ctx: Ctx, owner: Owner, turn_id: str, kept: Sequence[Originals]) -> list[Original]:
    opens = ctx.deps.originals
    try:
        return await ctx.deps.key_threads(lambda: [o for k in kept for o in opens(owner, turn_id, k)])
    except KeyDestroyed:
        raise not_found("turn") from None
    except SealedError:
        log.error("originals do not open: was the keyring restored from an older backup?", extra={"n": len(kept)})
        raise not_found("originals") from None
