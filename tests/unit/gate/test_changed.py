"""What a free statement changes of what stands, without a field that says so: marked, or retired where words say so."""

from __future__ import annotations

import pytest

from processors.memory.changes.head import shipped
from schemas.events.memory import CHANGED_ON, MemoryUpdate, Span
from tests.unit.gate.bench import DAY, GateBench, candidate

MARKED = pytest.mark.parametrize(
    ("old", "new"),
    [
        ("User and others deploy on Tuesdays and Thursdays", "Deploys are daily from this week"),
        ("用户每天走两公里", "用户走路改成游泳了，一周三次"),
    ],
)
RETIRED = pytest.mark.parametrize(
    ("old", "new"),
    [
        ("User plays tennis on Mondays", "User has given up tennis"),
        ("用户每天抽十根烟", "用户已经戒了，四十天没抽了"),
        ("用户计划下周二在五中心启动会", "五中心启动会取消，伦理还没批下来"),
        ("用户的房租是三千五", "用户的房租涨到了四千"),
        ("User deploys on Tuesdays", "User now deploys on Fridays instead of Tuesdays"),
        ("专案由Kevin带", "Kevin离职了，專案負責人換成Emma"),
        ("User is training for the Loch Ness marathon", "User has swapped the marathon for the 10k"),
        ("User works as a teacher", "User has left teaching"),
        ("User's manager is Hannah Stone", "Vikram Rao is User's manager now"),
        ("User is on the search team", "User has moved across to platform since the reorg, still reporting to Odalys"),
        ("用户养了一只柴犬", "用户家的柴犬上个月死了"),
        ("用户的领导是王姐", "用户现在领导是赵总"),
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
        ("User has a dog called Rufus", "User does not have a dog walker"),
    ],
)


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


@RETIRED
async def test_d3_the_earlier_ends_where_words_say_so(gate: GateBench, old: str, new: str) -> None:
    before, after = await say_all(gate, old, new)
    assert (before.state, before.reason.rule) == ("superseded", "changed")
    assert before.valid_to == after.occurred_at
    assert (after.reason.outcome, after.conflicts_with) == ("superseding", ())
    assert shipped().card.retire_named <= (after.reason.score or 0) <= 1


@BOTH
async def test_d3_what_holds_beside_it_is_not_touched(gate: GateBench, old: str, new: str) -> None:
    before, after = await say_all(gate, old, new)
    assert [(u.state, u.conflicts_with, u.reason.rule) for u in (before, after)] == [("active", (), "new")] * 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("User is a member of the Labour party", "User left the party early last night"),
        ("User has a Netflix subscription", "User cancelled their Disney subscription"),
        ("User likes beer", "User is off beer until Easter"),
        ("User has a visa for Canada", "User's visa for the US expired"),
        ("User plays football for Elmfield", "User stopped watching football"),
        ("User lives in Derby", "User and others sold the caravan in Derby"),
        ("用户开了家咖啡馆", "用户把咖啡馆的燃气合同取消了"),
        ("用户会日语", "用户不去日语角了"),
        ("User has two sisters", "One of User's sisters got divorced"),
        ("User drinks coffee in the morning", "User no longer drinks coffee after lunch"),
        ("User takes lisinopril", "User's dad stopped taking lisinopril"),
        ("User's friend is Kate", "User's new friend is Zoe"),
        ("User gave up tennis", "User has given up tennis for good"),
        ("用户养了狗", "用户没有狗粮了"),
        ("用户会弹钢琴", "用户把旧钢琴卖了"),
        ("用户早上喝咖啡", "用户下午不喝咖啡了"),
        ("用户和慧敏是夫妻", "用户在考虑和慧敏离婚"),
        ("用户第一次考研差了三分", "用户第二次考研考上了"),
        ("用户把书桌从卧室挪到了阳台", "用户把洗衣机从阳台挪到了卫生间"),
        ("User has two jobs", "User has left the second job"),
        ("User uses a wheelchair", "User's wheelchair has been replaced by the NHS"),
        ("User loves skiing", "User sold the skis"),
        ("用户爱吃火锅", "用户最近上火，不吃火锅了"),
    ],
)
async def test_d3_what_ends_in_part_or_of_another_ends_nothing(gate: GateBench, old: str, new: str) -> None:
    before, after = await say_all(gate, old, new)
    assert (before.state, after.state) == ("active", "active")


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


@RETIRED
async def test_what_people_corrected_is_marked_and_never_retired(gate: GateBench, old: str, new: str) -> None:
    [first] = await gate.say(candidate("用户喜欢李子"))
    await gate.do("correct", first.record_id, text=old)
    gate.later(DAY)
    await gate.say(candidate(new))
    [active] = [u for u in gate.active() if u.sealed.text == old]
    assert len(active.conflicts_with) == 1


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
async def test_nothing_of_another_project_or_the_same_turn_is_changed(
    gate: GateBench, old: str, new: str
) -> None:
    await gate.say(candidate(old), candidate(new, ordinal=1), turn="together")
    assert all(CHANGED_ON not in u.sealed.attributes for u in gate.active()), "of one turn"
    assert "changed" not in {u.reason.rule for u in gate.view.values()}
    await gate.say(candidate(new), user="ben", project_id="p1")
    await gate.say(candidate(old), user="ben")
    assert {u.conflicts_with for u in gate.active() if u.user_id == "ben"} == {()}


@MARKED
async def test_d3_what_comes_late_is_changed_by_what_was_said_since(gate: GateBench, old: str, new: str) -> None:
    now = gate.driver.now
    await gate.say(candidate(new), at=now)
    await gate.say(candidate(old), at=now - DAY)
    marked = {u.sealed.text: u for u in gate.active()}
    assert marked[old].conflicts_with == (marked[new].record_id,)
    assert str(marked[old].sealed.attributes[CHANGED_ON])[:10] == now.date().isoformat()
    assert CHANGED_ON not in marked[new].sealed.attributes


@MARKED
async def test_n2_an_index_built_anew_decides_alike(gate: GateBench, old: str, new: str) -> None:
    for text in ("User has a cat", "用户养了一只猫", "User ran in Oslo", old):
        await gate.say(candidate(text))
    gate.restart()
    gate.later(30 * DAY)
    await gate.say(candidate(new))
    [first] = [u for u in gate.active() if u.sealed.text == old]
    assert len(first.conflicts_with) == 1
