"""What a resumed stream of updates confirms before it shows an old value again: the topic holds what was deleted,
forgotten or replaced until it is compacted, and a caller may go on behind any record (C9, B9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from query.freshness import Place
from query.reading.erased_updates import erased
from query.streams import Read
from query.views.db import Database, SystemStatement, TenantStatement
from schemas.events.memory import MemoryUpdate
from schemas.log import topics
from schemas.log.codec import header
from schemas.log.progress import load_progress, load_source
from schemas.security.scope import TenantScope
from schemas.storage.layouts import stage

Replayed: TypeAlias = tuple[Read, MemoryUpdate]
_ROWS = TenantStatement(
    """SELECT record_id, version, revision FROM {v}.memories
    WHERE tenant = %(tenant)s AND record_id = ANY(%(ids)s)"""
)
_PROGRESS = SystemStatement(
    """SELECT stage, partition, root, next_offset FROM {v}.progress
    WHERE stage = ANY(%(stages)s) AND partition = ANY(%(partitions)s)""",
    shared=True,
)


async def confirmed(
    db: Database, scope: TenantScope, replayed: Sequence[Replayed]
) -> Callable[[MemoryUpdate], MemoryUpdate | None]:
    """What is left of each of these, which lay in the log when the stream was opened. A value is shown as long as no
    later revision of it is known and its row was not removed, as the compacted topic would show it; a deletion is
    always shown. Raises ProblemError."""
    left = await erased(db, scope.tenant, [u for _, u in replayed])
    over = await _over(db, scope, [(r, u) for r, u in replayed if u.op != "delete"])
    return lambda u: None if _name(u) in over else left(u)


def _name(u: MemoryUpdate) -> tuple[str, int, int, str]:
    return u.record_id, u.version, u.revision, u.op


async def _over(db: Database, scope: TenantScope, values: Sequence[Replayed]) -> set[tuple[str, int, int, str]]:
    """Of these values, those that were replaced or removed since."""
    if not values:
        return set()
    known = [list(_progress(r)) for r, _ in values]
    stages = sorted({place[0] for found in known for place, _ in found})
    partitions = sorted({r.partition for r, _ in values})
    # The progress first: the rows that are read behind it are not older.
    rows = await db.of_system(_PROGRESS, stages=stages, partitions=partitions) if stages else []
    progress: dict[Place, int] = {(r["stage"], r["partition"], r["root"]): r["next_offset"] for r in rows}
    found = await db.of_tenant(scope, _ROWS, ids=sorted({u.record_id for _, u in values}))
    revisions = {(r["record_id"], r["version"]): int(r["revision"]) for r in found}
    out = set()
    for (_, u), places in zip(values, known, strict=True):
        revision = revisions.get((u.record_id, u.version))
        if revision is None:
            # No row: it was removed, unless the sink has not got so far. A later record of the same writer and
            # partition was stored behind this one.
            removed = any(progress.get(place, 0) > offset for place, offset in places)
        else:
            removed = revision > u.revision
        if removed:
            out.add(_name(u))
    return out


def _progress(record: Read) -> Iterator[tuple[Place, int]]:
    """What its step had emitted with it, by place of the sink's progress; nothing of a record by another program."""
    try:
        reached = load_progress(header(record.headers, "progress"))
        source = load_source(header(record.headers, "src"))
    except ValueError:
        return
    if source is None:
        return
    for root, offset in reached.items():
        yield (stage(source.step, topics.UPDATES.name), record.partition, root), offset
