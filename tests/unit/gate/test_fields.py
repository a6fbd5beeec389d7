"""Facts and preferences by field: skip, supersede, history, inference (B3, B4, D3, D4, N8)."""

from __future__ import annotations

from decimal import Decimal

import pytest

from processors.ports import Models
from schemas.memory import Candidate
from tests.unit.gate.bench import DAY, HOUR, START, GateBench, candidate


@pytest.fixture
def gate(models: Models) -> GateBench:
    return GateBench(models)


@pytest.mark.parametrize(
    ("field", "value", "again", "text"),
    [
        ("residence", "Leeds", "  leeds ", "Lives in Leeds"),
        ("residence", "杭州", "杭州", "目前住在杭州"),
        ("age", 32, 32.0, "32 years old"),
        ("age", "32", 32, "用户32岁"),
        ("smoker", False, False, "Does not smoke"),
        ("children", 0, 0, "没有孩子"),
    ],
)
async def test_b3_the_same_value_is_skipped_and_reported(
    gate: GateBench, field: str, value: object, again: object, text: str
) -> None:
    await gate.say(candidate(text, field, value))
    gate.later(DAY * 400)
    [renewed] = await gate.say(candidate(text, field, again))
    assert [d.reason.outcome for d in gate.decisions] == ["kept", "skipped"]
    assert gate.decisions[1].field == field
    assert renewed.version == 1
    assert renewed.sealed.value == value
    assert renewed.last_accessed_at == gate.driver.now
    assert [s.turn_id for s in renewed.sources] == ["turn-1", "turn-2"], "N5: both turns are cited"


@pytest.mark.parametrize(
    ("old", "new"), [(False, 0.5), (0, 1), (True, False), ("Leeds", "York"), ("上海", "杭州"), ("Nan", "Inf")]
)
async def test_b4_a_new_value_replaces_the_old_one_which_stays_in_history(
    gate: GateBench, old: object, new: object
) -> None:
    await gate.say(candidate("old words", "residence", old))
    changed = gate.later(DAY)
    await gate.say(candidate("new words", "residence", new))
    assert gate.values("residence") == [new]
    [record] = {u.record_id for u in gate.view.values()}
    first, second = gate.history(record)
    assert (first.state, first.version, first.valid_from, first.valid_to) == ("superseded", 1, START, changed)
    assert (second.state, second.version, second.valid_from, second.valid_to) == ("active", 2, changed, None)
    assert second.reason.outcome == "superseding"
    assert first.sealed.value == old
    assert gate.as_of(START + HOUR, "residence") == [old], "N8"
    assert gate.as_of(changed + HOUR, "residence") == [new], "N8"


def study(university: str, degree: str, major: str) -> Candidate:
    value = {"education": degree, "university": university, "major": major}
    return candidate(f"{degree} in {major} at {university}", value=value, fields=tuple(value))


async def test_b3_one_statement_of_several_fields_is_one_memory(gate: GateBench) -> None:
    [kept] = await gate.say(study("Leeds", "MSc", "Physics"))
    assert kept.fields == ("education", "university", "major")
    assert gate.decisions[0].field == "education+university+major"


async def test_b4_a_part_of_a_statement_changes_and_the_rest_goes_on(gate: GateBench) -> None:
    await gate.say(study("Leeds", "MSc", "Physics"))
    changed = gate.later(DAY)
    await gate.say(study("Leeds", "MSc", "Music"))
    assert gate.values("major") == ["Music"]
    assert gate.values("university") == ["Leeds"]
    assert gate.values("education") == ["MSc"]
    outcomes = {(d.reason.outcome, d.field) for d in gate.decisions[1:]}
    assert outcomes == {("skipped", "education+university"), ("superseding", "major")}
    for when, major in ((START + HOUR, "Physics"), (changed + HOUR, "Music")):
        assert gate.as_of(when, "major") == [major], "N8"
        assert gate.as_of(when, "university") == ["Leeds"], "N8: neither lost nor doubled"
    [rest] = gate.active("university")
    assert "Physics" not in rest.sealed.text
    assert "physic" not in " ".join(rest.sealed.terms).lower()
    assert rest.sealed.embedding


async def test_b4_what_is_left_of_a_statement_is_worded_in_its_language(gate: GateBench) -> None:
    value = {"education": "硕士", "university": "浙江大学", "major": "计算机"}
    await gate.say(candidate("浙江大学计算机硕士毕业", value=value, fields=tuple(value)), language="zh")
    gate.later(DAY)
    await gate.say(candidate("专业是音乐", "major", "音乐"), language="zh")
    [rest] = gate.active("university")
    assert rest.language == "zh"
    assert "：硕士" in rest.sealed.text
    assert "：浙江大学" in rest.sealed.text
    assert "计算机" not in rest.sealed.text


async def test_b4_a_later_turn_between_does_not_take_the_rest_for_newer_than_it_is(gate: GateBench) -> None:
    """The university was told on day 0; that the major changed on day 2 does not make it news of day 2."""
    await gate.say(study("Leeds", "MSc", "Physics"))
    gate.later(2 * DAY)
    await gate.say(candidate("Major is music", "major", "Music"))
    await gate.say(candidate("At York now", "university", "York"), at=START + DAY)
    assert gate.values("university") == ["York"]


@pytest.mark.parametrize("together", [True, False])
async def test_b4_a_home_said_outright_is_implied_no_more(gate: GateBench, together: bool) -> None:
    works = candidate("Works in York", "residence", "York", attributes={"implied": True})
    lives = candidate("Lives in York", "residence", "York", ordinal=1)
    await gate.say(works, *([lives] if together else []))
    if not together:
        gate.later(DAY)
        await gate.say(lives)
    [home] = gate.active("residence")
    assert (home.sealed.text, home.sealed.attributes, home.version) == ("Lives in York", {}, 1)
    assert len(home.sources) == 2 - together
    gate.later(DAY)
    await gate.say(candidate("Works in Leeds", "residence", "Leeds", attributes={"implied": True}))
    assert gate.values("residence") == ["York"], "what is only likely replaces it no more"


async def test_b4_a_taste_that_is_over_ends(gate: GateBench) -> None:
    await gate.say(candidate("User likes coffee", "likes", "coffee", kind="preference"))
    gate.later(DAY)
    await gate.say(candidate("User no longer likes coffee", "likes", "coffee", kind="preference", negated=True))
    assert gate.values("likes") == []
    assert gate.outcomes()[-1] == ("superseding", "negated")


async def test_n8_what_was_said_earlier_but_came_late_is_history(gate: GateBench) -> None:
    gate.later(10 * DAY)
    await gate.say(candidate("Lives in York", "residence", "York"))
    before = START + DAY
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"), at=before)
    assert gate.values("residence") == ["York"]
    assert gate.outcomes()[-1] == ("superseding", "older_than_standing")
    assert gate.as_of(before + HOUR, "residence") == ["Leeds"]
    assert gate.as_of(gate.driver.now + HOUR, "residence") == ["York"]


async def test_n8_of_several_fields_only_those_with_something_newer_are_history(gate: GateBench) -> None:
    gate.later(10 * DAY)
    await gate.say(candidate("Major is music", "major", "Music"))
    await gate.say(study("Leeds", "MSc", "Physics"), at=START + DAY)
    assert gate.values("major") == ["Music"]
    assert gate.values("university") == ["Leeds"]
    assert gate.values("education") == ["MSc"]


async def test_n8_the_time_that_a_statement_refers_to_is_its_valid_time(gate: GateBench) -> None:
    await gate.say(candidate("Moved to York in May", "residence", "York", occurred_from="2026-05-01T00:00:00Z"))
    [kept] = gate.active("residence")
    assert kept.valid_from is not None
    assert kept.valid_from.isoformat() == "2026-05-01T00:00:00+00:00"
    assert kept.occurred_at == START


async def test_b4_a_change_told_with_its_time_replaces_a_value_whose_beginning_nobody_told(gate: GateBench) -> None:
    """Said on day 3: "I moved to York last week", that is before "I live in Leeds" was said, on day 0."""
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    gate.later(3 * DAY)
    await gate.say(candidate("Moved to York", "residence", "York", occurred_from=START - 4 * DAY))
    assert gate.values("residence") == ["York"]
    assert gate.as_of(START - 2 * DAY, "residence") == ["York"]
    assert gate.outcomes()[-1] == ("superseding", "field_changed")


async def test_n8_of_two_told_times_the_later_one_stands(gate: GateBench) -> None:
    await gate.say(candidate("Moved to York", "residence", "York", occurred_from=START - 7 * DAY))
    gate.later(3 * DAY)
    await gate.say(candidate("Moved to Leeds in 2019", "residence", "Leeds", occurred_from="2019-01-01T00:00:00Z"))
    assert gate.values("residence") == ["York"]
    assert gate.as_of(START - 30 * DAY, "residence") == ["Leeds"]


async def test_n8_what_was_said_again_since_is_not_replaced_by_what_came_late(gate: GateBench) -> None:
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    gate.later(5 * DAY)
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    await gate.say(candidate("Lives in York", "residence", "York"), at=START + 3 * DAY)
    assert gate.values("residence") == ["Leeds"]


async def test_b4_what_ended_at_a_told_time_ends(gate: GateBench) -> None:
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    gate.later(3 * DAY)
    left = candidate("Left Leeds last week", "residence", "Leeds", negated=True, occurred_from=START - 4 * DAY)
    await gate.say(left)
    assert gate.values("residence") == []


async def test_b4_where_somebody_works_never_replaces_where_they_live(gate: GateBench) -> None:
    await gate.say(candidate("Works in Leeds", "residence", "Leeds", attributes={"implied": True}))
    gate.later(DAY)
    await gate.say(candidate("Works in Hull", "residence", "Hull", attributes={"implied": True}))
    assert gate.values("residence") == ["Hull"]
    gate.later(DAY)
    await gate.say(candidate("Lives in York", "residence", "York"))
    await gate.say(candidate("Works in Leeds", "residence", "Leeds", attributes={"implied": True}))
    assert gate.values("residence") == ["York"]
    assert gate.outcomes()[-1] == ("refused", "explicit_stands")


async def test_d4_inferred_never_replaces_explicit(gate: GateBench) -> None:
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    gate.later(DAY)
    assert await gate.say(candidate("Seems to live in York", "residence", "York", source="inferred")) == []
    assert await gate.say(candidate("Left Leeds?", "residence", "Leeds", source="inferred", negated=True)) == []
    assert gate.values("residence") == ["Leeds"]
    assert gate.outcomes()[-2:] == [("refused", "explicit_stands")] * 2


@pytest.mark.parametrize(
    ("confidence", "state"), [("0.6", "observed"), ("0.7", "observed"), ("0.7001", "active"), ("1", "active")]
)
async def test_d4_read_only_above_seven_tenths(gate: GateBench, confidence: str, state: str) -> None:
    [kept] = await gate.say(candidate("Seems fond of tea", "drink", "tea", source="inferred", confidence=confidence))
    assert kept.state == state
    assert kept.confidence == Decimal(confidence)


async def test_d4_said_outright_confirms_what_was_inferred(gate: GateBench) -> None:
    await gate.say(candidate("Seems to like tea", "drink", "tea", source="inferred", kind="preference"))
    await gate.say(candidate("Seems to like tea", "drink", "tea", source="inferred", kind="preference"))
    assert gate.active("drink") == [], "inferring it again makes it no surer"
    await gate.say(candidate("Likes tea", "drink", "tea", kind="preference"))
    [kept] = gate.active("drink")
    assert (kept.source, kept.confidence) == ("confirmed", Decimal(1))


async def test_d4_an_explicit_value_replaces_an_inferred_one(gate: GateBench) -> None:
    await gate.say(candidate("Seems to like tea", "drink", "tea", source="inferred", kind="preference"))
    await gate.say(candidate("Likes coffee", "drink", "coffee", kind="preference"))
    assert gate.values("drink") == ["coffee"]


async def test_b4_a_negation_retires_the_value_and_sets_nothing(gate: GateBench) -> None:
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    gone = gate.later(DAY)
    await gate.say(candidate("No longer lives in York", "residence", "York", negated=True))
    assert gate.values("residence") == ["Leeds"], "another value is meant"
    await gate.say(candidate("No longer lives in Leeds", "residence", "Leeds", negated=True))
    assert gate.values("residence") == []
    assert gate.as_of(gone - HOUR, "residence") == ["Leeds"]
    assert gate.as_of(gone + HOUR, "residence") == []


async def test_b4_a_negation_with_nothing_to_retire_holds_no_field(gate: GateBench) -> None:
    await gate.say(candidate("No longer lives in Leeds", "residence", "Leeds", negated=True))
    assert gate.active("residence") == []
    gate.later(DAY)
    await gate.say(candidate("Lives in Leeds again", "residence", "Leeds"))
    assert gate.values("residence") == ["Leeds"]


async def test_b4_a_negation_of_one_field_leaves_the_others_of_its_statement(gate: GateBench) -> None:
    await gate.say(study("Leeds", "MSc", "Physics"))
    gate.later(DAY)
    await gate.say(candidate("Not at Leeds any more", "university", "Leeds", negated=True))
    assert gate.values("university") == []
    assert gate.values("education") == ["MSc"]
    assert gate.values("major") == ["Physics"]


async def test_b4_a_late_negation_does_not_retire_what_came_after_it(gate: GateBench) -> None:
    gate.later(DAY)
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    await gate.say(candidate("No longer lives in Leeds", "residence", "Leeds", negated=True), at=START)
    assert gate.values("residence") == ["Leeds"]


async def test_many_valued_fields_stand_beside_each_other(gate: GateBench) -> None:
    for hobby in ("tennis", "chess", "围棋", "Tennis"):
        await gate.say(candidate(f"Enjoys {hobby}", "hobby", hobby))
    assert sorted(gate.values("hobby")) == ["chess", "tennis", "围棋"]
    gate.later(DAY)
    await gate.say(candidate("Gave up chess", "hobby", "chess", negated=True))
    assert sorted(gate.values("hobby")) == ["tennis", "围棋"]
    gate.later(DAY)
    await gate.say(candidate("Plays chess again", "hobby", "chess"))
    assert sorted(gate.values("hobby")) == ["chess", "tennis", "围棋"]


async def test_two_speakers_and_two_scopes_do_not_replace_each_other(gate: GateBench) -> None:
    await gate.say(candidate("Ann lives in Leeds", "residence", "Leeds", attributes={"about": "Ann"}))
    await gate.say(candidate("Bob lives in York", "residence", "York", attributes={"about": "Bob"}))
    await gate.say(candidate("At work: Hull", "residence", "Hull", scope="work"))
    assert sorted(gate.values("residence")) == ["Hull", "Leeds", "York"]


async def test_users_are_strangers(gate: GateBench) -> None:
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"), user="ann")
    await gate.say(candidate("Lives in York", "residence", "York"), user="bob")
    assert sorted(gate.values("residence")) == ["Leeds", "York"]


async def test_n1_the_same_extraction_again_changes_nothing(gate: GateBench) -> None:
    event = gate.extraction(candidate("Lives in Leeds", "residence", "Leeds"), turn="t")
    gate.pipe(event)
    assert len(await gate.run()) == 1
    gate.pipe(event)
    assert await gate.run() == []
    assert len(gate.decisions) == 1


async def test_a_newer_extractor_keeps_the_ids_of_what_it_restates(gate: GateBench) -> None:
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"), candidate("Bought a red kayak"), turn="t")
    before = {u.record_id for u in gate.active()}
    restated = (candidate("Lives in Leeds", "residence", "Leeds"), candidate("Bought a second-hand red kayak in town"))
    await gate.say(*restated, turn="t", version=2)
    assert {u.record_id for u in gate.active()} == before
    assert sorted(u.sealed.text for u in gate.active())[0].startswith("Bought")


@pytest.mark.parametrize("kind", ["episode", "fact"])
async def test_n4_a_newer_extractor_does_not_undo_a_correction(gate: GateBench, kind: str) -> None:
    [kept] = await gate.say(candidate("Bought a red kayak", kind=kind), turn="t")
    await gate.do("correct", kept.record_id, text="Bought a blue canoe")
    assert await gate.say(candidate("Bought some red kayak or other", kind=kind), turn="t", version=2) == []
    assert [u.sealed.text for u in gate.active()] == ["Bought a blue canoe"]


async def test_a_newer_extractor_may_word_a_free_fact_anew(gate: GateBench) -> None:
    [kept] = await gate.say(candidate("Bought a red kayak", kind="fact"), turn="t")
    await gate.say(candidate("Owns two boats in Norway", kind="fact"), turn="t", version=2)
    [now] = gate.active()
    assert (now.record_id, now.version) == (kept.record_id, 2)


# -- vaguer values ------------------------------------------------------------------------------------------------

VAGUER = [
    ("age", 32, False, "30+", False), ("age", 32, False, "30+", True), ("age", 32, False, 30, True),
    ("age", "35", False, "30+", False), ("age", 32, True, "30+", True), ("income", 812_000, False, 800_000, True),
    ("income", 812_000, False, "800000-1000000", True), ("income", 812_000, True, 800_000, True),
    ("income", "800000-900000", True, "500000-1000000", True), ("residence", "Camden, London", False, "london", False),
    ("residence", "杭州西湖区", False, "杭州", False), ("residence", "杭州市西湖区", False, "杭州", False),
]  # fmt: skip
NEWS = [
    ("age", 32, False, "40+", False), ("age", 42, False, "30+", False), ("age", 32, False, 40, True),
    ("age", "30+", False, 32, False), ("age", "30+", False, 35, True), ("income", 812_000, False, 900_000, True),
    ("income", 600_000, False, 1_000_000, True), ("income", 800_000, True, 812_000, False),
    ("income", "500000-1000000", True, "800000-900000", True), ("residence", "Camden, London", False, "Camden", False),
    ("residence", "杭州", False, "杭州西湖区", False), ("residence", "London", False, "New London", False),
    ("residence", "杭州西湖区", False, "西湖区", False), ("employer", "Acme, London", False, "London", False),
    ("age", "inf", True, "nan", True), ("smoker", True, False, 1, True), ("age", 0, False, 0.5, True),
]  # fmt: skip


@pytest.mark.parametrize(("field", "sharp", "sharp_about", "vague", "vague_about"), VAGUER)
async def test_d3_a_vaguer_value_cites_the_one_that_stands(
    gate: GateBench, field: str, sharp: object, sharp_about: bool, vague: object, vague_about: bool
) -> None:
    [first] = await gate.say(candidate("sharp words", field, sharp, approximate=sharp_about))
    at = gate.later(DAY)
    [kept] = await gate.say(candidate("vague words", field, vague, approximate=vague_about))
    assert (kept.row_key, kept.version, kept.sealed.value, kept.sealed.text) == (
        first.row_key, 1, sharp, "sharp words",
    )  # fmt: skip
    assert ([s.turn_id for s in kept.sources], kept.last_accessed_at) == (["turn-1", "turn-2"], at)
    assert gate.outcomes()[-1] == ("merged", "vaguer_value")
    assert gate.decisions[-1].record_id == first.record_id


@pytest.mark.parametrize(("field", "old", "old_about", "new", "new_about"), NEWS)
async def test_b4_a_sharper_or_another_value_replaces(
    gate: GateBench, field: str, old: object, old_about: bool, new: object, new_about: bool
) -> None:
    await gate.say(candidate("old words", field, old, approximate=old_about))
    gate.later(DAY)
    await gate.say(candidate("new words", field, new, approximate=new_about))
    assert gate.values(field) == [new]


async def test_d4_a_vaguer_statement_is_news_beside_an_inferred_value_and_restores_no_doubted_one(
    gate: GateBench,
) -> None:
    await gate.say(candidate("May be 32", "age", 32, source="inferred"))
    await gate.say(candidate("Is in their thirties", "age", "30+"))
    assert gate.values("age") == ["30+"]
    kept = (await gate.say(candidate("Is 33", "age", 33)))[-1]
    [doubted] = await gate.feedback(kept.record_id, correction="no")
    [still] = await gate.say(candidate("Is in their thirties", "age", "30+"))
    assert (still.confidence, still.state) == (doubted.confidence, "observed")


async def test_a_newer_extractor_may_say_a_vaguer_value_of_the_same_turn(gate: GateBench) -> None:
    await gate.say(candidate("Is 32", "age", 32), turn="t1")
    await gate.say(candidate("Is in their thirties", "age", "30+"), turn="t1", version=2)
    assert gate.values("age") == ["30+"]


async def test_fields_of_one_statement_are_judged_apart(gate: GateBench) -> None:
    await gate.say(candidate("32, earns 812,000", value={"age": 32, "income": 812_000}, fields=("age", "income")))
    value = {"age": "30+", "income": 1_200_000}
    await gate.say(candidate("In their thirties, earns 1.2 million", value=value, fields=tuple(value)))
    assert (gate.values("age"), gate.values("income")) == ([32], [1_200_000])
    assert gate.outcomes()[1:] == [("merged", "vaguer_value"), ("superseding", "field_changed")]
