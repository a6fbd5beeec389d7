"""The state store as Postgres is: statements take time and locks, connections break, a transaction whose answer is lost
may still be carried out, later."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from processors.step import Reads
from streams.state.memory import MemoryStateStore
from streams.state.protocol import Delivered, Kept, OutboxRow, PartitionCommit, Position, Rows, StoreAway
from tests.simulation.net import AwayError, Net, Server


class StateServer(Server):
    """What is stored, and the row locks of transactions under way. `stop` ends those; nothing of them stays."""

    def __init__(self, random: Random, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__("postgres")
        self.data = MemoryStateStore(loop.time)
        self._random, self._loop = random, loop
        self._locks: dict[tuple[str, int], list[asyncio.Future[None]]] = {}
        self.saw: Callable[..., None] = lambda *given: None
        """Told of each transaction that arrives."""
        self.longest = 0.01
        """Seconds that a transaction takes, at most."""

    def locked(self, step: str) -> bool:
        """Whether a transaction of that step is under way."""
        return any(step == name for name, _ in self._locks)

    def stop(self) -> None:
        super().stop()
        for line in self._locks.values():
            for waiting in line:
                waiting.cancel()
        self._locks.clear()

    def commit(self, commits: Sequence[PartitionCommit]) -> asyncio.Future[None]:
        """One transaction: it locks its rows of positions, waits where another holds one, and looks at them then."""
        if self.weather.refuses:
            raise StoreAway("ReadOnlySqlTransaction 25006")
        self.saw(commits)
        done: asyncio.Future[None] = self._loop.create_future()
        rows = sorted({(c.step, c.partition) for c in commits})
        self._lock(rows, done, list(commits), self.life)
        return done

    def _lock(
        self, rows: list[tuple[str, int]], done: asyncio.Future[None], commits: list[PartitionCommit], life: int
    ) -> None:
        if self.life != life or not self.up:
            done.cancel()
            return
        for row in rows:
            line = self._locks.setdefault(row, [])
            if line and line[0] is not done:
                line[0].add_done_callback(lambda _: self._lock(rows, done, commits, life))
                return
            if not line:
                line.append(done)
        self._loop.call_later(self._random.uniform(0.0, self.longest), self._end, rows, done, commits, life)

    def _end(
        self, rows: list[tuple[str, int]], done: asyncio.Future[None], commits: list[PartitionCommit], life: int
    ) -> None:
        if self.life != life or not self.up:
            done.cancel()
            return
        for row in rows:
            self._locks.pop(row, None)
        work = self.data.commit(commits)
        try:
            work.send(None)
        except StopIteration:
            done.set_result(None)
        except Exception as exc:  # noqa: BLE001 - StaleOwner: it is the answer
            done.set_exception(exc)


class SimStateStore:
    """A process's connections to it."""

    def __init__(self, net: Net, server: StateServer, seconds: float = 5.0) -> None:
        self._net, self._server, self._seconds = net, server, seconds

    async def position(self, step: str, partition: int) -> tuple[Position, list[OutboxRow]]:
        found: tuple[Position, list[OutboxRow]] = await self._ask(lambda d: d.position(step, partition))
        return found[0], list(found[1])

    async def load(self, step: str, wanted: Mapping[int, Sequence[Reads]]) -> dict[int, Rows]:
        found: dict[int, Rows] = await self._ask(lambda d: d.load(step, wanted))
        return found

    async def commit(self, commits: Sequence[PartitionCommit]) -> None:
        await self._call(lambda: self._server.commit(commits))

    async def settled(
        self, step: str, offsets: Mapping[int, int], delivered: Mapping[int, Delivered] = {},
        erasures: Mapping[int, Sequence[OutboxRow]] = {},
    ) -> None:  # fmt: skip
        await self._ask(lambda d: d.settled(step, offsets, delivered, erasures))

    async def kept(self, step: str, partition: int) -> list[Kept]:
        found: list[Kept] = await self._ask(lambda d: d.kept(step, partition))
        return found

    async def kept_outbox(self, step: str, partition: int, next_offset: int) -> list[OutboxRow]:
        found: list[OutboxRow] = await self._ask(lambda d: d.kept_outbox(step, partition, next_offset))
        return found

    async def sent_again(self, step: str, partition: int, next_offset: int, delivered: Delivered) -> None:
        await self._ask(lambda d: d.sent_again(step, partition, next_offset, delivered))

    async def _ask(self, statement: Callable[[MemoryStateStore], Any]) -> Any:
        def work() -> Any:
            try:
                statement(self._server.data).send(None)  # nothing in memory waits
            except StopIteration as answer:
                return answer.value
            raise RuntimeError("the store in memory has waited")

        return await self._call(work)

    async def _call(self, work: Callable[[], Any]) -> Any:
        try:
            return await self._net.call(self._server, work, self._seconds)
        except AwayError as exc:
            raise StoreAway(str(exc)) from None
