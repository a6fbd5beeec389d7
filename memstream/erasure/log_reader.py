"""Reads of the log for erasures: what is new, and of what was read before only where it speaks of their users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from memstream.erasure.ports import Stored, Topics
from memstream.erasure.users_index import Partition, UsersIndex
from schemas.events.erasure import Erasure
from schemas.log import topics


class Collector(Protocol):
    """What one erasure takes in of the records of `places`, each partition's in its order."""

    e: Erasure
    places: frozenset[Partition]

    def take(self, m: Stored) -> None: ...


class LogReader:
    """For one thread. What it knows of partitions is of this process."""

    def __init__(self, topics_: Topics) -> None:
        self._topics, self._users = topics_, UsersIndex()

    def read(self, collectors: Sequence[Collector]) -> None:
        """Gives each collector the records of its partitions that may matter to it. Raises Away."""
        by_place: dict[Partition, list[Collector]] = {}
        for collector in collectors:
            for place in collector.places:
                by_place.setdefault(place, []).append(collector)
        known = self._read_new(by_place, sorted(by_place))
        changed = self._users.end()
        if changed:  # a power cut, a topic made anew, compaction: they are read as if never before
            self._read_new(by_place, changed)
            self._users.end()
        self._read_old(by_place, [place for place in known if place not in changed])

    def _read_new(
        self, by_place: Mapping[Partition, Sequence[Collector]], places: Sequence[Partition]
    ) -> Sequence[Partition]:
        """Partitions that were not read before, whole; of the others, which are returned, what came since then, and
        that only to know of whom it speaks."""
        since = self._users.begin(places)
        for m in self._topics.read(places, since):
            self._users.take(m)
            place = m.topic() or "", m.partition() or 0
            for collector in by_place[place] if place not in since else ():
                collector.take(m)
        return list(since)

    def _read_old(self, by_place: Mapping[Partition, Sequence[Collector]], places: Sequence[Partition]) -> None:
        since: dict[Partition, int] = {}
        wanted: dict[Partition, list[Collector]] = {}
        for place in places:
            for collector in by_place[place]:
                if (first := self._first(place, collector.e)) is not None:
                    since[place] = min(first, since.get(place, first))
                    wanted.setdefault(place, []).append(collector)
        for m in self._topics.read(sorted(wanted), since) if wanted else ():
            for collector in wanted.get((m.topic() or "", m.partition() or 0), ()):
                collector.take(m)

    def _first(self, place: Partition, e: Erasure) -> int | None:
        """The offset from which on a partition matters to an erasure, None where it does not."""
        if e.scope == "tenant":
            return 0
        first = self._users.first_of(place, e.owner.key.encode())
        # What lies under a key of a project may be another user's, before this one's came over it.
        return 0 if first is not None and place[0] == topics.UPDATES.name else first
