"""A member of a consumer group: joining, heartbeats, fetching, commits; what the consumers of steps and sinks share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from confluent_kafka import KafkaError

from tests.simulation.broker import Broker
from tests.simulation.groups import Joined, Place
from tests.simulation.net import AwayError, Net, pause
from tests.simulation.partition import BrokerError, Stored

Moved = Callable[[frozenset[Place]], Awaitable[None]]
_REJOIN = frozenset(
    {
        KafkaError.UNKNOWN_MEMBER_ID, KafkaError.ILLEGAL_GENERATION, KafkaError.REBALANCE_IN_PROGRESS,
        KafkaError.NOT_COORDINATOR,
    }
)  # fmt: skip


class FencedError(Exception):
    """Another process has this member's name: this one must end."""


@dataclass(frozen=True, slots=True)
class MemberConfig:
    """`instance`: static membership. `cooperative`: what stays is kept through a rebalance. `validates`: positions are
    compared with the log where its leader has changed (librdkafka does, aiokafka does not)."""

    group: str
    topics: tuple[str, ...]
    instance: str = ""
    session: float = 10.0
    cooperative: bool = False
    validates: bool = False
    batch: int = 100


class Member:
    """`revoked` and `assigned` are awaited while the group waits. Positions start at the commits, or at the start."""

    def __init__(
        self, net: Net, broker: Broker, random: Random, config: MemberConfig, revoked: Moved, assigned: Moved
    ) -> None:
        self._net, self._broker, self._random, self.config = net, broker, random, config
        self._revoked, self._assigned = revoked, assigned
        self.id, self.generation = "", 0
        self.positions: dict[Place, int] = {}
        self._leaders: dict[Place, int] = {}
        """Of the records before the positions, where they are known."""
        self.paused: set[Place] = set()
        self.must_join = True
        self.rejoin = asyncio.Event()
        self.wake = self.rejoin
        """Ends a wait for records."""
        self._beats: asyncio.Task[None] | None = None
        self.fenced = False

    def start(self) -> None:
        """Heartbeats go on by themselves, whatever the process is at."""
        self._beats = asyncio.ensure_future(self._beat())
        self._beats.add_done_callback(report_failure)

    def stop(self) -> None:
        if self._beats is not None:
            self._beats.cancel()

    async def leave(self) -> None:
        """An orderly end: a dynamic member's partitions move at once, a static one's after its session."""
        self.stop()
        if not self.config.instance and self.id:
            await self._call(lambda: self._broker.group(self.config.group).leave(self.id))

    async def join(self) -> None:
        """Take part in a rebalance, as often as it takes. Raises FencedError."""
        tries = 0
        while self.must_join:
            lost = not self.id or not self.config.cooperative  # who is no member any more has lost what it had
            if lost and self.positions:
                await self._let_go(frozenset(self.positions))
            try:
                joined: Joined = await self._call(self._ask_to_join)
            except (AwayError, BrokerError) as exc:
                self._refused(exc)
                tries += 1
                await pause(self._random, tries)
                continue
            self.id, self.generation, self.must_join = joined.member, joined.generation, False
            self.rejoin.clear()
            removed = frozenset(self.positions) - joined.places
            if removed:
                await self._let_go(removed)
                self.must_join = True  # those who get them wait for the next round
                continue
            await self._take(joined.places - frozenset(self.positions))

    async def commit(self, offsets: Mapping[Place, int], leaders: Mapping[Place, int] = {}) -> None:
        """Raises AwayError, BrokerError."""
        mine, generation = dict(offsets), self.generation
        try:
            await self._call(
                lambda: self._broker.commit(self.config.group, self.id, self.config.instance, generation, mine, leaders)
            )
        except BrokerError as exc:
            self._refused(exc)
            raise

    async def fetch(self, limit: int, wait: float) -> dict[Place, list[Stored]]:
        """Records of what is assigned and not paused; nothing when none came in `wait` seconds. Positions move on."""
        readable = [p for p in sorted(self.positions) if p not in self.paused]
        if not readable or not self._anything(readable):
            await self._wait(readable, wait)
            readable = [p for p in sorted(self.positions) if p not in self.paused]
            if not self._anything(readable):
                return {}
        request = {p: self.positions[p] for p in readable if self._behind(p)}
        try:
            found = await self._call(lambda: self._fetch(request, limit), within=2.0)
        except (AwayError, BrokerError):
            await pause(self._random, 1)
            return {}
        out: dict[Place, list[Stored]] = {}
        for place, (records, position) in found.items():
            if self.positions.get(place) == request[place] and place not in self.paused:  # not moved meanwhile
                self.positions[place] = position
                self._leaders[place] = records[-1].epoch if records else self._broker.partition(*place).epoch
                if records:
                    out[place] = records
        return out

    def seek(self, place: Place, offset: int) -> None:
        if place in self.positions:
            self.positions[place] = offset
            self._leaders.pop(place, None)

    async def start_of(self, place: Place) -> int:
        """The first offset that the log still has. Raises AwayError."""
        start: int = await self._call(lambda: self._broker.partition(*place).start)
        return start

    async def committed(self, places: frozenset[Place]) -> dict[Place, int]:
        """-> committed offset, of those that have one. Raises AwayError."""

        def ask() -> dict[Place, int]:
            known = self._broker.committed(self.config.group)
            return {p: known[p] for p in places if p in known}

        found: dict[Place, int] = await self._call(ask)
        return found

    async def _call(self, work: Callable[[], Any], within: float = 5.0) -> Any:
        return await self._net.call(self._broker, work, within)

    def _ask_to_join(self) -> asyncio.Future[Joined]:
        c = self.config
        return self._broker.group(c.group).join(
            self.id, c.instance, c.topics, c.session, cooperative=c.cooperative, owned=frozenset(self.positions)
        )

    async def _beat(self) -> None:
        while not self.fenced:
            await asyncio.sleep(self.config.session / 4)
            if not self.id or self.must_join:
                continue
            member, generation = self.id, self.generation
            try:
                await self._call(
                    lambda m=member, g=generation: self._broker.group(self.config.group).heartbeat(  # type: ignore[misc]
                        m, self.config.instance, g
                    ),
                    within=self.config.session / 4,
                )
            except BrokerError as exc:
                if (member, generation) == (self.id, self.generation) and not self.must_join:
                    self._note_error(exc)
            except AwayError:
                continue

    def _note_error(self, exc: BrokerError) -> None:
        if exc.code == KafkaError.FENCED_INSTANCE_ID:
            self.fenced = True
        if exc.code == KafkaError.UNKNOWN_MEMBER_ID:
            self.id = ""
        if exc.code in _REJOIN or self.fenced:
            self.must_join = True
            self.rejoin.set()

    def _refused(self, exc: Exception) -> None:
        """Raises FencedError."""
        if isinstance(exc, BrokerError):
            self._note_error(exc)
        if self.fenced:
            raise FencedError(self.config.instance)

    async def _let_go(self, removed: frozenset[Place]) -> None:
        await self._revoked(removed)
        for place in removed:
            self.positions.pop(place, None)
            self._leaders.pop(place, None)
            self.paused.discard(place)

    async def _take(self, places: frozenset[Place]) -> None:
        tries = 0
        while True:
            try:
                known = await self.committed(places)
                starts = {p: await self.start_of(p) for p in sorted(places - known.keys())}
                break
            except (AwayError, BrokerError):
                tries += 1
                await pause(self._random, tries)
        self.positions.update({p: known.get(p, starts.get(p, 0)) for p in sorted(places)})
        committed = self._broker.group(self.config.group).offsets
        self._leaders |= {p: committed[p].epoch for p in sorted(known) if committed[p].epoch >= 0}
        await self._assigned(places)

    def _behind(self, place: Place) -> bool:
        log = self._broker.partition(*place)
        at = self._validated(place, self.positions[place])
        return at != log.visible_end

    def _anything(self, places: list[Place]) -> bool:
        return self._broker.up and any(self._behind(p) for p in places)

    async def _wait(self, places: list[Place], seconds: float) -> None:
        done = self._broker.wait(places)

        def over() -> None:
            if not done.done():
                done.set_result(None)

        timer = asyncio.get_running_loop().call_later(seconds, over)
        moved = asyncio.ensure_future(self.wake.wait())
        either: set[asyncio.Future[Any]] = {done, moved}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            timer.cancel()
            moved.cancel()
            if not done.done():
                done.cancel()

    def _validated(self, place: Place, position: int) -> int:
        """As librdkafka does where the leader has changed: of a log that has lost what stood before the position, the
        place from which on it was lost."""
        epoch, log = self._leaders.get(place), self._broker.partition(*place)
        if not self.config.validates or epoch is None or epoch == log.epoch:
            return position
        return min(position, log.end_of_epoch(epoch)[1])

    def _fetch(self, request: Mapping[Place, int], limit: int) -> dict[Place, tuple[list[Stored], int]]:
        """At the broker. An offset that is not in the log is taken for the first that is (auto.offset.reset)."""
        out, left = {}, limit
        places = list(request)
        self._random.shuffle(places)
        for place in places:
            if left <= 0:
                break
            start = self._broker.partition(*place).start
            try:
                found, position = self._broker.fetch(place, self._validated(place, request[place]), left)
            except BrokerError:
                found, position = self._broker.fetch(place, start, left)
            out[place] = (found, position)
            left -= len(found)
        return out


def report_failure(task: asyncio.Task[None]) -> None:
    """One that has failed works no more, and nobody would hear of it: another worker takes over."""
    if not task.cancelled() and (exc := task.exception()) is not None:
        task.get_loop().call_exception_handler({"message": "a consumer", "exception": exc})
