"""Virtual time, processes, and what is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.simulation.blocking import block_on, run_blocking
from tests.simulation.loop import OutsideError, SimLoop, StandstillError


@pytest.fixture
def loop() -> Iterator[SimLoop]:
    made = SimLoop(1)
    yield made
    made.close()


def test_time_passes_at_once_and_as_told(loop: SimLoop) -> None:
    async def work() -> float:
        await asyncio.sleep(3600)
        try:
            async with asyncio.timeout(5):
                await asyncio.sleep(60)
        except TimeoutError:
            return asyncio.get_running_loop().time()
        return 0.0

    assert loop.run_until_complete(work()) == 3605.0


def test_a_killed_process_never_runs_again(loop: SimLoop) -> None:
    done: list[str] = []
    process = loop.process("victim")

    async def victim() -> None:
        try:
            await asyncio.sleep(5)
            done.append("slept")
        finally:
            done.append("finally")

    async def world() -> None:
        loop.spawn(process, victim())
        await asyncio.sleep(1)
        loop.kill(process)
        await asyncio.sleep(100)

    loop.run_until_complete(world())
    assert done == []


def test_a_frozen_process_goes_on_late_and_in_its_order(loop: SimLoop) -> None:
    seen: list[tuple[str, float]] = []
    process = loop.process("frozen")

    async def tick(name: str, every: float) -> None:
        for _ in range(2):
            await asyncio.sleep(every)
            seen.append((name, loop.time()))

    async def world() -> None:
        loop.spawn(process, tick("a", 2.0))
        loop.spawn(process, tick("b", 3.0))
        await asyncio.sleep(1)
        process.frozen = True
        await asyncio.sleep(9)
        process.frozen = False
        await asyncio.sleep(10)

    loop.run_until_complete(world())
    assert seen == [("a", 10.0), ("b", 10.0), ("a", 12.0), ("b", 13.0)]


def order(seed: int) -> list[str]:
    loop, seen = SimLoop(seed), list[str]()

    async def say(name: str) -> None:
        for _ in range(3):
            seen.append(name)
            await asyncio.sleep(0)

    async def world() -> None:
        await asyncio.gather(*(loop.spawn(loop.process(n), say(n)) for n in "abcd"))

    loop.run_until_complete(world())
    loop.close()
    return seen


def test_the_seed_says_who_goes_next() -> None:
    assert order(3) == order(3)
    assert len({tuple(order(seed)) for seed in range(20)}) > 10


def test_a_wait_without_an_end_is_found(loop: SimLoop) -> None:
    async def forever() -> None:
        await loop.create_future()

    with pytest.raises(StandstillError):
        loop.run_until_complete(forever())


@pytest.mark.parametrize("how", ["to_thread", "connect", "signal"])
def test_threads_sockets_and_signals_are_refused(loop: SimLoop, how: str) -> None:
    async def reach_out() -> None:
        match how:
            case "to_thread":
                await asyncio.to_thread(print)
            case "connect":
                await asyncio.open_connection("127.0.0.1", 9)
            case _:
                asyncio.get_running_loop().add_signal_handler(15, print)

    with pytest.raises(OutsideError):
        loop.run_until_complete(reach_out())


def test_blocking_code_waits_in_virtual_time_beside_others(loop: SimLoop) -> None:
    seen: list[tuple[str, float]] = []

    def blocking(name: str, seconds: float) -> str:
        block_on(asyncio.sleep(seconds), loop)
        seen.append((name, loop.time()))
        with pytest.raises(ZeroDivisionError):
            block_on(fails(), loop)
        return name

    async def fails() -> None:
        await asyncio.sleep(1)
        raise ZeroDivisionError

    async def world() -> list[str]:
        both = (run_blocking(lambda: blocking("slow", 9.0)), run_blocking(lambda: blocking("fast", 2.0)))
        return list(await asyncio.gather(*both))

    assert loop.run_until_complete(world()) == ["slow", "fast"]
    assert seen == [("fast", 2.0), ("slow", 9.0)]
    block_on(asyncio.sleep(1), loop)
    assert loop.time() == 11.0


def test_what_goes_round_in_a_circle_ends() -> None:
    async def circle() -> None:
        while True:  # noqa: ASYNC110 - the fault itself
            await asyncio.sleep(0)

    with pytest.raises(StandstillError, match="stands still at 0"):
        SimLoop(1).run_until_complete(circle())
