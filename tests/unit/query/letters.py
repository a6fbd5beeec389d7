"""The topology driver's log as topics that dead letters are read from and put back to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from query.deadletters.index import Filters, Letter, LetterIndex
from query.deadletters.replay import Replayer
from query.pipeline.groups import GROUPS
from query.producer import Outgoing
from query.streams import Read
from schemas.log import owner, topics
from schemas.log.codec import Codec
from streams.driver import TopologyDriver
from tests.unit.streams.toy import START, Counter, turn

READERS = {**{g.name: g.topics for g in GROUPS}, "counter": (topics.TURNS.name,)}
HOME = owner.partition(owner.user("acme", "ann"), 8)


class DriverTopics:
    """The driver's log as topics to read and a log to write to. `taken` bounds how many records it still takes."""

    def __init__(self, driver: TopologyDriver) -> None:
        self.driver = driver
        self.taken: int | None = None

    def bounds(self, topic: str) -> dict[int, tuple[int, int]]:
        return {p: (0, len(self.driver.log.partitions[topic, p])) for p in range(8)}

    def read(self, topic: str, starts: Mapping[int, int], ends: Mapping[int, int]) -> list[Read]:
        found = []
        for p, start in starts.items():
            for m in self.driver.log.partitions[topic, p][start : ends[p]]:
                found.append(Read(p, m.offset, m.value, m.headers, m.timestamp_ms, m.key))
        return found

    async def send(self, records: Sequence[Outgoing]) -> list[int | None]:
        out: list[int | None] = []
        for r in records:
            if self.taken == 0:
                out.append(None)
                continue
            if self.taken is not None:
                self.taken -= 1
            out.append(self.driver.log.append(r.topic, r.partition, r.key, r.value, r.headers))
        return out

    def close(self) -> None: ...


def tools(driver: TopologyDriver) -> tuple[DriverTopics, LetterIndex, Replayer]:
    access = DriverTopics(driver)
    index = LetterIndex(access)
    return access, index, Replayer(index, access, access, Codec(), 8, READERS)


def opened(index: LetterIndex) -> list[Letter]:
    index.refresh()
    return index.select(Filters())


async def counted(*contents: str) -> TopologyDriver:
    d = TopologyDriver([Counter()], START)
    for content in contents:
        d.pipe(topics.TURNS, turn(content))
    await d.run()
    return d


def records(d: TopologyDriver, topic: Any = topics.TURNS) -> list[Any]:
    return d.log.partitions[topic.name, HOME]
