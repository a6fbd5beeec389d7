"""From events to acknowledged records: the one path of every write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Annotated

from fastapi import Depends, Request

from processors.screen.callers import OutgrownError, length_of
from query.access import AccessLog, operation_of
from query.auth.boundary import DocumentsWriter, Writer
from query.config import QueryConfig
from query.deps import Deps
from query.errors import ProblemError, invalid
from query.limits import TenantLimits
from query.log_epochs import LogEpochs
from query.metrics import Metrics
from query.producer import Outgoing, QueueFullError
from query.search.fair_lane import FairLane
from query.views.pending_deletions import Withheld
from schemas.events.envelope import Envelope
from schemas.events.erasure import Erasure
from schemas.log import topics
from schemas.log.owner import Owner, partition, project
from schemas.log.progress import FreshnessToken, Written
from schemas.log.topics import Topic
from schemas.security.scope import TenantScope
from schemas.storage.sizes import TOO_LARGE, outgrown_value

SOURCE = "memstream/query"
_TOGETHER = 20_000
"""Characters that are screened together."""
_LONG_TERM = (topics.LEDGER, topics.PROJECT_EVENTS, topics.DOCUMENTS)


@dataclass(frozen=True, slots=True)
class Entry:
    """One event on its way. `item` is what an error calls it (`turns.3`, empty: the whole body); `id` stands in
    `delivered` when the call is cut short; `project_id`, `project_ids`: projects that the write can reach.
    `partition`: where it goes in place of its owner's (an erasure of a tenant goes to each one)."""

    topic: Topic
    event: Envelope
    item: str
    id: str
    project_id: str | None = None
    partition: int | None = None
    project_ids: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Published:
    """What the brokers have: the freshness token, and the offset of each event in its partition."""

    token: str
    offsets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """What a caller is told of repeating a call of which the brokers did not acknowledge everything: what was not
    acknowledged may be there nonetheless. `extra`: members of the answer that it names."""

    detail: str
    extra: Mapping[str, str] = field(default_factory=dict)


SAFE = Repeat("repeating the same call is safe")
"""What is written has its id, or its place, from the caller: it is the same once more."""
TWICE = Repeat("what was sent may have been taken: look before repeating the call, which would do it once more")


def under(name: str, value: str) -> Repeat:
    """The service made an id, the field or header `name`: without it the call is another one."""
    return Repeat(f"repeat the call with the {name} of this answer: without it, it may be written twice", {name: value})


class Publisher:
    """Encodes, sends, waits for the brokers, and says what a read may wait for."""

    def __init__(
        self,
        deps: Deps,
        config: QueryConfig,
        metrics: Metrics,
        scope: TenantScope,
        trace: Sequence[tuple[str, bytes]],
        accesses: AccessLog,
        operation: str,
        limits: TenantLimits,
        withheld: Withheld,
        screening: FairLane,
        epochs: LogEpochs,
    ) -> None:
        self._deps, self._config, self._metrics, self._trace = deps, config, metrics, trace
        self._accesses, self._operation, self._limits, self._withheld = accesses, operation, limits, withheld
        self._screening, self._epochs = screening, epochs
        self.scope = scope
        self.now: datetime = deps.clock()

    def may_name(self) -> tuple[str, ...] | None:
        """The projects with a name of the tenant's profile that a text may write to by it (D2, C7): those that the
        credential reaches. None: all."""
        if self.scope.projects is None:
            return None
        named = (p.id for p in self._deps.profile_of(self.scope.tenant).projects)
        return tuple(sorted(n for n in named if self.scope.in_project(n)))

    async def cut_off(self, owner: Owner) -> datetime:
        """When an erasure that begins now ends: where values are sealed, once everybody uses the owner's next key."""
        renew = self._deps.new_keys
        if renew is None:
            return self.now
        return self.now + await self._deps.key_threads(partial(renew, owner))

    @property
    def partitions(self) -> int:
        return self._config.partitions

    def check_time(self, when: datetime | None, field: str) -> None:
        """Refuse an event from the future, by more than clocks differ."""
        if when is not None and (when - self.now).total_seconds() > self._config.future_seconds:
            raise invalid(field, "must not lie more than one day in the future")

    async def publish(self, entries: Sequence[Entry], repeat: Repeat = SAFE) -> str:
        """Send all, in order; the freshness token of the writes. Raises ProblemError, where `repeat` says what is true
        of repeating the call."""
        return (await self.placed(entries, repeat)).token

    async def placed(self, entries: Sequence[Entry], repeat: Repeat = SAFE) -> Published:
        """The same, and where each one lies."""
        if turns := sum(entry.topic is topics.TURNS for entry in entries):
            await self._limits.take("turns", self.scope.tenant, turns)
        await self._limits.check("bytes", self.scope.tenant)  # before texts are screened and sealed for nothing
        entries = await self._screened(entries)
        outgoing = await self._encoded(entries)
        await self._limits.take("bytes", self.scope.tenant, sum(len(o.value or b"") for o in outgoing))
        leaders = self._epochs.at_send()
        try:
            offsets = await self._deps.log.send(outgoing)
        except QueueFullError:
            raise ProblemError("busy", "try again in a second", headers={"Retry-After": "1"}, delivered=[]) from None
        for record, offset in zip(outgoing, offsets, strict=True):
            counter = self._metrics.produced if offset is not None else self._metrics.produce_failed
            counter.labels(record.topic).inc()
        self._record(entries, offsets)
        for entry, offset in zip(entries, offsets, strict=True):
            if offset is not None:
                self._withheld.note(entry.event)
        if any(offset is None for offset in offsets):
            missing = {e.id for e, offset in zip(entries, offsets, strict=True) if offset is None}
            delivered = list(dict.fromkeys(e.id for e in entries if e.id not in missing))
            raise ProblemError(
                "broker-unavailable",
                f"not everything was acknowledged; {repeat.detail}",
                headers={"Retry-After": "1"},
                delivered=delivered,
                **repeat.extra,
            )
        known = tuple(offset for offset in offsets if offset is not None)
        token = FreshnessToken.of(
            Written(
                topic=o.topic, partition=o.partition, offset=offset, project_partitions=self._reach(e),
                epoch=leaders.get((o.topic, o.partition)),
            )
            for e, o, offset in zip(entries, outgoing, known, strict=True)
        )  # fmt: skip
        return Published(str(token), known)

    async def _screened(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        """Callers' own words under policy: what is written here is kept as long as what it decided (D5)."""
        own = [i for i, e in enumerate(entries) if self._deps.screen.concerns(e.event)]
        if not own:
            return entries
        clean: dict[int, Envelope] = {}
        try:
            for part, cost in _parts(own, [length_of(entries[i].event) for i in own]):
                # In a thread of its own: a text of 100,000 characters takes seconds, and no read waits for it. Some at
                # a time, so that no other tenant waits for all of a large call.
                screen = partial(self._deps.screen, [entries[i].event for i in part])
                clean |= zip(part, await self._screening.of(self.scope.tenant, cost, screen), strict=True)
        except OutgrownError as exc:
            raise invalid(exc.field, "is too long once the PII policy has masked it") from None
        return [replace(e, event=clean[i]) if i in clean else e for i, e in enumerate(entries)]

    def _record(self, entries: Sequence[Entry], offsets: Sequence[int | None]) -> None:
        """Who wrote which long-term memory (C10). Turns are not: what is learned from them cites them."""
        written: dict[Owner, list[str]] = {}
        for entry, offset in zip(entries, offsets, strict=True):
            if offset is not None and entry.topic in _LONG_TERM:
                named = getattr(entry.event, "memory_id", None)
                written.setdefault(entry.event.owner, []).append(named or entry.id)
        for owner, ids in written.items():
            self._accesses.note(self.scope, owner, "write", self._operation, ids)
        sent = (entry.event for entry, offset in zip(entries, offsets, strict=True) if offset is not None)
        erased = next((event for event in sent if isinstance(event, Erasure)), None)
        if erased is not None:  # once, also where it goes to each partition; its report finds it by this name
            name = erased.erasure_id
            self._accesses.note(self.scope, erased.owner, "write", self._operation, access_id=name)

    async def _encoded(self, entries: Sequence[Entry]) -> list[Outgoing]:
        if not self._deps.codec.seals:
            return [self._encode(entry) for entry in entries]
        return await self._deps.key_threads(lambda: [self._encode(entry) for entry in entries])

    def _encode(self, entry: Entry) -> Outgoing:
        if (name := outgrown_value(entry.event)) is not None:
            raise invalid(f"{entry.item}.{name}" if entry.item else name, TOO_LARGE)
        encoded = self._deps.codec.encode(entry.event, SOURCE, self._deps.new_id(), self._trace)
        if len(encoded.value) > self._config.max_record_bytes:
            limit = self._config.max_record_bytes
            raise invalid(entry.item or "body", f"must have at most {limit} bytes when encoded")
        target = entry.partition
        if target is None:
            target = partition(entry.event.owner, self._config.partitions)
        return Outgoing(entry.topic.name, target, encoded.key, encoded.value, encoded.headers)

    def _reach(self, entry: Entry) -> tuple[int, ...]:
        tenant, count = self.scope.tenant, self._config.partitions
        named = (*entry.project_ids, *(() if entry.project_id is None else (entry.project_id,)))
        return tuple(sorted({partition(project(tenant, name), count) for name in named}))


def _parts(places: Sequence[int], lengths: Sequence[int]) -> Iterator[tuple[list[int], int]]:
    """Places that are screened together, of so many characters in all."""
    part, cost = list[int](), 0
    for place, length in zip(places, lengths, strict=True):
        if part and cost + length > _TOGETHER:
            yield part, cost
            part, cost = [], 0
        part.append(place)
        cost += length
    yield part, cost


def publisher_of(request: Request, scope: TenantScope) -> Publisher:
    """For calls that only sometimes write; they have asked for the permission themselves."""
    state = request.app.state
    given = request.headers
    trace = [(name, given[name].encode()[:512]) for name in ("traceparent", "tracestate") if name in given]
    state.accesses.admit()
    return Publisher(
        state.deps, state.config, state.metrics, scope, trace, state.accesses, operation_of(request), state.limits,
        state.withheld, state.screening, state.epochs,
    )  # fmt: skip


async def _publisher(request: Request, scope: Writer) -> Publisher:
    return publisher_of(request, scope)


Publish = Annotated[Publisher, Depends(_publisher)]


async def _documents_publisher(request: Request, scope: DocumentsWriter) -> Publisher:
    return publisher_of(request, scope)


PublishDocuments = Annotated[Publisher, Depends(_documents_publisher)]
