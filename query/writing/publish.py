"""From events to acknowledged records: the one path of every write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import uuid4

from fastapi import Depends, Request

from query.config import QueryConfig
from query.deps import Deps
from query.door import Writer
from query.errors import ProblemError, invalid
from query.metrics import Metrics
from query.producer import Outgoing, QueueFullError
from schemas.envelope import Envelope
from schemas.owner import partition, project
from schemas.progress import FreshnessToken, Written
from schemas.scope import TenantScope
from schemas.topics import Topic

SOURCE = "memstream/query"


@dataclass(frozen=True, slots=True)
class Entry:
    """One event on its way. `item` is what an error calls it (`turns.3`, empty: the whole body); `id` stands in
    `delivered` when the call is cut short; `project_id`: a project that the write can reach."""

    topic: Topic
    event: Envelope
    item: str
    id: str
    project_id: str | None = None


class Publisher:
    """Encodes, sends, waits for the brokers, and says what a read may wait for."""

    def __init__(
        self,
        deps: Deps,
        config: QueryConfig,
        metrics: Metrics,
        scope: TenantScope,
        trace: Sequence[tuple[str, bytes]],
    ) -> None:
        self._deps, self._config, self._metrics, self._trace = deps, config, metrics, trace
        self.scope = scope
        self.now: datetime = deps.clock()

    def check_time(self, when: datetime | None, field: str) -> None:
        """Refuse an event from the future, by more than clocks differ."""
        if when is not None and (when - self.now).total_seconds() > self._config.future_seconds:
            raise invalid(field, "must not lie more than one day in the future")

    async def publish(self, entries: Sequence[Entry]) -> str:
        """Send all, in order; the freshness token of the writes. Raises ProblemError."""
        outgoing = [self._encode(entry) for entry in entries]
        try:
            offsets = await self._deps.log.send(outgoing)
        except QueueFullError:
            raise ProblemError("busy", "try again in a second", headers={"Retry-After": "1"}, delivered=[]) from None
        for record, offset in zip(outgoing, offsets, strict=True):
            counter = self._metrics.produced if offset is not None else self._metrics.produce_failed
            counter.labels(record.topic).inc()
        if any(offset is None for offset in offsets):
            missing = {e.id for e, offset in zip(entries, offsets, strict=True) if offset is None}
            delivered = list(dict.fromkeys(e.id for e in entries if e.id not in missing))
            raise ProblemError(
                "broker-unavailable",
                "not everything was acknowledged; repeating the same call is safe",
                headers={"Retry-After": "1"},
                delivered=delivered,
            )
        return str(
            FreshnessToken.of(
                Written(topic=o.topic, partition=o.partition, offset=offset, project_partitions=self._reach(e))
                for e, o, offset in zip(entries, outgoing, offsets, strict=True)
                if offset is not None
            )
        )

    def _encode(self, entry: Entry) -> Outgoing:
        encoded = self._deps.codec.encode(entry.event, SOURCE, str(uuid4()), self._trace)
        if len(encoded.value) > self._config.max_record_bytes:
            limit = self._config.max_record_bytes
            raise invalid(entry.item or "body", f"must have at most {limit} bytes when encoded")
        target = partition(entry.event.owner, self._config.partitions)
        return Outgoing(entry.topic.name, target, encoded.key, encoded.value, encoded.headers)

    def _reach(self, entry: Entry) -> tuple[int, ...]:
        if entry.project_id is None:
            return ()
        return (partition(project(self.scope.tenant, entry.project_id), self._config.partitions),)


async def _publisher(request: Request, scope: Writer) -> Publisher:
    state = request.app.state
    given = request.headers
    trace = [(name, given[name].encode()[:512]) for name in ("traceparent", "tracestate") if name in given]
    return Publisher(state.deps, state.config, state.metrics, scope, trace)


Publish = Annotated[Publisher, Depends(_publisher)]
