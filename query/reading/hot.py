"""Hot memory from Redis, confirmed by Postgres; from Postgres where the snapshot is missing or behind (A5)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from query.errors import ProblemError, done_without
from query.reading import cache
from query.reading.common import Context
from query.views import hot
from query.views.sealed import PLACE, opened
from schemas.events.hot_memory import HotRow, hot_memory
from schemas.events.memory import MemoryUpdate
from schemas.log.owner import Owner
from schemas.log.places import place_of_row
from schemas.security.scope import OwnerScope
from schemas.security.sealing import Place
from schemas.storage.layouts import RedisLayout

Groups = dict[str, list[dict[str, Any]]]


async def load(ctx: Context, owner: OwnerScope) -> tuple[Groups, list[dict[str, str]]]:
    """The groups, and which store was missing. Raises ProblemError when neither answers."""
    snapshot, revisions = await asyncio.gather(_snapshot(ctx, owner), _revisions(ctx, owner))
    if isinstance(revisions, ProblemError):
        if isinstance(snapshot, ProblemError) or snapshot is None:
            raise revisions
        if ctx.withheld.project(owner.owner.tenant, owner.owner.id):
            raise revisions
        return snapshot, [done_without(revisions)]
    degraded = [done_without(snapshot)] if isinstance(snapshot, ProblemError) else []
    if snapshot and not isinstance(snapshot, ProblemError) and _revisions_of(snapshot) == revisions:
        return snapshot, []
    rows = await hot.rows(ctx.db, owner)
    if rows and not degraded:
        await cache.wish(ctx, RedisLayout.want_hot(owner.owner))
    return hot_memory(HotRow.of_row(r) for r in rows), degraded


async def _snapshot(ctx: Context, owner: OwnerScope) -> Groups | ProblemError | None:
    try:
        raw = await cache.read(ctx, cache.layout(ctx).hot_memory(owner.owner, owner.owner.id))
    except ProblemError as exc:
        return exc
    found = cache.parsed(raw[0])
    if not isinstance(found, dict):
        return None
    try:
        return {name: await opened_group(ctx, owner.owner, group) for name, group in found.items()}
    except ProblemError as exc:
        return exc


async def opened_group(ctx: Context, project: Owner, group: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Entries and what is proposed instead of them; a proposal that cannot be read any more is none."""
    for entry in group:
        for phrase in (entry, entry.get("proposal")):
            if phrase and phrase.get("sealed"):
                phrase[PLACE] = _place(project, phrase)
    entries = await opened(ctx.deps.codec, group, ctx.deps.key_threads)
    proposed = [entry["proposal"] for entry in entries if "proposal" in entry]
    readable = {p["id"] for p in await opened(ctx.deps.codec, proposed, ctx.deps.key_threads)}
    return [
        {k: v for k, v in entry.items() if k != "proposal" or v["id"] in readable} for entry in entries
    ]


def _place(project: Owner, text: Mapping[str, Any]) -> Place:
    """Of a record of this project; what is of kind `hot` has one version."""
    owned = {"tenant": project.tenant, "owner_kind": project.kind, "owner_id": project.id, "version": 0}
    return place_of_row(MemoryUpdate, {**owned, "record_id": text.get("id"), "revision": text.get("revision")})


async def _revisions(ctx: Context, owner: OwnerScope) -> dict[str, int] | ProblemError:
    try:
        return await hot.revisions(ctx.db, owner)
    except ProblemError as exc:
        return exc


def _revisions_of(groups: Groups) -> dict[str, int]:
    entries = [entry for group in groups.values() for entry in group]
    entries += [entry["proposal"] for entry in entries if "proposal" in entry]
    return {entry["id"]: entry["revision"] for entry in entries}
