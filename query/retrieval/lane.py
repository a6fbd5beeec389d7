"""The one thread of model and ranking work: two cores serve a request better than two fights for them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from inference.protocols import Embedder
from inference.terms import terms

T = TypeVar("T")
_REMEMBERED = 1_024


class ComputeLane:
    """Runs calls one after the other, off the event loop."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="ranking")

    async def __call__(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)


class Questions:
    """Terms and vectors of questions; the last ones are remembered, since one turn asks several endpoints."""

    def __init__(self, embedder: Embedder, lane: ComputeLane) -> None:
        self._embedder, self._lane = embedder, lane
        self._known: OrderedDict[str, tuple[list[str], npt.NDArray[np.float32]]] = OrderedDict()

    async def read(self, text: str) -> tuple[list[str], npt.NDArray[np.float32]]:
        """Index terms and unit vector (dimensions,) of a question."""
        known = self._known.get(text)
        if known is not None:
            return known
        read = await self._lane(lambda: (terms(text), self._embedder.embed([text])[0]))
        self._known[text] = read
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return read
