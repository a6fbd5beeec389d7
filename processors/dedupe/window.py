"""The last 7 days of one owner's episodes, to find what a new one repeats (D3). Lives in the gate's state."""

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray
from rensa import RMinHash, RMinHashLSH

from processors.dedupe.calibration import Calibration
from processors.dedupe.compare import Verdict, compare
from processors.dedupe.features import Features, shingles

Vector = NDArray[np.float16] | NDArray[np.float32]

WINDOW = timedelta(days=7)
LIMIT = 10_000
"""Episodes held per owner; beyond it the oldest goes first, as if its 7 days were over."""

PERMUTATIONS = 128
BANDS = 32
"""Bands of 4 rows: a pair with shingle Jaccard 0.6 is found with probability 0.99, one of 0.2 with 0.05."""

SEED = 42
_ROUNDING = 1e-5
"""More than two float32 products of unit vectors differ by."""
NEAR = 0.5
"""Below this cosine nothing is worth aligning word by word, unless its shingles are alike."""

SKETCHED = 2_048
"""Episodes from which on the nearest are looked for among those whose vectors agree in most signs."""
SHORTLIST = 512
"""Of them, the most in agreement. Of 5,671 neighbours (cosine 0.5 or more) in real talk of both languages none lay
beyond these, two beyond 256."""

COMPARED = 6
"""Candidates aligned word by word for each query, the nearest by cosine and by shingles."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One episode: its record id, when it was accepted (aware), its features, and its unit embedding, shape (dims,),
    under the model of the window's calibration (None: no embedding, or another model's)."""

    record_id: str
    accepted_at: datetime
    features: Features
    embedding: Vector | None


@dataclass(frozen=True, slots=True)
class Match:
    """The standing record that the query is nearest to, and the verdict on it."""

    record_id: str
    verdict: Verdict


class NearDuplicateWindow:
    """Deterministic: the same inserts, removals and expiries in the same order give the same answers.

    Memory: 4.125 * dims + 128 bytes a row (rows double up to `limit`), about 3 kB an entry for words and MinHash bands:
    some 60 MB at 10,000 entries of 512 dims, 0.6 MB at 100. Rebuilt from the state rows by inserting them in any order.
    """

    def __init__(self, calibration: Calibration | None, dims: int = 512, limit: int = LIMIT) -> None:
        self._calibration = calibration
        self._limit = limit
        self._vectors = np.zeros((min(64, limit), dims), dtype=np.float32)
        self._entries: dict[int, Entry] = {}
        self._signs = np.zeros((-(-dims // 64), len(self._vectors)), dtype=np.uint64)
        """A bit a dimension, a column an episode."""
        self._signatures = np.zeros((len(self._vectors), PERMUTATIONS), dtype=np.uint8)
        self._slots: dict[str, int] = {}
        self._free = list(range(len(self._vectors)))[::-1]
        self._used = 0
        """Rows up to which slots were taken: what lies behind them is not searched."""
        self._queue: list[tuple[datetime, str]] = []
        self._lsh = _empty_index()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, record_id: str) -> bool:
        return record_id in self._slots

    @property
    def nbytes(self) -> int:
        """Bytes held, estimated to within a fifth (vectors exactly)."""
        words = sum(240 + 90 * len(entry.features.tokens) for entry in self._entries.values())
        arrays = self._vectors.nbytes + self._signs.nbytes + self._signatures.nbytes
        return int(arrays) + words + len(self._entries) * BANDS * 40

    def extend(self, entries: Iterable[Entry]) -> None:
        """Insert many, as after a load from state rows."""
        for entry in entries:
            self.insert(entry)

    def insert(self, entry: Entry) -> list[str]:
        """Add or replace one episode; the ids that had to go because the limit was reached."""
        self.remove(entry.record_id)
        if len(self._entries) >= self._limit and (entry.accepted_at, entry.record_id) < self._oldest():
            return [entry.record_id]
        evicted = []
        while len(self._entries) >= self._limit:
            evicted.append(self._pop_oldest())
        slot = self._take_slot()
        self._entries[slot] = entry
        self._slots[entry.record_id] = slot
        self._vectors[slot] = 0.0 if entry.embedding is None else entry.embedding
        self._signs[:, slot] = _signs(self._vectors[slot])
        signature = _signature(entry.features)
        self._signatures[slot] = _short(signature)
        self._lsh.insert(slot, signature)
        heapq.heappush(self._queue, (entry.accepted_at, entry.record_id))
        if len(self._queue) > 2 * len(self._entries) + 64:  # what was removed or replaced has left its mark behind
            self._queue = [(e.accepted_at, e.record_id) for e in self._entries.values()]
            heapq.heapify(self._queue)
        return evicted

    def remove(self, record_id: str) -> bool:
        """Forget one episode (revoked, superseded); False when it is not held."""
        slot = self._slots.pop(record_id, None)
        if slot is None:
            return False
        self._lsh.remove(slot)
        del self._entries[slot]
        self._vectors[slot] = 0.0
        self._signs[:, slot] = 0
        self._free.append(slot)
        if not self._entries:
            self._free = list(range(len(self._vectors)))[::-1]
            self._used = 0
        return True

    def expire(self, now: datetime) -> list[str]:
        """Forget what was accepted 7 days before `now` or earlier; the ids, for deletion of their state rows."""
        expired = []
        while self._queue and self._queue[0][0] <= now - WINDOW:
            accepted_at, record_id = heapq.heappop(self._queue)
            slot = self._slots.get(record_id)
            if slot is not None and self._entries[slot].accepted_at == accepted_at:
                self.remove(record_id)
                expired.append(record_id)
        return expired

    def query(
        self, features: Features, embedding: Vector | None, now: datetime, accept: Callable[[str], bool] | None = None,
        merges: Callable[[str, Verdict], bool] | None = None,
    ) -> Match | None:  # fmt: skip
        """The standing episode that a new one repeats, changes or denies, the strongest verdict first; None when
        everything held differs. Looks only at what is younger than 7 days and whose record id `accept` takes, and
        past duplicates that `merges` does not take; never inserts."""

        def eligible(slot: int) -> bool:
            entry = self._entries.get(slot)
            recent = entry is not None and entry.accepted_at > now - WINDOW
            return entry is not None and recent and (accept is None or accept(entry.record_id))

        best: Match | None = None
        for slot, cosine in self._candidates(features, embedding, eligible):
            entry = self._entries[slot]
            known = None if entry.embedding is None else cosine
            verdict = compare(entry.features, features, known, self._calibration)
            if verdict.kind == "different":
                continue
            if verdict.kind == "duplicate" and merges is not None and not merges(entry.record_id, verdict):
                continue
            if best is None or _strength(verdict) > _strength(best.verdict):
                best = Match(entry.record_id, verdict)
            if verdict.rule == "identical":
                break
        return best

    def _candidates(
        self, features: Features, embedding: Vector | None, eligible: Callable[[int], bool]
    ) -> list[tuple[int, float | None]]:
        """Ties go by record id: slots depend on the order of inserts, and a window that was rebuilt has another."""
        signature = _signature(features)
        alike = self._alike(signature, eligible)
        if embedding is None or not self._entries:
            return [(slot, None) for slot in alike]
        query = np.asarray(embedding, dtype=np.float32)
        near = self._nearest(query, eligible)
        chosen = dict.fromkeys(s for pair in zip_longest(alike, near) for s in pair if s is not None)
        return [(slot, self._cosine(slot, query)) for slot in list(chosen)[:COMPARED]]

    def _alike(self, signature: RMinHash, eligible: Callable[[int], bool]) -> list[int]:
        """The COMPARED most alike by shingles, of those that share a band."""
        hits = np.array(self._lsh.query(signature), dtype=np.intp)
        if not len(hits):
            return []
        shared = _equal_bytes(self._signatures.take(hits, axis=0), _short(signature))
        best: list[tuple[int, str, int]] = []
        for rank in np.unique(shared)[::-1].tolist():
            more = [slot for slot in hits[shared == rank].tolist() if eligible(slot)]
            best += sorted((-rank, self._entries[slot].record_id, slot) for slot in more)
            if len(best) >= COMPARED:
                break
        return [slot for _, _, slot in best[:COMPARED]]

    def _nearest(self, query: NDArray[np.float32], eligible: Callable[[int], bool]) -> list[int]:
        """The COMPARED nearest by cosine. In a large window of the shortlist, or of all where of its nearest too many
        are not eligible: how many are held decides, not where they lie, so a window that is rebuilt answers alike."""
        if len(self._entries) >= SKETCHED:
            slots = self._agreeing(query)
            near, barred = self._best(self._vectors[slots] @ query, slots, query, eligible)
            if len(near) == COMPARED or not barred:
                return near
        return self._best(self._vectors[: self._used] @ query, np.arange(self._used), query, eligible)[0]

    def _agreeing(self, query: NDArray[np.float32]) -> NDArray[np.intp]:
        """Slots of the SHORTLIST whose signs differ least from the query's, ties included: random hyperplanes along the
        axes (Charikar 2002, "Similarity estimation techniques from rounding algorithms")."""
        differing = np.zeros(self._used, dtype=np.uint16)
        for word, own in zip(self._signs[:, : self._used], _signs(query), strict=True):
            differing += np.bitwise_count(word ^ own)
        return np.flatnonzero(differing <= np.partition(differing, SHORTLIST - 1)[SHORTLIST - 1])

    def _best(
        self, rough: NDArray[np.float32], slots: NDArray[np.intp], query: NDArray[np.float32],
        eligible: Callable[[int], bool],
    ) -> tuple[list[int], bool]:  # fmt: skip
        """The COMPARED nearest of `slots`, and whether one among the nearest was not eligible. A product over many
        rows rounds by where a row lies, so it only finds who may be among them; who is, their own cosines say. Looks
        further while too few of the nearest are eligible."""
        count = min(COMPARED, len(rough))
        while True:
            edge = np.partition(rough, len(rough) - count)[-count] - _ROUNDING
            found = slots[rough >= max(edge, NEAR)].tolist()
            near = [slot for slot in found if eligible(slot)]
            if len(near) >= COMPARED or edge < NEAR or count == len(rough):
                break
            count = min(8 * count, len(rough))
        near.sort(key=lambda s: (-self._cosine(s, query), self._entries[s].record_id))
        return near[:COMPARED], len(near) < len(found)

    def _cosine(self, slot: int, query: NDArray[np.float32]) -> float:
        return round(float(np.dot(self._vectors[slot], query)), 6)

    def _take_slot(self) -> int:
        if not self._free:
            old = len(self._vectors)
            new = min(2 * old, self._limit)
            self._vectors = np.pad(self._vectors, ((0, new - old), (0, 0)))
            self._signs = np.pad(self._signs, ((0, 0), (0, new - old)))
            self._signatures = np.pad(self._signatures, ((0, new - old), (0, 0)))
            self._free = list(range(old, new))[::-1]
        slot = self._free.pop()
        self._used = max(self._used, slot + 1)
        return slot

    def _oldest(self) -> tuple[datetime, str]:
        while True:
            accepted_at, record_id = self._queue[0]
            slot = self._slots.get(record_id)
            if slot is not None and self._entries[slot].accepted_at == accepted_at:
                return accepted_at, record_id
            heapq.heappop(self._queue)

    def _pop_oldest(self) -> str:
        while True:
            accepted_at, record_id = heapq.heappop(self._queue)
            slot = self._slots.get(record_id)
            if slot is not None and self._entries[slot].accepted_at == accepted_at:
                self.remove(record_id)
                return record_id


def _strength(verdict: Verdict) -> tuple[bool, float]:
    return verdict.kind == "duplicate", verdict.score


def _signature(features: Features) -> RMinHash:
    signature = RMinHash(num_perm=PERMUTATIONS, seed=SEED)
    signature.update(shingles(features))
    return signature


def _signs(vector: NDArray[np.float32]) -> NDArray[np.uint64]:
    """A bit a dimension, shape (ceil(dims / 64),)."""
    packed = np.packbits(vector > 0)
    return np.pad(packed, (0, -len(packed) % 8)).view(np.uint64)


def _short(signature: RMinHash) -> NDArray[np.uint8]:
    """A byte a permutation, shape (PERMUTATIONS,): enough to rank by, and a quarter of what must be looked at."""
    return np.array(signature.digest(), dtype=np.uint32).astype(np.uint8)


def _equal_bytes(rows: NDArray[np.uint8], row: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """How many of PERMUTATIONS bytes each row has in common with `row`, shape (len(rows),): packed to two words of
    bits, a fourth of the time that counting along an axis takes."""
    words = np.bitwise_count(np.packbits(rows == row, axis=1).view(np.uint64))
    return words[:, 0] + words[:, 1]


def _empty_index() -> RMinHashLSH:
    return RMinHashLSH(threshold=0.5, num_perm=PERMUTATIONS, num_bands=BANDS)
