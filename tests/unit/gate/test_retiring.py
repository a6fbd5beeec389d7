"""Where a card lets a later statement end an earlier one: what ended stays so, and holds again only where nothing
speaks against it. No card that ships does."""

from __future__ import annotations

from typing import Literal

import pytest

from memstream.reprocess.amend_log import amendment
from memstream.reprocess.regate import RULE
from processors.memory.changes import judge
from processors.memory.changes.head import FOLDER as HEAD
from processors.memory.changes.head import WEIGHTS as FILE
from processors.memory.changes.head import ChangeHead, shipped, unpacked
from processors.pii.stored_texts import record_of
from schemas.events.memory import MemoryUpdate, Span
from tests.unit.gate.bench import DAY, GateBench, candidate

pytestmark = pytest.mark.usefixtures("words_retire")
PLACE = (Span(start=0, end=30),)
PAIRS = pytest.mark.parametrize(
    ("old", "other", "new"),
    [
        ("User plays tennis on Mondays", "User plays some tennis on Mondays", "User has given up tennis"),
        ("用户每周一打网球", "用户周一打网球", "用户不再打网球了"),
    ],
)
TENNIS, CHESS = "User plays tennis on Mondays", "User plays chess with Odalys"


@pytest.fixture
def words_retire(monkeypatch: pytest.MonkeyPatch) -> None:
    """A card by which words alone end the earlier one."""
    head = ChangeHead(unpacked((HEAD / FILE).read_bytes()), shipped().card.model_copy(update={"retire": 0.0}))
    monkeypatch.setattr(judge, "head_for", lambda model_id: head)


def texts(gate: GateBench) -> set[str]:
    return {u.sealed.text for u in gate.active()}


async def ended(gate: GateBench, old: str, new: str) -> MemoryUpdate:
    """What turn "t1" said, ended by what turn "t2" says a day later."""
    at = gate.driver.now
    await gate.say(candidate(old, spans=PLACE), turn="t1", at=at)
    gate.later(DAY)
    await gate.say(candidate(new, spans=PLACE), turn="t2", at=at + DAY)
    [first] = [u for u in gate.view.values() if u.sealed.text == old]
    assert (first.state, first.reason.rule) == ("superseded", "changed")
    return first


@PAIRS
async def test_d3_a_newer_extractor_does_not_bring_back_what_has_ended(
    gate: GateBench, old: str, other: str, new: str
) -> None:
    first = await ended(gate, old, new)
    at = first.occurred_at
    await gate.say(candidate(old, spans=PLACE), turn="t1", at=at, version=2)
    assert texts(gate) == {new}
    assert gate.outcomes()[-1] == ("skipped", "ended_since")
    near = (Span(start=2, end=31),)
    await gate.say(candidate(other, spans=near), turn="t1", at=at, version=3)
    assert texts(gate) == {new}, "nor in other words of nearly the same place"
    gate.later(60 * DAY)
    await gate.say(candidate(old, spans=PLACE), turn="t1", at=at, version=4)
    assert texts(gate) == {new}, "nor when it is not remembered who read the turn"
    await gate.say(candidate(old, spans=PLACE), turn="t9")
    assert texts(gate) == {new, old}, "said anew it holds"


@PAIRS
async def test_n4_what_ended_and_was_forgotten_does_not_hold_again(
    gate: GateBench, old: str, other: str, new: str
) -> None:
    first = await ended(gate, old, new)
    await gate.do("forget", first.record_id)
    await gate.say(turn="t2", at=first.occurred_at + DAY, version=2)
    assert texts(gate) == set()


async def test_d3_what_is_active_again_is_not_written_over(gate: GateBench) -> None:
    first = await ended(gate, TENNIS, "User has given up tennis")
    words = first.sealed.model_copy(update={"text": "User plays tennis"})
    again = first.model_copy(update={"state": "active", "valid_to": None, "sealed": words})
    sent = amendment(
        again, "regate", "memory", first.record_id, first.revision, record_of(again, {}), gate.driver.now, RULE
    )  # fmt: skip
    gate.pipe(sent)
    await gate.run()
    assert "User plays tennis" in texts(gate)
    await gate.say(turn="t2", at=first.occurred_at + DAY, version=2)
    assert texts(gate) == {"User plays tennis"}


async def test_d3_a_statement_brings_back_all_that_it_ended(gate: GateBench) -> None:
    at = gate.driver.now
    await gate.say(candidate(CHESS, spans=PLACE), turn="t0", at=at)
    first = await ended(gate, TENNIS, "User has given up tennis")
    assert texts(gate) == {CHESS, "User has given up tennis"}
    at = first.occurred_at + DAY
    await gate.say(candidate("User has given up playing chess", spans=PLACE), turn="t2", at=at, version=2)
    assert texts(gate) == {"User has given up playing chess"}
    await gate.say(turn="t2", at=at, version=3)
    assert texts(gate) == {CHESS, TENNIS}


async def test_d3_what_holds_again_is_judged_by_what_was_said_since(gate: GateBench) -> None:
    first = await ended(gate, TENNIS, "User has given up tennis")
    gate.later(8 * DAY)
    await gate.say(candidate("User no longer wants to play tennis"))
    await gate.say(turn="t2", at=first.occurred_at + DAY, version=2)
    assert texts(gate) == {"User no longer wants to play tennis"}
    assert gate.history(first.record_id)[-1].reason.rule == "changed"


async def test_d3_what_is_raised_ends_what_it_changes(gate: GateBench) -> None:
    await gate.say(candidate(TENNIS))
    gate.later(DAY)
    [weak] = await gate.say(candidate("User has given up tennis", source="inferred"))
    assert TENNIS in texts(gate)
    await gate.feedback(weak.record_id, adopted=True)
    assert texts(gate) == {"User has given up tennis"}


async def test_n8_a_value_that_was_denied_since_does_not_come_back_with_a_later_one(gate: GateBench) -> None:
    for value in ("Leeds", "York"):
        await gate.say(candidate(f"Home is {value}", "residence", value))
        gate.later(DAY)
    await gate.say(candidate("Home is York no more", "residence", "York", negated=True))
    assert gate.values("residence") == []
    at = gate.later(DAY)
    await gate.say(candidate("Home is Oslo", "residence", "Oslo"), turn="t", at=at)
    await gate.say(turn="t", at=at, version=2)
    assert gate.values("residence") == []


@pytest.mark.parametrize("cause", ["rescreen", "redate", "regate"])
async def test_d3_an_earlier_version_written_anew_does_not_bring_back_what_has_ended(
    gate: GateBench, cause: Literal["rescreen", "redate", "regate"]
) -> None:
    at = gate.driver.now
    for version, text in enumerate((TENNIS, "User plays tennis every Monday"), 1):
        await gate.say(candidate(text, kind="fact", spans=PLACE), turn="t1", at=at, version=version)
    gate.later(DAY)
    await gate.say(candidate("User has given up tennis", kind="fact", spans=PLACE), turn="t2")
    first, second = (u for u in gate.view.values() if u.sealed.text.startswith("User plays tennis"))
    assert (first.record_id, first.version, second.version) == (second.record_id, 1, 2)
    assert (first.reason.rule, second.reason.rule) == ("restated", "changed")
    sent = amendment(
        first, cause, "memory", first.record_id, second.revision, record_of(first, {}), gate.driver.now, RULE
    )  # fmt: skip
    gate.pipe(sent.model_copy(update={"until": at + 300 * DAY}) if cause == "redate" else sent)
    [written] = await gate.run()
    assert (written.version, written.revision) == (1, second.revision + 1)
    await gate.say(candidate(TENNIS, kind="fact", spans=PLACE), turn="t1", at=at, version=3)
    assert gate.outcomes()[-1] == ("skipped", "ended_since")
    assert texts(gate) == {"User has given up tennis"}
    await gate.say(candidate(TENNIS, kind="fact", spans=PLACE), turn="t9")
    assert texts(gate) == {"User has given up tennis", TENNIS}
