"""GET /v1/updates: memory updates as server-sent events (B9), resumed by `Last-Event-ID`."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Send
from starlette.types import Scope as ASGIScope

from query.auth.boundary import Reader, demand_everyone, scope_now
from query.body import Route
from query.config import QueryConfig
from query.errors import ProblemError, invalid, store_down
from query.key_threads import LONG_SECONDS
from query.reading.common import Context, Ctx
from query.reading.replayed_updates import confirmed
from query.streams import Read, TopicAwayError, TopicReader
from schemas.base import Id
from schemas.events.memory import MemoryKind, MemoryUpdate
from schemas.log import topics
from schemas.log.codec import Codec, DecodeError, header
from schemas.log.dead_letters import REPLAY_FOR
from schemas.log.owner import Owner, OwnerKind
from schemas.security.scope import OwnerScope, TenantScope

router = APIRouter(route_class=Route, tags=["reading"])
_WAIT_SECONDS = 0.5
_CHECK_SECONDS = 5.0
"""How often the credential of an open stream is asked for again."""
_COMMENT_EVERY = 30
"""Empty polls between comments that keep the connection open."""


class UpdateStreams:
    """The open streams of a service: a thread each, since each has a consumer."""

    def __init__(self, config: QueryConfig) -> None:
        self._config = config
        self._threads = ThreadPoolExecutor(config.max_streams, thread_name_prefix="updates")
        self._open = 0
        self._closing = False
        self._of_tenant: Counter[str] = Counter()

    def close(self) -> None:
        self._closing = True
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def open(
        self, after: Mapping[int, int] | None, tenant: str
    ) -> tuple[TopicReader, dict[int, int], Mapping[int, int]]:
        """A reader at the end of the log, or behind `after`; its next offsets; and that end. Raises ProblemError."""
        if self._open >= self._config.max_streams:
            raise ProblemError("busy", "too many update streams are open", headers={"Retry-After": "5"})
        if self._of_tenant[tenant] >= self._config.limits.streams:
            raise ProblemError("too-many", "this tenant has too many update streams open", headers={"Retry-After": "5"})
        self._count(tenant, 1)
        try:
            opened: tuple[TopicReader, dict[int, int], Mapping[int, int]] = await self._run(self._start, after)
        except TopicAwayError:
            self._count(tenant, -1)
            raise store_down("kafka") from None
        return opened

    def _start(self, after: Mapping[int, int] | None) -> tuple[TopicReader, dict[int, int], Mapping[int, int]]:
        reader = TopicReader(self._config.kafka, topics.UPDATES.name, self._config.partitions)
        try:
            bounds = reader.bounds()
        except TopicAwayError:
            reader.close()
            raise
        start = {p: end if after is None else min(end, max(low, after.get(p, low))) for p, (low, end) in bounds.items()}
        reader.start(start)
        return reader, start, {p: end for p, (_, end) in bounds.items()}

    def _count(self, tenant: str, change: int) -> None:
        self._open += change
        self._of_tenant[tenant] += change

    async def batches(self, reader: TopicReader) -> AsyncIterator[list[Read]]:
        """What comes, until the caller goes or the service stops; an empty list now and then."""
        while not self._closing:
            yield await self._run(reader.next, _WAIT_SECONDS)

    def release(self, reader: TopicReader, tenant: str) -> None:
        """Give back the slot and the consumer of an open stream. Not awaited: the caller may have been cancelled."""
        self._count(tenant, -1)
        if not self._closing:
            self._threads.submit(reader.close)

    async def _run(self, call: Any, *args: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, call, *args)


@router.get("/v1/updates")
async def updates(
    request: Request,
    scope: Reader,
    ctx: Ctx,
    user_id: Annotated[Id | None, Query()] = None,
    project_id: Annotated[Id | None, Query()] = None,
    kind: Annotated[list[MemoryKind] | None, Query()] = None,
) -> StreamingResponse:
    """Events `memory` whose id is `partition:next offset` of every partition; send the last one as Last-Event-ID to
    go on behind it. Without it the stream begins now."""
    if user_id is not None:
        scope.user(user_id)
    if project_id is not None:
        scope.project(project_id)
    if user_id is None and project_id is None and not scope.bound:  # a bound one is shown its own users and projects
        demand_everyone(scope)
    after = _last_event_id(request.headers.get("last-event-id"))
    streams: UpdateStreams = request.app.state.updates
    reader, offsets, ends = await streams.open(after, scope.tenant)
    wanted = _Wanted(scope, user_id, project_id, frozenset(kind) if kind else None)
    ctx.saw(scope if user_id is None else scope.user(user_id))
    events = _events(streams.batches(reader), offsets, wanted, ctx, partial(scope_now, request), ends)
    return _EventStream(events, partial(streams.release, reader, scope.tenant))


class _EventStream(StreamingResponse):
    """Calls `release` when the response is over, however that comes: a caller that leaves before the first byte never
    starts the events, so that no clean-up of theirs would run."""

    def __init__(self, events: AsyncIterator[bytes], release: Callable[[], None]) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(events, media_type="text/event-stream", headers=headers)
        self._release = release

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._release()


class _Wanted:
    """Which updates a stream shows: those that the credential reaches, narrowed by what was asked."""

    def __init__(
        self, scope: TenantScope, user_id: str | None, project_id: str | None, kinds: frozenset[str] | None
    ) -> None:
        self.scope, self._user, self._project, self._kinds = scope, user_id, project_id, kinds

    def __contains__(self, update: MemoryUpdate) -> bool:
        if update.tenant != self.scope.tenant or not self._reached(update):
            return False
        if self._user is not None and update.user_id != self._user:
            return False
        if self._project is not None and update.project_id != self._project:
            return False
        return self._kinds is None or update.kind in self._kinds

    def _reached(self, update: MemoryUpdate) -> bool:
        if update.owner_kind is OwnerKind.USER:
            return self.scope.users is None or update.owner_id in self.scope.users
        if update.owner_kind is OwnerKind.PROJECT:
            return self.scope.projects is None or update.owner_id in self.scope.projects
        return True


async def _events(
    batches: AsyncIterator[list[Read]], offsets: dict[int, int], wanted: _Wanted, ctx: Context,
    still: Callable[[], Awaitable[TenantScope]], ends: Mapping[int, int] = {},
) -> AsyncIterator[bytes]:
    """`ends`: of the log when the stream was opened. What lies before may have been erased or replaced since."""
    yield b"retry: 2000\nid: " + _event_id(offsets) + b"\n\n"
    quiet, checked = 0, time.monotonic()
    async for batch in batches:
        if time.monotonic() - checked > _CHECK_SECONDS:
            checked = time.monotonic()
            try:
                if await still() != wanted.scope:
                    return
            except ProblemError:  # revoked, expired: as if the caller came anew
                return
        quiet = 0 if batch else quiet + 1
        if quiet and quiet % _COMMENT_EVERY == 0:
            yield b": still here\n\n"
        try:  # in a thread: a batch is hundreds of records, and their keys may have to be asked for
            decode = partial(_all_decoded, batch, ctx.deps.codec, wanted.scope.tenant)
            decoded = await ctx.deps.key_threads(decode, LONG_SECONDS) if batch else []
            found = [u if u is not None and u in wanted else None for u in decoded]
            pairs = [(r, u) for r, u in zip(batch, found, strict=True) if u is not None]
            before = [(r, u) for r, u in pairs if r.offset < ends.get(r.partition, 0)]
            left = await confirmed(ctx.db, wanted.scope, before) if before else _whole
        except ProblemError:  # the caller comes again, with the last id that it has
            return
        for record, update in zip(batch, found, strict=True):
            offsets[record.partition] = record.offset + 1
            if update is not None and (update := left(update)) is not None:
                ctx.saw(OwnerScope(wanted.scope, update.owner), [update.record_id])
                data = orjson.dumps(shown(update), option=orjson.OPT_UTC_Z)
                yield b"event: memory\nid: " + _event_id(offsets) + b"\ndata: " + data + b"\n\n"


def _whole(update: MemoryUpdate) -> MemoryUpdate | None:
    return update


def _all_decoded(batch: Sequence[Read], codec: Codec, tenant: str) -> list[MemoryUpdate | None]:
    """Of one tenant: to open what others wrote takes their keys, and a key that is away would end this stream."""
    return [None if _foreign(record, tenant) else _decoded(record, codec) for record in batch]


def _foreign(record: Read, tenant: str) -> bool:
    """Whether its header names an owner of another tenant; another program may have written none."""
    raw = header(record.headers, "owner")
    try:
        return raw is not None and Owner.parse(raw.decode()).tenant != tenant
    except ValueError:
        return False


def _decoded(record: Read, codec: Codec) -> MemoryUpdate | None:
    """Null values, markers and what was put back for one sink are no events for callers; what cannot be decoded is the
    sinks' to report."""
    if record.value is None or header(record.headers, REPLAY_FOR) is not None:
        return None
    try:
        event = codec.decode(topics.UPDATES.name, record.value)
    except DecodeError:
        return None
    return event if isinstance(event, MemoryUpdate) else None


def shown(update: MemoryUpdate) -> dict[str, Any]:
    """The update without what only search needs."""
    body = update.model_dump(mode="json", exclude={"sealed"}, exclude_none=True)
    sealed = update.sealed
    return {**body, "text": sealed.text, "value": sealed.value, "attributes": sealed.attributes}


def _event_id(offsets: Mapping[int, int]) -> bytes:
    return ",".join(f"{p}:{offset}" for p, offset in sorted(offsets.items())).encode()


def _last_event_id(raw: str | None) -> dict[int, int] | None:
    if raw is None or not raw.strip():
        return None
    try:
        pairs = [part.split(":") for part in raw.strip().split(",")]
        found = {int(p): int(offset) for p, offset in pairs}
    except ValueError:
        raise invalid("Last-Event-ID", "expected partition:offset pairs, as an event's id has them") from None
    if any(p < 0 or offset < 0 for p, offset in found.items()):
        raise invalid("Last-Event-ID", "expected partition:offset pairs, as an event's id has them")
    return found
