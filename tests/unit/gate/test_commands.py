"""Callers' own writes and feedback: remember, correct, forget, items, ratings (C1, C9, D4, D5, D16, N4, N5)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from processors.gate.standing import Index, Standing
from processors.ports import Models
from schemas.ids import record_id
from schemas.owner import user
from schemas.pii import PiiAction
from schemas.profile import load_profile
from streams.cache import CachedOwner, OwnerOverlay
from tests.unit.gate.bench import DAY, HOUR, START, GateBench, candidate

LANGUAGES = pytest.mark.parametrize(
    ("text", "other", "value", "new"),
    [("Lives in Leeds", "Lives in York", "Leeds", "York"), ("住在杭州", "住在上海", "杭州", "上海")],
)


@pytest.fixture
def gate(models: Models) -> GateBench:
    return GateBench(models)


# -- remember -----------------------------------------------------------------------------------------------------


@LANGUAGES
async def test_remember_replaces_what_stands_in_its_field(
    gate: GateBench, text: str, other: str, value: str, new: str
) -> None:
    await gate.say(candidate(text, "residence", value))
    gate.later(DAY)
    await gate.do("remember", kind="fact", field="residence", text=other, value=new)
    assert gate.values("residence") == [new]
    [kept] = gate.active("residence")
    assert (kept.confidence, kept.source, kept.sealed.text) == (Decimal(1), "explicit", other)
    assert kept.sealed.terms
    assert kept.sealed.embedding
    assert kept.record_id == record_id(user("acme", "ann"), "fact", "global", "", "residence")
    assert gate.as_of(START + HOUR, "residence") == [value]


async def test_remember_once_by_its_command_id(gate: GateBench) -> None:
    await gate.do("remember", kind="episode", text="Bought a kayak", command_id="c1")
    assert await gate.do("remember", kind="episode", text="Bought a kayak", command_id="c1") == []
    assert len(gate.active()) == 1


async def test_remember_adds_to_a_field_of_many_values(gate: GateBench) -> None:
    await gate.say(candidate("Enjoys tennis", "hobby", "tennis"))
    await gate.do("remember", kind="fact", field="hobby", text="Enjoys chess", value="chess")
    await gate.do("remember", kind="fact", field="hobby", text="Enjoys Chess", value="Chess")
    assert sorted(gate.values("hobby")) == ["Chess", "tennis"]


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ({"text": "Lives in Leeds", "value": "Leeds"}, {"text": "Living in Leeds now", "value": " leeds"}),
        ({"text": "年薪80万", "value": 800000}, {"text": "年薪八十万", "value": 800000.0}),
        ({"text": "Does not smoke", "value": False}, {"text": "Does not smoke", "value": False}),
        ({"text": "Lives in Leeds"}, {"text": "lives in Leeds."}),
    ],
)
@pytest.mark.parametrize("field", ["residence", "hobby"])
async def test_b3_remembered_with_an_equal_value_is_the_version_that_stands(
    gate: GateBench, field: str, first: dict[str, Any], again: dict[str, Any]
) -> None:
    """`hobby` holds many: its second call was told another id, which leads to the one that stands."""
    many = {"memory_id": "told-first"} if field == "hobby" else {}
    await gate.do("remember", kind="fact", field=field, **first, **many)
    gate.later(DAY)
    [kept] = await gate.do("remember", kind="fact", field=field, **again, **({"memory_id": "told"} if many else {}))
    assert [u.row_key for u in gate.view.values()] == [kept.row_key]
    assert (kept.version, kept.valid_from, kept.last_accessed_at) == (1, START, START + DAY)
    assert kept.sealed.text == again["text"], "the words of now"
    assert kept.importance == pytest.approx(gate.log[0].importance + 0.05)
    assert [(d.reason.outcome, d.reason.rule) for d in gate.decisions][-1] == ("merged", "same_value")
    if many:
        await gate.do("forget", "told")
        assert not gate.active()


async def test_b3_remembered_with_an_equal_value_confirms_what_was_inferred(gate: GateBench) -> None:
    await gate.say(candidate("May live in Leeds", "residence", "Leeds", source="inferred"))
    [kept] = await gate.do("remember", kind="fact", field="residence", text="Lives in Leeds", value="Leeds")
    assert (kept.source, kept.state, kept.confidence, kept.version) == ("confirmed", "active", Decimal(1), 1)
    assert [s.turn_id for s in kept.sources] == ["turn-1"]


async def test_b4_remembered_without_a_value_another_text_is_another_value(gate: GateBench) -> None:
    await gate.do("remember", kind="fact", field="residence", text="Lives in Leeds")
    await gate.do("remember", kind="fact", field="residence", text="Lives in York")
    assert [u.sealed.text for u in gate.active()] == ["Lives in York"]


async def test_the_index_keeps_no_empty_sets(gate: GateBench) -> None:
    for n in range(5):
        await gate.do("remember", kind="fact", field="residence", text=f"Lives in {n}", value=str(n))
        await gate.do("remember", kind="fact", text=f"Likes tea no. {n}")
        await gate.do("remember", kind="fact", field=f"trait {n}", text=f"Trait {n}", value=n)
    for u in gate.active():
        await gate.do("forget", u.record_id)
    rows = OwnerOverlay(CachedOwner(complete=True))
    standing = Standing(rows, None, 512)
    for u in gate.log:
        (standing.put if u.state == "active" else standing.remove)(u)
    index = rows.derived("gate", Index)
    assert (index.holders, index.sayings, index.also) == ({}, {}, {})


async def test_remember_leaves_the_other_fields_of_a_statement(gate: GateBench) -> None:
    value = {"education": "MSc", "university": "Leeds", "major": "Physics"}
    await gate.say(candidate("MSc in Physics at Leeds", value=value, fields=tuple(value)))
    gate.later(DAY)
    await gate.do("remember", kind="fact", field="major", text="Studied music", value="Music")
    assert [gate.values(f) for f in value] == [["MSc"], ["Leeds"], ["Music"]]


async def test_remember_under_an_id_that_stands_ends_that_version(gate: GateBench) -> None:
    [kept] = await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    await gate.do("remember", kept.record_id, kind="fact", field="employer", text="Works at Acme", value="Acme")
    assert gate.active("residence") == []
    assert gate.values("employer") == ["Acme"]


async def test_d3_what_is_said_after_it_was_remembered_is_no_news(gate: GateBench) -> None:
    await gate.do("remember", kind="episode", text="Bought a red kayak in Oslo")
    await gate.say(candidate("Bought a red kayak in Oslo"))
    assert [d.reason.outcome for d in gate.decisions] == ["kept", "merged"]


def told(gate: GateBench, kind: str, command_id: str) -> str:
    """The id that the door answers with (query/events.py)."""
    return record_id(user("acme", "ann"), kind, command_id)


@pytest.mark.parametrize("kind", ["fact", "preference", "intent", "episode"])
@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("Ana is allergic to peanuts", "Ana is allergic to peanuts"),
        ("Ana is allergic to peanuts", " ana is allergic\tto Peanuts. "),
        ("Ana对花生过敏", "ana 对花生过敏。"),
    ],
)
async def test_d3_remembered_again_is_the_one_that_stands(gate: GateBench, kind: str, text: str, again: str) -> None:
    await gate.do("remember", kind=kind, text=text, command_id="c1")
    gate.later(DAY)
    await gate.do("remember", kind=kind, text=again, command_id="c2")
    [kept] = gate.active()
    assert (kept.record_id, kept.sealed.text, kept.source) == (told(gate, kind, "c1"), text, "explicit")
    assert kept.importance == pytest.approx(gate.log[0].importance + 0.05)
    assert kept.last_accessed_at == START + DAY
    assert kept.also == (told(gate, kind, "c2"),)
    assert [(d.reason.outcome, d.record_id) for d in gate.decisions] == [
        ("kept", kept.record_id),
        ("merged", kept.record_id),
    ]


async def test_d3_importance_of_what_is_remembered_again_ends_at_one(gate: GateBench) -> None:
    for _ in range(60):
        await gate.do("remember", kind="episode", text="Bought a kayak")
    [kept] = gate.active()
    assert kept.importance == 1
    assert len(kept.also) == 50


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Knows C#", "Knows C"), ("Scored -5", "Scored 5"), ("Weighs 5.5 kg", "Weighs 55 kg"), ("👍", "👎"),
        ("Runs 5 km", "Runs 6 km"), ("Likes tea", "Likes no tea"), ("记得 दिन", "记得 दान"), ("!", "?!#"),
    ],
)  # fmt: skip
async def test_d3_what_says_another_thing_is_remembered_beside(gate: GateBench, text: str, other: str) -> None:
    await gate.do("remember", kind="fact", text=text)
    await gate.do("remember", kind="fact", text=other)
    assert sorted(u.sealed.text for u in gate.active()) == sorted([text, other])


@pytest.mark.parametrize(
    "elsewhere",
    [{"kind": "preference"}, {"scope": "work"}, {"category": "GEP"}, {"project_id": "p"}, {"value": 7}],
)
async def test_d3_in_another_place_the_same_words_stand_beside(gate: GateBench, elsewhere: dict[str, Any]) -> None:
    said = {"kind": "fact", "text": "Likes tea"}
    await gate.do("remember", **said)
    await gate.do("remember", **{**said, **elsewhere})
    assert len(gate.active()) == 2


async def test_d3_an_episode_is_another_after_seven_days_and_on_another_day(gate: GateBench) -> None:
    said = {"kind": "episode", "text": "Went swimming"}
    await gate.do("remember", **said)
    await gate.do("remember", occurred_at=START - DAY, **said)
    assert len(gate.active()) == 2
    gate.later(7 * DAY)
    await gate.do("remember", **said)
    assert len(gate.active()) == 3
    gate.later(30 * DAY)
    for _ in range(2):
        await gate.do("remember", kind="fact", text="Swims")
        gate.later(30 * DAY)
    assert len(gate.active()) == 4


async def test_d3_remembered_again_after_a_restart_and_under_either_id(gate: GateBench) -> None:
    await gate.do("remember", kind="fact", text="Likes tea", command_id="c1")
    gate.restart()
    await gate.do("remember", kind="fact", text="likes tea!", command_id="c2")
    gate.restart()
    first, second = told(gate, "fact", "c1"), told(gate, "fact", "c2")
    await gate.feedback(second, correction="no")
    [kept] = [u for u in gate.view.values() if u.kind == "fact"]
    assert (kept.record_id, kept.state) == (first, "observed")
    await gate.do("remember", kind="fact", text="Likes tea")
    [kept] = gate.active()
    assert kept.confidence == 1
    await gate.do("correct", second, text="Likes coffee")
    [kept] = gate.active()
    assert (kept.record_id, kept.sealed.text) == (first, "Likes coffee")
    await gate.do("remember", kind="fact", text="Likes tea")
    assert len(gate.active()) == 2
    await gate.do("forget", second)
    assert [u.sealed.text for u in gate.active()] == ["Likes tea"]


async def test_n8_a_fact_remembered_again_of_an_earlier_time_holds_from_then(gate: GateBench) -> None:
    await gate.do("remember", kind="fact", text="Likes tea")
    await gate.do("remember", kind="fact", text="Likes tea", occurred_at=START - DAY)
    [kept] = gate.active()
    assert kept.valid_from == START - DAY


@pytest.mark.parametrize("command", ["remember", "put_item"])
async def test_d5_a_credential_in_a_command_is_refused_and_not_repeated(gate: GateBench, command: str) -> None:
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz123456ABCDEFGHIJ"
    where: dict[str, Any] = {"text": f"The API key is {secret}"}
    if command == "put_item":
        where = {"namespace": ("memories",), "key": "k", "value": {"deep": [{"key": f"api_key={secret}"}]}}
    assert await gate.do(command, **where) == []
    assert gate.outcomes() == [("refused", "credential")]
    kept = b"".join(v for rows in gate.rows().values() for v in rows.values())
    assert secret.encode() not in kept


@pytest.mark.parametrize("command", ["remember", "put_item"])
async def test_n5_a_command_is_refused_by_the_rule_of_its_entity(models: Models, command: str) -> None:
    profile = load_profile("general").model_copy(update={"pii": {"IBAN_CODE": PiiAction.REFUSE}})
    gate = GateBench(models, profile=profile)
    where: dict[str, Any] = {"text": "Transfer to DE89 3704 0044 0532 0130 00"}
    if command == "put_item":
        where = {"namespace": ("memories",), "key": "k", "value": {"to": "IBAN DE89 3704 0044 0532 0130 00"}}
    assert await gate.do(command, **where) == []
    assert gate.outcomes() == [("refused", "iban_code")]


async def test_d5_personal_values_in_a_command_are_masked(gate: GateBench) -> None:
    await gate.do("put_item", namespace=("memories",), key="k", value={"contact": ["ann@example.com"], "n": 1})
    [item] = gate.active()
    assert item.sealed.value == {"contact": ["<EMAIL_ADDRESS>"], "n": 1}


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
    gone = candidate("Does not live in Leeds", "residence", "Leeds", negated=True)
    await gate.say(gone)
    assert gate.active("residence") == []
    await gate.do("forget", kept.record_id)
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"), turn="t3", at=START, accepted=later)
    assert gate.outcomes()[-1] == ("refused", "rejected_value")
    assert b"Leeds" not in b"".join(v for rows in gate.rows().values() for k, v in rows.items() if k.startswith("v/"))


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
