"""Blocking code inside the loop, without a thread: where it blocks, its greenlet gives way to the task that runs it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, cast

from greenlet import getcurrent, greenlet

T = TypeVar("T")


class _Blocking(greenlet):
    """Marks the greenlets that may block."""


async def run_blocking(call: Callable[[], T]) -> T:
    """Run `call` to its end; what it blocks on is awaited here. Raises what it raises."""
    inside = _Blocking(call)
    inside.gr_context = getcurrent().gr_context
    step: Any = inside.switch()
    while not inside.dead:
        try:
            result = await step
        except BaseException as exc:  # noqa: BLE001 - it is raised where the code blocks
            step = inside.throw(exc)
        else:
            step = inside.switch(result)
    return cast(T, step)


def block_on(work: Awaitable[T], loop: asyncio.AbstractEventLoop) -> T:
    """From blocking code: give way until `work` is done. Outside of the loop it is run until then."""
    here = getcurrent()
    if isinstance(here, _Blocking) and here.parent is not None:
        return cast(T, here.parent.switch(work))
    return cast(T, loop.run_until_complete(cast(Any, work)))
