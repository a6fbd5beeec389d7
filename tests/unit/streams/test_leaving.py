"""An orderly end: what was delivered is not delivered once more by who comes next (N2)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from schemas.events.turns import TurnEvent
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.owner import partition, user
from streams.driver import MemoryLog, TopologyDriver, inline
from streams.runner import Message, RunnerConfig, StepRunner
from streams.state.memory import MemoryStateStore
from streams.state.protocol import OutboxRow
from tests.unit.streams.toy import START, Counter, turn

P = partition(user("acme", "ann"), 8)


class Brittle(MemoryLog):
    """A broker that may be away."""

    away = False

    async def deliver(self, rows: Sequence[OutboxRow]) -> None:
        if self.away:
            raise ConnectionError
        await super().deliver(rows)


def messages(*text: str) -> list[Message]:
    made: list[TurnEvent] = [turn(s) for s in text]
    return [Message(topics.TURNS.name, P, i, None, Codec().value(e), [], 1_700_000_000_000) for i, e in enumerate(made)]


@pytest.mark.parametrize("orderly", [True, False])
async def test_n2_only_after_a_crash_the_last_outbox_goes_out_again(orderly: bool) -> None:
    d = TopologyDriver([Counter()], START, batch=2)
    for text in ("one", "two", "three"):
        d.pipe(topics.TURNS, turn(text))
    await d.run()
    out = d.log.partitions[topics.SESSION_STATE.name, P]
    before = len(out)
    if orderly:
        await d.runners["counter"].leave(range(8))
    d.restart(rewind=10)
    await d.run()
    assert (len(out) == before) is orderly
    d.pipe(topics.TURNS, turn("four"))
    await d.run()
    assert isinstance(d.store, MemoryStateStore)
    assert d.store.rows["counter", P][user("acme", "ann").key]["count"] == b"4"


async def test_n2_what_was_stored_and_not_delivered_is_left_to_who_comes_next() -> None:
    store, log = MemoryStateStore(), Brittle(lambda: START)
    runner = StepRunner(Counter(), store, log, Codec(), RunnerConfig(8), compute=inline)
    one, two = messages("one", "two")
    await runner.process([one])
    log.away = True
    with pytest.raises(ConnectionError):
        await runner.process([two])
    await runner.leave([P])
    position, outbox = await store.position("counter", P)
    assert position.next_offset == 2
    assert outbox != []


async def test_n2_partitions_that_moved_away_are_not_touched() -> None:
    store, log = MemoryStateStore(), Brittle(lambda: START)
    one, two = (StepRunner(Counter(), store, log, Codec(), RunnerConfig(8), compute=inline) for _ in range(2))
    feed = messages("one", "two")
    await one.process(feed[:1])
    await two.process(feed)
    await one.leave([P])
    assert (await store.position("counter", P))[1] != []
