"""The gate's state of one user: a row a standing record, and indexes over them that live while cached."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime, timedelta
from heapq import heapify, heappop
from typing import TypeVar

from processors.dedupe.calibration import Calibration
from processors.dedupe.compare import Verdict
from processors.dedupe.features import Features, extract_features
from processors.dedupe.window import WINDOW, Match, NearDuplicateWindow
from processors.memory import ended_records, source_positions
from processors.memory.hot_entries import HotEntries
from processors.memory.index import Index, Saying, Slot, leaves_by, since, values_of, vector
from processors.memory.low_readings import Doubted
from processors.memory.meaning import meaning
from processors.memory.readings import Readings
from processors.memory.replaced_versions import APPLIED_KEPT, Replaced
from processors.memory.rows import (
    APPLIED,
    RECORDS,
    REJECTIONS,
    VERSIONS_OF_SESSION,
    Ending,
    LastVersion,
    Rejection,
    StoredRecord,
    Tail,
    VersionOf,
)
from processors.memory.rules import MAX_REJECTIONS
from processors.memory.source_positions import ReadAt
from processors.memory.tails import Tails
from processors.memory.values import canonical
from processors.step import OwnerState
from schemas.events.memory import MemoryUpdate, Span
from schemas.log.ids import keyed_hash

K = TypeVar("K")
_TAIL_TURNS = 10
_LATE = timedelta(days=7)
"""How much later than its successors a turn may come in and still find every near-duplicate of its own window in the
index, which forgets that much later than the window ends. For one that is later still it is filled from the rows."""


class UserMemoryStore:
    """Rows of one user as records. Every change goes to the row and to the cached index."""

    def __init__(
        self, state: OwnerState, calibration: Calibration | None, dimensions: int, hash_key: bytes = b""
    ) -> None:
        """`hash_key`: what leaves is remembered by keyed hashes, so that it can still be rejected (N4)."""
        self._hash_key = hash_key
        self._state = state
        self._records = state.table(RECORDS)
        self._of_session = state.table(VERSIONS_OF_SESSION)
        self.replaced = Replaced(state)
        self.readings = Readings(state)
        self.hot = HotEntries(state)
        self._calibration = calibration
        self._dimensions = dimensions
        self._index: Index = state.derived("gate", self._build)
        self.tails = Tails(state, self._index.counts)
        self.raised: list[str] = []
        """Records that became active in this event, though they were known before."""
        self._left: dict[str, MemoryUpdate] = {}

    def get(self, record_id: str) -> MemoryUpdate | None:
        row = self._records.get(record_id)
        return None if row is None else row.update

    def named(self, alias: str) -> MemoryUpdate | None:
        """The record that a caller means: by its id, or by one that it was told for the same said again."""
        return self.get(alias) or self._newest(self._index.also.get(alias))

    def _newest(self, records: Iterable[str]) -> MemoryUpdate | None:
        found = [u for r in records if (u := self.get(r)) is not None]
        return max(found, key=lambda u: (u.last_accessed_at, u.known_at, u.record_id), default=None)

    def remembered_as(self, saying: Saying | None) -> list[MemoryUpdate]:
        """Standing records that callers had remembered in these words, the newest known first."""
        found = [u for r in self._index.sayings.get(saying) if (u := self.get(r)) is not None] if saying else []
        return sorted(found, key=lambda u: (u.known_at, u.record_id), reverse=True)

    def all(self) -> Iterator[MemoryUpdate]:
        """Every standing record of the user, by id."""
        for _, row in self._records.items():
            yield row.update

    def holders(self, slot: Slot) -> list[MemoryUpdate]:
        """Standing records of a slot, the longest true first."""
        found = (self.get(r) for r in self._index.holders.get(slot))
        return sorted((u for u in found if u is not None), key=lambda u: (since(u), u.record_id))

    @property
    def left(self) -> Collection[MemoryUpdate]:
        """What stood active when this event came and does no more, as it stood."""
        return self._left.values()

    def _note_left(self, update: MemoryUpdate, active: bool) -> None:
        if active:
            self._left.pop(update.record_id, None)
        elif (old := self.get(update.record_id)) is not None and old.state == "active":
            self._left[old.record_id] = old

    def put(self, update: MemoryUpdate, features: Features | None = None) -> None:
        """Keep the newest version of a record. Superseded and deleted ones leave (the log has them)."""
        self._note_left(update, update.state == "active")
        places = self._places(update)
        before = self._unindex(update.record_id)
        if before is not None and (before.state, update.state) == ("observed", "active"):
            self.raised.append(update.record_id)
        self._records.put(update.record_id, StoredRecord.of(update, features, places))
        self._index.add(update, features)
        if update.session_id is not None:
            self._note_session(update, update.session_id)

    def read_at(self, u: MemoryUpdate, now: datetime) -> ReadAt:
        """Where a record that stands was read in each turn that it cites."""
        found = dict(self._places(u))
        for turn in {s.turn_id for s in u.sources} - found.keys():  # it holds again, or was read by a gate of before
            reading = self.readings.of(turn, now)
            if reading is not None and (head := reading.spans.get(u.record_id)) is not None:
                found[turn] = (head,)
        return found

    def _places(self, u: MemoryUpdate) -> ReadAt:
        """The same as the row says, or as the tail does where the record stands no more."""
        row = self._records.get(u.record_id)
        tail = None if row is not None else self.tails.get(u.record_id)
        last = None if tail is None else tail.last
        places = row.places if row is not None else last.places if last is not None else {}
        return source_positions.among(places, {s.turn_id for s in u.sources})

    def note_place(self, record_id: str, turn_id: str, spans: tuple[Span, ...]) -> None:
        """A standing record was read there; what earlier readings of the turn told counts as well."""
        row = self._records.get(record_id)
        if row is None or not spans:
            return
        grown = source_positions.joined(row.places, {turn_id: spans})
        if grown != row.places:
            self._records.put(record_id, row.read_in(grown))

    def _note_session(self, update: MemoryUpdate, session_id: str) -> None:
        """Which versions came from which session: superseded ones are in the views only, and go with it (C9)."""
        known, version = self._of_session.get(session_id) or (), VersionOf(update.record_id, update.version)
        if version not in known:
            self._of_session.put(session_id, (*known, version))

    def remove(self, closed: MemoryUpdate) -> None:
        """A record stands no more. Its version and revision stay, so that the same record can come back."""
        self._note_left(closed, active=False)
        places = self._places(closed)
        ended_records.note(self._state, closed)
        self._unindex(closed.record_id)
        self._records.delete(closed.record_id)
        self.tails.put(closed, self._last_version(closed, places))

    def _last_version(self, closed: MemoryUpdate, places: ReadAt) -> LastVersion | None:
        """None where nothing can be learned again from it: it cites no turn, or has no value."""
        values = values_of(closed) or {"": closed.sealed.text}
        if not self._hash_key or not closed.sources or not any(values.values()):
            return None
        hashes = {name: keyed_hash(self._hash_key, canonical(value)) for name, value in values.items()}
        turns = tuple(s.turn_id for s in closed.sources[-_TAIL_TURNS:])
        means = meaning(closed, self._hash_key) if "" in values else None
        return LastVersion(closed.scope, hashes, turns, means, source_positions.among(places, turns))

    def forget_tails(self, records: Collection[str]) -> None:
        """Records that no view holds any more. One that comes back begins above all of them."""
        for name in records:
            self.tails.forget(name)
            if self.get(name) is None:
                self.hot.forget(name)
        record_ids = set(records)
        for name, versions in self._of_session.items():
            kept = tuple(v for v in versions if v.record_id not in record_ids or self.get(v.record_id) is not None)
            if not kept:
                self._of_session.delete(name)
            elif len(kept) < len(versions):
                self._of_session.put(name, kept)

    def tail(self, record_id: str) -> Tail | None:
        """Of a record that stood once and stands no more."""
        return None if self.get(record_id) is not None else self.tails.get(record_id)

    def ending(self, record_id: str) -> Ending | None:
        """How a record that is not active any more ended; None where it is, or nothing is known of it."""
        return None if self.get(record_id) is not None else self.tails.ending(record_id)

    def ended_by_change(self, record_id: str) -> bool:
        """Did a later statement end a record, as its rule says?"""
        return self.get(record_id) is None and self.tails.ended_by_change(record_id)

    def next_numbers(self, record_id: str) -> tuple[int, int]:
        """Version and revision of the next version of a record, whether it stands, stood or is new."""
        existing = self.get(record_id)
        if existing is not None:
            return existing.version + 1, existing.revision + 1
        tail = self.tail(record_id)
        return (1, self.tails.floor + 1) if tail is None else (tail.version + 1, tail.revision + 1)

    def features(self, record_id: str) -> Features | None:
        row = self._records.get(record_id)
        return None if row is None else row.features

    def nearest(
        self,
        features: Features,
        embedding: bytes,
        kind: str,
        project: str | None,
        now: datetime,
        stated_at: datetime,
        *,
        besides: Collection[str] = (),
        merges: Callable[[str, Verdict], bool] | None = None,
    ) -> Match | None:
        """The record of that kind and project that a text repeats or contradicts: accepted in the 7 days before `now`
        and said within 7 days of `stated_at` (D3), since an import has years of talk accepted in a minute. Ids of
        `besides` are not looked at, nor duplicates that `merges` does not take."""
        index, until = self._index, now - _LATE
        if index.window is None:
            return None
        if index.forgot is not None and now - WINDOW < index.forgot:
            self._recall(index.window)
        if not index.recalled and index.window.expire(until):
            index.forgot = max(index.forgot or until - WINDOW, until - WINDOW)

        def comparable(record: str) -> bool:
            other = None if record in besides else index.shelf.get(record)
            return other is not None and other[:2] == (kind, project) and abs(other[2] - stated_at) <= WINDOW

        return index.window.query(features, vector(embedding), now, comparable, merges)

    def near(self, embedding: bytes, accept: Callable[[str], bool], most: int) -> list[str]:
        """The `most` memories that are read and that a statement is nearest to by its embedding, of those that `accept`
        takes, the nearest first. Without a limit in time."""
        return [] if self._index.near is None else self._index.near.to(embedding, accept, most)

    def naming(self, record_id: str) -> list[str]:
        """Standing records that are marked with a record."""
        return sorted(self._index.naming.get(record_id))

    def _recall(self, window: NearDuplicateWindow) -> None:
        """A turn came later than the index remembers (one told anew, a dead letter that was replayed): everything is
        looked up, as by an index that is built from the rows, and kept as long as the index."""
        for name, row in self._records.items():
            if name not in window and (features := row.features) is not None:
                self._index.shelve(row.update, features)
        self._index.recalled = True

    @property
    def memories(self) -> int:
        """How many memories of the user stand."""
        return self._index.counts["memories"]

    @property
    def items(self) -> int:
        """How many store items the user has, rows of tables aside."""
        return self._index.counts["items"]

    def least(self) -> MemoryUpdate | None:
        """The memory that leaves first where there is no room; None where all of them stay."""
        index = self._index
        if index.leaving is None or len(index.leaving) > 2 * index.counts["memories"] + 64:
            index.leaving = [rank for u in self.all() if (rank := leaves_by(u)) is not None]
            heapify(index.leaving)
        while index.leaving:
            u = self.get(index.leaving[0].record_id)
            if u is not None and leaves_by(u) == index.leaving[0]:
                return u
            heappop(index.leaving)
        return None

    @property
    def doubted(self) -> Doubted:
        return self._index.doubted

    @property
    def calibration(self) -> Calibration | None:
        return self._calibration

    def rows_of(self, table: str) -> int:
        """How many rows the user has in a structured table."""
        return len(self._index.tables.get(table))

    @property
    def rejections(self) -> Collection[Rejection]:
        return self._index.rejections.values()

    def reject(self, new: Rejection) -> None:
        """A rejection left before for the same value goes on: its source turns stay barred."""
        held, rows = self._index.rejections, self._state.table(REJECTIONS)
        old = held.get(new.name)
        held[new.name] = new if old is None else new.after(old)
        rows.put(new.name, held[new.name])
        while len(held) > MAX_REJECTIONS:
            oldest = min(held, key=lambda k: (held[k].at, k))
            rows.delete(oldest)
            del held[oldest]

    def applied(self, what: str, now: datetime) -> bool:
        """True when this command or feedback was applied before; notes it otherwise."""
        applied = self._state.table(APPLIED)
        if (until := applied.get(what)) is not None and until > now:
            return True
        applied.put(what, now + APPLIED_KEPT, now + APPLIED_KEPT)
        return False

    def _build(self) -> Index:
        index = Index(self._calibration, self._dimensions)
        for _, row in self._records.items():
            index.add(row.update, row.features)
        index.rejections.update(self._state.table(REJECTIONS).items())
        index.counts.update(Tails.counted(self._state))
        return index

    def _unindex(self, record_id: str) -> MemoryUpdate | None:
        old = self.get(record_id)
        if old is not None:
            self._index.remove(old)
        return old


def text_features(text: str) -> Features:
    return extract_features(text)
