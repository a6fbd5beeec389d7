"""The next batch goes through the models while one is delivered."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from processors.step import Record
from schemas.log.codec import Codec
from schemas.log.owner import user
from streams.driver import MemoryLog, inline
from streams.runner import RunnerConfig, StepRunner
from streams.state.memory import MemoryStateStore
from streams.state.protocol import OutboxRow, StaleOwner
from tests.unit.streams.bench import P, message
from tests.unit.streams.toy import START, Counter


class Watched(Counter):
    """Says when it prepares, beside what its producer says."""

    def __init__(self, texts: list[str]) -> None:
        super().__init__()
        self._said = texts

    def prepare(self, records: Sequence[Record]) -> Sequence[Any]:
        self._said.append(f"prepare {records[0].offset}")
        return super().prepare(records)


class SlowLog(MemoryLog):
    """Lets others run before it has delivered."""

    def __init__(self, texts: list[str]) -> None:
        super().__init__(lambda: START)
        self._said = texts

    async def deliver(self, rows: Sequence[OutboxRow]) -> None:
        await asyncio.sleep(0)
        self._said.append(f"delivered {rows[0].offset}")
        await super().deliver(rows)


async def test_the_next_batch_is_prepared_while_one_is_delivered_and_only_once() -> None:
    statement: list[str] = []
    store = MemoryStateStore()
    runner = StepRunner(Watched(statement), store, SlowLog(statement), Codec(), RunnerConfig(8), compute=inline)
    feed = [message(i, f"t{i}") for i in range(3)]
    await runner.process(feed[:1], lambda: feed[1:2])
    await runner.process(feed[1:2], lambda: feed[2:])
    await runner.process(feed[2:])
    order = ["prepare 0", "prepare 1", "delivered 0", "prepare 2", "delivered 1", "delivered 2"]
    assert statement == order
    assert store.rows["counter", P][user("acme", "ann").key]["count"] == b"3"


async def test_what_was_prepared_for_other_records_or_before_a_move_is_prepared_again() -> None:
    statement: list[str] = []
    store = MemoryStateStore()
    runner = StepRunner(Watched(statement), store, MemoryLog(lambda: START), Codec(), RunnerConfig(8), compute=inline)
    feed = [message(i, f"t{i}") for i in range(5)]
    await runner.process(feed[:1], lambda: feed[1:3])
    await runner.process(feed[1:2], lambda: feed[2:4])  # fewer came through than were named
    runner.forget([P])
    await runner.process(feed[2:4], lambda: feed[4:])
    assert [s for s in statement if s != "prepare 4"] == [
        "prepare 0",
        "prepare 1",
        "prepare 1",
        "prepare 2",
        "prepare 2",
    ]
    assert store.rows["counter", P][user("acme", "ann").key]["count"] == b"4"


async def test_n2_what_was_prepared_behind_a_batch_that_failed_starts_from_what_is_stored() -> None:
    store, log = MemoryStateStore(), MemoryLog(lambda: START)
    one, two = (StepRunner(Counter(), store, log, Codec(), RunnerConfig(8), compute=inline) for _ in range(2))
    feed = [message(i, f"t{i}") for i in range(4)]
    await one.process(feed[:1])
    await two.process(feed[:3])
    with pytest.raises(StaleOwner):
        await one.process(feed[1:2], lambda: feed[2:4])
    one.forget()
    await one.process(feed[2:4])  # the first of these is another worker's by now
    assert store.rows["counter", P][user("acme", "ann").key]["count"] == b"4"
