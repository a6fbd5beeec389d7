"""Scopes held in memory for ranking: bounded, least recently used first out, never older than Postgres."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from inference.memory import keep_from_collector
from inference.protocols import Embedder
from query.search import documents
from query.search.ranking.index import ScopeIndex
from query.search.ranking.types import Document
from query.views.db import Row
from query.views.documents import Mark, ScopeDocuments

ScopeKey = tuple[Any, ...]
"""(generation, tenant, owner kind, owner id)."""
Lane = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Runs a call in the one thread of ranking; an index is touched nowhere else."""
_CHUNK = 2_000
_AT_ONCE = 1_000
"""Rows of a table that a scope's first look may bring with it."""
_SCOPE_WEIGHT = 10
"""Documents that weigh as much as a scope by itself (an empty index has some 35 kB)."""
_YOUNG = 500
"""Documents that the collector of cycles still looks at."""


class TooLargeError(Exception):
    """The scope has more documents than are held in memory."""


@dataclass(slots=True)
class Held:
    """A scope as it was at `mark`: the index over vectors of one model, and by document id the row that an answer
    shows."""

    index: ScopeIndex
    model_id: str
    dimensions: int
    rows: dict[str, Row] = field(default_factory=dict)
    mark: Mark | None = None
    confirmed_at: float = float("-inf")
    """When Postgres was asked for the fingerprint that `mark` is (monotonic seconds)."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    loading: asyncio.Task[None] | None = None
    counted: int | None = 0
    """How many of its documents the cache has counted; None once it is out of the cache."""


class ScopeCache:
    """The scopes that were asked lately."""

    def __init__(self, run: Lane, most: int, bound: int) -> None:
        """`most`: documents held, all scopes together, each scope weighing as some more; `bound`: documents of one
        scope. A scope without documents is not held: anybody may ask for ids that do not exist."""
        self._run, self._most, self._bound = run, most, bound
        self._held: OrderedDict[ScopeKey, Held] = OrderedDict()
        self._total = 0
        """Documents held: counted along, since every search asks."""
        self._young = 0
        self.large: set[ScopeKey] = set()
        """Scopes that were found to be beyond the bound when last asked."""

    async def get(
        self, key: ScopeKey, source: ScopeDocuments, embedder: Embedder, since: float = float("inf")
    ) -> Held:
        """The scope as Postgres had it at `since` (monotonic seconds) or later, now where none is given: the parts of
        one prompt share one look. `embedder` is whose vectors the key's generation holds. Raises TooLargeError, or
        ProblemError when Postgres does not answer."""
        held = self._held.get(key)
        if held is None:
            size = embedder.dimensions
            held = self._held[key] = Held(ScopeIndex(size), embedder.model_id, size)
        self._held.move_to_end(key)
        async with held.lock:
            if held.mark is not None and held.confirmed_at >= since:
                return held
            asked_at = time.monotonic()
            if not held.rows and await self._came_at_once(held, source):
                held.confirmed_at = asked_at
                return self._kept(key, held)
            mark = await source.mark()
            if mark.count > self._bound:
                self._forget(key)
                self.large.add(key)
                raise TooLargeError
            while mark != held.mark:
                # A caller that gives up leaves the loading to the next: it would only be begun again. It may have begun
                # before `mark`, and then there is more to load.
                if held.loading is None or held.loading.done():
                    held.loading = _begun(self._renew(held, mark, source))
                await asyncio.shield(held.loading)
            held.confirmed_at = asked_at
        return self._kept(key, held)

    def _kept(self, key: ScopeKey, held: Held) -> Held:
        self.large.discard(key)
        if not held.rows and self._held.get(key) is held:
            self._forget(key)
        self._shrink(key)
        return held

    def is_warm(self, key: ScopeKey) -> bool:
        """Whether a copy is held, so that only what changed would be read."""
        held = self._held.get(key)
        return held is not None and held.mark is not None

    def last(self, key: ScopeKey, within: float) -> Held | None:
        """A copy that Postgres confirmed at most `within` seconds ago: for when it does not answer now."""
        held = self._held.get(key)
        if held is None or held.mark is None or time.monotonic() - held.confirmed_at > within:
            return None
        return held

    @property
    def size(self) -> tuple[int, int]:
        """Scopes and documents held."""
        return len(self._held), self._total

    async def _came_at_once(self, held: Held, source: ScopeDocuments) -> bool:
        if held.mark is not None or (held.loading is not None and not held.loading.done()):
            return False
        held.loading = _begun(self._first(held, source))
        await asyncio.shield(held.loading)
        return len(held.rows) > 0

    async def _first(self, held: Held, source: ScopeDocuments) -> None:
        """Most scopes are small, and their first question waits for this: rows and fingerprint in one round trip. A
        larger one stays as it is."""
        found = await source.whole(min(_AT_ONCE, self._bound))
        if found is not None and found[0].count <= self._bound:
            mark, parts = found
            for rows in parts:
                await self._add(held, rows)
            held.mark = mark

    async def _renew(self, held: Held, mark: Mark, source: ScopeDocuments) -> None:
        old = held.mark
        held.mark = None  # until everything is in: a failure half-way must not pass for a copy
        if old is None or old.turns != mark.turns:
            await self._apply(held, "t:", await source.turn_revisions(), source.turn_rows)
        if old is None or old.memories != mark.memories:
            await self._apply(held, "m:", await source.memory_revisions(), source.memory_rows)
        held.mark = mark

    async def _apply(
        self,
        held: Held,
        prefix: str,
        now: dict[str, int],
        load: Callable[[Sequence[str]], Awaitable[list[Row]]],
    ) -> None:
        """Bring one kind of documents to the given revisions, loading only what changed."""
        had = {k[2:]: r["revision"] for k, r in held.rows.items() if k.startswith(prefix)}
        removed = [prefix + k for k in had if k not in now]
        changed = [k for k, revision in now.items() if had.get(k) != revision]
        for doc_id in removed:
            del held.rows[doc_id]
        self._count(held, -len(removed))
        if removed:
            await self._run(partial(held.index.remove, removed))
        for start in range(0, len(changed), _CHUNK):
            await self._add(held, await load(changed[start : start + _CHUNK]))

    async def _add(self, held: Held, rows: list[Row]) -> None:
        if not rows:
            return
        # In the order of the conversation, so that equal scores keep it.
        rows.sort(key=lambda r: (r.get("position", 0), r["occurred_at"]))
        before = len(held.rows)
        held.rows.update(await self._run(partial(indexed, held.index, rows, held.model_id, held.dimensions)))
        self._count(held, len(held.rows) - before)
        self._young += len(rows)
        if self._young >= _YOUNG:
            self._young = 0
            await self._run(keep_from_collector)

    def _count(self, held: Held, more: int) -> None:
        """A scope that was forgotten while it was loaded is not counted."""
        if held.counted is not None:
            held.counted += more
            self._total += more

    def _forget(self, key: ScopeKey) -> None:
        held = self._held.pop(key, None)
        if held is not None and held.counted is not None:
            self._total -= held.counted
            held.counted = None

    def _fits(self) -> bool:
        return self._total + _SCOPE_WEIGHT * len(self._held) <= self._most

    def _shrink(self, keep: ScopeKey) -> None:
        if self._fits():
            return
        for key in list(self._held):
            if key != keep and not self._held[key].lock.locked():
                self._forget(key)
            if self._fits():
                return


def _begun(loading: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Goes on when its caller gives up; a failure that then nobody waits for is looked at, or asyncio would log it."""
    task = asyncio.create_task(loading)
    task.add_done_callback(lambda done: None if done.cancelled() else done.exception())
    return task


def indexed(index: ScopeIndex, rows: Sequence[Row], model_id: str, dimensions: int) -> dict[str, Row]:
    """Add rows to an index over vectors of a model; by document id what an answer shows of them."""
    made: list[Document] = [
        documents.turn_document(r, model_id, dimensions)
        if documents.is_turn(r)
        else documents.memory_document(r, model_id, dimensions)
        for r in rows
    ]
    index.add(made)
    return {d.id: documents.meta(r) for d, r in zip(made, rows, strict=True)}
