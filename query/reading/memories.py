"""A user's memories, and one memory with everything that is known about it (N5, N8)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from query import paging
from query.auth.boundary import Reader
from query.body import Route
from query.errors import not_found
from query.freshness import Freshness
from query.reading.common import USER_KINDS, AsOf, Context, Ctx, PathId, memory
from query.reading.users import current_rows
from query.views import memories, retention, turns
from query.views.db import Row
from query.views.temporal_values import may_be_overtaken, version_of
from schemas.events.memory import MemoryKind
from schemas.log import owner as owners
from schemas.log.owner import OwnerKind
from schemas.security.scope import OutOfScopeError, OwnerScope, TenantScope

router = APIRouter(route_class=Route, tags=["reading"])
ListState = Literal["active", "observed", "superseded", "refused", "archived"]
_EXPIRED = "expired"


@router.get("/v1/users/{user_id}/memories")
async def list_memories(
    user_id: PathId,
    scope: Reader,
    fresh: Freshness,
    ctx: Ctx,
    kind: Annotated[list[MemoryKind] | None, Query()] = None,
    state: ListState = "active",
    as_of: AsOf = None,
    limit: paging.Limit = 100,
    cursor: paging.Cursor = None,
) -> dict[str, Any]:
    """Newest known first. `as_of`: what was true then; `state=refused` lists what the gates turned away."""
    owner = scope.user(user_id)
    kinds = tuple(kind) if kind else USER_KINDS
    after = paging.after(cursor)
    await fresh.wait("memories", *(("outcomes",) if state == "refused" else ()))
    if as_of is not None:
        rows = await memories.as_of(ctx.db, owner, kinds, as_of, limit + 1, after)
    elif state == "archived":
        rows = await retention.archived(ctx.db, owner, kinds, limit + 1, after)
    else:
        rows = await memories.listed(ctx.db, owner, kinds, state, ctx.deps.clock(), limit + 1, after)
        if state == "refused" and not rows:
            return await _refused(ctx, owner, kinds, limit, after)
    page = rows[:limit] if as_of is None else await _not_overtaken(ctx, owner, rows[:limit], as_of)
    ctx.saw(owner, [row["record_id"] for row in page])
    shown = [memory(row) for row in page]
    if state == "archived" and as_of is None:
        shown = [{**m, "archived_at": row["expires_at"]} for m, row in zip(shown, rows, strict=False)]
    more = paging.dump(*_place(rows[limit - 1])) if len(rows) > limit else None
    return {"memories": shown, "cursor": more}


async def _not_overtaken(ctx: Context, owner: OwnerScope, page: Sequence[Row], as_of: datetime) -> list[Row]:
    """What overtook a value of the page may stand on another one: what was stated by then is read whole."""
    stated = [row for row in page if may_be_overtaken(row)]
    if not stated:
        return list(page)
    held = await current_rows(ctx, owner, sorted({row["kind"] for row in stated}), as_of)
    removed = {version_of(row) for row in stated} - {version_of(row) for row in held}
    return [row for row in page if version_of(row) not in removed]


def _place(row: Row) -> tuple[Any, ...]:
    return row["known_at"], row["record_id"], row["version"]


async def _refused(
    ctx: Context, owner: OwnerScope, kinds: Sequence[str], limit: int, after: memories.After
) -> dict[str, Any]:
    """Refused candidates: what is refused is not kept, so only the decision stands, without its text."""
    rows = await memories.refused(ctx.db, owner, kinds, limit + 1, after)
    ctx.saw(owner, [r["record_id"] for r in rows[:limit] if r["record_id"]])
    shown = [
        {
            "id": r["record_id"] or r["decision_id"],
            "kind": r["kind"],
            "state": "refused",
            "field": r["field"],
            "fields": r["fields"],
            "category": r["category"],
            "session_id": r["session_id"],
            "known_at": r["accepted_at"],
            "reason": {k: r[k] for k in ("outcome", "gate", "rule", "score")},
            "source_turn_ids": [r["turn_id"]] if r["turn_id"] else [],
        }
        for r in rows[:limit]
    ]
    last = rows[limit - 1] if len(rows) > limit else None
    return {"memories": shown, "cursor": paging.dump(last["accepted_at"], last["decision_id"], 0) if last else None}


@router.get("/v1/memories/{memory_id}")
async def get_memory(memory_id: PathId, scope: Reader, fresh: Freshness, ctx: Ctx) -> dict[str, Any]:
    """One memory with its history, the gates' decisions and the turns that it came from."""
    await fresh.wait("memories", "outcomes", "projects", "knowledge", "turns")
    versions = await memories.by_record(ctx.db, scope, memory_id)
    if not versions and (resolved_id := await memories.resolve_alias(ctx.db, scope, memory_id)) is not None:
        memory_id = resolved_id
        versions = await memories.by_record(ctx.db, scope, resolved_id)
    owner = _owner(scope, versions[0]) if versions else None
    if owner is None:
        raise not_found("memory")
    found = await memories.decisions(ctx.db, scope, memory_id)
    ctx.saw(owner, [memory_id])
    current = next((v for v in versions if v["state"] == "active"), versions[0])
    return {
        **memory(current),
        "history": [memory(v) for v in versions],
        "decisions": [_decision(d) for d in found],
        "source_turns": await _source_turns(ctx, owner, versions),
    }


def _owner(scope: TenantScope, row: Row) -> OwnerScope | None:
    """The scope of a record's owner; None where the credential does not reach it."""
    kind, owner_id = OwnerKind(row["owner_kind"]), row["owner_id"]
    try:
        match kind:
            case OwnerKind.USER:
                return scope.user(owner_id)
            case OwnerKind.PROJECT:
                return scope.project(owner_id)
            case OwnerKind.DOCUMENT:
                return scope.document(owner_id)
            case OwnerKind.TENANT:
                return OwnerScope(scope, owners.tenant_owner(scope.tenant))
    except OutOfScopeError:
        return None


async def _source_turns(ctx: Context, owner: OwnerScope, versions: Sequence[Row]) -> list[dict[str, Any]]:
    """A citation outlives its turn as id, time and hash; the text behind it then reads "expired" (A1, N5)."""
    cited: dict[str, dict[str, Any]] = {}
    for version in versions:
        for source in version["sources"]:
            cited.setdefault(source["turn_id"], source)
    cited_rows: dict[str, Row] = {}
    if owner.owner.kind in (OwnerKind.USER, OwnerKind.PROJECT):
        cited_rows = await turns.by_ids(ctx.db, owner, list(cited), ctx.deps.clock())
    out = []
    for turn_id, source in cited.items():
        row = cited_rows.get(turn_id)
        text = {"content": row["content"], "role": row["role"]} if row else {"content": _EXPIRED, "role": None}
        out.append({**source, **text, "expired": row is None})
    return out


def _decision(row: Row) -> dict[str, Any]:
    reason = {k: row[k] for k in ("outcome", "gate", "rule", "score")}
    rest = {k: row[k] for k in ("turn_id", "session_id", "ordinal", "kind", "field", "extractor", "accepted_at")}
    return {"decision_id": row["decision_id"], **rest, "reason": reason}
