"""An outbox with an erasure in it is not delivered once more: what lies before the erasure there would stand behind the
eraser's nulls (C9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest

from processors.step import Emit, Out, Record, StateSpace
from schemas.events.envelope import Envelope
from schemas.events.erasure import Erasure
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.owner import partition, user
from streams.driver import MemoryLog, inline
from streams.runner import Message, RunnerConfig, StepRunner
from streams.state.memory import MemoryStateStore
from streams.state.protocol import Delivered, OutboxRow, StoreAway
from tests.unit.streams.toy import START, Counter, turn
from tests.unit.topology.erasure_log import current_rows
from tests.unit.topology.test_erasure_log import Stored

P = partition(user("acme", "ann"), 8)
ERASURE = Erasure(tenant="acme", erasure_id="e1", scope="user", user_id="ann", accepted_at=START)


class Handing(Counter):
    """Hands erasures on."""

    def handle(self, record: Record, prepared: Any, state: StateSpace) -> Iterable[Out]:
        if isinstance(record.event, Erasure):
            return [Emit(topics.SESSION_STATE, record.event)]
        return super().handle(record, prepared, state)


class Brittle(MemoryLog):
    """`lost`: it takes what it is given, and its answer is lost."""

    away = lost = False

    async def deliver(self, rows: Sequence[OutboxRow]) -> None:
        if self.away:
            raise ConnectionError
        await super().deliver(rows)
        if self.lost:
            raise ConnectionError


class Slow(MemoryStateStore):
    """`away`: it does not answer what is settled."""

    away = False

    async def settled(
        self, step: str, offsets: Mapping[int, int], delivered: Mapping[int, Delivered] = {},
        erasures: Mapping[int, Sequence[OutboxRow]] = {},
    ) -> None:  # fmt: skip
        if self.away:
            raise StoreAway
        await super().settled(step, offsets, delivered, erasures)


def messages(*events: Envelope) -> list[Message]:
    values = [Codec().encode(e, "test", f"id{n}") for n, e in enumerate(events)]
    return [Message(topics.TURNS.name, P, n, v.key, v.value, [], 1_700_000_000_000) for n, v in enumerate(values)]


def runner(store: MemoryStateStore, log: MemoryLog) -> StepRunner:
    return StepRunner(Handing(), store, log, Codec(), RunnerConfig(8), compute=inline)


@pytest.mark.parametrize("away", [False, True])
async def test_c9_it_goes_once_it_was_delivered(away: bool) -> None:
    store, log = Slow(), Brittle(lambda: START)
    store.away = away
    await runner(store, log).process(messages(turn("one"), ERASURE))
    position, outbox = await store.position("counter", P)
    assert position.next_offset == 2
    assert bool(outbox) is away, "the eraser waits for it"
    assert len(log.partitions[topics.SESSION_STATE.name, P]) == 2


async def test_c9_so_does_one_that_was_left_by_who_had_the_partition_before() -> None:
    store, log = MemoryStateStore(), Brittle(lambda: START)
    log.away = True
    with pytest.raises(ConnectionError):
        await runner(store, log).process(messages(turn("one"), ERASURE))
    assert (await store.position("counter", P))[1] != []
    log.away = False
    assert await runner(store, log).stored_offset(P) == 2
    assert len(log.partitions[topics.SESSION_STATE.name, P]) == 2
    assert (await store.position("counter", P))[1] == []


async def test_c9_what_was_delivered_twice_has_a_null_behind_both() -> None:
    """A clock had dated it ahead of the cut-off. The copy lay behind the first erasure, and stood for good."""
    store, log = MemoryStateStore(), Brittle(lambda: START)
    erasure = ERASURE.model_copy(update={"accepted_at": START - timedelta(hours=1)})
    log.lost = True
    with pytest.raises(ConnectionError):
        await runner(store, log).process(messages(turn("one"), erasure))
    log.lost = False
    again = runner(store, log)
    assert await again.stored_offset(P) == 2
    behind = Message(topics.TURNS.name, P, 2, b"k", Codec().value(turn("two")), [], 1_700_000_000_000)
    await again.process([behind])
    written = log.partitions[topics.SESSION_STATE.name, P]
    states = [m for m in written if (m.key or b"").endswith(b"/s1")]
    assert len(states) == 3
    lies = [Stored(m.key, m.value, P, tuple(m.headers), m.topic, m.timestamp_ms) for m in written]
    assert current_rows(lies[:-1], erasure).keys() == {(topics.SESSION_STATE.name, P, states[0].key)}
    assert current_rows(lies, erasure) == {}, "the user has come back"


async def test_another_outbox_stays_until_the_next_batch() -> None:
    store, log = MemoryStateStore(), Brittle(lambda: START)
    await runner(store, log).process(messages(turn("one")))
    assert (await store.position("counter", P))[1] != []
