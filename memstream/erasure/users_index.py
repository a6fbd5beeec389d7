"""Which users the partitions of the log speak of, and from where on: learned as the eraser reads them.

An erasure may name anybody: ids that nobody has, too. With this, one reads what came since the last erasure, and of
older records only partitions that speak of its user, from the first record that does. What was read is read again where
the log has changed under it. A process begins without; it costs 16 bytes a user and partition.
"""

from __future__ import annotations

import zlib
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import orjson

from memstream.erasure.ports import Stored
from schemas.log.codec import header
from schemas.log.owner import user

Partition: TypeAlias = tuple[str, int]
"""(topic, number)."""
SAYS_NOTHING = ("tick", "marker", "erasure")
"""Types of records that no erasure takes or counts."""
_PENDING = 10_000
"""Users of a partition that are collected before they are sorted in."""


def _numbers() -> array[int]:
    return array("q")


@dataclass(frozen=True, slots=True)
class Read:
    """What was read of a partition. `users`: hashes, ascending. Of each `first`: the offset of the first record or
    erasure of theirs, twice, and 1 more where there is a record. `last`: offset, time and checksum of the newest
    record."""

    users: array[int] = field(default_factory=_numbers)
    first: array[int] = field(default_factory=_numbers)
    last: tuple[int, int, int] | None = None

    def first_of(self, owner: bytes) -> int | None:
        """Where a reader who looks for this user begins; None: there is nothing of them."""
        wanted = hash(owner)
        place = bisect_left(self.users, wanted)
        if place == len(self.users) or self.users[place] != wanted or not self.first[place] & 1:
            return None
        return self.first[place] >> 1


_NOTHING = Read()


@dataclass(slots=True)
class _Reading:
    """A partition while it is read. `again`: the record that must be the first one."""

    read: Read
    again: tuple[int, int, int] | None
    pending: dict[int, tuple[int, bool]] = field(default_factory=dict)
    last: tuple[int, int, int] | None = None
    changed: bool = False

    def take(self, m: Stored) -> None:
        self.last = _identity(m)
        if self.again is not None:
            self.changed, self.again = self.changed or self.last != self.again, None
            return
        owners, held = spoken_of(m)
        for owner in owners:
            first, before = self.pending.get(hash(owner), (self.last[0], False))
            self.pending[hash(owner)] = first, before or held
        if len(self.pending) >= _PENDING:
            self._sort_in()

    def end(self) -> Read | None:
        """None where the log is not what it was."""
        if self.changed or self.again is not None:
            return None
        self._sort_in()
        return Read(self.read.users, self.read.first, self.last)

    def _sort_in(self) -> None:
        if self.pending:
            self.read = _joined(self.read, self.pending)
            self.pending.clear()


class UsersIndex:
    """Of all partitions that were read to their end. For one thread. Use: `begin` with the partitions to read, `take`
    each record of them from the offsets that `begin` returns on, `end`."""

    def __init__(self) -> None:
        self._read: dict[Partition, Read] = {}
        self._reading: dict[Partition, _Reading] = {}

    def begin(self, places: Sequence[Partition]) -> dict[Partition, int]:
        """Where to go on, of those that were read before: at the newest record of then. Another reading that did not
        come to its end counts for nothing."""
        self._reading = {}
        for place in places:
            read = self._read.get(place, _NOTHING)
            self._reading[place] = _Reading(read, read.last)
        return {place: r.again[0] for place, r in self._reading.items() if r.again is not None}

    def take(self, m: Stored) -> None:
        self._reading[m.topic() or "", m.partition() or 0].take(m)

    def end(self) -> list[Partition]:
        """Partitions whose newest record of then is not there any more: they are to be read from their beginning."""
        changed = []
        for place, reading in self._reading.items():
            read = reading.end()
            if read is None:
                changed.append(place)
                self._read.pop(place, None)
            else:
                self._read[place] = read
        self._reading = {}
        return changed

    def first_of(self, place: Partition, owner: bytes) -> int | None:
        """The offset from which on the partition speaks of a user, None where it does not. Raises KeyError of one that
        was not read."""
        return self._read[place].first_of(owner)


def spoken_of(m: Stored) -> tuple[set[bytes], bool]:
    """The keys of users whose erasure could look at the record; whether it could take or count it."""
    pairs: Any = m.headers() or ()
    owner = header([(k, v) for k, v in pairs if isinstance(v, bytes)], "owner")
    found = {owner} if owner is not None and b"/user/" in owner else set[bytes]()
    try:
        data = orjson.loads(m.value() or b"")
    except orjson.JSONDecodeError:
        return found, True
    if not isinstance(data, dict):
        return found, True
    tenant, ids = data.get("tenant"), (data.get("user_id"), data.get("owner_id"))
    found |= {user(tenant, i).key.encode() for i in ids if isinstance(i, str) and isinstance(tenant, str)}
    return found, data.get("type") not in SAYS_NOTHING


def _identity(m: Stored) -> tuple[int, int, int]:
    return m.offset() or 0, m.timestamp()[1], zlib.crc32(m.value() or b"", zlib.crc32(m.key() or b""))


def _joined(read: Read, pending: Mapping[int, tuple[int, bool]]) -> Read:
    """With those that came since: who was there before has the first offset from then."""
    users, first, done = _numbers(), _numbers(), 0
    for name in sorted(pending):
        offset, held = pending[name]
        place = bisect_left(read.users, name, done)
        users.extend(read.users[done:place])
        first.extend(read.first[done:place])
        known = place < len(read.users) and read.users[place] == name
        users.append(name)
        first.append(read.first[place] | held if known else offset << 1 | held)
        done = place + known
    return Read(users + read.users[done:], first + read.first[done:])
