"""State rows under their owner's data key: what a step remembers of a user goes with the key (C7, N6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from memstream.keyring.cipher import AesCipher
from processors.step import Reads
from schemas.owner import Owner
from schemas.sealing import KeyDestroyed
from streams.state import OutboxRow, PartitionCommit, Position, Rows, StateStore, Write

_PLAIN_KEYS = frozenset({"deny"})
"""Rows that outlive the key: the cut-off of an erasure."""


class SealedStateStore:
    """A `StateStore` over another. Rows of a partition (`@open`: ids and times) stay as they are; rows that were
    written before encryption was on are read as they are."""

    def __init__(self, inner: StateStore, cipher: AesCipher) -> None:
        self._inner, self._cipher = inner, cipher

    async def position(self, step: str, partition: int) -> tuple[Position, list[OutboxRow]]:
        return await self._inner.position(step, partition)

    async def load(self, step: str, wanted: Mapping[int, Sequence[Reads]]) -> dict[int, Rows]:
        found = await self._inner.load(step, wanted)
        return {p: {name: self._opened(name, rows) for name, rows in part.items()} for p, part in found.items()}

    async def commit(self, commits: Sequence[PartitionCommit]) -> None:
        await self._inner.commit([replace(c, writes=[self._sealed(w) for w in c.writes]) for c in commits])

    async def settled(self, step: str, offsets: Mapping[int, int]) -> None:
        await self._inner.settled(step, offsets)

    def _opened(self, name: str, rows: dict[str, bytes]) -> dict[str, bytes]:
        owner = owner_of(name)
        if owner is None:
            return rows
        out: dict[str, bytes] = {}
        for key, value in rows.items():
            try:
                out[key] = self._cipher.open_bytes(owner, value)
            except KeyDestroyed:
                continue  # erased: there is no such row
        return out

    def _sealed(self, w: Write) -> Write:
        owner = None if w.value is None or w.key in _PLAIN_KEYS else owner_of(w.owner)
        return w if owner is None or w.value is None else w._replace(value=self._cipher.seal_bytes(owner, w.value))


def owner_of(name: str) -> Owner | None:
    """Whose key seals the rows under a state owner: `owner`, `owner|session`, `owner/given`; None for `@...`."""
    if name.startswith("@"):
        return None
    try:
        return Owner.parse("/".join(name.partition("|")[0].split("/")[:3]))
    except ValueError:
        return None
