"""Redeliveries and moves cost nothing: no record is counted twice, and none by a stale owner (N2)."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.owner import user
from streams.driver import MemoryLog, inline
from streams.runner import RunnerConfig, StepRunner
from streams.state.memory import MemoryStateStore
from streams.state.protocol import StaleOwner
from tests.unit.streams.bench import P, driver, message, revisions, say
from tests.unit.streams.toy import START, Counter, turn


@pytest.mark.parametrize("batch", [1, 2, 64])
async def test_n2_a_redelivered_offset_sends_its_outbox_again_and_recomputes_nothing(batch: int) -> None:
    d = driver(batch)
    await say(d, "one", "two", "raise", "three")
    rows = dict(d.store.rows[("counter", P)]) if isinstance(d.store, MemoryStateStore) else {}
    before = list(d.log.partitions[topics.SESSION_STATE.name, P])
    d.restart(rewind=10)
    await d.run()
    again = d.log.partitions[topics.SESSION_STATE.name, P][len(before) :]
    assert [(m.key, m.value, m.headers) for m in again] == [
        (m.key, m.value, m.headers) for m in before[len(before) - len(again) :]
    ], "only the last outbox goes out again, byte for byte"
    assert isinstance(d.store, MemoryStateStore)
    assert dict(d.store.rows[("counter", P)]) == rows
    await say(d, "four")
    assert revisions(d)[-1] == 4


async def test_n2_what_an_upstream_step_redelivers_is_dropped_by_its_source() -> None:
    d = driver(batch=64)
    value = Codec().value(turn("one"))
    for source in ("up/0:5:0", "up/0:5:1", "up/0:5:0", "up/0:5:1", "up/0:6:0", "other/0:5:0", "up/0:4:9"):
        d.pipe_raw(topics.TURNS, P, value, [("src", source.encode())])
    await d.run()
    assert revisions(d) == [1, 2, 3, 4]  # up 5:0, up 5:1, up 6:0, other 5:0
    d.restart()
    d.pipe_raw(topics.TURNS, P, value, [("src", b"up/0:6:0")])
    await d.run()
    assert max(revisions(d)) == 4


async def test_n2_a_malformed_record_of_an_upstream_step_is_one_dead_letter_however_often_it_comes() -> None:
    d = driver()
    for _ in range(3):
        d.pipe_raw(topics.TURNS, P, b"{", [("src", b"up/0:5:0")])
    await d.run()
    assert len(d.dead_letters()) == 1


async def test_duplicate_headers_count_by_the_last() -> None:
    d = driver()
    value = Codec().value(turn("one"))
    d.pipe_raw(topics.TURNS, P, value, [("src", b"up/0:9:9"), ("src", b"up/0:1:1")])
    d.pipe_raw(topics.TURNS, P, value, [("src", b"up/0:2:0")])
    await d.run()
    assert revisions(d) == [1, 2]


async def test_n2_a_stale_owner_writes_nothing() -> None:
    store, log = MemoryStateStore(), MemoryLog(lambda: START)
    one, two = (StepRunner(Counter(), store, log, Codec(), RunnerConfig(8), compute=inline) for _ in range(2))
    feed = [message(i, f"t{i}") for i in range(4)]
    await one.process(feed[:1])
    await two.process(feed[:2])  # took over: skips the first, takes the second
    with pytest.raises(StaleOwner) as stale:
        await one.process(feed[1:3])
    assert stale.value.partitions == {P}
    assert store.rows["counter", P][user("acme", "ann").key]["count"] == b"2"
    one.forget()
    await one.process(feed[1:4])
    assert store.rows["counter", P][user("acme", "ann").key]["count"] == b"4"


async def test_a_batch_ends_as_it_began_when_its_partition_is_forgotten_meanwhile() -> None:
    class Revoking(MemoryStateStore):
        runner: StepRunner | None = None

        async def commit(self, commits: Any) -> None:
            await super().commit(commits)
            if self.runner is not None:
                self.runner.forget([P])

    store = Revoking()
    store.runner = StepRunner(Counter(), store, MemoryLog(lambda: START), Codec(), RunnerConfig(8), compute=inline)
    for i in range(3):
        await store.runner.process([message(i, f"t{i}")])
    assert store.rows["counter", P][user("acme", "ann").key]["count"] == b"3"
