"""Callers' own writes and feedback: correct, forget, items, ratings (C1, C9, D4, D16, N4, N5)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.unit.gate.bench import DAY, HOUR, LANGUAGES, START, GateBench, candidate

# -- correct ------------------------------------------------------------------------------------------------------


@LANGUAGES
async def test_n4_a_correction_bars_the_old_value_from_old_text(
    gate: GateBench, text: str, other: str, value: str, new: str
) -> None:
    [kept] = await gate.say(candidate(text, "residence", value), turn="old")
    gate.later(DAY)
    await gate.do("correct", kept.record_id, text=other, value=new)
    assert gate.values("residence") == [new]
    assert gate.active("residence")[0].record_id == kept.record_id, "a client keeps its id"
    before = len(gate.log)
    await gate.say(candidate(text, "residence", value), turn="old", version=2, at=START, accepted=START)
    await gate.say(candidate(text, "residence", value), turn="other-old", at=START, accepted=gate.driver.now + HOUR)
    assert gate.values("residence") == [new]
    assert len(gate.log) == before
    assert gate.outcomes()[-2:] == [("refused", "rejected_source"), ("refused", "rejected_value")]
    gate.later(DAY)
    await gate.say(candidate(text, "residence", value))
    assert gate.values("residence") == [value], "said later than the correction, it is news"


async def test_a_correction_by_value_alone_words_the_text_anew(gate: GateBench) -> None:
    [kept] = await gate.say(candidate("32 years old", "age", 32))
    await gate.do("correct", kept.record_id, value=33)
    [now] = gate.active("age")
    assert now.sealed.value == 33
    assert "33" in now.sealed.text
    assert "32" not in now.sealed.text
    assert now.sealed.embedding
    assert "33" in now.sealed.terms


@pytest.mark.parametrize(
    ("value", "text", "after"),
    [("green tea", "Ana prefers coffee", None), ("green tea", "Ana prefers Green Tea, never black", "green tea"),
     ("绿茶", "安娜更喜欢咖啡", None), ("绿茶", "安娜喜欢热绿茶", "绿茶"), (41, "42 years old", None)],
)  # fmt: skip
async def test_a_correction_by_text_alone_leaves_no_value_that_it_contradicts(
    gate: GateBench, value: object, text: str, after: object
) -> None:
    await gate.do("remember", kind="preference", field="drink", text=f"Ana: {value}", value=value)
    [kept] = gate.active("drink")
    await gate.do("correct", kept.record_id, text=text)
    [now] = gate.active("drink")
    assert (now.sealed.text, now.sealed.value) == (text, after)


async def test_a_correction_of_one_of_several_fields_keeps_the_others(gate: GateBench) -> None:
    value = {"education": "MSc", "university": "Leeds", "major": "Physics"}
    [kept] = await gate.say(candidate("MSc in Physics at Leeds", value=value, fields=tuple(value)))
    gate.later(DAY)
    await gate.do("correct", kept.record_id, value={"major": "Music"})
    assert [gate.values(f) for f in value] == [["MSc"], ["Leeds"], ["Music"]]


@pytest.mark.parametrize("value", ["Music", {"unknown": 1}, [1]])
async def test_a_correction_that_does_not_fit_several_fields_is_refused(gate: GateBench, value: object) -> None:
    value_of = {"education": "MSc", "university": "Leeds"}
    [kept] = await gate.say(candidate("MSc at Leeds", value=value_of, fields=tuple(value_of)))
    assert await gate.do("correct", kept.record_id, value=value) == []
    assert gate.outcomes()[-1] == ("refused", "value_of_several_fields")


async def test_n4_the_fields_that_a_correction_kept_can_be_said_again(gate: GateBench) -> None:
    value = {"education": "MSc", "university": "Leeds"}
    [kept] = await gate.say(candidate("MSc at Leeds", value=value, fields=tuple(value)))
    gate.later(DAY)
    await gate.do("correct", kept.record_id, value={"education": "PhD"})
    gate.later(DAY)
    await gate.say(candidate("Still at Leeds", "university", "Leeds"))
    assert gate.values("university") == ["Leeds"]
    assert gate.decisions[-1].reason.outcome == "skipped"


async def test_a_corrected_episode_keeps_its_one_row_and_is_forgotten_whole(gate: GateBench) -> None:
    """An unversioned kind has one row: a second would outlive the deletion with the old text in it."""
    [kept] = await gate.say(candidate("Bought a red kayak in Oslo"))
    await gate.do("correct", kept.record_id, text="Bought a blue kayak in Bergen")
    assert [u.version for u in gate.history(kept.record_id)] == [0]
    assert gate.active()[0].sealed.text == "Bought a blue kayak in Bergen"
    await gate.do("forget", kept.record_id)
    assert {u.op for u in gate.history(kept.record_id)} == {"delete"}


async def test_d3_a_corrected_episode_is_compared_by_its_new_words(gate: GateBench) -> None:
    [kept] = await gate.say(candidate("Bought a red kayak in Oslo"))
    gate.later(HOUR)
    await gate.do("correct", kept.record_id, text="Adopted two cats from the shelter")
    gate.later(HOUR)
    await gate.say(candidate("Adopted two cats from the shelter"))
    assert gate.decisions[-1].reason.outcome == "merged"


async def test_a_corrected_value_of_many_does_not_stand_in_the_way_of_the_old_one(gate: GateBench) -> None:
    [kept] = await gate.say(candidate("Enjoys tennis", "hobby", "tennis"))
    gate.later(DAY)
    await gate.do("correct", kept.record_id, text="Enjoys chess", value="chess")
    gate.later(DAY)
    await gate.say(candidate("Enjoys tennis too", "hobby", "tennis"))
    assert sorted(gate.values("hobby")) == ["chess", "tennis"]


# -- forget -------------------------------------------------------------------------------------------------------


@LANGUAGES
async def test_c9_n4_what_is_forgotten_is_gone_in_every_version_and_not_learned_again(
    gate: GateBench, text: str, other: str, value: str, new: str
) -> None:
    [kept] = await gate.say(candidate(text, "residence", value), turn="t1")
    gate.later(DAY)
    await gate.say(candidate(other, "residence", new), turn="t2")
    gate.later(DAY)
    await gate.do("forget", kept.record_id)
    versions = gate.history(kept.record_id)
    assert [(u.version, u.op) for u in versions] == [(1, "delete"), (2, "delete")]
    assert gate.decisions[-1].reason.outcome == "retired"
    state = b"".join(v for rows in gate.rows().values() for v in rows.values()).decode()
    assert new not in state, "the rejection holds a keyed hash, not the value"
    await gate.say(candidate(other, "residence", new), turn="t2", version=2, at=START + DAY, accepted=START + DAY)
    assert gate.values("residence") == []
    gate.later(DAY)
    await gate.say(candidate(other, "residence", new))
    assert gate.values("residence") == [new]
    assert [(u.version, u.op) for u in gate.history(kept.record_id)] == [
        (1, "delete"), (2, "delete"), (3, "upsert"),
    ]  # fmt: skip


async def test_c9_what_stands_no_more_can_be_forgotten_too(gate: GateBench) -> None:
    [kept] = await gate.say(candidate("Enjoys tennis", "hobby", "tennis"))
    gate.later(DAY)
    await gate.say(candidate("Gave up tennis", "hobby", "tennis", negated=True))
    await gate.do("forget", kept.record_id)
    assert {u.op for u in gate.history(kept.record_id)} == {"delete"}


async def test_c9_late_history_can_be_forgotten(gate: GateBench) -> None:
    gate.later(10 * DAY)
    await gate.say(candidate("Lives in York", "residence", "York"))
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"), at=START)
    [late] = [u for u in gate.view.values() if u.reason.rule == "older_than_standing"]
    await gate.do("forget", late.record_id)
    assert gate.view[late.row_key].op == "delete"
    assert gate.values("residence") == ["York"]


async def test_c9_forgetting_twice_or_the_unknown_is_said_so(gate: GateBench) -> None:
    [kept] = await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    await gate.do("forget", kept.record_id)
    for name in ("unknown", None):
        assert await gate.do("forget", name) == []
        assert gate.outcomes()[-1] == ("skipped", "unknown_memory")
    assert await gate.do("correct", "unknown", text="x") == []


async def test_n4_forgetting_what_stands_no_more_leaves_a_rejection_too(gate: GateBench) -> None:
    [kept] = await gate.say(candidate("Lives in Leeds", "residence", "Leeds"), turn="t1")
    later = gate.later(DAY)
    removed = candidate("Does not live in Leeds", "residence", "Leeds", negated=True)
    await gate.say(removed)
    assert gate.active("residence") == []
    await gate.do("forget", kept.record_id)
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"), turn="t3", at=START, accepted=later)
    assert gate.outcomes()[-1] == ("refused", "rejected_value")
    assert b"Leeds" not in b"".join(v for rows in gate.rows().values() for k, v in rows.items() if k.startswith("v/"))


@pytest.mark.parametrize("again", ["User has HIV and told nobody.", "User has HIV, and has told nobody"])
async def test_n4_a_statement_does_not_come_back_from_its_turn_in_other_marks(gate: GateBench, again: str) -> None:
    await gate.say(candidate("User has HIV and told nobody"), turn="t")
    await gate.do("forget", gate.active()[0].record_id)
    other = candidate("User has two dogs")
    await gate.say(candidate(again), other, turn="t", extractor="model")
    assert [u.sealed.text for u in gate.active()] == ["User has two dogs"], "what else the turn said is not barred"
    assert ("refused", "rejected_source") in gate.outcomes()


@pytest.mark.parametrize("done", ["forget", "correct"])
async def test_n4_a_fact_does_not_come_back_from_its_turn_as_another_kind(gate: GateBench, done: str) -> None:
    await gate.say(candidate("User lives in Leeds", "residence", "Leeds"), turn="t")
    await gate.do(done, gate.active()[0].record_id, **({"value": "York"} if done == "correct" else {}))
    wish = candidate("User wants to stay in Leeds", "residence", "Leeds", kind="intent")
    await gate.say(candidate("User lives in Leeds"), wish, turn="t", extractor="model")
    assert [u.sealed.value for u in gate.active()] == (["York"] if done == "correct" else [])


async def test_n4_a_second_rejection_of_a_value_keeps_the_first_ones_turns_barred(gate: GateBench) -> None:
    for turn in ("t1", "t2"):
        [kept] = await gate.say(candidate("Lives in Leeds", "residence", "Leeds"), turn=turn)
        gate.later(DAY)
        await gate.do("forget", kept.record_id)
        gate.later(DAY)
    for cached in (True, False):
        if not cached:
            gate.restart()
        for turn in ("t1", "t2"):
            version = 2 if cached else 3
            c = candidate("Lives in York", "residence", "York")
            assert await gate.say(c, turn=turn, version=version) == [], "the field is barred from the source turns"
            assert gate.outcomes()[-1] == ("refused", "rejected_source")


# -- items --------------------------------------------------------------------------------------------------------


async def test_c1_items_are_put_replaced_deleted_and_put_again(gate: GateBench) -> None:
    where: dict[str, Any] = {"namespace": ("health_profile",), "key": "profile"}
    for i, command in enumerate(("put_item", "put_item", "delete_item", "put_item")):
        [item] = await gate.do(command, value={"n": i}, **where)
        assert item.revision == i + 1
        assert item.version == 0
    assert item.sealed.value == {"n": 3}
    await gate.do("delete_item", namespace=("health_profile",), key="other")
    assert gate.outcomes()[-1] == ("skipped", "unknown_memory")


async def test_c1_an_item_expires_after_its_minutes(gate: GateBench) -> None:
    [item] = await gate.do("put_item", namespace=("n",), key="k", value=1, ttl_minutes=90)
    assert item.expires_at == START + 1.5 * HOUR


# -- feedback -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rating", "change"), [("good", 0.05), ("neutral", 0.0), ("bad", -0.05)])
async def test_d16_a_rating_moves_importance(gate: GateBench, rating: str, change: float) -> None:
    [kept] = await gate.say(candidate("Bought a red kayak"))
    [judged] = await gate.feedback(kept.record_id, rating=rating)
    assert judged.importance == pytest.approx(kept.importance + change)
    assert judged.confidence == kept.confidence


async def test_d4_adoption_confirms_an_inferred_memory(gate: GateBench) -> None:
    [kept] = await gate.say(candidate("Seems to like tea", "drink", "tea", source="inferred"))
    assert kept.state == "observed"
    [judged] = await gate.feedback(kept.record_id, adopted=True)
    assert (judged.state, judged.source, judged.confidence) == ("active", "confirmed", Decimal("0.8"))


async def test_d4_a_correction_costs_four_tenths_and_is_clamped(gate: GateBench) -> None:
    [kept] = await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    seen = []
    for _ in range(4):
        [judged] = await gate.feedback(kept.record_id, correction="wrong")
        seen.append((judged.confidence, judged.state))
    wants = [
        (Decimal("0.6"), "observed"),
        (Decimal("0.2"), "observed"),
        (Decimal(0), "observed"),
        (Decimal(0), "observed"),
    ]
    assert seen == wants


async def test_d4_a_doubted_memory_is_believed_again_when_the_user_says_it_again(gate: GateBench) -> None:
    [kept] = await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    await gate.feedback(kept.record_id, correction="wrong")
    gate.later(DAY)
    await gate.say(candidate("I do live in Leeds", "residence", "Leeds"))
    assert gate.values("residence") == ["Leeds"]


async def test_d16_feedback_counts_once(gate: GateBench) -> None:
    [kept] = await gate.say(candidate("Bought a red kayak"))
    await gate.feedback(kept.record_id, kept.record_id, rating="bad", record_id=kept.record_id, feedback_id="f")
    await gate.feedback(kept.record_id, rating="bad", feedback_id="f")
    [now] = gate.active()
    assert now.importance == pytest.approx(0.45)


async def test_n5_feedback_that_names_nothing_known_is_said_so(gate: GateBench) -> None:
    await gate.feedback("unknown", rating="good")
    await gate.feedback(context_id="unknown", rating="good")
    assert gate.outcomes() == [("skipped", "unknown_memory"), ("skipped", "awaits_its_answer")]
