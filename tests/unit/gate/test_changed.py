"""What a free statement changes of what stands, without a field that says so: marked, or retired where words say so."""

from __future__ import annotations

import pytest

from processors.memory.changes import judge
from processors.memory.changes.head import FOLDER as HEAD
from processors.memory.changes.head import WEIGHTS as FILE
from processors.memory.changes.head import ChangeHead, shipped, unpacked
from schemas.events.memory import CHANGED_ON, MemoryUpdate, Span
from tests.unit.gate.bench import DAY, GateBench, candidate

MARKED = pytest.mark.parametrize(
    ("old", "new"),
    [
        ("User deploys on Tuesdays", "User now deploys on Fridays instead of Tuesdays"),
        ("专案由Kevin带", "Kevin离职了，專案負責人換成Emma"),
    ],
)
RETIRED = pytest.mark.parametrize(
    ("old", "new"),
    [
        ("User plays tennis on Mondays", "User has given up tennis"),
        ("用户每天抽十根烟", "用户已经戒了，四十天没抽了"),
        ("用户计划下周二在五中心启动会", "五中心启动会取消，伦理还没批下来"),
    ],
)
BOTH = pytest.mark.parametrize(
    ("old", "new"),
    [
        ("User works three days a week at the Tollen library", "User has a sister in Leeds"),
        ("User has a cat", "User has moved across to platform since the reorg"),
        ("User is allergic to walnuts", "User's brother is allergic to penicillin"),
        ("用户对芒果过敏", "用户的外甥对猫毛过敏"),
        ("用户家在六楼", "用户的公司在二楼"),
    ],
)


RETIRE = 0.93


@pytest.fixture
def retiring(monkeypatch: pytest.MonkeyPatch) -> None:
    """A card by which the earlier one ends, as none that ships does."""
    card = shipped().card.model_copy(update={"retire": RETIRE})
    head = ChangeHead(unpacked((HEAD / FILE).read_bytes()), card)
    monkeypatch.setattr(judge, "head_for", lambda model_id: head)


async def say_all(gate: GateBench, old: str, new: str) -> tuple[MemoryUpdate, MemoryUpdate]:
    """Two free statements a year apart, as they stand at the end."""
    [first] = await gate.say(candidate(old))
    gate.later(365 * DAY)
    await gate.say(candidate(new))
    [last] = [u for u in gate.active() if u.sealed.text == new]
    return gate.history(first.record_id)[-1], last


@MARKED
async def test_d3_both_stand_and_name_each_other_however_long_ago_the_first_was_said(
    gate: GateBench, old: str, new: str
) -> None:
    before, after = await say_all(gate, old, new)
    assert (before.state, before.conflicts_with) == ("active", (after.record_id,))
    assert after.conflicts_with == (before.record_id,)
    assert (after.reason.outcome, after.reason.rule) == ("kept", "changed")
    assert shipped().card.mark_told <= (after.reason.score or 0) <= 1
    assert str(before.sealed.attributes[CHANGED_ON]).startswith(after.occurred_at.date().isoformat())
    assert CHANGED_ON not in after.sealed.attributes, "the later one is not changed"


@RETIRED
async def test_d3_as_it_ships_nothing_ends_by_words_alone(gate: GateBench, old: str, new: str) -> None:
    before, after = await say_all(gate, old, new)
    assert (before.state, before.conflicts_with) == ("active", (after.record_id,))


@MARKED
async def test_d3_other_words_of_a_changed_statement_keep_the_time_of_its_change(
    gate: GateBench, old: str, new: str
) -> None:
    at = gate.driver.now
    await gate.say(candidate(old, spans=(Span(start=0, end=20),)), turn="t1", at=at)
    gate.later(DAY)
    await gate.say(candidate(new))
    [after] = [u for u in gate.active() if u.sealed.text == new]
    await gate.say(candidate(f"{old} (sic)", spans=(Span(start=0, end=20),)), turn="t1", at=at, version=2)
    [before] = [u for u in gate.active() if u.record_id != after.record_id]
    assert (before.sealed.text, before.conflicts_with) == (f"{old} (sic)", (after.record_id,))
    assert CHANGED_ON in before.sealed.attributes


@pytest.mark.usefixtures("retiring")
@RETIRED
async def test_d3_the_earlier_ends_where_words_say_so(gate: GateBench, old: str, new: str) -> None:
    before, after = await say_all(gate, old, new)
    assert (before.state, before.reason.rule) == ("superseded", "changed")
    assert before.valid_to == after.occurred_at
    assert (after.reason.outcome, after.conflicts_with) == ("superseding", ())
    assert RETIRE <= (after.reason.score or 0) <= 1


@BOTH
async def test_d3_what_holds_beside_it_is_not_touched(gate: GateBench, old: str, new: str) -> None:
    before, after = await say_all(gate, old, new)
    assert [(u.state, u.conflicts_with, u.reason.rule) for u in (before, after)] == [("active", (), "new")] * 2


@MARKED
async def test_n4_no_memory_names_one_that_is_gone(gate: GateBench, old: str, new: str) -> None:
    _, after = await say_all(gate, old, new)
    await gate.do("forget", after.record_id)
    [left] = gate.active()
    assert (left.sealed.text, left.conflicts_with) == (old, ())
    assert CHANGED_ON not in left.sealed.attributes


@MARKED
async def test_n4_what_is_corrected_loses_its_mark_and_the_other_its_own(gate: GateBench, old: str, new: str) -> None:
    before, _ = await say_all(gate, old, new)
    await gate.do("correct", before.record_id, text="User likes plums")
    assert {u.conflicts_with for u in gate.active()} == {()}
    assert all(CHANGED_ON not in u.sealed.attributes for u in gate.active())


@pytest.mark.usefixtures("retiring")
@RETIRED
async def test_what_people_corrected_is_marked_and_never_retired(gate: GateBench, old: str, new: str) -> None:
    [first] = await gate.say(candidate("用户喜欢李子"))
    await gate.do("correct", first.record_id, text=old)
    gate.later(DAY)
    await gate.say(candidate(new))
    [active] = [u for u in gate.active() if u.sealed.text == old]
    assert len(active.conflicts_with) == 1


@pytest.mark.usefixtures("retiring")
@RETIRED
async def test_what_a_withdrawn_reading_ended_holds_again(gate: GateBench, old: str, new: str) -> None:
    [first] = await gate.say(candidate(old))
    gate.later(DAY)
    at = gate.driver.now
    await gate.say(candidate(new), turn="t2", at=at)
    await gate.say(turn="t2", at=at, version=2)
    [again] = gate.active()
    assert (again.record_id, again.sealed.text, again.valid_to) == (first.record_id, old, None)


@MARKED
async def test_nothing_of_another_project_an_earlier_time_or_the_same_turn_is_changed(
    gate: GateBench, old: str, new: str
) -> None:
    now = gate.driver.now
    await gate.say(candidate(old), candidate(new, ordinal=1), turn="together")
    assert all(CHANGED_ON not in u.sealed.attributes for u in gate.active()), "of one turn"
    assert "changed" not in {u.reason.rule for u in gate.view.values()}
    await gate.say(candidate(new), user="ben", project_id="p1")
    await gate.say(candidate(old), user="ben")
    await gate.say(candidate(new), user="carl", at=now)
    await gate.say(candidate(old), user="carl", at=now - DAY)
    assert {u.conflicts_with for u in gate.active() if u.user_id in ("ben", "carl")} == {()}


@MARKED
async def test_n2_an_index_built_anew_decides_alike(gate: GateBench, old: str, new: str) -> None:
    for text in ("User has a cat", "用户养了一只猫", "User ran in Oslo", old):
        await gate.say(candidate(text))
    gate.restart()
    gate.later(30 * DAY)
    await gate.say(candidate(new))
    [first] = [u for u in gate.active() if u.sealed.text == old]
    assert len(first.conflicts_with) == 1
