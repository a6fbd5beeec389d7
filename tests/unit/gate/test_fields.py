"""Facts and preferences by field: skip, supersede, stand beside each other; an extraction again (B3, B4, N1, N4)."""

from __future__ import annotations

import pytest

from processors.ports import Models
from tests.unit.gate.bench import DAY, HOUR, START, GateBench, candidate, study


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


@pytest.mark.parametrize(("first", "then"), [("preference", "intent"), ("intent", "preference")])
async def test_b4_what_is_meant_takes_the_place_of_what_was_wished_of_a_field(
    models: Models, first: str, then: str
) -> None:
    gate = GateBench(models, profile="immigration")
    await gate.say(candidate("明年春天办好", "immigrationTimeline", "明年春天", kind=first))
    gate.later(DAY)
    await gate.say(candidate("改到明年年底", "immigrationTimeline", "明年年底", kind=then))
    assert gate.values("immigrationTimeline") == ["明年年底"]


@pytest.mark.parametrize(("first", "then"), [("preference", "intent"), ("intent", "preference")])
async def test_b4_what_is_meant_and_wished_of_a_field_of_many_values_both_stand(
    models: Models, first: str, then: str
) -> None:
    gate = GateBench(models, profile="immigration")
    await gate.say(candidate("想申请优才", "targetCategory", "QMAS", kind=first))
    gate.later(DAY)
    await gate.say(candidate("也可以走专才", "targetCategory", "ASMTP", kind=then))
    assert sorted(gate.values("targetCategory")) == ["ASMTP", "QMAS"]
