"""Where a record stands among others of its user: its slots, what bounds it, when it leaves; the index over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from heapq import heappush
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from processors.dedupe.calibration import Calibration
from processors.dedupe.features import Features
from processors.dedupe.window import Entry, NearDuplicateWindow
from processors.memory.changes.nearest import NearestStanding
from processors.memory.low_readings import Doubted, is_doubted
from processors.memory.rows import Rejection
from processors.memory.values import canonical, wording
from schemas.base import JsonValue
from schemas.events.memory import MemoryUpdate, TableRow

K = TypeVar("K")
_STATEMENT_KINDS = frozenset({"fact", "preference", "intent", "episode"})
LEARNED = _STATEMENT_KINDS | {"relation"}


class Slot(NamedTuple):
    """Where a fact, preference or intent stands: one value, or several beside each other where the field says so."""

    kind: str
    scope: str
    about: str
    field: str


class Rank(NamedTuple):
    """How much a memory is missed, compared in this order."""

    readable: bool
    importance: float
    last_accessed_at: datetime
    record_id: str


class Saying(NamedTuple):
    """What a caller had remembered, without a field: equal where the same is said in the same place."""

    kind: str
    scope: str
    category: str | None
    project_id: str | None
    namespace: tuple[str, ...]
    value: str
    wording: str


class RecordsBy(Generic[K]):
    """Ids of records by something that several of them may have."""

    def __init__(self) -> None:
        self._sets: dict[K, set[str]] = {}

    def __len__(self) -> int:
        return len(self._sets)

    def get(self, key: K) -> Collection[str]:
        return self._sets.get(key, ())

    def add(self, key: K, record_id: str) -> None:
        self._sets.setdefault(key, set()).add(record_id)

    def remove(self, key: K, record_id: str) -> None:
        """An empty set goes too, or the index would grow by every value that was ever said."""
        if (held := self._sets.get(key)) is not None:
            held.discard(record_id)
            if not held:
                del self._sets[key]


@dataclass(slots=True)
class Index:
    """What the rows say, whatever the order in which they came: an index that grew record by record and one that was
    built anew after a restart must decide alike (N2).

    `calibration`: of the encoder, for near-duplicates; `dimensions`: of the user's embeddings.
    """

    calibration: Calibration | None
    dimensions: int
    holders: RecordsBy[Slot] = field(default_factory=RecordsBy)
    window: NearDuplicateWindow | None = None
    shelf: dict[str, tuple[str, str | None, datetime]] = field(default_factory=dict)
    """Record id in the window -> its kind and project, and when it was said."""
    rejections: dict[str, Rejection] = field(default_factory=dict)
    tables: RecordsBy[str] = field(default_factory=RecordsBy)
    """Rows by their table."""
    sayings: RecordsBy[Saying] = field(default_factory=RecordsBy)
    counts: Counter[str] = field(default_factory=Counter)
    """Standing records by what bounds them: `memories`, `items`; tails by how they ended."""
    leaving: list[Rank] | None = None
    """A heap of what may leave, once it was asked for; entries that hold no more are passed over."""
    also: RecordsBy[str] = field(default_factory=RecordsBy)
    """By the id that a caller was told: one each, but for a caller who gave it to several."""
    near: NearestStanding | None = None
    """Embeddings of the memories that are read, of any age."""
    naming: RecordsBy[str] = field(default_factory=RecordsBy)
    """By the record that they are marked with."""
    doubted: Doubted = field(default_factory=Doubted)
    forgot: datetime | None = None
    """The window holds nothing more that was accepted by then, unless everything was `recalled`."""
    recalled: bool = False

    def add(self, u: MemoryUpdate, features: Features | None) -> None:
        """A record stands. `features`: of its words, where near-duplicates of it are looked for."""
        if (counted := counted_as(u)) is not None:
            self.counts[counted] += 1
        if self.leaving is not None and (rank := leaves_by(u)) is not None:
            heappush(self.leaving, rank)
        for slot in slots_of(u):
            self.holders.add(slot, u.record_id)
        if isinstance(u, TableRow):
            self.tables.add(u.category, u.record_id)
        if (saying := saying_of(u)) is not None:
            self.sayings.add(saying, u.record_id)
        for alias in u.also:
            self.also.add(alias, u.record_id)
        for named in u.conflicts_with:
            self.naming.add(named, u.record_id)
        if u.kind in LEARNED and u.state == "active":
            if self.near is None:
                self.near = NearestStanding(self.dimensions)
            self.near.put(u.record_id, u.sealed.embedding)
        if is_doubted(u):
            self.doubted.put(u, self.dimensions)
        if features is not None:
            self.shelve(u, features)

    def shelve(self, u: MemoryUpdate, features: Features) -> None:
        """Near-duplicates of a record are looked for from now on."""
        if self.window is None:
            self.window = NearDuplicateWindow(self.calibration, self.dimensions)
        self.window.insert(Entry(u.record_id, u.known_at, features, vector(u.sealed.embedding)))
        self.shelf[u.record_id] = u.kind, u.project_id, u.occurred_at

    def remove(self, u: MemoryUpdate) -> None:
        """A record stands no more as it did, `u` being what was added."""
        if (counted := counted_as(u)) is not None:
            self.counts[counted] -= 1
        for slot in slots_of(u):
            self.holders.remove(slot, u.record_id)
        if isinstance(u, TableRow):
            self.tables.remove(u.category, u.record_id)
        if (saying := saying_of(u)) is not None:
            self.sayings.remove(saying, u.record_id)
        for alias in u.also:
            self.also.remove(alias, u.record_id)
        for named in u.conflicts_with:
            self.naming.remove(named, u.record_id)
        if self.near is not None:
            self.near.remove(u.record_id)
        self.doubted.remove(u.record_id)
        if self.window is not None:
            self.window.remove(u.record_id)
            self.shelf.pop(u.record_id, None)


def saying_of(u: MemoryUpdate) -> Saying | None:
    """None for what has a field, and for what a turn said: that goes with its turn and its session."""
    if u.extractor != "command" or u.field is not None or u.fields or u.kind not in _STATEMENT_KINDS:
        return None
    body = u.sealed
    return Saying(u.kind, u.scope, u.category, u.project_id, u.namespace, canonical(body.value), wording(body.text))


def counted_as(u: MemoryUpdate) -> str | None:
    """What bounds a record: `memories`, `items`, or nothing here."""
    if u.kind in LEARNED:
        return "memories"
    return "items" if u.kind == "item" and u.extractor == "command" else None


def leaves_by(u: MemoryUpdate) -> Rank | None:
    """The order in which memories leave where there is no room: the lowest first. None: it stays."""
    if u.kind not in LEARNED or u.extractor == "command" or u.source == "confirmed":
        return None
    stated = u.source == "explicit" and u.kind not in ("episode", "relation")
    if stated and u.state != "observed":
        return None
    return Rank(u.state != "observed", u.importance, u.last_accessed_at, u.record_id)


def slots_of(update: MemoryUpdate) -> list[Slot]:
    names = [update.field] if update.field is not None else list(update.fields)
    about = str(update.sealed.attributes.get("about", ""))
    return [Slot(update.kind, update.scope, about, n) for n in names]


def values_of(update: MemoryUpdate) -> dict[str, JsonValue]:
    """Field values of a standing record by field name."""
    if update.field is not None:
        return {update.field: update.sealed.value}
    if update.fields and isinstance(update.sealed.value, dict):
        return {n: update.sealed.value.get(n) for n in update.fields}
    return {}


def since(update: MemoryUpdate) -> datetime:
    """From when on the values of a standing record hold: its rest (`fields_left`) has its own time in the log."""
    stated = update.sealed.attributes.get("since")
    return datetime.fromisoformat(stated) if isinstance(stated, str) else update.valid_from or update.occurred_at


def vector(raw: bytes) -> npt.NDArray[np.float16] | None:
    """An embedding as its numbers; None where there is none."""
    return np.frombuffer(raw, dtype=np.float16) if raw else None
