"""Erasures in the simulation: that a break of their promise is found, whoever breaks it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from memstream.erasure.eraser import EraserConfig
from memstream.erasure.log import ErasureScope, Log
from memstream.erasure.log_reader import Collector
from memstream.erasure.ports import Stored
from memstream.erasure.ways import ways
from processors.erasure.guard import Erased
from processors.erasure.steps import GateEraser
from schemas.components.installed import BUILT_IN
from schemas.events.erasure import Erasure
from schemas.log import topics
from sinks.erased import WithoutErased
from sinks.memory import MemorySink
from sinks.protocol import Message
from streams.batch_frame import BatchFrame
from streams.kept_outboxes import KeptOutboxes
from streams.topology import Parts
from tests.simulation import trust
from tests.simulation.acts import INTERNAL, Act, erases_much
from tests.simulation.erasing import SimStored
from tests.simulation.load import WORD, Call
from tests.simulation.plan import Plan
from tests.simulation.register import MemoryRegister, SimRegister
from tests.simulation.round import run

SEEDS = [seed for seed in range(1, 60) if erases_much(seed)]
Patch = pytest.MonkeyPatch


def _a_topic_is_skipped(patch: Patch) -> None:
    whole = ErasureScope.take
    patch.setattr(ErasureScope, "take", lambda self, m: None if m.topic() == topics.LEDGER.name else whole(self, m))


def _it_is_done_before_its_nulls(patch: Patch) -> None:
    finish, remove = SimRegister.finish, Log.remove
    left: list[tuple[Log, Sequence[Erasure]]] = []

    def later(self: Log, erasures: Sequence[Erasure]) -> list[dict[str, int]]:
        left.append((self, erasures))
        return [{} for _ in erasures]

    def finished(self: SimRegister, e: Erasure, report: dict[str, Any]) -> bool:
        done = finish(self, e, report)
        while left:
            remove(*left.pop())
        return done

    patch.setattr(Log, "remove", later)
    patch.setattr(SimRegister, "finish", finished)


def _a_step_keeps_its_rows(patch: Patch) -> None:
    patch.setattr(GateEraser, "_user", lambda self, e, rows, state: Erased())


def _a_store_forgets_nothing(patch: Patch) -> None:
    whole = MemorySink._erase

    def erase(self: MemorySink, e: Erasure, message: Message) -> None:
        kept = dict(self.rows)
        whole(self, e, message)
        self.rows.update(kept if self.name == "milvus" else {})

    patch.setattr(MemorySink, "_erase", erase)


def _nobody_nulls_what_comes_late(patch: Patch) -> None:
    patch.setattr(MemoryRegister, "came_late", lambda self, erasure_ids: None)
    patch.setattr(BatchFrame, "_receive_again", lambda self, batch, m: None)


def _sinks_take_what_comes_late(patch: Patch) -> None:
    patch.setattr(WithoutErased, "_kept", lambda self, item, replayed, late: item)


def _outboxes_stay(patch: Patch) -> None:
    async def nothing(self: KeptOutboxes, delivered: object) -> None:
        """As it was."""

    patch.setattr(KeptOutboxes, "settle_erasures", nothing)
    patch.setattr(MemoryRegister, "undelivered", lambda self, e: 0)
    _nobody_nulls_what_comes_late(patch)


def _the_last_erasure_tells_the_order(patch: Patch) -> None:
    """As it was: a project's, which comes at any later time, among them."""
    whole = Log._collect

    def collect(self: Log, collectors: Sequence[Collector]) -> None:
        for one in collectors:
            if not isinstance(one, ErasureScope):
                whole(self, [one])
                continue
            found, name = list(self._topics.read(sorted(one.places))), f'"erasure_id":"{one.e.erasure_id}"'.encode()
            met = [n for n, m in enumerate(found) if name in (m.value() or b"")]
            last = {(found[n].topic(), found[n].partition()): n for n in met}
            for m in [m for n, m in enumerate(found) if n not in met or n in last.values()]:
                one.take(_by_the_gate(m) if name in (m.value() or b"") else m)

    patch.setattr(Log, "_collect", collect)


def _by_the_gate(m: Stored) -> Stored:
    assert isinstance(m, SimStored)
    value = (m.value() or b"").replace(b'"stage":"project"', b'"stage":"gate"')
    return replace(m, lies=replace(m.lies, record=replace(m.lies.record, value=value)))


def _call_of(number: int, text: str, pause: float = 0.0) -> Call:
    found = WORD.search(text.encode())
    word = found[0].decode() if found else ""
    return Call(number, "turn", "bob", text, "bob-1", "project-1", f"t{number}", pause, word=word)


LATE = tuple(Act(60.0, "late", topic) for topic in INTERNAL)
BACK = (
    _call_of(0, "I love zebra000wood."), _call_of(1, "We decided to use zebra001wood for the project."),
    _call_of(2, "I live in Lisbon."), Call(3, "erase", "bob", pause=10.0),
    _call_of(4, "I love zebra004wood.", pause=20.0), _call_of(5, "I live in Lisbon."),
)  # fmt: skip
"""Of one session; and one who comes back to it, and says a thing again."""


TALKS_ON = (
    _call_of(0, "I love zebra000wood."), _call_of(1, "We decided to use zebra001wood for the project."),
    Call(2, "erase", "bob", pause=10.0), _call_of(3, "I love zebra003wood."), _call_of(4, "I live in Lisbon."),
)  # fmt: skip
"""Who says more as soon as the erasure is accepted."""


def test_n6_what_is_said_behind_an_erasure_and_taken_with_it_is_found(parts: Parts, monkeypatch: Patch) -> None:
    """What the gate makes of it lies before the erasure that the project's step hands on."""
    plan = Plan.exactly(3, TALKS_ON, ())
    assert not run(plan, parts).failures
    _the_last_erasure_tells_the_order(monkeypatch)
    failures = run(plan, parts).failures
    assert any("memory.updates" in line and "ends at None: value" in line for line in failures), failures


def test_c9_what_a_frozen_process_still_sends_brings_nothing_back(parts: Parts) -> None:
    """Into each topic that steps write all that they had sent before, once more, when the erasure is done."""
    result = run(Plan.exactly(3, BACK, LATE), parts)
    came = {line.rpartition(" ")[2].rpartition("/")[0] for line in result.history if "come late" in line}
    assert came == {topics.HISTORY.name, topics.LEDGER.name, topics.PROJECT_EVENTS.name, topics.UPDATES.name,
                    topics.SESSION_STATE.name, topics.DECISIONS.name}  # fmt: skip
    assert not result.failures, "\n".join(result.failures)


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (_nobody_nulls_what_comes_late, ("in memory.ledger", "in project.events", "in session.state", "in memory.up")),
        (_sinks_take_what_comes_late, ("in view postgres", "in view milvus", "in view redis")),
    ],
)  # fmt: skip
def test_c9_where_it_is_taken_back_it_is_found(
    broken: Callable[[Patch], None], words: tuple[str, ...], parts: Parts, monkeypatch: Patch
) -> None:
    broken(monkeypatch)
    found = "\n".join(run(Plan.exactly(3, BACK, LATE), parts).failures)
    assert {w for w in words if w not in found} == set(), found


@pytest.mark.parametrize(
    ("broken", "first"),
    [
        (_a_topic_is_skipped, 3), (_it_is_done_before_its_nulls, 3), (_a_step_keeps_its_rows, 3),
        (_a_store_forgets_nothing, 3), (_outboxes_stay, 3),
    ],
)  # fmt: skip
def test_c9_an_erasure_that_leaves_something_is_found(
    broken: Callable[[Patch], None], first: int, parts: Parts, monkeypatch: Patch
) -> None:
    """Of rounds with erasures in the first; an outbox has to hold both a turn and the erasure: in the second."""
    broken(monkeypatch)
    seeds = SEEDS[SEEDS.index(first) :][:4]
    found = (run(Plan(seed), parts).failures for seed in seeds)
    assert any(line.startswith("erased words: ") for lines in found for line in lines)


def test_n6_a_store_that_is_not_waited_for_is_found(parts: Parts, monkeypatch: Patch) -> None:
    """It is away when the last erasure is asked for; it has not answered, and the report says that all is gone."""
    plan = Plan(SEEDS[0])
    last = max(n for n, call in enumerate(plan.calls) if call.what == "erase")
    request = sum(call.pause for call in plan.calls[: last + 1])
    away = Plan.exactly(plan.seed, plan.calls, [Act(request, "away", "store-milvus", 120.0)])
    whole = run(away, parts)
    assert not whole.failures
    assert {n for n in ("erasures", "erased words", "turns behind an erasure") if not whole.checked[n]} == set()
    fewer = tuple(way for way in ways(BUILT_IN) if way.store != "milvus")
    monkeypatch.setattr(trust, "EraserConfig", partial(EraserConfig, ways=fewer))
    assert any("was done in view milvus" in line for line in run(away, parts).failures)
