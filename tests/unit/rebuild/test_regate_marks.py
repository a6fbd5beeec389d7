"""N1: a regate brings marks on both sides, whichever of the records differs."""

from __future__ import annotations

import pytest

from memstream.reprocess.amend_log import amendment
from memstream.reprocess.regate import RULE
from processors.memory import candidates
from processors.memory.changes import judge
from processors.memory.store import Standing
from processors.pii.stored_texts import record_of
from processors.ports import Models
from schemas.events.memory import CHANGED_ON, MemoryUpdate
from tests.unit.gate.bench import DAY, candidate
from tests.unit.rebuild.test_regate import Bench, plain

TENNIS, LATER = "User plays tennis on Mondays", "User has given up tennis"


def both(bench: Bench) -> tuple[MemoryUpdate, MemoryUpdate]:
    found = {u.sealed.text: u for u in bench.active()}
    return found[TENNIS], found[LATER]


def none(standing: Standing, new: MemoryUpdate) -> list[judge.Change]:
    return []


async def _run(bench: Bench) -> None:
    await bench.run()


@pytest.mark.parametrize("marking", ["before", "now"])
def test_n1_marks_that_only_one_gate_makes_are_mutual(
    models: Models, monkeypatch: pytest.MonkeyPatch, marking: str
) -> None:
    monkeypatch.setattr(judge, "head_for", lambda model_id: None)
    bench = Bench(models)
    monkeypatch.setattr(candidates, "changes", judge.changes if marking == "before" else none)
    bench.do_all(bench.say(candidate(TENNIS)))
    bench.later(DAY)
    bench.do_all(bench.say(candidate(LATER)))
    monkeypatch.setattr(candidates, "changes", none if marking == "before" else judge.changes)
    bench.apply(bench.regate(plain()))
    bench.do_all(_run(bench))
    old, new = both(bench)
    if marking == "before":
        assert (old.conflicts_with, new.conflicts_with) == ((), ())
    else:
        assert (old.conflicts_with, new.conflicts_with) == ((new.record_id,), (old.record_id,))
        assert CHANGED_ON in old.sealed.attributes
    assert bench.regate(plain()) == []


def test_n1_a_record_that_is_regated_names_none_that_the_user_took_back(
    models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judge, "head_for", lambda model_id: None)
    bench = Bench(models)
    bench.do_all(bench.say(candidate(TENNIS)))
    bench.later(DAY)
    bench.do_all(bench.say(candidate(LATER)))
    old, new = both(bench)
    bench.do_all(bench.do("forget", memory_id=new.record_id))
    [left] = bench.active()
    late = left.model_copy(update={"conflicts_with": (new.record_id,), "sealed": old.sealed})
    record = record_of(late, {})
    bench.pipe(
        amendment(late, "regate", "memory", left.record_id, left.revision, record, bench.driver.now, RULE)
    )
    bench.do_all(_run(bench))
    [stays] = bench.active()
    assert (stays.conflicts_with, CHANGED_ON in stays.sealed.attributes) == ((), False)
