"""What is known of the user in a session's value (E1): a key of the user snapshot that no caller wrote is filled from
the fields that the profile names for it (`session.user_snapshot`), as they stand when the session is read."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from query.errors import ProblemError
from query.reading.common import Context
from query.reading.profile_rows import over, tables_of
from query.reading.profile_view import is_known, of_the_user, values_by_field
from query.views import memories, structured
from query.views.db import Row, within
from schemas.profile.model import Profile
from schemas.security.scope import OwnerScope


async def with_user(ctx: Context, owner: OwnerScope, value: dict[str, Any]) -> dict[str, Any]:
    """The session's value with what is known; as it is where the store does not answer within the latency budget, or
    the profile names nothing. What a caller wrote stays."""
    profile = ctx.deps.profile_of(owner.owner.tenant)
    open_keys = [k for k in profile.session.user_snapshot if not _is_written(value["user_snapshot"].get(k))]
    if not open_keys:
        return value
    names = list(dict.fromkeys(n for k in open_keys for n in profile.session.user_snapshot[k]))
    now = ctx.deps.clock()
    tables = [t for t in tables_of(profile) if any(set(c.fields) & set(names) for c in t.columns)]
    try:
        with within(profile.ranking.latency_budget_ms / 1000):
            rows, *written = await asyncio.gather(
                memories.current_of_fields(ctx.db, owner, names, now),
                *(structured.rows(ctx.db, owner, t.name, now, 1) for t in tables),
            )
    except ProblemError:
        return value
    memory_rows = [r for found in written for r in found]
    ctx.saw(owner, [r["record_id"] for r in (*rows, *memory_rows)])
    known = known_of(profile, rows, memory_rows)
    return {**value, "user_snapshot": {**value["user_snapshot"], **{k: known[k] for k in open_keys if k in known}}}


def known_of(profile: Profile, rows: list[Row], written: list[Row]) -> dict[str, Any]:
    """Key of the snapshot -> its value: of one field of one value that value, of preferences their statements, of all
    else a list."""
    stated = [r for r in of_the_user(rows) if not (r["attributes"] or {}).get("about")]
    values = over(profile, values_by_field(stated), written)
    out: dict[str, Any] = {}
    for key, names in profile.session.user_snapshot.items():
        found = {n: [v for v in values.get(n, ()) if is_known(v)] for n in names}
        if any(found.values()):
            texts = [r["text"] for r in stated if r["kind"] == "preference" and r["field"] in names]
            out[key] = texts or _shaped(profile, {n: v for n, v in found.items() if v})
    return out


def _shaped(profile: Profile, found: Mapping[str, list[Any]]) -> Any:
    if len(found) == 1 and not _is_many(profile, next(iter(found))):
        return next(iter(found.values()))[0]
    return list(dict.fromkeys(v for values in found.values() for v in values if isinstance(v, str | int | float)))


def _is_many(profile: Profile, name: str) -> bool:
    spec = profile.field(name)
    return spec is not None and (spec.many or spec.type == "list")


def _is_written(value: Any) -> bool:
    """Empty is what a session begins with."""
    return is_known(value)
