"""What a step sees of the state before its batch, and rows that it had not named (N2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import orjson
import pytest

from processors.step import Out, Reads, Record, StateSpace
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.owner import user
from schemas.security.sealing import KeysAway
from streams.driver import MemoryLog, inline
from streams.runner import RunnerConfig, StepRunner
from streams.state.memory import MemoryStateStore
from streams.state.protocol import StoreAway
from tests.unit.streams.bench import P, message
from tests.unit.streams.toy import COUNT, START, Counter


class Completing(Counter):
    """Looks at the state of before the batch, in one call; one record it cannot complete."""

    completes = True

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[list[Any]] = []

    def complete(
        self, records: Sequence[Record], prepared: Sequence[Any], states: Sequence[StateSpace]
    ) -> Sequence[Any]:
        self.seen.append([s.of(user("acme", "ann").key).single(COUNT).get() for s in states])
        if any(r.offset == 2 for r in records):
            raise ValueError("poison")
        return prepared


async def test_a_step_completes_a_batch_with_the_state_before_it_and_poison_fails_alone() -> None:
    step, store = Completing(), MemoryStateStore()
    log = MemoryLog(lambda: START)
    runner = StepRunner(step, store, log, Codec(), RunnerConfig(8), compute=inline)
    await runner.process([message(i, f"t{i}") for i in range(2)])
    assert step.seen == [[None, None]]
    await runner.process([message(i, f"t{i}") for i in range(2, 4)])
    assert step.seen[1:] == [[2, 2], [2], [2]], "together, then each alone"
    assert store.rows["counter", P][user("acme", "ann").key]["count"] == b"3"
    assert [m for (topic, _), share in log.partitions.items() if topic == topics.DEAD_LETTERS.name for m in share]


class Asking(Completing):
    """Names none of its reads."""

    def reads(self, record: Record, prepared: Any) -> tuple[Reads, ...]:
        return ()

    def then_reads(self, record: Record, prepared: Any, state: StateSpace) -> tuple[Reads, ...]:
        return (Reads(user("acme", str(state.of(user("acme", "bob").key).single(COUNT).get())).key),)


async def test_n2_rows_that_no_read_named_are_loaded_when_they_are_asked_for() -> None:
    store = MemoryStateStore()
    store.rows["counter", P][user("acme", "ann").key] = {"count": b"1", "turn/000001": b'"before"'}
    log = MemoryLog(lambda: START)
    step = Asking()
    runner = StepRunner(step, store, log, Codec(), RunnerConfig(8), compute=inline)
    await runner.process([message(i, f"t{i}") for i in range(2)])
    assert step.seen == [[1], [1]], "asked together, then one by one"
    assert store.rows["counter", P][user("acme", "ann").key]["count"] == b"3"
    values = [orjson.loads(m.value or b"") for m in log.partitions[topics.SESSION_STATE.name, P]]
    assert [v["sealed"]["anchors"]["indexed"] for v in values if "sealed" in v] == [2, 3]
    assert not any(log.partitions[topics.DEAD_LETTERS.name, p] for p in range(8))


async def test_n2_a_store_that_is_away_costs_no_record_that_asked_for_more() -> None:
    class Away(MemoryStateStore):
        """Answers no load but the first."""

        loads = 0

        async def load(self, step: str, wanted: Any) -> Any:
            self.loads += 1
            if self.loads == 2:
                raise StoreAway("no answer")
            return await super().load(step, wanted)

    store, log = Away(), MemoryLog(lambda: START)
    runner = StepRunner(Asking(), store, log, Codec(), RunnerConfig(8), compute=inline)
    feed = [message(i, f"t{i}") for i in range(2)]
    with pytest.raises(StoreAway):
        await runner.process(feed)
    runner.forget()
    await runner.process(feed)
    assert store.rows["counter", P][user("acme", "ann").key]["count"] == b"2"
    assert not any(log.partitions[topics.DEAD_LETTERS.name, p] for p in range(8))


class Waiting(Counter):
    """Uses in this phase what is away once."""

    def __init__(self, phase: str, away: Exception) -> None:
        super().__init__()
        self._phase, self._away = phase, [away]

    def _use(self, phase: str) -> None:
        if phase == self._phase and self._away:
            raise self._away.pop()

    def reads(self, record: Record, prepared: Any) -> tuple[Reads, ...]:
        self._use("reads")
        return super().reads(record, prepared)

    def then_reads(self, record: Record, prepared: Any, state: StateSpace) -> tuple[Reads, ...]:
        self._use("then_reads")
        return super().then_reads(record, prepared, state)

    def handle(self, record: Record, prepared: Any, state: StateSpace) -> Iterable[Out]:
        self._use("handle")
        return super().handle(record, prepared, state)


@pytest.mark.parametrize("phase", ["reads", "then_reads", "handle"])
@pytest.mark.parametrize("away", [StoreAway("busy"), KeysAway("no answer")], ids=["models", "keys"])
async def test_what_a_step_waits_for_costs_no_record_wherever_it_is_used(phase: str, away: Exception) -> None:
    store, log = MemoryStateStore(), MemoryLog(lambda: START)
    runner = StepRunner(Waiting(phase, away), store, log, Codec(), RunnerConfig(8), compute=inline)
    with pytest.raises(type(away)):
        await runner.process([message(0, "t0")])
    runner.forget()
    await runner.process([message(0, "t0")])
    assert store.rows["counter", P][user("acme", "ann").key]["count"] == b"1"
    assert not any(log.partitions[topics.DEAD_LETTERS.name, p] for p in range(8))
