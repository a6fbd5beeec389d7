"""N1: a regate brings marks on both sides, whichever of the records differs."""

from __future__ import annotations

from typing import Any

import pytest

from memstream.reprocess.amend_log import amendment
from memstream.reprocess.regate import RULE, Difference, Findings
from memstream.reprocess.regate_run import PASSES, until_settled
from processors.memory import free_statements
from processors.memory.candidates import CandidateGate
from processors.memory.changes import judge
from processors.memory.store import UserMemoryStore
from processors.pii.stored_texts import record_of
from processors.ports import Models
from schemas.events.memory import CHANGED_ON, Candidate, MemoryUpdate
from tests.unit.gate.bench import DAY, candidate
from tests.unit.rebuild.test_regate import Bench, plain

TENNIS, LATER = "User plays tennis on Mondays", "User has given up tennis"


def both(bench: Bench) -> tuple[MemoryUpdate, MemoryUpdate]:
    found = {u.sealed.text: u for u in bench.active()}
    return found[TENNIS], found[LATER]


def none(store: UserMemoryStore, new: MemoryUpdate) -> list[judge.Change]:
    return []


async def _run(bench: Bench) -> None:
    await bench.run()


@pytest.mark.parametrize("marking", ["before", "now"])
def test_n1_marks_that_only_one_gate_makes_are_mutual(
    models: Models, monkeypatch: pytest.MonkeyPatch, marking: str
) -> None:
    monkeypatch.setattr(judge, "head_for", lambda model_id: None)
    bench = Bench(models)
    monkeypatch.setattr(free_statements, "changes", judge.changes if marking == "before" else none)
    bench.do_all(bench.say(candidate(TENNIS)))
    bench.later(DAY)
    bench.do_all(bench.say(candidate(LATER)))
    monkeypatch.setattr(free_statements, "changes", none if marking == "before" else judge.changes)
    bench.apply(bench.regate(plain()))
    bench.do_all(_run(bench))
    old, new = both(bench)
    if marking == "before":
        assert (old.conflicts_with, new.conflicts_with) == ((), ())
    else:
        assert (old.conflicts_with, new.conflicts_with) == ((new.record_id,), (old.record_id,))
        assert CHANGED_ON in old.sealed.attributes
    assert bench.regate(plain()) == []


LEEDS, YORK = (candidate(f"Lives in {v}", "residence", v) for v in ("Leeds", "York"))


@pytest.mark.parametrize(
    "texts", [(candidate(TENNIS), candidate(LATER)), (LEEDS, YORK, candidate("User no longer lives in York"))]
)
def test_n1_marks_stop_no_amendment_of_records_that_differ_otherwise_too(
    models: Models, monkeypatch: pytest.MonkeyPatch, texts: tuple[Candidate, ...]
) -> None:
    """Of both sides, and of all their versions."""
    monkeypatch.setattr(judge, "head_for", lambda model_id: None)
    bench, new_of = Bench(models), CandidateGate._new

    def lighter(*result: Any) -> MemoryUpdate:
        return new_of(*result).model_copy(update={"importance": 0.25})

    with monkeypatch.context() as before:
        before.setattr(CandidateGate, "_new", lighter)
        before.setattr(free_statements, "changes", none)
        for each in texts:
            bench.do_all(bench.say(each))
            bench.later(DAY)
    passes: list[int] = []

    def one_pass() -> tuple[Findings, Findings]:
        findings, again = Findings(), Findings()
        found = bench.regate(plain())
        passes.append(len(found))
        bench.apply(sorted(found, key=lambda d: len(d.versions)))
        bench.do_all(_run(bench))
        for seen, of in ((found, findings), (bench.regate(plain()), again)):
            for d in seen:
                of.add(d)
        return findings, again

    outcome, again = until_settled(one_pass)
    assert again is not None
    assert (passes, sum(outcome.groups.values()), again.groups) == ([2, 1], 2, {})
    assert ("skipped", "moved_on") in bench.outcomes()
    old, new = sorted(bench.active(), key=lambda u: u.occurred_at)
    assert (old.conflicts_with, new.conflicts_with) == ((new.record_id,), (old.record_id,))
    assert (CHANGED_ON in old.sealed.attributes, CHANGED_ON in new.sealed.attributes) == (True, False)
    assert [u.importance for u in bench.view.values()] == [0.5] * len(texts)


def test_n1_a_regate_that_never_settles_ends_and_says_what_is_left(models: Models) -> None:
    bench = Bench(models)
    bench.do_all(bench.say(candidate(TENNIS)))
    [kept] = bench.active()
    left, runs = Findings(), iter(range(PASSES))
    left.add(Difference(kept.owner, kept.record_id, kept.kind, "", "changed", (), 1, (kept,)))

    def one_pass() -> tuple[Findings, Findings]:
        next(runs)
        return left, left

    assert until_settled(one_pass) == (left, left)
    assert list(runs) == []


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
