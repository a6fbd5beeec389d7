"""What a caller has remembered (D3, D5, N5)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from processors.memory.index import Index
from processors.memory.store import UserMemoryStore
from processors.ports import Models
from schemas.log.ids import record_id
from schemas.log.owner import user
from schemas.profile.model import load_profile
from schemas.profile.pii_policy import PiiAction
from streams.state.cache import CachedOwner, OwnerOverlay
from tests.unit.gate.bench import DAY, HOUR, LANGUAGES, START, GateBench, candidate


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


@pytest.mark.parametrize("restart", [False, True])
async def test_n2_an_id_that_a_caller_gave_to_two_leads_to_the_one_it_named_last(
    gate: GateBench, restart: bool
) -> None:
    fields = {"tennis": "b", "chess": "a"}
    for name in ("", "told"):
        for value, own in fields.items():
            gate.later(HOUR)
            await gate.do("remember", name or own, kind="fact", field="hobby", text=f"Enjoys {value}", value=value)
    assert len(gate.active()) == 2
    if restart:
        gate.restart()
    await gate.do("forget", "told")
    assert gate.values("hobby") == ["tennis"]
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
    store = UserMemoryStore(rows, None, 512)
    for u in gate.log:
        (store.put if u.state == "active" else store.remove)(u)
    index = rows.derived("gate", lambda: Index(None, 512))
    assert [len(held) for held in (index.holders, index.sayings, index.also)] == [0, 0, 0]


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


def text_of(gate: GateBench, kind: str, command_id: str) -> str:
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
    assert (kept.record_id, kept.sealed.text, kept.source) == (text_of(gate, kind, "c1"), text, "explicit")
    assert kept.importance == pytest.approx(gate.log[0].importance + 0.05)
    assert kept.last_accessed_at == START + DAY
    assert kept.also == (text_of(gate, kind, "c2"),)
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
    fields = {"kind": "fact", "text": "Likes tea"}
    await gate.do("remember", **fields)
    await gate.do("remember", **{**fields, **elsewhere})
    assert len(gate.active()) == 2


async def test_d3_an_episode_is_another_after_seven_days_and_on_another_day(gate: GateBench) -> None:
    fields = {"kind": "episode", "text": "Went swimming"}
    await gate.do("remember", **fields)
    await gate.do("remember", occurred_at=START - DAY, **fields)
    assert len(gate.active()) == 2
    gate.later(7 * DAY)
    await gate.do("remember", **fields)
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
    first, second = text_of(gate, "fact", "c1"), text_of(gate, "fact", "c2")
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


async def test_d5_what_the_door_found_refused_is_refused_though_its_text_is_masked(gate: GateBench) -> None:
    assert await gate.do("remember", text="The API key is <CREDENTIAL>", refused_for="credential") == []
    assert gate.outcomes() == [("refused", "credential")]


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
