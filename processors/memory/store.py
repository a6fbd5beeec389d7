"""The gate's state of one user: a row a standing record, and indexes over them that live while cached."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime, timedelta
from heapq import heapify, heappop
from typing import Any, TypeVar, cast

from processors.dedupe.calibration import Calibration
from processors.dedupe.compare import Verdict
from processors.dedupe.features import Features, extract_features
from processors.dedupe.window import WINDOW, Match, NearDuplicateWindow
from processors.memory import ended_records, read_at
from processors.memory.doubted import Doubted
from processors.memory.hot_entries import HotEntries
from processors.memory.index import Index, Saying, Slot, leaves_by, since, values_of, vector
from processors.memory.meaning import meaning
from processors.memory.read_at import ReadAt
from processors.memory.readings import Readings
from processors.memory.replaced import APPLIED_KEPT, Replaced, opened, row_of
from processors.memory.rules import MAX_REJECTED_TURNS, MAX_REJECTIONS
from processors.memory.tails import Ending, Tail, Tails
from processors.memory.values import canonical, iso
from processors.step import OwnerState
from schemas.base import Json
from schemas.events.memory import MemoryUpdate, Span
from schemas.log.ids import keyed_hash

K = TypeVar("K")
_RECORD = "m/"
_REJECTION = "r/"
_TAIL_TURNS = 10
_SESSION = "s/"
_LATE = timedelta(days=7)
"""How much later than its successors a turn may come in and still find every near-duplicate of its own window in the
index, which forgets that much later than the window ends. For one that is later still it is filled from the rows."""


class Standing:
    """Rows of one user as records. Every change goes to the row and to the cached index."""

    def __init__(
        self, state: OwnerState, calibration: Calibration | None, dimensions: int, hash_key: bytes = b""
    ) -> None:
        """`hash_key`: what leaves is remembered by keyed hashes, so that it can still be rejected (N4)."""
        self._hash_key = hash_key
        self._state = state
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
        raw = self._state.get(_RECORD + record_id)
        if not isinstance(raw, dict):
            return None
        return opened(raw["u"])

    def named(self, told: str) -> MemoryUpdate | None:
        """The record that a caller means: by its id, or by one that it was told for the same said again."""
        return self.get(told) or self._newest(self._index.also.get(told))

    def _newest(self, records: Iterable[str]) -> MemoryUpdate | None:
        found = [u for r in records if (u := self.get(r)) is not None]
        return max(found, key=lambda u: (u.last_accessed_at, u.known_at, u.record_id), default=None)

    def said(self, saying: Saying | None) -> list[MemoryUpdate]:
        """Standing records that callers had remembered in these words, the newest known first."""
        found = [u for r in self._index.sayings.get(saying) if (u := self.get(r)) is not None] if saying else []
        return sorted(found, key=lambda u: (u.known_at, u.record_id), reverse=True)

    def all(self) -> Iterator[MemoryUpdate]:
        """Every standing record of the user, by id."""
        for _, raw in self._state.items(_RECORD):
            yield opened(cast(dict[str, Any], raw)["u"])

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
        row: dict[str, Json] = {"u": row_of(update)}
        if features is not None:
            row["f"] = features.to_json()
        if places:
            row["p"] = read_at.row_of(places)
        self._state.put(_RECORD + update.record_id, row)
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
        row = self._state.get(_RECORD + u.record_id)
        told = row.get("p") if isinstance(row, dict) else (self.tails.last_said(u.record_id) or {}).get("places")
        return read_at.among(read_at.opened(told), {s.turn_id for s in u.sources})

    def note_place(self, record_id: str, turn_id: str, spans: tuple[Span, ...]) -> None:
        """A standing record was read there; what earlier readings of the turn told counts as well."""
        row = self._state.get(_RECORD + record_id)
        if not isinstance(row, dict) or not spans:
            return
        held = read_at.opened(row.get("p"))
        grown = read_at.joined(held, {turn_id: spans})
        if grown != held:
            self._state.put(_RECORD + record_id, {**row, "p": read_at.row_of(grown)})

    def _note_session(self, update: MemoryUpdate, session_id: str) -> None:
        """Which versions came from which session: superseded ones are in the views only, and go with it (C9)."""
        said = self._state.get(_SESSION + session_id)
        entry: list[Json] = [update.record_id, update.version]
        if not isinstance(said, list):
            self._state.put(_SESSION + session_id, [entry])
        elif entry not in said:
            self._state.put(_SESSION + session_id, [*said, entry])

    def remove(self, closed: MemoryUpdate) -> None:
        """A record stands no more. Its version and revision stay, so that the same record can come back."""
        self._note_left(closed, active=False)
        places = self._places(closed)
        ended_records.note(self._state, closed)
        self._unindex(closed.record_id)
        self._state.delete(_RECORD + closed.record_id)
        said, said_there = values_of(closed) or {"": closed.sealed.text}, dict[str, Json]()
        if self._hash_key and closed.sources and any(said.values()):
            hashes = {name: keyed_hash(self._hash_key, canonical(value)) for name, value in said.items()}
            turns = [s.turn_id for s in closed.sources[-_TAIL_TURNS:]]
            said_there = {"scope": closed.scope, "hashes": hashes, "turns": turns}
            if "" in said:
                said_there["means"] = meaning(closed, self._hash_key)
            if places := read_at.among(places, turns):
                said_there["places"] = read_at.row_of(places)
        self.tails.put(closed, said_there or None)

    def forget_tails(self, records: Collection[str]) -> None:
        """Records that no view holds any more. One that comes back begins above all of them."""
        for name in records:
            self.tails.forget(name)
            if self.get(name) is None:
                self.hot.forget(name)
        gone = set(records)
        for key, said in list(self._state.items(_SESSION)):
            kept = [e for e in cast(list[Any], said) if e[0] not in gone or self.get(str(e[0])) is not None]
            if not kept:
                self._state.delete(key)
            elif len(kept) < len(cast(list[Any], said)):
                self._state.put(key, kept)

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
        standing = self.get(record_id)
        if standing is not None:
            return standing.version + 1, standing.revision + 1
        tail = self.tail(record_id)
        return (1, self.tails.floor + 1) if tail is None else (tail.version + 1, tail.revision + 1)

    def features(self, record_id: str) -> Features | None:
        raw = self._state.get(_RECORD + record_id)
        return Features.from_json(str(raw["f"])) if isinstance(raw, dict) and "f" in raw else None

    def nearest(
        self, features: Features, embedding: bytes, kind: str, project: str | None, now: datetime, said: datetime, *,
        besides: Collection[str] = (), merges: Callable[[str, Verdict], bool] | None = None,
    ) -> Match | None:  # fmt: skip
        """The record of that kind and project that a text repeats or contradicts: accepted in the 7 days before `now`
        and said within 7 days of `said` (D3), since an import has years of talk accepted in a minute. Ids of `besides`
        are not looked at, nor duplicates that `merges` does not take."""
        index, until = self._index, now - _LATE
        if index.window is None:
            return None
        if index.forgot is not None and now - WINDOW < index.forgot:
            self._recall(index.window)
        if not index.recalled and index.window.expire(until):
            index.forgot = max(index.forgot or until - WINDOW, until - WINDOW)

        def comparable(record: str) -> bool:
            other = None if record in besides else index.shelf.get(record)
            return other is not None and other[:2] == (kind, project) and abs(other[2] - said) <= WINDOW

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
        for key, raw in self._state.items(_RECORD):
            row = cast(dict[str, Any], raw)
            if "f" in row and key.removeprefix(_RECORD) not in window:
                self._index.shelve(opened(row["u"]), Features.from_json(row["f"]))
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
    def rejections(self) -> Collection[dict[str, Any]]:
        return self._index.rejections.values()

    def reject(self, key: str, row: dict[str, Any]) -> None:
        """A rejection left before for the same value goes on: its source turns stay barred."""
        old = self._index.rejections.get(key)
        if old is not None:
            turns = list(dict.fromkeys((*old["turns"], *row["turns"])))
            turns = turns[-MAX_REJECTED_TURNS:]
            both = read_at.joined(read_at.opened(old.get("places")), read_at.opened(row.get("places")))
            places = read_at.row_of(read_at.among(both, turns))
            row = {**old, **row, "turns": turns, "places": places, "at": max(old["at"], row["at"])}
        self._state.put(_REJECTION + key, row)
        held = self._index.rejections
        held[key] = row
        while len(held) > MAX_REJECTIONS:
            oldest = min(held, key=lambda k: (held[k]["at"], k))
            self._state.delete(_REJECTION + oldest)
            del held[oldest]

    def applied(self, what: str, now: datetime) -> bool:
        """True when this command or feedback was applied before; notes it otherwise."""
        until = self._state.get(f"a/{what}")
        if isinstance(until, str) and until > iso(now):
            return True
        self._state.put(f"a/{what}", iso(now + APPLIED_KEPT), now + APPLIED_KEPT)
        return False

    def _build(self) -> Index:
        index = Index(self._calibration, self._dimensions)
        for _, raw in self._state.items(_RECORD):
            row = cast(dict[str, Any], raw)
            index.add(opened(row["u"]), Features.from_json(row["f"]) if "f" in row else None)
        for key, raw in self._state.items(_REJECTION):
            index.rejections[key.removeprefix(_REJECTION)] = cast(dict[str, Any], raw)
        index.counts.update(Tails.counted(self._state))
        return index

    def _unindex(self, record_id: str) -> MemoryUpdate | None:
        old = self.get(record_id)
        if old is not None:
            self._index.remove(old)
        return old


def text_features(text: str) -> Features:
    return extract_features(text)
