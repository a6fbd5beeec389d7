"""Where a request's values are sealed and opened: off the event loop, and for no longer than a store may take."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from query.errors import keys_down, store_down
from schemas.security.sealing import KeysAway

T = TypeVar("T")
_THREADS = 4
"""The keyring takes one caller at a time: more threads would wait for it alone."""
_SECONDS = 2.0


class KeyThreads:
    """Threads of their own: where the keyring hangs, nobody else's work stands behind what waits for it. What waits
    is bounded by the requests of the last `seconds`."""

    def __init__(self, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="keys")

    async def __call__(self, call: Callable[[], T]) -> T:
        """What `call` returns. Raises ProblemError while the keyring does not answer, and what `call` raises."""
        work = asyncio.get_running_loop().run_in_executor(self._threads, call)
        try:
            async with asyncio.timeout(self._seconds):
                return await work
        except TimeoutError:
            raise store_down("postgres") from None
        except KeysAway as exc:
            raise keys_down(exc) from None
