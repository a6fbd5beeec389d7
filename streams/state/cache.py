"""Owner state in memory while a partition is owned: rows, write overlays, derived indexes, under a byte bound."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar, cast

from processors.state_tables import OwnerSingle, OwnerTable, Single, Table
from processors.step import Reads
from streams.state.protocol import Rows, Write

T = TypeVar("T")
_ROW_OVERHEAD = 120
"""Bytes of a dict entry and its two objects beside the payload (CPython 3.11, rounded up)."""
_OWNER_OVERHEAD = 800
_INDEXED = 3
"""An owner with derived indexes takes about three times its rows (vectors as float32, word lists, signatures)."""
_EXPIRY = 150
"""Bytes of a row's end: a dict entry and its time."""


class NotRead(Exception):  # noqa: N818 - a condition, as StaleOwner is
    """A step asked for rows that are not here: its reads named what was needed before the batch began, and a record
    of the batch itself has made more of it needed (a week that comes due, then the tick that closes it)."""

    def __init__(self, reads: Reads) -> None:
        super().__init__("rows were asked for that are not read yet")
        self.reads = reads


@dataclass(slots=True)
class CachedOwner:
    """Rows of one owner. `complete`: all of its rows are here, so that an absent key is absent in the store; else
    `known` says which keys were looked up. `expiry`: when those rows go that do, none of them before `soonest`."""

    rows: dict[str, bytes] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    complete: bool = False
    derived: dict[str, object] = field(default_factory=dict)
    expiry: dict[str, datetime] = field(default_factory=dict)
    soonest: datetime | None = None
    size: int = _OWNER_OVERHEAD
    charged: int = 0
    """What the partition's total holds for this owner."""

    @property
    def cost(self) -> int:
        """Bytes held, estimated."""
        return self.size * _INDEXED if self.derived else self.size

    def set(self, key: str, value: bytes | None, expires_at: datetime | None = None) -> None:
        """The newest value of a key; None: there is none."""
        if self.expiry.pop(key, None) is not None:
            self.size -= _EXPIRY
        if value is not None and expires_at is not None:
            self.expiry[key] = expires_at
            self.size += _EXPIRY
            self.soonest = expires_at if self.soonest is None else min(self.soonest, expires_at)
        if key not in self.known:
            self.known.add(key)
            self.size += len(key) + _ROW_OVERHEAD
        old = self.rows.pop(key, None) if value is None else self.rows.get(key)
        self.size += len(value or b"") - len(old or b"")
        if value is not None:
            self.rows[key] = value
        elif self.complete:
            self.known.discard(key)
            self.size -= len(key) + _ROW_OVERHEAD

    def sweep(self, now: datetime) -> bool:
        """Rows that have expired are gone; whether there were any."""
        if self.soonest is None or self.soonest > now:
            return False
        for key in [k for k, at in self.expiry.items() if at <= now]:
            self.set(key, None)
        self.soonest = min(self.expiry.values(), default=None)
        return True


class OwnerOverlay:
    """`OwnerState` over a cached owner: one record's changes, kept apart until the record succeeds. What is not cached
    is never taken for absent: it raises NotRead."""

    def __init__(self, cached: CachedOwner, name: str = "") -> None:
        self._cached = cached
        self._name = name
        self.changes: dict[str, bytes | None] = {}
        self.expiry: dict[str, datetime] = {}

    def table(self, table: Table[T]) -> OwnerTable[T]:
        return OwnerTable(self, table)

    def single(self, single: Single[T]) -> OwnerSingle[T]:
        return OwnerSingle(self, single)

    def read(self, key: str) -> bytes | None:
        if key in self.changes:
            return self.changes[key]
        if not self._cached.complete and key not in self._cached.known:
            raise NotRead(Reads(self._name, (key,)))
        return self._cached.rows.get(key)

    def write(self, key: str, value: bytes, expires_at: datetime | None = None) -> None:
        self.changes[key] = value
        self.expiry.pop(key, None)
        if expires_at is not None:
            self.expiry[key] = expires_at

    def delete(self, key: str) -> None:
        self.changes[key] = None
        self.expiry.pop(key, None)

    def keys(self, prefix: str = "") -> list[str]:
        if not self._cached.complete:
            raise NotRead(Reads(self._name))
        stored = {k for k in self._cached.rows if k.startswith(prefix) and k not in self.changes}
        written = {k for k, value in self.changes.items() if value is not None and k.startswith(prefix)}
        return sorted(stored | written)

    def clear(self, keep: Container[str] = ()) -> int:
        removed_keys = [key for key in self.keys() if key not in keep]
        for key in removed_keys:
            self.delete(key)
        self._cached.derived.clear()
        return len(removed_keys)

    def derived(self, name: str, build: Callable[[], T]) -> T:
        if name not in self._cached.derived:
            self._cached.derived[name] = build()
        return cast(T, self._cached.derived[name])

    def keep(self) -> None:
        """The record succeeded: its changes become the rows."""
        for key, value in self.changes.items():
            self._cached.set(key, value, self.expiry.get(key))

    def drop(self) -> None:
        """The record failed: derived indexes may hold half of its changes."""
        self._cached.derived.clear()


class PartitionCache:
    """Cached owners of one partition, least recently used out first."""

    def __init__(self) -> None:
        self._owners: OrderedDict[str, CachedOwner] = OrderedDict()
        self._total = 0

    def missing(self, reads: Iterable[Reads]) -> list[Reads]:
        """What must be loaded for these reads."""
        out: list[Reads] = []
        for read in reads:
            have = self._owners.get(read.owner)
            if have is None:
                out.append(read)
            elif not have.complete:
                if read.keys is None:
                    out.append(read)
                elif absent := tuple(k for k in read.keys if k not in have.known):
                    out.append(Reads(read.owner, absent))
        return out

    def fill(self, reads: Iterable[Reads], rows: Rows, swept: datetime | None = None) -> None:
        """Take in what was loaded; a key that is known keeps its value, which may be newer. `swept`: the newest tick
        of the batch so far, whose sweep the store has not seen yet."""
        for read in reads:
            cached = self._owners.setdefault(read.owner, CachedOwner())
            if cached.complete:
                continue
            loaded = rows.get(read.owner, {})
            for key in loaded if read.keys is None else read.keys:
                if key not in cached.known:
                    ends = rows.expiry.get((read.owner, key))
                    expired = ends is not None and swept is not None and ends <= swept
                    cached.set(key, None if expired else loaded.get(key), ends)
            if read.keys is None:
                cached.complete = True
                cached.derived.clear()
            self._charge(cached)

    def owner(self, name: str) -> CachedOwner:
        """Nothing is known of one that was not read."""
        if name not in self._owners:
            self._owners[name] = CachedOwner()
        self._owners.move_to_end(name)
        return self._owners[name]

    def sweep(self, now: datetime) -> None:
        """As the store will when the batch is committed: what a tick ended is gone for every record behind it."""
        for cached in self._owners.values():
            if cached.sweep(now):
                self._charge(cached)

    def settle(self, owners: Iterable[str]) -> None:
        """These owners may have changed in size."""
        for name in owners:
            self._charge(self._owners[name])

    def shrink(self, max_bytes: int) -> None:
        """Between batches: forget the least recently used owners beyond the byte bound, all but the last."""
        while self._total > max_bytes and len(self._owners) > 1:
            _, evicted = self._owners.popitem(last=False)
            self._total -= evicted.charged

    def _charge(self, cached: CachedOwner) -> None:
        self._total += cached.cost - cached.charged
        cached.charged = cached.cost


class RecordState:
    """`StateSpace` of one record."""

    def __init__(self, cache: PartitionCache) -> None:
        self._cache = cache
        self.overlays: dict[str, OwnerOverlay] = {}

    def of(self, owner: str) -> OwnerOverlay:
        if owner not in self.overlays:
            self.overlays[owner] = OwnerOverlay(self._cache.owner(owner), owner)
        return self.overlays[owner]

    def keep(self) -> dict[tuple[str, str], Write]:
        out: dict[tuple[str, str], Write] = {}
        for owner, overlay in self.overlays.items():
            overlay.keep()
            for key, value in overlay.changes.items():
                out[owner, key] = Write(owner, key, value, overlay.expiry.get(key))
        self._cache.settle(self.overlays)
        return out

    def drop(self) -> None:
        for overlay in self.overlays.values():
            overlay.drop()
        self._cache.settle(self.overlays)
