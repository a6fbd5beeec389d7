"""Dead letters by what their headers say; the bytes themselves stay in the log (delivery rule 2)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter

from query import paging
from query.body import Route
from query.config import QueryConfig
from query.door import Operator
from query.errors import ProblemError, invalid
from query.reading.common import Ctx
from query.streams import Read, TopicAwayError, TopicReader, window
from schemas import topics
from schemas.codec import header
from schemas.owner import Owner

router = APIRouter(route_class=Route, tags=["operations"])
_SECONDS = 2.0


@router.get("/v1/dead-letters")
async def list_dead_letters(
    scope: Operator, ctx: Ctx, limit: paging.Limit = 50, cursor: paging.Cursor = None
) -> dict[str, Any]:
    """Newest first: step, reason, attempts, source. Those of the tenant, and those whose tenant is not known."""
    parts = paging.load(cursor, dict)
    before = _offsets(parts[0]) if parts else {}
    try:
        found, more = await asyncio.to_thread(_read, ctx.config, limit, before)
    except TopicAwayError:
        raise ProblemError(
            "store-unavailable", "the brokers do not answer", headers={"Retry-After": "1"}, store="kafka"
        ) from None
    mine = [letter for letter in found if letter["tenant"] in (None, scope.tenant)]
    return {"dead_letters": mine, "cursor": paging.dump(more) if more else None}


def _offsets(raw: Mapping[str, Any]) -> dict[int, int]:
    try:
        return {int(p): int(offset) for p, offset in raw.items()}
    except (TypeError, ValueError):
        raise invalid("cursor", "expected the cursor that a page returned") from None


def _read(config: QueryConfig, limit: int, before: Mapping[int, int]) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """The newest `limit` below the given offsets, and where the next page begins."""
    reader = TopicReader(config.kafka, topics.DEAD_LETTERS.name, config.partitions)
    try:
        bounds = reader.bounds()
        ends = {p: min(end, max(low, before.get(p, end))) for p, (low, end) in bounds.items()}
        starts = {p: max(bounds[p][0], ends[p] - limit) for p in ends}
        records = window(reader, ends, starts, _SECONDS)
    finally:
        reader.close()
    records.sort(key=lambda r: (-r.timestamp_ms, -r.offset, r.partition))
    page = records[:limit]
    rest = dict(ends)
    for record in page:
        rest[record.partition] = min(rest[record.partition], record.offset)
    more = {str(p): offset for p, offset in rest.items()}
    return [letter(r) for r in page], more if any(rest[p] > bounds[p][0] for p in rest) else {}


def letter(record: Read) -> dict[str, Any]:
    """What the headers say. Never the value."""

    def text(name: str) -> str | None:
        raw = header(record.headers, name)
        return None if raw is None else raw.decode("utf-8", "replace")

    def number(name: str) -> int | None:
        raw = text(name)
        return int(raw) if raw is not None and raw.isdigit() else None

    owner = text("owner")
    return {
        "id": f"{record.partition}:{record.offset}",
        "step": text("step"),
        "reason": text("reason"),
        "message": text("message"),
        "attempts": number("attempts"),
        "source": {
            "topic": text("source_topic"),
            "partition": number("source_partition"),
            "offset": number("source_offset"),
        },
        "failed_at": text("failed_at"),
        "dead_since": datetime.fromtimestamp(record.timestamp_ms / 1000, UTC),
        "bytes": len(record.value or b""),
        "tenant": _tenant(owner),
    }


def _tenant(owner: str | None) -> str | None:
    if owner is None:
        return None
    try:
        return Owner.parse(owner).tenant
    except ValueError:
        return None
