"""How libraries say that they were refused memory."""

from __future__ import annotations

import asyncio

from streams.state.cache import NotRead

_WORDS = (
    "bad_alloc", "bad allocation", "failed to allocate", "cannot allocate memory", "not enough memory", "out of memory",
    "can't start new thread",
)  # fmt: skip
_DEEP = 4
_NO_FAILURES = (NotRead, asyncio.CancelledError, GeneratorExit, KeyboardInterrupt, SystemExit)


def is_refusal(exc: BaseException, at_the_bound: bool) -> bool:
    """Python says MemoryError; C++ (onnxruntime) a RuntimeError with bad_alloc, libpq an OperationalError, and who
    starts a thread a RuntimeError. `at_the_bound`: the process has next to nothing left of what it may take; then
    whatever fails does so for that."""
    if isinstance(exc, _NO_FAILURES):
        return False
    return at_the_bound or any(_says_so(e) for e in _chain(exc))


def _chain(exc: BaseException) -> list[BaseException]:
    """With what it comes of."""
    out = [exc]
    while len(out) < _DEEP and (before := out[-1].__cause__ or out[-1].__context__) is not None:
        out.append(before)
    return out


def _says_so(exc: BaseException) -> bool:
    if isinstance(exc, MemoryError):
        return True
    message = str(exc).lower()
    return any(word in message for word in _WORDS)
