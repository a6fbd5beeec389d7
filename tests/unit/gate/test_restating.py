"""Delivery rule 3: a newer extractor keeps the ids of what it restates and retires what it does not."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from schemas.events.documents import TurnDigest
from schemas.events.memory import Span
from tests.unit.gate.bench import DAY, START, GateBench, candidate


async def test_a_newer_version_keeps_what_it_restates_and_retires_the_rest(gate: GateBench) -> None:
    age, wrong, result = (
        candidate("User is 32", "age", 32),
        candidate("User lives in Mind", "residence", "Mind"),
        (candidate("Bought a red kayak in Oslo")),
    )
    await gate.say(age, wrong, result, turn="t")
    ids = {u.sealed.text: u.record_id for u in gate.active()}
    new = candidate("User works as a nurse", "occupation", "nurse")
    await gate.say(result, age, new, turn="t", version=2)
    assert {u.sealed.text: u.record_id for u in gate.active()} == {
        "User is 32": ids["User is 32"], "Bought a red kayak in Oslo": ids["Bought a red kayak in Oslo"],
        "User works as a nurse": gate.active("occupation")[0].record_id,
    }  # fmt: skip
    assert ("retired", "not_restated") in gate.outcomes()
    [closed] = [u for u in gate.history(ids["User lives in Mind"]) if u.op == "upsert"]
    assert (closed.state, closed.valid_to) == ("superseded", closed.valid_from), "it was never true"


async def test_n8_what_a_withdrawn_statement_had_replaced_holds_again(gate: GateBench) -> None:
    await gate.say(candidate("用户住在杭州", "residence", "杭州"), language="zh")
    later = gate.later(DAY)
    await gate.say(candidate("用户住在上海", "residence", "上海"), turn="t", language="zh")
    assert gate.values("residence") == ["上海"]
    gate.restart()
    await gate.say(turn="t", at=later, accepted=later, version=2, language="zh")
    assert gate.values("residence") == ["杭州"]
    assert gate.as_of(START, "residence") == ["杭州"]
    assert gate.as_of(later, "residence") == ["杭州"]


async def test_n8_what_is_withdrawn_after_a_field_left_it_spans_no_time(gate: GateBench) -> None:
    both = {"education": "MSc", "university": "Leeds"}
    await gate.say(candidate("MSc at Leeds", fields=("education", "university"), value=both), turn="t")
    gate.later(DAY)
    await gate.say(candidate("Studied at York", "university", "York"))
    await gate.say(turn="t", at=START, version=2)  # the bench refuses times that run backwards
    assert gate.active("education") == []
    assert gate.values("university") == ["York"]


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("text", ["Bought a red kayak in Oslo", "我在奥斯陆买了一条红色的皮划艇"])
async def test_n2_a_turn_told_anew_weeks_later_finds_what_was_known_in_its_own_week(
    gate: GateBench, text: str, restart: bool
) -> None:
    """What has left the index by then is in that of a gate that was restarted."""
    await gate.say(candidate(text))
    accepted = gate.later(DAY)
    await gate.say(candidate("Went to the cinema with Anna"), turn="t")
    gate.later(20 * DAY)
    await gate.say(candidate("Sold the old bicycle"))
    if restart:
        gate.restart()
    await gate.say(
        candidate("Went to the cinema with Anna"), candidate(text), turn="t", version=2, at=accepted,
        accepted=accepted,
    )  # fmt: skip
    assert sorted(u.sealed.text for u in gate.active()) == sorted(
        [text, "Went to the cinema with Anna", "Sold the old bicycle"]
    )
    gate.later(DAY)
    await gate.say(candidate("Sold the old bicycle"))
    assert len(gate.active()) == 3


async def test_another_value_of_the_same_turn_replaces_it_whole(gate: GateBench) -> None:
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    later = gate.later(DAY)
    await gate.say(candidate("Lives in Mind", "residence", "Mind"), turn="t")
    await gate.say(candidate("Lives in York", "residence", "York"), turn="t", at=later, accepted=later, version=2)
    assert gate.values("residence") == ["York"]
    await gate.say(turn="t", at=later, accepted=later, version=3)
    assert gate.values("residence") == ["Leeds"]


async def test_what_other_turns_say_too_loses_only_its_citation(gate: GateBench) -> None:
    await gate.say(candidate("User is 32", "age", 32), turn="t1")
    await gate.say(candidate("User is 32", "age", 32), turn="t2")
    await gate.say(turn="t1", version=2)
    [age] = gate.active("age")
    assert [s.turn_id for s in age.sources] == ["t2"]


async def test_what_the_user_confirmed_or_corrected_stays(gate: GateBench) -> None:
    liked = candidate("User prefers tea", "prefers", "tea", kind="preference", source="inferred")
    await gate.say(liked, candidate("User is 32", "age", 32), turn="t")
    [age] = gate.active("age")
    [tea] = [u for u in gate.view.values() if u.field == "prefers"]
    await gate.feedback(tea.record_id, adopted=True)
    await gate.do("correct", age.record_id, value=33)
    await gate.say(turn="t", version=2)
    assert gate.values("age") == [33]
    assert gate.values("prefers") == ["tea"]


LOW: dict[str, Any] = {"source": "inferred", "low_reading": 0.03}
DOUBTED: dict[str, Any] = {"confidence": "0.7"}
STATEMENTS: tuple[dict[str, Any], ...] = (
    {"text": "Bought a piano"}, {"text": "买了一架钢琴", "spans": (Span(start=0, end=8),)},
    {"text": "User is 32", "field": "age", "value": 32},
)  # fmt: skip


@pytest.mark.parametrize("before", [LOW, DOUBTED], ids=["inferred", "less sure"])
@pytest.mark.parametrize("fields", STATEMENTS, ids=["words", "place", "value"])
async def test_d4_what_a_newer_version_reads_outright_is_observed_no_more(
    gate: GateBench, fields: dict[str, Any], before: dict[str, Any]
) -> None:
    """It is no confirmation: the turn said it once, and a still newer version may take it back."""
    [observed] = await gate.say(candidate(**fields, **before), turn="t")
    assert observed.state == "observed"
    gate.restart()
    [active] = await gate.say(candidate(**fields), turn="t", version=2)
    assert (active.record_id, active.state, active.source) == (observed.record_id, "active", "explicit")
    assert (active.confidence, active.importance) == (Decimal(1), observed.importance)
    assert [s.turn_id for s in active.sources] == ["t"]
    await gate.say(turn="t", version=3)
    assert gate.active() == []


async def test_d4_what_a_newer_version_reads_outright_of_what_another_turn_inferred_is_confirmed(
    gate: GateBench,
) -> None:
    for turn in ("t1", "t2"):
        await gate.say(candidate("Bought a piano", source="inferred"), turn=turn)
    await gate.say(candidate("Bought a piano"), turn="t2", version=2)
    [active] = gate.active()
    assert (active.source, len(active.sources)) == ("confirmed", 2)


@pytest.mark.parametrize("now", [LOW, DOUBTED], ids=["inferred", "less sure"])
@pytest.mark.parametrize("fields", STATEMENTS, ids=["words", "place", "value"])
async def test_d4_what_a_newer_version_is_less_sure_of_is_observed(
    gate: GateBench, fields: dict[str, Any], now: dict[str, Any]
) -> None:
    [kept] = await gate.say(candidate(**fields), turn="t")
    gate.restart()
    [observed] = await gate.say(candidate(**fields, **now), turn="t", version=2)
    assert (observed.record_id, observed.state, observed.reason.outcome) == (kept.record_id, "observed", "observed")
    assert (observed.confidence, observed.importance) == (candidate(**fields, **now).confidence, kept.importance)
    assert gate.decisions[-1].reason == observed.reason
    await gate.say(candidate(**fields), turn="t", version=3)
    [again] = gate.active()
    assert (again.record_id, again.confidence, again.source) == (kept.record_id, Decimal(1), "explicit")


async def test_d4_what_is_still_sure_enough_stands_as_sure_as_it_is_read(gate: GateBench) -> None:
    await gate.say(candidate("Bought a piano"), turn="t")
    await gate.say(candidate("Bought a piano", confidence="0.8"), turn="t", version=2)
    [active] = gate.active()
    assert (active.confidence, active.source) == (Decimal("0.8"), "explicit")
    assert gate.outcomes()[-1] == ("merged", "same_text")


@pytest.mark.parametrize("fields", STATEMENTS, ids=["words", "place", "value"])
async def test_d4_what_anybody_else_said_or_judged_is_as_sure_as_it_was(
    gate: GateBench, fields: dict[str, Any]
) -> None:
    async def less_sure() -> str:
        await gate.say(candidate(**fields, **LOW), turn="t", version=2)
        [active] = gate.active()
        return active.source

    for other in ({"turn": "u"}, {"turn": "t", "extractor": "model", "model": "m"}):
        gate = GateBench(gate.models)
        await gate.say(candidate(**fields), turn="t")
        await gate.say(candidate(**fields), **other)
        assert await less_sure() == "explicit", other
    gate = GateBench(gate.models)
    [kept] = await gate.say(candidate(**fields), turn="t")
    await gate.feedback(kept.record_id, rating="good")
    assert await less_sure() == "explicit"


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_d4_of_several_that_say_the_same_the_surest_counts(gate: GateBench, order: tuple[int, int]) -> None:
    texts = candidate("User is 32", "age", 32), candidate("User is 32", "age", 32, **LOW)
    await gate.say(texts[0], turn="t")
    await gate.say(*(texts[n] for n in order), turn="t", version=2)
    [age] = gate.active("age")
    assert (age.source, age.confidence) == ("explicit", Decimal(1))


@pytest.mark.parametrize(("before", "value"), [("explicit", ["Leeds"]), ("inferred", [])])
async def test_d4_what_is_only_inferred_now_never_replaced_what_was_stated(
    gate: GateBench, before: str, value: list[str]
) -> None:
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds", source=before))
    later = gate.later(DAY)
    york = candidate("Lives in York", "residence", "York")
    await gate.say(york, turn="t")
    assert gate.values("residence") == ["York"]
    york = candidate("Lives in York", "residence", "York", source="inferred")
    await gate.say(york, turn="t", at=later, accepted=later, version=2)
    assert gate.values("residence") == value
    active = {u.sealed.value for u in gate.view.values() if u.state == "observed"}
    assert active == ({"York"} if before == "inferred" else set())


async def test_d4_what_people_doubted_is_not_believed_again_because_it_is_read_again(gate: GateBench) -> None:
    [kept] = await gate.say(candidate("Bought a piano"), turn="t")
    await gate.feedback(kept.record_id, correction="no")
    assert gate.active() == []
    assert await gate.say(candidate("Bought a piano"), turn="t", version=2) == []
    assert gate.active() == []


async def test_an_extraction_counts_once(gate: GateBench) -> None:
    await gate.say(candidate("User is 32", "age", 32), turn="t", version=2)
    assert await gate.say(turn="t", version=2) == []
    assert await gate.say(turn="t", version=1) == []
    assert gate.values("age") == [32]


async def test_a4_a6_what_a_project_was_told_of_a_turn_is_restated_with_it(gate: GateBench) -> None:
    def hot(key: str) -> dict[str, Any]:
        return {"type": "decision", "key": key, "value": "x", "priority": 5}

    ship, cache = (candidate("We ship on Friday", hot=hot("release")), candidate("We keep Redis", hot=hot("cache")))
    await gate.say(ship, cache, turn="t", project_id="p1", content="we ship on Friday, Redis stays")
    await gate.say(candidate("We ship on Friday"), turn="u", project_id="p1", content="so Friday it is")
    result = len(gate.to_project)
    site = candidate("We close site 4")
    await gate.say(ship, site, turn="t", version=2, project_id="p1", content="we ship on Friday, Redis stays")
    *_, digest = gate.to_project[result:]
    assert isinstance(digest, TurnDigest)
    assert digest.restated
    assert {k.text for k in digest.sealed.kept} == {"We ship on Friday", "We close site 4"}
    assert digest.sealed.hot == ("hot/decision/release", "hot/decision/release:x"), "under each key it may have"
    assert [d.restated for d in gate.to_project[:result] if isinstance(d, TurnDigest)] == [False, False]


@pytest.mark.parametrize("confirmed", [False, True])
async def test_a4_what_is_not_sure_enough_any_more_leaves_the_projects_hot_memory(
    gate: GateBench, confirmed: bool
) -> None:
    hot = {"type": "decision", "key": "release", "value": "Friday", "priority": 5}
    [kept] = await gate.say(candidate("We ship on Friday", hot=hot), turn="t", project_id="p1")
    if confirmed:
        await gate.feedback(kept.record_id, rating="good")
    await gate.say(candidate("We ship on Friday", hot=hot, **LOW), turn="t", version=2, project_id="p1")
    *_, digest = gate.to_project
    assert isinstance(digest, TurnDigest)
    assert digest.sealed.hot[:1] == (("hot/decision/release",) if confirmed else ())
    assert len(digest.sealed.kept) == len(gate.active()) == int(confirmed)


async def test_a6_what_is_said_again_counts_once_in_the_report(gate: GateBench) -> None:
    """In the same words, and in others that mean the same; a changed value counts as new."""
    for turn, text in (("t", "We chose Postgres for the ledger"), ("u", "We chose Postgres for the ledger")):
        await gate.say(candidate(text, kind="episode", episode_type="decision"), turn=turn, project_id="p1")
    await gate.say(candidate("User is 32", "age", 32), turn="v", project_id="p1")
    await gate.say(candidate("User is 32", "age", 32), turn="w", project_id="p1")
    await gate.say(candidate("User is 33", "age", 33), turn="x", project_id="p1")
    results = [[k.text for k in d.sealed.kept] for d in gate.to_project if isinstance(d, TurnDigest)]
    assert results == [["We chose Postgres for the ledger"], [], ["User is 32"], [], ["User is 33"]]
