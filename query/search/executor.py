"""Threads of model and ranking work, one for each kind: what a request asks of one of them waits for its turn there."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from queue import PriorityQueue
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from inference.protocols import Embedder
from inference.terms import terms
from query.search.ranking.context import blended, query_texts

T = TypeVar("T")
_REMEMBERED = 1_024
_LISTS = 64
_TOGETHER = 8
"""Questions of one call of the encoder: the first of them waits for all."""
_SHORT = 300
"""Characters. A batch takes the time of its longest text, so a longer question goes alone."""
_CLOSING = 2.0
"""Seconds that the end of the service waits for the call under way."""


_BEGAN: ContextVar[float | None] = ContextVar("when this request began", default=None)


def request_begins() -> None:
    """From now on this request's calls go before those of requests that begin later."""
    _BEGAN.set(time.monotonic())


@dataclass(order=True, slots=True)
class _Job:
    began: float
    number: int
    call: Callable[[], Any] | None = field(compare=False)
    """None ends the lane."""
    done: Future[Any] = field(compare=False, default_factory=Future)

    def run(self) -> None:
        if self.call is not None and self.done.set_running_or_notify_cancel():
            try:
                self.done.set_result(self.call())
            except BaseException as exc:  # noqa: BLE001 - who asked for it handles it
                self.done.set_exception(exc)


class ComputeLane:
    """Runs calls one after the other, off the event loop: those of the oldest request first. A request makes several,
    and in the order of their coming each of them would wait behind the first ones of all that came later: where many
    ask at once, all would be answered late."""

    def __init__(self, name: str = "ranking") -> None:
        self._jobs: PriorityQueue[_Job] = PriorityQueue()
        self._numbers = itertools.count()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    async def __call__(self, call: Callable[[], T]) -> T:
        began = _BEGAN.get()
        job = self._put(time.monotonic() if began is None else began, call)
        found: T = await asyncio.wrap_future(job.done)
        return found

    def close(self) -> None:
        """What waits is cancelled."""
        self._put(float("-inf"), None)
        self._thread.join(_CLOSING)

    def _put(self, began: float, call: Callable[[], Any] | None) -> _Job:
        job = _Job(began, next(self._numbers), call)
        self._jobs.put(job)
        return job

    def _work(self) -> None:
        while (job := self._jobs.get()).call is not None:
            job.run()
        while not self._jobs.empty():
            self._jobs.get().done.cancel()


@dataclass(frozen=True, slots=True)
class Understood:
    """What the models make of a question. Vectors are unit, (dimensions,)."""

    terms: list[str]
    vector: npt.NDArray[np.float32]
    """To search with: for chat also of its content words (`ranking.context`)."""
    plain: npt.NDArray[np.float32]
    """Of the text alone."""


@dataclass(slots=True)
class _PendingQuery:
    """A question that waits for the lane, and what became of it."""

    text: str
    read: Understood | None = None


class Questions:
    """Terms and vectors of questions; the last ones are remembered, since one turn asks several endpoints. Their lane
    is not the one that ranks: an encoding takes as long as a ranking and leaves the interpreter to others meanwhile."""

    def __init__(self, lane: ComputeLane) -> None:
        self._lane = lane
        self._known: OrderedDict[tuple[str, str], Understood] = OrderedDict()
        self._pending: dict[tuple[str, str], _PendingQuery] = {}
        self._kept: OrderedDict[tuple[str, tuple[str, ...]], npt.NDArray[np.float32]] = OrderedDict()

    async def read(self, text: str, embedder: Embedder) -> Understood:
        name = embedder.model_id, text
        known = self._known.get(name)
        if known is not None:
            return known
        pending = self._pending.setdefault(name, _PendingQuery(text))
        try:
            read = await self._lane(partial(self._answered, pending, embedder))
        finally:
            self._pending.pop(name, None)
        self._known[name] = read
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return read

    def _answered(self, pending: _PendingQuery, embedder: Embedder) -> Understood:
        """In the lane. Questions that wait for the same model are read along: each would wait for those before it, and
        a batch of four takes about half of four calls."""
        if pending.read is not None:
            return pending.read
        others = list(islice(self._beside(pending, embedder.model_id), _TOGETHER - 1))
        try:
            return _read([pending, *others], embedder)
        except Exception:  # whoever's text it was: it fails its asker alone
            if not others:
                raise
            return _read([pending], embedder)

    def _beside(self, pending: _PendingQuery, model_id: str) -> Iterator[_PendingQuery]:
        if len(pending.text) > _SHORT:
            return
        for (model, text), other in list(self._pending.items()):  # the event loop goes on adding
            if model == model_id and other is not pending and other.read is None and len(text) <= _SHORT:
                yield other

    async def kept(self, texts: tuple[str, ...], embedder: Embedder) -> npt.NDArray[np.float32]:
        """Vectors of texts that are compared with every question, as a profile's examples are: embedded once."""
        name = embedder.model_id, texts
        known = self._kept.get(name)
        if known is None:
            known = self._kept[name] = await self._lane(lambda: np.asarray(embedder.embed(list(texts))))
            if len(self._kept) > _LISTS:
                self._kept.popitem(last=False)
        return known


def _read(questions: Sequence[_PendingQuery], embedder: Embedder) -> Understood:
    """Answer them all in one call; returned is the first's."""
    texts = [query_texts(q.text) for q in questions]
    vectors = iter(embedder.embed([t for of_one in texts for t in of_one]))
    answers = []
    for question, of_one in zip(questions, texts, strict=True):
        own = list(islice(vectors, len(of_one)))
        question.read = Understood(terms(question.text), blended(own), own[0])
        answers.append(question.read)
    return answers[0]
