"""Two sides that are written while they are compared: what differs for good (N1).

The sides never stand at one offset. So only buckets whose digests differ are read row by row, and a row counts as
different only if it still differs, with the reference unchanged, after both sides have taken in everything that was in
the log when it was first seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from sinks.contents import Bucket, Contents, Digest, Token, digests, hash64, total
from sinks.protocol import Mark

ROUNDS = 6
"""How often rows that differ are looked at again."""


class Side(Protocol):
    """One of the two."""

    def buckets(self) -> dict[Bucket, Digest]: ...

    def rows(self, bucket: Bucket) -> Mapping[str, Token]: ...


@dataclass(frozen=True, slots=True)
class GenerationSide:
    """A generation, its rows compared whole."""

    contents: Contents
    number: int

    def buckets(self) -> dict[Bucket, Digest]:
        return self.contents.buckets(self.number)

    def rows(self, bucket: Bucket) -> Mapping[str, Token]:
        return self.contents.rows(self.number, bucket)


@dataclass(frozen=True, slots=True)
class RevisionSide:
    """A generation, its rows compared by key and revision: beside the log, which holds no rows."""

    contents: Contents
    number: int

    def buckets(self) -> dict[Bucket, Digest]:
        return digests((b, t) for b in self.contents.buckets(self.number) for t in self.rows(b).values())

    def rows(self, bucket: Bucket) -> Mapping[str, Token]:
        found = self.contents.rows(self.number, bucket)
        return {key: by_revision(key, token.revision) for key, token in found.items()}


def by_revision(key: str, revision: int) -> Token:
    return Token(revision, hash64(key, revision))


class _Seen(NamedTuple):
    wanted: Token | None
    have: Token | None


@dataclass(slots=True)
class Comparison:
    """`rows`: a view's count on both sides. `different`: (view, word) -> rows; words are `missing` (the new one lacks
    it), `extra` (the reference lacks it), `differs`. Never keys: they hold ids of users."""

    rows: dict[str, tuple[int, int]] = field(default_factory=dict)
    buckets: int = 0
    looked_at: int = 0
    different: dict[tuple[str, str], int] = field(default_factory=dict)

    @property
    def agrees(self) -> bool:
        return not self.different

    def as_json(self) -> dict[str, Any]:
        return {
            "agrees": self.agrees,
            "rows": {view: {"reference": a, "new": b} for view, (a, b) in sorted(self.rows.items())},
            "buckets": self.buckets,
            "rows_looked_at": self.looked_at,
            "different": [{"view": v, "what": w, "rows": n} for (v, w), n in sorted(self.different.items())],
        }


def compare(reference: Side, new: Side, catch_up: Callable[[], None], rounds: int = ROUNDS) -> Comparison:
    """`catch_up` returns once both sides have taken in what is in the log now; it may raise."""
    b = new.buckets()  # first: it cuts the buckets
    a = reference.buckets()
    rows_a, rows_b = total(a), total(b)
    out = Comparison({v: (rows_a.get(v, 0), rows_b.get(v, 0)) for v in sorted({*rows_a, *rows_b})}, len({*a, *b}))
    suspects = _suspects(reference, new, [k for k in {*a, *b} if a.get(k) != b.get(k)])
    out.looked_at = len(suspects)
    for _ in range(rounds):
        if not suspects:
            break
        catch_up()
        suspects = _again(reference, new, suspects)
    out.different = dict(Counter((bucket.view, _word(seen)) for (bucket, _), seen in suspects.items()))
    return out


def behind(
    reference: Mapping[Mark, int], new: Callable[[], Mapping[Mark, int]], catch_up: Callable[[], None],
    rounds: int = ROUNDS,
) -> list[Mark]:  # fmt: skip
    """Markers of the reference that the new side has not reached in any of `rounds` looks, though it took in all that
    was in the log after the reference was read: markers move with every tick, also while nothing else does. One look
    is not enough: a store that replaces a row by deleting and inserting it shows none in between."""
    late = list(reference)
    for _ in range(rounds):
        catch_up()
        reached = new()
        late = [mark for mark in late if reached.get(mark, 0) < reference[mark]]
        if not late:
            break
    return late


def _suspects(reference: Side, new: Side, buckets: Iterable[Bucket]) -> dict[tuple[Bucket, str], _Seen]:
    out: dict[tuple[Bucket, str], _Seen] = {}
    for bucket in buckets:
        wanted, have = reference.rows(bucket), new.rows(bucket)
        for key in {*wanted, *have}:
            if wanted.get(key) != have.get(key):
                out[bucket, key] = _Seen(wanted.get(key), have.get(key))
    return out


def _again(reference: Side, new: Side, suspects: Mapping[tuple[Bucket, str], _Seen]) -> dict[Any, _Seen]:
    """Those that still differ though their reference stands still. One that moves is in hand on both sides."""
    now = _suspects(reference, new, {bucket for bucket, _ in suspects})
    return {name: seen for name, seen in now.items() if name in suspects and seen.wanted == suspects[name].wanted}


def _word(seen: _Seen) -> str:
    if seen.have is None:
        return "missing"
    return "extra" if seen.wanted is None else "differs"
