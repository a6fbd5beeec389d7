"""The cross-encoder's scores (D14), in a thread of their own: searches that wait for none do not wait behind it."""

from __future__ import annotations

import asyncio
import logging
import math
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress

from inference.protocols import Reranker

_log = logging.getLogger(__name__)


class NoScoresError(Exception):
    """The cross-encoder failed, or was late."""


class CrossEncoding:
    """Asks the model for one question at a time. A call cannot be broken off: while one runs that was late, the model
    is not asked, so that one that hangs costs one search its time and not every one."""

    def __init__(self, model: Reranker, seconds: float) -> None:
        self._model, self._seconds = model, seconds
        self._turn = asyncio.Lock()
        self._running: Future[list[float]] | None = None
        self._late = False

    async def scores(self, query: str, texts: Sequence[str]) -> dict[str, float]:
        """By text. Raises NoScoresError."""
        different = list(dict.fromkeys(texts))
        try:
            async with asyncio.timeout(self._seconds):
                return await self._request_scores(query, different) if different else {}
        except TimeoutError:
            self._late = True
            _log.error("the cross-encoder is slower than MEMSTREAM_RERANKER_SECONDS; the order is that of the fusion")
            raise NoScoresError from None
        except NoScoresError:
            raise
        except Exception as exc:  # noqa: BLE001 - a model of anybody's
            _log.error("the cross-encoder failed (%s); the order is that of the fusion", type(exc).__name__)
            raise NoScoresError from None

    async def _request_scores(self, query: str, texts: list[str]) -> dict[str, float]:
        async with self._turn:
            if self._running is not None and not self._running.done():
                if self._late:
                    raise NoScoresError
                with suppress(Exception):  # of a search that was broken off: it is not late yet
                    await asyncio.shield(asyncio.wrap_future(self._running))
            self._late = False
            self._running = self._begun(query, texts)
            given = await asyncio.shield(asyncio.wrap_future(self._running))
        if not all(map(math.isfinite, given)):
            raise ValueError("a score is no number")
        return dict(zip(texts, given, strict=True))

    def _begun(self, query: str, texts: Sequence[str]) -> Future[list[float]]:
        done: Future[list[float]] = Future()

        def work() -> None:
            try:
                done.set_result(self._model.score(query, texts))
            except BaseException as exc:  # noqa: BLE001 - who asked for it handles it
                done.set_exception(exc)

        # A daemon: the end of the service does not wait for a call that hangs.
        threading.Thread(target=work, name="cross-encoder", daemon=True).start()
        return done
