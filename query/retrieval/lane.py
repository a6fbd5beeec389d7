"""The one thread of model and ranking work: two cores serve a request better than two fights for them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from inference.protocols import Embedder
from inference.terms import terms
from query.ranking.context import blended, query_texts

T = TypeVar("T")
_REMEMBERED = 1_024
_LISTS = 64


class ComputeLane:
    """Runs calls one after the other, off the event loop."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="ranking")

    async def __call__(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True, slots=True)
class Understood:
    """What the models make of a question. Vectors are unit, (dimensions,)."""

    terms: list[str]
    vector: npt.NDArray[np.float32]
    """To search with: for chat also of its content words (`ranking.context`)."""
    plain: npt.NDArray[np.float32]
    """Of the text alone."""


class Questions:
    """Terms and vectors of questions; the last ones are remembered, since one turn asks several endpoints."""

    def __init__(self, lane: ComputeLane) -> None:
        self._lane = lane
        self._known: OrderedDict[tuple[str, str], Understood] = OrderedDict()
        self._kept: OrderedDict[tuple[str, tuple[str, ...]], npt.NDArray[np.float32]] = OrderedDict()

    async def read(self, text: str, embedder: Embedder) -> Understood:
        name = embedder.model_id, text
        known = self._known.get(name)
        if known is not None:
            return known
        read = await self._lane(lambda: _read(text, embedder))
        self._known[name] = read
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return read

    async def kept(self, texts: tuple[str, ...], embedder: Embedder) -> npt.NDArray[np.float32]:
        """Vectors of texts that are compared with every question, as a profile's examples are: embedded once."""
        name = embedder.model_id, texts
        known = self._kept.get(name)
        if known is None:
            known = self._kept[name] = await self._lane(lambda: np.asarray(embedder.embed(list(texts))))
            if len(self._kept) > _LISTS:
                self._kept.popitem(last=False)
        return known


def _read(text: str, embedder: Embedder) -> Understood:
    vectors = embedder.embed(query_texts(text))
    return Understood(terms(text), blended(list(vectors)), vectors[0])
