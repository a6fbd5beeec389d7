"""The service's own writer in a round: the product's publisher, access log and `Log`, over the simulated producer. What
a call is given is its token, as the product has made it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar, cast

from processors.screen.callers import CallersScreen
from query.access import AccessLog
from query.config import Limits, QueryConfig
from query.deps import Deps
from query.errors import ProblemError
from query.limits import TenantLimits
from query.metrics import Metrics
from query.producer import ReportedLog
from query.views.pending_deletions import Withheld
from query.writing.publish import Entry, Published, Publisher
from schemas.events.erasure import Erasure
from schemas.log.owner import partition
from schemas.log.progress import FreshnessToken, Written
from schemas.profile.model import load_profile
from schemas.security.scope import Permission, TenantScope
from streams.topology import Parts
from tests.simulation.load import TENANT
from tests.simulation.net import AwayError
from tests.simulation.producer import SimProducer
from tests.simulation.sink_consumer import SimClock

if TYPE_CHECKING:
    from tests.simulation.world import World

T = TypeVar("T")
UNHEARD = 0.02
"""The share of answers that do not reach the caller."""
_PASSING = ("broker-unavailable", "busy")
"""Errors behind which a caller asks again."""
_METRICS = Metrics()
"""Of all rounds: who counts first asks the machine what time it is."""
_NO_LIMITS = Limits(
    reads_per_second=0, writes_per_second=0, turns_per_second=0, bytes_per_second=0, failures_per_second=0
)
_SCOPE = TenantScope(TENANT, "caller", frozenset(Permission))
Make = Callable[[datetime], Sequence[Entry]]
"""What a call asks for, given the moment of acceptance."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """`written`: where each event lies. `token`: what the caller was given."""

    written: tuple[Written, ...]
    token: str


@dataclass(frozen=True, slots=True)
class _Request:
    make: Make
    answer: asyncio.Future[Accepted]


class Service:
    """Outlives its process: it knows where the newest life takes requests from."""

    def __init__(self, world: World, parts: Parts, start: datetime, partitions: int) -> None:
        self._world, self._start = world, start
        self._screen = CallersScreen(parts.models, parts.book)
        self._config = QueryConfig(partitions=partitions)
        self._requests: asyncio.Queue[_Request] = asyncio.Queue()

    async def post(self, make: Make, within: float = 20.0) -> Accepted:
        """A call to the service: acknowledged, or AwayError."""
        request = _Request(make, self._world.loop.create_future())
        self._requests.put_nowait(request)
        done, _ = await asyncio.wait({request.answer}, timeout=within)
        if not done:
            request.answer.cancel()  # nobody listens any more
            raise AwayError("service")
        return request.answer.result()

    async def serve(self) -> None:
        """One life of the service. Never returns."""
        w = self._world
        clock = SimClock(w.loop, self._start, w.skew)
        deps = self._deps(clock)
        c = self._config
        accesses = AccessLog(
            deps.log, w.codec, c.partitions, clock.now, _METRICS, c.max_accesses_waiting, deps.new_id
        )  # fmt: skip
        accesses.start()
        w.leaders.forget()
        limits, withheld = TenantLimits(_NO_LIMITS, _METRICS), Withheld(clock=w.loop.time)
        requests: asyncio.Queue[_Request] = asyncio.Queue()
        self._requests = requests  # what an earlier life has not taken is lost
        tasks: set[asyncio.Task[None]] = {asyncio.ensure_future(w.leaders.look())}
        while True:
            request = await requests.get()
            clock.skew = w.skew
            publisher = Publisher(
                deps, c, _METRICS, _SCOPE, (), accesses, "POST /v1/turns", limits, withheld,
                cast(Any, _Lane(w)), w.leaders.epochs,
            )  # fmt: skip
            task = asyncio.ensure_future(self._accept(request, publisher, accesses))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    async def _accept(self, request: _Request, publisher: Publisher, accesses: AccessLog) -> None:
        entries = request.make(publisher.now)
        erasures = [e.event for e in entries if isinstance(e.event, Erasure)]
        for erasure in erasures:
            self._world.trust.requested(erasure)
        try:
            accesses.admit()
            published = await publisher.placed(entries)
        except ProblemError as exc:
            if exc.word not in _PASSING:
                raise
            if not request.answer.done():
                request.answer.set_exception(AwayError(exc.word))
            return
        self._world.trust.asked += [e.erasure_id for e in erasures]
        if self._world.random.random() > UNHEARD and not request.answer.done():
            request.answer.set_result(Accepted(self._written(entries, published), published.token))

    def _deps(self, clock: SimClock) -> Deps:
        w = self._world
        log = ReportedLog(
            lambda: SimProducer(w.net, w.broker, w.random, clock.now_ms, self._config.delivery_seconds),
            self._config.max_queued, self._config.delivery_seconds, self._random_hex,
        )  # fmt: skip
        none = cast(Any, None)  # a writer asks for none of these
        return Deps(
            none, none, log, none, none, load_profile("general"), self._screen, w.codec, clock=clock.now,
            new_id=lambda: self._random_hex(16), key_threads=none,
        )  # fmt: skip

    def _written(self, entries: Sequence[Entry], published: Published) -> tuple[Written, ...]:
        """Each event by itself, under the leader that the token names of its partition."""
        named = {(w.topic, w.partition): w for w in FreshnessToken.parse(published.token).writes}
        places = [(e.topic.name, partition(e.event.owner, self._config.partitions)) for e in entries]
        return tuple(
            Written(topic=place[0], partition=place[1], offset=offset, epoch=named[place].epoch)
            for place, offset in zip(places, published.offsets, strict=True)
        )

    def _random_hex(self, size: int) -> str:
        return f"{self._world.random.getrandbits(8 * size):0{2 * size}x}"


class _Lane:
    """Stands for `FairLane`, whose work is done in a thread: it takes its time here, too."""

    def __init__(self, world: World) -> None:
        self._random = world.random

    async def of(self, tenant: str, cost: int, call: Callable[[], T]) -> T:
        await asyncio.sleep(self._random.uniform(0.0, 0.01))
        return call()
