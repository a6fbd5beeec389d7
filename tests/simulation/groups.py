"""Consumer groups as their coordinator keeps them: joining, rebalancing, static members, fencing, commits.

Joining and syncing are one step here, and the assignment is made by the coordinator (sticky, as even as it goes) where
Kafka lets a member make it. Members that keep what they own through a rebalance (`cooperative`) are asked for what must
move in one round and get the rest in the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from confluent_kafka import KafkaError

from tests.simulation.partition import BrokerError

Place = tuple[str, int]
FIRST_DELAY = 0.5
"""Seconds that an empty group waits for more members (group.initial.rebalance.delay.ms)."""


@dataclass(frozen=True, slots=True)
class Joined:
    """What a member got."""

    member: str
    generation: int
    places: frozenset[Place]


@dataclass(eq=False)
class Member:
    """`owned`: what it says it holds. `wants`: the future of its pending join."""

    id: str
    instance: str
    topics: tuple[str, ...]
    session: float
    cooperative: bool
    seen: float
    owned: frozenset[Place] = frozenset()
    places: frozenset[Place] = frozenset()
    wants: asyncio.Future[Joined] | None = None


@dataclass(frozen=True, slots=True)
class Committed:
    offset: int
    epoch: int = -1


@dataclass(eq=False)
class Group:
    """One group. `count`: topic -> its partitions. `later` calls back after so many seconds."""

    name: str
    count: Callable[[str], int]
    time: Callable[[], float]
    later: Callable[[float, Callable[[], None]], object]
    future: Callable[[], asyncio.Future[Joined]]
    random: Random
    generation: int = 0
    members: dict[str, Member] = field(default_factory=dict)
    joining: bool = False
    offsets: dict[Place, Committed] = field(default_factory=dict)
    journal: list[dict[Place, Committed]] = field(default_factory=list)
    """Commits in their order; those below `flushed` are on the disk."""
    flushed: int = 0
    _round: int = 0

    def join(
        self, member: str, instance: str, topics: Sequence[str], session: float, *, cooperative: bool = False,
        owned: frozenset[Place] = frozenset(), rebalance: float = 60.0,
    ) -> asyncio.Future[Joined]:  # fmt: skip
        """Answered when the rebalance is over. Raises BrokerError for a member that is not one (any more)."""
        wants = self.future()
        found = self._known(member, instance) if member else None
        if found is None:
            found = Member(
                f"{instance or 'm'}-{self.random.getrandbits(40):x}", instance, tuple(topics), session, cooperative,
                self.time(),
            )  # fmt: skip
            old = self._of_instance(instance)
            if old is not None:
                self._replace(old, found)
                if not self.joining:
                    wants.set_result(Joined(found.id, self.generation, found.places))
                    self._watch(found)
                    return wants
            self.members[found.id] = found
            self._watch(found)
        found.seen, found.owned, found.cooperative = self.time(), owned, cooperative
        _fail(found.wants, KafkaError.REBALANCE_IN_PROGRESS)
        found.wants = wants
        self._rebalance(rebalance)
        self._complete_if_all()
        return wants

    def heartbeat(self, member: str, instance: str, generation: int) -> None:
        """Raises BrokerError: REBALANCE_IN_PROGRESS asks to join again."""
        found = self._known(member, instance)
        found.seen = self.time()
        if self.joining:
            raise BrokerError(KafkaError.REBALANCE_IN_PROGRESS)
        if generation != self.generation:
            raise BrokerError(KafkaError.ILLEGAL_GENERATION)

    def commit(self, member: str, instance: str, generation: int, offsets: Mapping[Place, Committed]) -> None:
        """Raises BrokerError from a member of an earlier generation, or none."""
        if member:
            found = self._known(member, instance)
            if generation != self.generation:
                raise BrokerError(KafkaError.ILLEGAL_GENERATION)
            found.seen = self.time()
        elif self.members:
            raise BrokerError(KafkaError.UNKNOWN_MEMBER_ID)
        self.offsets.update(offsets)
        self.journal.append(dict(offsets))

    def leave(self, member: str) -> None:
        """A dynamic member says goodbye (a static one never does)."""
        if (found := self.members.get(member)) is not None:
            self._remove(found)

    def loaded(self, cut: bool) -> None:
        """The coordinator has started again; with `cut` what it had not flushed is gone."""
        for m in self.members.values():
            _fail(m.wants, KafkaError.NOT_COORDINATOR)
            m.wants, m.seen = None, self.time()
        self.joining = False
        self._round += 1
        if cut:
            del self.journal[self.flushed :]
            self.members.clear()
            self.offsets = {}
            for entry in self.journal:
                self.offsets.update(entry)
        for m in self.members.values():
            self._watch(m)

    def _known(self, member: str, instance: str) -> Member:
        found = self.members.get(member)
        if instance:
            holder = self._of_instance(instance)
            if holder is not None and holder.id != member:
                raise BrokerError(KafkaError.FENCED_INSTANCE_ID)
        if found is None:
            raise BrokerError(KafkaError.UNKNOWN_MEMBER_ID)
        return found

    def _of_instance(self, instance: str) -> Member | None:
        return next((m for m in self.members.values() if instance and m.instance == instance), None)

    def _replace(self, old: Member, new: Member) -> None:
        """A static member has started again: it gets what it had, and the old one is fenced."""
        _fail(old.wants, KafkaError.FENCED_INSTANCE_ID)
        del self.members[old.id]
        new.places = old.places
        self.members[new.id] = new

    def _watch(self, member: Member) -> None:
        def look() -> None:
            if self.members.get(member.id) is not member:
                return
            left = member.seen + member.session - self.time()
            if left <= 0 and member.wants is None:
                self._remove(member)
            else:
                self.later(max(left, 0.01), look)

        self.later(member.session, look)

    def _remove(self, member: Member) -> None:
        del self.members[member.id]
        _fail(member.wants, KafkaError.UNKNOWN_MEMBER_ID)
        if self.members:
            self._rebalance(60.0)
            self._complete_if_all()
        else:
            self.generation += 1
            self.joining = False

    def _rebalance(self, within: float) -> None:
        if self.joining:
            return
        self.joining = True
        self._round += 1
        at, first = self._round, not any(m.places for m in self.members.values())

        def over() -> None:
            if self.joining and self._round == at:
                for m in [m for m in self.members.values() if m.wants is None and not m.instance]:
                    del self.members[m.id]
                self._complete()

        self.later(FIRST_DELAY if first else within, over)
        self._patient = first

    _patient: bool = False
    """An empty group waits for its first members."""

    def _complete_if_all(self) -> None:
        if self.joining and not self._patient and all(m.wants is not None for m in self.members.values()):
            self._complete()

    def _complete(self) -> None:
        self.joining = False
        self.generation += 1
        wanted = self._assigned()
        for m in self.members.values():
            m.places = wanted[m.id]
            if m.cooperative:
                # What another member still holds comes when that one has let go of it.
                others = {p for o in self.members.values() if o is not m and o.cooperative for p in o.owned}
                m.places -= others
            m.seen = self.time()
            if m.wants is not None and not m.wants.done():
                m.wants.set_result(Joined(m.id, self.generation, m.places))
            m.wants = None

    def _assigned(self) -> dict[str, frozenset[Place]]:
        """Sticky, and as even as it goes, topic by topic."""
        out: dict[str, set[Place]] = {m: set() for m in self.members}
        for topic in sorted({t for m in self.members.values() for t in m.topics}):
            able = sorted(m.id for m in self.members.values() if topic in m.topics)
            places = [(topic, p) for p in range(self.count(topic))]
            most = -(-len(places) // len(able))
            free = []
            for place in places:
                holder = next((m for m in able if place in (self.members[m].places | self.members[m].owned)), None)
                if holder is not None and sum(t == topic for t, _ in out[holder]) < most:
                    out[holder].add(place)
                else:
                    free.append(place)
            for place in free:
                out[min(able, key=lambda m: (sum(t == topic for t, _ in out[m]), m))].add(place)
        return {m: frozenset(places) for m, places in out.items()}


def _fail(future: asyncio.Future[Joined] | None, code: int) -> None:
    if future is not None and not future.done():
        future.set_exception(BrokerError(code))
