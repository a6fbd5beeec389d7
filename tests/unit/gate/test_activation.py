"""What was only observed and is read from some time on changes what stands then, as a new statement does."""

from __future__ import annotations

import pytest

from processors.memory.changes import judge
from processors.memory.changes.head import FOLDER as HEAD
from processors.memory.changes.head import WEIGHTS as FILE
from processors.memory.changes.head import ChangeHead, shipped, unpacked
from processors.ports import Models
from schemas.events.memory import CHANGED_ON, Candidate, MemoryUpdate
from schemas.profile.model import ReadingSpec, RetentionSpec, load_profile
from tests.unit.gate.bench import DAY, GateBench, candidate

OLD, NEW = "User deploys on Tuesdays", "User now deploys on Fridays instead of Tuesdays"
PAIRS = pytest.mark.parametrize(("old", "new"), [(OLD, NEW), ("专案由Kevin带", "Kevin离职了，專案負責人換成Emma")])
ENDS = ("User plays tennis on Mondays", "User has given up tennis")


@pytest.fixture
def gate(models: Models) -> GateBench:
    profile = load_profile("general").model_copy(update={"reading": ReadingSpec(kept=0.5)})
    return GateBench(models, profile=profile)


@pytest.fixture
def marking(monkeypatch: pytest.MonkeyPatch) -> None:
    """A card by which both stand and name each other, whatever the words say."""
    head = ChangeHead(unpacked((HEAD / FILE).read_bytes()), shipped().card.model_copy(update={"retire": None}))
    monkeypatch.setattr(judge, "head_for", lambda model_id: head)


def low(text: str) -> Candidate:
    return candidate(text, reading=0.4)


def of(gate: GateBench, text: str) -> MemoryUpdate:
    return max((u for u in gate.view.values() if u.sealed.text == text), key=lambda u: u.version)


def name_each_other(gate: GateBench, old: str, new: str) -> bool:
    before, after = of(gate, old), of(gate, new)
    return (before.conflicts_with, after.conflicts_with) == ((after.record_id,), (before.record_id,))


async def stands_beside_a_low_one(gate: GateBench, old: str, new: str) -> MemoryUpdate:
    """`new` as it is observed, in its turn `low`, a hundred days after `old`."""
    await gate.say(candidate(old))
    gate.later(100 * DAY)
    await gate.say(low(new), turn="low")
    assert (of(gate, old).conflicts_with, of(gate, new).conflicts_with) == ((), ())
    gate.later(10 * DAY)
    return of(gate, new)


@pytest.mark.usefixtures("marking")
@PAIRS
async def test_d3_said_again_it_is_marked_with_what_it_changes(gate: GateBench, old: str, new: str) -> None:
    made = await stands_beside_a_low_one(gate, old, new)
    await gate.say(low(new))
    assert name_each_other(gate, old, new)
    after = of(gate, new)
    assert (after.state, after.reason.outcome, after.reason.rule) == ("active", "kept", "said_again")
    assert str(of(gate, old).sealed.attributes[CHANGED_ON]).startswith(made.occurred_at.date().isoformat())
    assert CHANGED_ON not in after.sealed.attributes


@pytest.mark.usefixtures("marking")
@PAIRS
async def test_d3_read_higher_in_its_own_turn_it_is_marked(gate: GateBench, old: str, new: str) -> None:
    made = await stands_beside_a_low_one(gate, old, new)
    await gate.say(candidate(new, reading=0.9), turn="low", at=made.occurred_at, version=2)
    assert name_each_other(gate, old, new)
    assert str(of(gate, old).sealed.attributes[CHANGED_ON]).startswith(made.occurred_at.date().isoformat())


@pytest.mark.usefixtures("marking")
@PAIRS
async def test_d3_taken_as_advice_it_is_marked_and_stays_the_users_own(gate: GateBench, old: str, new: str) -> None:
    made = await stands_beside_a_low_one(gate, old, new)
    await gate.feedback(made.record_id, adopted=True)
    assert name_each_other(gate, old, new)
    assert (of(gate, new).reason.gate, of(gate, new).reason.rule) == ("feedback", "adopted")


@PAIRS
async def test_d3_what_was_said_after_it_is_marked_with_it(gate: GateBench, old: str, new: str) -> None:
    """The low one is the older: while it was observed nothing was compared with it."""
    [made] = await gate.say(low(old))
    gate.later(10 * DAY)
    await gate.say(candidate(new))
    statement = gate.driver.now
    assert of(gate, new).conflicts_with == ()
    gate.later(DAY)
    await gate.feedback(made.record_id, adopted=True)
    assert name_each_other(gate, old, new)
    assert str(of(gate, old).sealed.attributes[CHANGED_ON]).startswith(statement.date().isoformat())
    assert CHANGED_ON not in of(gate, new).sealed.attributes


@pytest.mark.usefixtures("marking")
async def test_d3_what_was_inferred_and_is_said_outright_is_judged_then(gate: GateBench) -> None:
    await gate.say(candidate(OLD))
    gate.later(100 * DAY)
    await gate.say(candidate(NEW, source="inferred"))
    assert of(gate, NEW).conflicts_with == ()
    gate.later(DAY)
    await gate.say(candidate(NEW))
    assert name_each_other(gate, OLD, NEW)


async def test_d3_what_one_breath_said_beside_it_is_not_changed(gate: GateBench) -> None:
    old, new = ENDS
    await gate.say(candidate(old), low(new))
    gate.later(DAY)
    await gate.say(low(new))
    assert [(u.sealed.text, u.conflicts_with) for u in gate.active()] == [(old, ()), (new, ())]


@pytest.mark.usefixtures("marking")
async def test_said_once_more_nothing_is_judged_twice(gate: GateBench) -> None:
    await gate.say(candidate(OLD))
    gate.later(100 * DAY)
    for c in (low(NEW), low(NEW)):
        await gate.say(c)
        gate.later(DAY)
    assert name_each_other(gate, OLD, NEW)
    [again] = await gate.say(candidate(NEW))
    assert again.record_id == of(gate, NEW).record_id
    assert name_each_other(gate, OLD, NEW)


async def test_d3_the_earlier_ends_when_it_is_said_again(gate: GateBench) -> None:
    old, new = ENDS
    made = await stands_beside_a_low_one(gate, old, new)
    assert of(gate, old).state == "active"
    await gate.say(low(new))
    assert (of(gate, old).state, of(gate, old).reason.rule) == ("superseded", "changed")
    assert of(gate, old).valid_to == made.occurred_at
    assert (of(gate, new).reason.outcome, of(gate, new).conflicts_with) == ("kept", ())


@pytest.mark.parametrize("days", [None, 400])
async def test_n8_what_was_lifted_and_ended_since_keeps_its_history(models: Models, days: int | None) -> None:
    """The day on which it would have ended unsaid comes, and takes nothing, whatever days its class has."""
    old, new = ENDS
    kept = RetentionSpec(classes={"episode": days}, on_expiry={"episode": "delete"}) if days else RetentionSpec()
    profile = load_profile("general").model_copy(update={"reading": ReadingSpec(kept=0.5), "retention": kept})
    gate = GateBench(models, profile=profile)
    at = gate.driver.now
    await gate.say(low(old), turn="t", at=at)
    await gate.say(candidate(old, reading=0.9), turn="t", at=at, version=2)
    gate.later(DAY)
    await gate.say(candidate(new))
    assert of(gate, old).state == "superseded"
    for _ in range(40):
        gate.later(DAY)
        gate.driver.tick()
        await gate.run()
    assert (of(gate, old).op, of(gate, old).state) == ("upsert", "superseded")
