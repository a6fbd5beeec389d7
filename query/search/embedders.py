"""Which generations a request reads, and the model that embeds its question as they are embedded (N1, reembed)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from inference.protocols import Embedder, EmbedderMissingError
from query.errors import ProblemError
from query.views.db import Database

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Serving:
    """For one request, whatever is switched meanwhile. `blind`: the model of the generations does not load here, so
    nothing is found by its vector."""

    embedder: Embedder
    generations: Mapping[str, int]
    blind: bool = False


class EmbedderRegistry:
    """The models that were read with, loaded once each."""

    def __init__(self, db: Database, default: Embedder, named: Callable[[str], Embedder] | None) -> None:
        self._db, self._default, self._named = db, default, named
        self._loaded: dict[str, Embedder | None] = {"": default}
        self._loading = asyncio.Lock()

    async def now(self) -> Serving:
        """As Postgres says now, or as it last said while it is away."""
        try:
            live = await self._db.live()
        except ProblemError:
            live = self._db.last_live()
        if live.embedder not in self._loaded:
            async with self._loading:
                if live.embedder not in self._loaded:
                    self._loaded[live.embedder] = await self._load(live.embedder)
        embedder = self._loaded[live.embedder]
        return Serving(embedder or self._default, live.numbers, embedder is None)

    async def _load(self, name: str) -> Embedder | None:
        named = self._named
        if named is None:
            return None
        try:
            # Not in the lane: it takes seconds, and who reads the generation before it would wait there.
            return await asyncio.to_thread(named, name)
        except (EmbedderMissingError, ValueError) as exc:
            log.error("the embedding model of the live generation does not load", extra={"error": type(exc).__name__})
            return None
