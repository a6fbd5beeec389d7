"""State rows under their owner's data key: what a step remembers of a user goes with the key (C7, N6)."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

from memstream.keyring.cipher import AesCipher
from processors.step import Reads
from schemas.log.owner import Owner
from schemas.security.sealing import KeyDestroyed, Place, SealedError
from streams.state.protocol import (
    Delivered,
    Kept,
    OutboxRow,
    PartitionCommit,
    Position,
    Rows,
    StateStore,
    Write,
)

_PLAIN_KEYS = frozenset({"deny"})
"""Rows that outlive the key: the cut-off of an erasure."""
_NAMED_AFTER_KEYS = ("hot/", "prop/", "h|")
"""Rows named after a key of hot memory, which may be what somebody said."""
_HIDDEN = "sealed/"
"""Before the name that such a row has in the store; its own stands with the value. Like the id of the record, the name
is a hash: it can be compared, not read."""


class SealedStateStore:
    """A `StateStore` over another. Rows of a partition (`@open`: ids and times) stay as they are; rows that were
    written before encryption was on, or before names were hidden, are read as they are."""

    def __init__(self, inner: StateStore, cipher: AesCipher) -> None:
        self._inner, self._cipher = inner, cipher

    async def position(self, step: str, partition: int) -> tuple[Position, list[OutboxRow]]:
        return await self._inner.position(step, partition)

    async def load(self, step: str, wanted: Mapping[int, Sequence[Reads]]) -> dict[int, Rows]:
        found = await self._inner.load(step, {p: [_asked(r) for r in reads] for p, reads in wanted.items()})
        # In a thread, as below: keys may have to be asked for.
        return await asyncio.to_thread(lambda: {p: self._opened(step, part) for p, part in found.items()})

    async def commit(self, commits: Sequence[PartitionCommit]) -> None:
        await self._inner.commit(await asyncio.to_thread(lambda: [self._commit(c) for c in commits]))

    async def settled(
        self, step: str, offsets: Mapping[int, int], delivered: Mapping[int, Delivered] = {},
        erasures: Mapping[int, Sequence[OutboxRow]] = {},
    ) -> None:  # fmt: skip
        await self._inner.settled(step, offsets, delivered, erasures)

    async def kept(self, step: str, partition: int) -> list[Kept]:
        return await self._inner.kept(step, partition)

    async def kept_outbox(self, step: str, partition: int, next_offset: int) -> list[OutboxRow]:
        return await self._inner.kept_outbox(step, partition, next_offset)

    async def sent_again(self, step: str, partition: int, next_offset: int, delivered: Delivered) -> None:
        await self._inner.sent_again(step, partition, next_offset, delivered)

    def _commit(self, c: PartitionCommit) -> PartitionCommit:
        return replace(c, writes=[s for w in c.writes for s in self._sealed(c.step, w)])

    def _opened(self, step: str, part: Rows) -> Rows:
        out = Rows()
        for name, rows in part.items():
            owner, mine = owner_of(name), out.setdefault(name, {})
            for stored, value in sorted(rows.items(), key=lambda row: row[0].startswith(_HIDDEN)):  # the newer one last
                at = place_of_state(step, name, stored)
                try:
                    key, plain = (stored, value) if owner is None else self._row(owner, at, value)
                except KeyDestroyed:
                    continue  # erased: there is no such row
                mine[key] = plain
                if (name, stored) in part.expiry:
                    out.expiry[name, key] = part.expiry[name, stored]
        return out

    def _row(self, owner: Owner, place: Place, value: bytes) -> tuple[str, bytes]:
        """By its own name. Raises KeyDestroyed, SealedError."""
        stored = place[-1]
        try:
            plain = self._cipher.open_bytes(owner, value, place)
        except KeyDestroyed:
            raise
        except SealedError as exc:
            raise SealedError(f"a row of the state of {place[1]} {exc}") from None
        return _unpacked(plain) if stored.startswith(_HIDDEN) else (stored, plain)

    def _sealed(self, step: str, w: Write) -> list[Write]:
        owner = None if w.key in _PLAIN_KEYS else owner_of(w.owner)
        if owner is None:
            return [w]
        if not w.key.startswith(_NAMED_AFTER_KEYS):
            at = place_of_state(step, w.owner, w.key)
            return [w if w.value is None else w._replace(value=self._cipher.seal_bytes(owner, w.value, at))]
        hidden = _hidden(w.owner, w.key)
        at = place_of_state(step, w.owner, hidden)
        value = None if w.value is None else self._cipher.seal_bytes(owner, _packed(w.key, w.value), at)
        return [w._replace(key=hidden, value=value), Write(w.owner, w.key, None)]


def _asked(r: Reads) -> Reads:
    """Rows by their names of now, and of before."""
    if r.keys is None or owner_of(r.owner) is None:
        return r
    return Reads(r.owner, (*r.keys, *(_hidden(r.owner, k) for k in r.keys if k.startswith(_NAMED_AFTER_KEYS))))


def _hidden(name: str, key: str) -> str:
    return _HIDDEN + hashlib.sha256(f"{name} {key}".encode()).hexdigest()


def _packed(key: str, value: bytes) -> bytes:
    return key.encode() + b"\0" + value


def _unpacked(raw: bytes) -> tuple[str, bytes]:
    key, _, value = raw.partition(b"\0")
    return key.decode(), value


def place_of_state(step: str, owner: str, key: str) -> Place:
    """`owner` and `key`: as the row has them in the store."""
    return "state", step, owner, key


def owner_of(name: str) -> Owner | None:
    """Whose key seals the rows under a state owner: `owner`, `owner|session`, `owner/given`; None for `@...`."""
    if name.startswith("@"):
        return None
    try:
        return Owner.parse("/".join(name.partition("|")[0].split("/")[:3]))
    except ValueError:
        return None
