"""The loop: what is committed when, what waits, what is a dead letter (delivery rule 1)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from memstream.workers.job_work import JobWork, UnknownJob
from memstream.workers.jobs import InFlight, JobsWorker
from memstream.workers.observe import ProcessStats
from processors.step import Emit
from schemas.events.documents import Job
from schemas.log import topics
from schemas.log.codec import ERASED, Codec, DecodeError, Event, Headers, header
from schemas.log.owner import partition, user
from sinks.protocol import Message, Revoked
from streams.state.protocol import OutboxRow
from tests.patience import PATIENCE
from tests.unit.jobs.support import checkpoint

CODEC = Codec()
P = partition(user("acme", "ann"), 8)


def message(offset: int, job: Job | None = None, part: int = P) -> Message:
    value = CODEC.value(job.model_copy(update={"job_id": f"j{offset}"})) if job else b"{"
    return Message(topics.JOBS.name, part, offset, b"k", value, [("traceparent", b"00-1")], 1_800_000_000_000)


class Log:
    """A consumer over a list, with the part of the sinks' consumer protocol that pauses and commits."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.left = list(messages)
        self.commits: list[dict[tuple[str, int], int]] = []
        self.paused = False
        self.pauses = self.polls = 0
        self.revoked: Revoked | None = None
        self.lose: list[tuple[str, int]] = []

    def subscribe(self, topics: Sequence[str], revoked: Revoked) -> None:
        self.revoked = revoked

    def poll(self, max_records: int, timeout: float, linger: float = 0.0) -> list[Message]:
        self.polls += 1
        if self.lose and self.revoked:
            self.revoked(self.lose)
            self.lose = []
        if self.paused:
            return []
        out, self.left = self.left[:max_records], self.left[max_records:]
        return out

    def pause(self) -> None:
        self.paused = True
        self.pauses += 1

    def resume(self) -> None:
        self.paused = False

    def commit(self, offsets: Mapping[tuple[str, int], int]) -> None:
        self.commits.append(dict(offsets))

    def waiting(self) -> None: ...

    def close(self) -> None: ...


class Held(JobWork):
    """Jobs that end when the test lets them, by id."""

    def __init__(self) -> None:
        self.gates: dict[str, asyncio.Event] = {}
        self.fail: dict[str, Exception] = {}
        self.running = 0
        self.most = 0

    def gate(self, name: str) -> asyncio.Event:
        return self.gates.setdefault(name, asyncio.Event())

    async def run(self, job: Job) -> list[Emit]:
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await self.gate(job.job_id).wait()
        finally:
            self.running -= 1
        if job.job_id in self.fail:
            raise self.fail[job.job_id]
        return [Emit(topics.JOBS, job)]


class Sent:
    def __init__(self) -> None:
        self.rows: list[OutboxRow] = []

    async def deliver(self, rows: Sequence[OutboxRow]) -> None:
        self.rows += rows


class Letters:
    def __init__(self) -> None:
        self.reasons: list[str] = []

    def deliver(self, m: Message, headers: Headers) -> None:
        self.reasons.append((header(headers, "reason") or b"").decode())

    def close(self) -> None: ...


class Destroyed(Codec):
    """Seals; the key of each job is destroyed once the job has been opened so many times.

    Counted for each record by itself: records are opened in threads, in no fixed order.
    """

    seals = True

    def __init__(self, opens: int) -> None:
        super().__init__()
        self.opens = opens
        self.decoded: Counter[bytes | None] = Counter()

    def decode(self, topic: str, value: bytes | None) -> Event:
        self.decoded[value] += 1
        if self.decoded[value] > self.opens:
            raise DecodeError(ERASED, "sealed: the owner was erased")
        return super().decode(topic, value)


class Bench:
    def __init__(
        self, messages: Sequence[Message], concurrency: int = 4, full_seconds: float = 60.0, codec: Codec = CODEC
    ) -> None:
        self.log, self.work, self.sent, self.letters = Log(messages), Held(), Sent(), Letters()

        async def work() -> JobWork:
            return self.work

        self.worker = JobsWorker(
            self.log, self.sent, self.letters, work, ProcessStats(), partitions=8, concurrency=concurrency,
            poll_seconds=0.0, full_seconds=full_seconds, codec=codec,
        )  # fmt: skip
        self.log.subscribe([], self.worker._on_revoked)

    async def turns(self, count: int = 6) -> None:
        for _ in range(count):
            await self.worker.turn()
            for _ in range(4):
                await asyncio.sleep(0)

    @property
    def committed(self) -> int | None:
        return self.log.commits[-1].get((topics.JOBS.name, P)) if self.log.commits else None


async def test_an_offset_is_committed_when_everything_below_it_is_done() -> None:
    b = Bench([message(n, checkpoint()) for n in range(3)])
    await b.turns()
    b.work.gate("j2").set()
    b.work.gate("j1").set()
    await b.turns()
    assert [r.offset for r in b.sent.rows] == [1, 2] or [r.offset for r in b.sent.rows] == [2, 1]
    assert b.committed is None
    b.work.gate("j0").set()
    await b.turns()
    assert b.committed == 3


async def test_results_go_to_the_owners_partition_with_the_trace() -> None:
    b = Bench([message(0, checkpoint())])
    b.work.gate("j0").set()
    await b.turns()
    [row] = b.sent.rows
    assert row.partition == P
    assert header(row.headers, "ce_id") == b"j0/0"
    assert header(row.headers, "traceparent") == b"00-1"


async def test_no_more_run_at_once_than_there_are_slots() -> None:
    b = Bench([message(n, checkpoint()) for n in range(10)], concurrency=3)
    await b.turns()
    assert (b.work.running, len(b.log.left)) == (3, 7)
    for n in range(10):
        b.work.gate(f"j{n}").set()
    await b.turns(40)
    assert (b.work.most, b.committed, len(b.sent.rows)) == (3, 10, 10)


async def test_full_slots_pause_nothing_while_jobs_end() -> None:
    """A pause throws away what was fetched, and the partition that is fetched first would be the only one served."""
    b = Bench([message(n, checkpoint()) for n in range(10)], concurrency=3)
    for n in range(10):
        await b.turns(3)
        polls = b.log.polls
        await b.turns(3)
        assert b.log.polls == polls or len(b.log.left) == 0, "full: nothing is asked for"
        b.work.gate(f"j{n}").set()
    await b.turns()
    assert (b.committed, b.log.pauses) == (10, 0)


async def test_slots_that_stay_full_keep_the_membership_by_polling_what_is_paused() -> None:
    b = Bench([message(n, checkpoint()) for n in range(10)], concurrency=3, full_seconds=0.0)
    await b.turns()
    assert (b.work.running, b.log.paused, len(b.log.left)) == (3, True, 7)
    polls = b.log.polls
    await b.turns(3)
    assert b.log.polls == polls + 3
    b.work.gate("j0").set()
    await b.turns()
    assert (b.work.running, len(b.log.left)) == (3, 6)


async def test_what_is_no_job_or_fails_is_a_dead_letter_and_the_rest_goes_on() -> None:
    b = Bench([message(0), message(1, checkpoint()), message(2, checkpoint()), message(3, checkpoint())])
    b.work.fail = {"j1": UnknownJob("job: expected another"), "j2": RuntimeError("private words")}
    for n in range(4):
        b.work.gate(f"j{n}").set()
    await b.turns()
    assert sorted(b.letters.reasons) == ["job_failed", "malformed_json", "unknown_job"]
    assert ([r.offset for r in b.sent.rows], b.committed) == ([3], 4)


async def test_of_a_partition_that_moved_away_nothing_is_committed() -> None:
    b = Bench([message(0, checkpoint()), message(1, checkpoint())])
    await b.turns()
    b.log.lose = [(topics.JOBS.name, P)]
    await b.turns()
    assert b.work.running == 0
    for n in range(2):
        b.work.gate(f"j{n}").set()
    await b.turns()
    assert (b.log.commits, b.sent.rows) == ([], [])


async def test_a_stop_leaves_what_is_not_done_uncommitted() -> None:
    b = Bench([message(0, checkpoint()), message(1, checkpoint())])
    stop = asyncio.Event()
    running = asyncio.create_task(b.worker.run(stop))
    while b.work.running < 2:  # noqa: ASYNC110 - the worker tells nobody
        await asyncio.sleep(0)
    stop.set()
    await running
    assert (b.work.running, b.log.commits) == (0, [])


def test_in_flight_tells_each_offset_once() -> None:
    flight, m = InFlight(), [message(n) for n in range(3)]
    for each in m:
        flight.take(each)
    flight.done(m[1])
    assert flight.ready() == {}
    flight.done(m[0])
    place: Any = (topics.JOBS.name, P)
    assert flight.ready() == {place: 2}
    assert flight.ready() == {}
    flight.done(m[2])
    flight.drop([place])
    assert flight.ready() == {}


@pytest.mark.parametrize("opens", [0, 1])
async def test_c9_a_job_of_who_was_erased_sends_nothing_and_is_no_dead_letter(opens: int) -> None:
    """Also where the model was asked before: its answer would be sealed under the key of who has returned since."""
    b = Bench([message(0, checkpoint()), message(1, checkpoint())], codec=Destroyed(opens))
    b.work.gate("j0").set()
    b.work.gate("j1").set()
    async with asyncio.timeout(PATIENCE):
        while b.committed != 2:
            await b.turns()
    assert (b.committed, b.sent.rows, b.letters.reasons) == (2, [], [])
