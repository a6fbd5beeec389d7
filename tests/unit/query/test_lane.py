"""The thread of model and ranking work."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from query.retrieval.lane import ComputeLane, request_begins


async def test_what_an_older_request_asks_for_goes_first() -> None:
    """The lane is held; meanwhile the younger request comes first with its call."""
    lane, gate, order = ComputeLane(), threading.Event(), list[str]()

    def noting(name: str) -> Callable[[], None]:
        return lambda: order.append(name)

    held = asyncio.create_task(lane(lambda: gate.wait(10)))
    older, younger = asyncio.Event(), asyncio.Event()

    async def request(name: str, go: asyncio.Event) -> None:
        request_begins()
        await go.wait()
        await lane(noting(name))

    asked = [asyncio.create_task(request("older", older))]
    await asyncio.sleep(0.01)
    asked.append(asyncio.create_task(request("younger", younger)))
    await asyncio.sleep(0.01)
    younger.set()
    await asyncio.sleep(0.01)
    older.set()
    await asyncio.sleep(0.01)
    gate.set()
    await asyncio.gather(held, *asked)
    assert order == ["older", "younger"]
    lane.close()


async def test_calls_of_one_request_keep_their_order_and_bring_what_they_return() -> None:
    lane = ComputeLane()
    request_begins()
    assert await asyncio.gather(*(lane(lambda n=n: n) for n in range(50))) == list(range(50))  # type: ignore[misc]
    lane.close()


async def test_a_failing_call_fails_its_asker_alone() -> None:
    lane = ComputeLane()
    with pytest.raises(ZeroDivisionError):
        await lane(lambda: 1 / 0)
    assert await lane(lambda: 2) == 2
    lane.close()


async def test_a_call_that_nobody_waits_for_any_more_is_not_run() -> None:
    lane, gate, ran = ComputeLane(), threading.Event(), list[int]()
    held = asyncio.create_task(lane(lambda: gate.wait(10)))
    left = asyncio.create_task(lane(lambda: ran.append(1)))
    await asyncio.sleep(0.01)
    left.cancel()
    await asyncio.sleep(0)
    gate.set()
    await held
    assert await lane(lambda: list(ran)) == []
    lane.close()


async def test_the_end_cancels_what_waits() -> None:
    lane, gate = ComputeLane(), threading.Event()
    held = asyncio.create_task(lane(lambda: gate.wait(10)))
    waits = asyncio.create_task(lane(lambda: 1))
    await asyncio.sleep(0.01)
    ending = asyncio.create_task(asyncio.to_thread(lane.close))
    await asyncio.sleep(0.05)
    gate.set()
    await ending
    assert await held
    with pytest.raises(asyncio.CancelledError):
        await waits
