"""While the endpoint is away jobs that wait for it lend their slots: others go on, nothing is committed past them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from memstream.workers.job_work import JobWork
from memstream.workers.slots import Slots
from processors.step import Emit
from schemas.events.documents import Job
from schemas.log import topics
from tests.unit.jobs.support import checkpoint
from tests.unit.jobs.test_jobs import Bench, message


class Endpoint:
    """Away until it is back; a sleep ends when a test says so."""

    def __init__(self) -> None:
        self.back = asyncio.Event()
        self.sleeping = 0

    async def sleep(self, seconds: float) -> None:
        self.sleeping += 1
        try:
            await self.back.wait()
        finally:
            self.sleeping -= 1


class Waiting(JobWork):
    """Jobs of `away` rest until the endpoint is back; all others end at once. `most`: how many worked at once."""

    def __init__(self, away: set[str], rest: Callable[[float], Awaitable[None]]) -> None:
        self.away, self.rest = away, rest
        self.now = self.most = 0

    async def run(self, job: Job) -> list[Emit]:
        if job.job_id in self.away:
            await self.rest(1.0)
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0)
        self.now -= 1
        return [Emit(topics.JOBS, job)]


def bench(count: int, away: set[str], concurrency: int = 2, most_held: int = 100) -> tuple[Bench, Endpoint, Waiting]:
    endpoint = Endpoint()
    b = Bench([message(n, checkpoint()) for n in range(count)], concurrency, full_seconds=0.0)
    b.worker.slots = Slots(concurrency, endpoint.sleep)
    b.worker._most_held = most_held
    work = Waiting(away, b.worker.slots.rest)

    async def make() -> JobWork:
        return work

    b.worker._make = make
    return b, endpoint, work


async def test_jobs_behind_those_that_wait_are_done_and_nothing_is_committed_past_them() -> None:
    b, endpoint, work = bench(8, {"j0", "j1", "j2"})
    await b.turns(12)
    assert (endpoint.sleeping, b.worker.slots.resting) == (3, 3)
    assert sorted(r.offset for r in b.sent.rows) == [3, 4, 5, 6, 7]
    assert (b.log.paused, b.committed) == (False, None)
    endpoint.back.set()
    await b.turns(6)
    assert (sorted(r.offset for r in b.sent.rows), b.committed) == (list(range(8)), 8)
    assert work.most <= 2


async def test_when_they_come_back_no_more_work_at_once_than_there_are_slots() -> None:
    b, endpoint, work = bench(30, {f"j{n}" for n in range(20)}, concurrency=3)
    await b.turns(40)
    assert b.worker.slots.resting == 20
    endpoint.back.set()
    await b.turns(40)
    assert (work.most <= 3, b.committed) == (True, 30)


async def test_only_so_many_wait_in_memory() -> None:
    b, endpoint, _ = bench(30, {f"j{n}" for n in range(30)}, most_held=5)
    await b.turns(20)
    assert (b.worker.slots.resting, b.log.paused, len(b.log.left)) == (5, True, 25)
    endpoint.back.set()
    await b.turns(60)
    assert (b.log.paused, b.committed) == (False, 30)


async def test_one_that_is_cancelled_while_it_waits_takes_no_slot_with_it() -> None:
    endpoint = Endpoint()
    slots = Slots(1, endpoint.sleep)

    async def job() -> None:
        async with slots.place():
            await slots.rest(1.0)

    tasks = [asyncio.create_task(job()) for _ in range(3)]
    while endpoint.sleeping < 3:  # noqa: ASYNC110 - the jobs tell nobody
        await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    endpoint.back.set()
    async with asyncio.timeout(60), slots.place():
        assert (slots.resting, slots.semaphore.locked()) == (0, True)
    assert not slots.semaphore.locked()


async def test_outside_a_place_it_only_sleeps() -> None:
    endpoint = Endpoint()
    endpoint.back.set()
    slots = Slots(1, endpoint.sleep)
    await slots.rest(1.0)
    assert slots.resting == 0
