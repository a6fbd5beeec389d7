"""What a generation holds, as counts and hashes: the part of a store that a rebuild is compared by (N1)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from sinks.held import Reading
from sinks.protocol import Mark


class Bucket(NamedTuple):
    """Rows that are counted and hashed together: a view of one tenant, split by the first digits of a hash of the
    key (`part`)."""

    view: str
    tenant: str
    part: str


class Digest(NamedTuple):
    """`hash`: the hashes of all rows, combined by exclusive or, so that no order matters."""

    rows: int
    hash: int


class Token(NamedTuple):
    """What one row is: its revision (0 where it has none) and a hash of its content."""

    revision: int
    hash: int


class Contents(Protocol):
    """One store. Every method raises Transient while the store does not answer."""

    def buckets(self, generation: int) -> dict[Bucket, Digest]:
        """Of the whole generation. Empty for one that is not there."""
        ...

    def rows(self, generation: int, bucket: Bucket) -> dict[str, Token]:
        """Key -> token of one bucket."""
        ...

    def part(self, key: str) -> str:
        """The part of its bucket that a key is in, as last cut by `buckets`."""
        ...

    def progress(self, generation: int) -> dict[Mark, int]: ...

    def drop(self, generation: int) -> None:
        """Remove the generation. Nothing may write it any more. Safe to repeat."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Rebuildable:
    """A store that can be made again beside itself. `reading`: how it keeps an event. `by_ticks`: what is over goes
    with the newest tick in the log, not by the clock."""

    contents: Contents
    reading: Reading
    by_ticks: bool = False


def hash64(*parts: object) -> int:
    """A signed 64-bit hash of the parts' text."""
    text = "\x1f".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big", signed=True)


def part_of(key: str) -> str:
    """The part of a key where the store does not choose another: as `left(md5(key), 1)`."""
    return hashlib.md5(key.encode(), usedforsecurity=False).hexdigest()[0]


def digests(rows: Iterable[tuple[Bucket, Token]]) -> dict[Bucket, Digest]:
    """Fold rows into the digests of their buckets."""
    out: dict[Bucket, Digest] = {}
    for bucket, token in rows:
        count, total = out.get(bucket, (0, 0))
        out[bucket] = Digest(count + 1, total ^ token.hash)
    return out


def total(buckets: Mapping[Bucket, Digest]) -> dict[str, int]:
    """Rows a view."""
    out: dict[str, int] = {}
    for bucket, digest in buckets.items():
        out[bucket.view] = out.get(bucket.view, 0) + digest.rows
    return out
