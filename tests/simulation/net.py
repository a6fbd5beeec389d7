"""Calls to servers: answers that come late, are lost, or come after the caller has given up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from tests.simulation.loop import SimLoop

T = TypeVar("T")


class AwayError(ConnectionError):
    """No answer. Whether the call was carried out is unknown."""


@dataclass
class Weather:
    """How a server answers at present. `slow`: seconds added to each call, at most; `lost`: the share of calls whose
    answer does not come though they were carried out; `dropped`: the share that never arrives; `refuses`: it says no
    to all that writes."""

    slow: float = 0.0
    lost: float = 0.0
    dropped: float = 0.0
    refuses: bool = False


class Server:
    """What calls go to. `life` is another after each start."""

    def __init__(self, name: str) -> None:
        self.name, self.up, self.life, self.weather = name, True, 1, Weather()
        self.on_up: list[Callable[[], None]] = []

    def stop(self) -> None:
        self.up = False

    def start(self) -> None:
        self.up, self.life = True, self.life + 1


class Net:
    """Over any event loop; a simulated one makes a call go on when its caller is gone."""

    def __init__(self, random: Random, shortest: float = 0.0002, longest: float = 0.004) -> None:
        self._random, self._shortest, self._longest = random, shortest, longest

    async def call(self, server: Server, work: Callable[[], Any], within: float = 10.0) -> Any:
        """What `work` returns (or its future's result), carried out at the server when the call arrives. Raises
        AwayError (after `within` seconds at most, but for work that takes its time), and what `work` raises."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()
        weather, life, draw = server.weather, server.life, self._random.random
        dropped = not server.up or draw() < weather.dropped
        there, back = self._delay(weather), self._delay(weather)
        context = loop.outside() if isinstance(loop, SimLoop) else None

        def settle(value: Any, error: BaseException | None) -> None:
            if not answer.done():
                if error is None:
                    answer.set_result(value)
                else:
                    answer.set_exception(error)

        def give_up() -> None:
            settle(None, AwayError(server.name))

        def reply(value: Any, error: BaseException | None) -> None:
            if server.life != life or not server.up or draw() < weather.lost:
                loop.call_later(within, give_up, context=context)
            else:
                loop.call_later(back, settle, value, error, context=context)

        def finished(done: asyncio.Future[Any]) -> None:
            if done.cancelled():
                loop.call_later(back, give_up, context=context)
            else:
                error = done.exception()
                reply(None if error else done.result(), error)

        def arrive() -> None:
            if not server.up or server.life != life:
                loop.call_later(back, give_up, context=context)
                return
            try:
                result = work()
            except Exception as exc:  # noqa: BLE001 - it is the answer
                reply(None, exc)
                return
            if isinstance(result, asyncio.Future):
                result.add_done_callback(finished, context=context)
            else:
                reply(result, None)

        if dropped:
            loop.call_later(self._random.uniform(0.01, 0.2) if not server.up else within, give_up, context=context)
        else:
            loop.call_later(there, arrive, context=context)
            if there + back > within:
                loop.call_later(within, give_up, context=context)
        return await answer

    def _delay(self, weather: Weather) -> float:
        usual = self._random.uniform(self._shortest, self._longest)
        return usual + (self._random.random() * weather.slow if weather.slow else 0.0)


async def pause(random: Random, tries: int, longest: float = 2.0) -> None:
    """Wait before the next try: doubling, with jitter."""
    await asyncio.sleep(min(longest, 0.05 * 2 ** min(tries, 8)) * (0.5 + 0.5 * random.random()))
