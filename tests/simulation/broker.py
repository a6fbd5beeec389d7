"""The simulated log: topics of partitions, groups, and what a crash or a power cut leaves of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random

from confluent_kafka import KafkaError

from tests.simulation.groups import Committed, Group, Place
from tests.simulation.net import Server
from tests.simulation.partition import BrokerError, Partition, Record, Stored

FLUSHED_EVERY = 5.0
"""Seconds after which what is not flushed at once comes to the disk by itself, each file at its own time."""


class Broker(Server):
    """One broker. `cluster_id` and the topics' ids name the log."""

    def __init__(self, random: Random, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__("kafka")
        self._random, self._loop = random, loop
        self.cluster_id = f"cluster-{random.getrandbits(40):x}"
        self.topics: dict[str, list[Partition]] = {}
        self.topic_ids: dict[str, str] = {}
        self.groups: dict[str, Group] = {}
        self._waiting: dict[Place, list[asyncio.Future[None]]] = {}
        self._next_producer = 0
        self.saw: Callable[..., None] = lambda *given: None
        """Told of each batch that arrives."""
        self.lost = 0
        """Records that were acknowledged, and that a power cut has taken."""

    def create(self, topic: str, partitions: int, durable: bool = True) -> None:
        self.topics[topic] = [Partition(durable) for _ in range(partitions)]
        self.topic_ids[topic] = f"topic-{self._random.getrandbits(40):x}"

    def partition(self, topic: str, partition: int) -> Partition:
        """Raises BrokerError for what is not there."""
        found = self.topics.get(topic)
        if found is None or not 0 <= partition < len(found):
            raise BrokerError(KafkaError.UNKNOWN_TOPIC_OR_PART)
        return found[partition]

    def group(self, name: str) -> Group:
        if name not in self.groups:
            self.groups[name] = Group(
                name, lambda t: len(self.topics.get(t, ())), self._loop.time, self._loop.call_later,
                self._loop.create_future, self._random,
            )  # fmt: skip
        return self.groups[name]

    def producer_id(self) -> int:
        self._next_producer += 1
        return self._next_producer

    def produce(
        self, topic: str, partition: int, records: Sequence[Record], producer: int = -1, sequence: int = -1
    ) -> asyncio.Future[int]:
        """The first offset, once it is acknowledged: of a durable topic when it is on the disk. Raises BrokerError."""
        if self.weather.refuses:
            raise BrokerError(KafkaError.NOT_ENOUGH_REPLICAS)
        self.saw(topic, partition, records, producer, sequence)
        log, life = self.partition(topic, partition), self.life
        base = log.append(records, producer, sequence)
        done: asyncio.Future[int] = self._loop.create_future()

        def synced(upto: int) -> None:
            if self.life != life or not self.up:
                done.cancel()
                return
            log.flush(upto)
            self._seen((topic, partition))
            done.set_result(base)

        if log.durable and log.flushed < base + len(records):
            self._loop.call_later(self._random.uniform(0.0001, 0.002), synced, base + len(records))
        else:
            self._seen((topic, partition))
            done.set_result(base)
        return done

    def fetch(self, place: Place, offset: int, limit: int) -> tuple[list[Stored], int]:
        """Records from this offset on, and the offset behind them (of what may be seen)."""
        log = self.partition(*place)
        found = log.read(offset, limit)
        end = found[-1].offset + 1 if len(found) == limit else max(log.visible_end, offset)
        return [s for s in found if s.record.visible], end

    def wait(self, places: Iterable[Place]) -> asyncio.Future[None]:
        """Done when something new can be seen in one of them (or may be, after a start)."""
        done: asyncio.Future[None] = self._loop.create_future()
        for place in places:
            line = self._waiting.setdefault(place, [])
            line[:] = [w for w in line if not w.done()]
            line.append(done)
        return done

    def commit(
        self, group: str, member: str, instance: str, generation: int, offsets: Mapping[Place, int],
        leaders: Mapping[Place, int],
    ) -> None:  # fmt: skip
        """`leaders`: of the records before these offsets, where the member names them."""
        if self.weather.refuses:
            raise BrokerError(KafkaError.NOT_COORDINATOR)
        found = {p: Committed(o, leaders.get(p, -1)) for p, o in offsets.items()}
        self.group(group).commit(member, instance, generation, found)

    def committed(self, group: str) -> dict[Place, int]:
        return {place: c.offset for place, c in self.group(group).offsets.items()}

    def flush_some(self) -> None:
        """What the operating system writes back by and by: some files, each as far as it is now."""
        for log in [p for t in self.topics.values() for p in t if not p.durable]:
            if self._random.random() < 0.5:
                log.flush()
        for group in self.groups.values():
            if self._random.random() < 0.5:
                group.flushed = len(group.journal)

    def crash(self, power: bool) -> None:
        """The process ends; with `power` the machine does, and each partition is what its own last flush left."""
        self.stop()
        for log in [p for t in self.topics.values() for p in t]:
            if power:
                self.lost += log.cut()
            else:
                log.flush()  # the page cache outlives the process
        for group in self.groups.values():
            group.loaded(power)

    def start(self) -> None:
        super().start()
        for log in [p for t in self.topics.values() for p in t]:
            log.lead()
        for place in list(self._waiting):
            self._seen(place)

    def everything(self) -> dict[Place, Partition]:
        return {(t, n): p for t, found in self.topics.items() for n, p in enumerate(found)}

    def _seen(self, place: Place) -> None:
        for waiting in self._waiting.pop(place, ()):
            if not waiting.done():
                waiting.set_result(None)
