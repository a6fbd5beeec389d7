"""A model's answer is checked against the turn and the profile; it changes nothing else (B1, B2, B7)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from processors.reader.rules import model
from processors.reader.rules.protocol import TurnView
from schemas.profile.model import Profile, load_profile

AT = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)
TEXT = {
    "en": "I am 32, I earn about 80k a year and I moved to Lisbon last month. I want to apply for TTPS.",
    "zh": "我今年32岁，硕士毕业，年收入大概80万，上个月搬到了杭州。我想申请高才通。",
}


@pytest.fixture(scope="module")
def profile() -> Profile:
    return load_profile("immigration")


def view(language: Any = "zh", text: str | None = None, **changes: Any) -> TurnView:
    return TurnView(content=text or TEXT[language], role="user", language=language, occurred_at=AT, **changes)


def entry(**changes: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "kind": "fact", "text": "用户32岁。", "quote": "我今年32岁", "fields": [{"name": "age", "value": 32}],
        "approximate": False, "inferred": False, "negated": False, "episode_type": None, "category": None,
    }  # fmt: skip
    return {**base, **changes}


def read(entries: Any, profile: Profile, turn: TurnView | None = None) -> tuple[list[Any], dict[str, int]]:
    found, dropped = model.read_answer(json.dumps({"candidates": entries}), turn or view(), profile)
    return found, {k: n for k, n in dropped.items() if n}


def test_a_statement_is_a_candidate_with_the_profiles_importance(profile: Profile) -> None:
    [c], dropped = read([entry()], profile)
    assert (c.field, c.value, c.kind, c.ordinal, c.scope) == ("age", 32, "fact", 0, "global")
    assert (c.importance, str(c.confidence), c.source) == (profile.importance["fact"], "1.0", "explicit")
    assert dropped == {}


def test_d4_what_is_inferred_starts_lower(profile: Profile) -> None:
    [c], _ = read([entry(inferred=True)], profile)
    assert (str(c.confidence), c.source) == ("0.6", "inferred")


def test_b3_several_fields_stand_in_the_catalogues_order(profile: Profile) -> None:
    fields = [{"name": "annualIncome", "value": "800,000"}, {"name": "age", "value": 32.0}]
    quote = "我今年32岁，硕士毕业，年收入大概80万"
    [c], _ = read([entry(text="用户32岁，年收入约80万", fields=fields, quote=quote, approximate=True)], profile)
    assert (c.field, c.fields, c.value, c.approximate) == (
        None,
        ("age", "annualIncome"),
        {"age": 32, "annualIncome": 800000},
        True,
    )


@pytest.mark.parametrize(
    "key", ["scope", "tenant", "user_id", "importance", "confidence", "project_id", "policy", "record_id", "source"]
)
def test_nothing_but_what_was_said_comes_from_the_model(profile: Profile, key: str) -> None:
    [plain], _ = read([entry()], profile)
    [c], dropped = read([entry(**{key: "other"})], profile)
    assert c == plain
    assert dropped == {"unknown_key": 1}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"quote": "我今年33岁"}, "not_said"),
        ({"quote": ""}, "not_said"),
        ({"quote": None}, "not_said"),
        ({"text": " "}, "no_text"),
        ({"text": "长" * 1_001}, "no_text"),
        ({"text": "用户的电话是<PHONE_NUMBER>。"}, "masked"),
        ({"text": "用户的门禁码是4471。"}, "secret"),
        ({"kind": "rumour"}, "not_an_entry"),
        ({"fields": [{"name": "shoeSize", "value": 43}]}, "unknown_field"),
        ({"fields": ["age"]}, "unknown_field"),
        ({"fields": [{"name": "age", "value": "old"}]}, "value_not_allowed"),
        ({"fields": [{"name": "age", "value": True}]}, "value_not_allowed"),
        ({"fields": [{"name": "age", "value": 1e300}]}, "value_not_allowed"),
        ({"fields": [{"name": "education", "value": "小学"}]}, "value_not_allowed"),
        ({"fields": [{"name": "university", "value": {"a": 1}}]}, "value_not_allowed"),
        ({"text": "用户\x0032岁"}, "invalid"),
        ({"text": "用户32岁，喜欢下棋。"}, "not_carried"),
        ({"text": "用户不是32岁。"}, "polarity"),
    ],
)
def test_b2_what_does_not_stand_in_turn_or_catalogue_is_dropped_with_a_reason(
    profile: Profile, changes: dict[str, Any], reason: str
) -> None:
    found, dropped = read([entry(**changes)], profile)
    assert found == []
    assert dropped[reason] == 1


def test_values_are_the_profiles_own(profile: Profile) -> None:
    [c], _ = read(
        [entry(text="用户是硕士。", quote="硕士毕业", fields=[{"name": "education", "value": "研究生"}])], profile
    )
    assert (c.field, c.value) == ("education", "硕士")


def test_the_catalogue_says_what_kind_a_field_is(profile: Profile) -> None:
    [c], _ = read([entry(kind="preference")], profile)
    assert c.kind == "fact"


def test_an_intent_has_the_category_that_it_names(profile: Profile) -> None:
    statement = entry(kind="intent", text="用户想申请高才通。", quote="我想申请高才通", fields=[], category="nonsense")
    [c], _ = read([statement], profile)
    assert (c.kind, c.category, c.field) == ("intent", "TTPS", None)


@pytest.mark.parametrize(("language", "quote"), [("en", "I moved to Lisbon last month"), ("zh", "上个月搬到了杭州")])
def test_n8_times_are_read_from_the_words(profile: Profile, language: str, quote: str) -> None:
    statement = entry(kind="episode", text="Moved.", quote=quote, fields=[], episode_type="fact")
    [c], _ = read([statement], profile, view(language))
    assert c.occurred_from is not None
    assert (c.occurred_from.year, c.occurred_from.month) == (2026, 10)


def test_b1_a_short_answer_may_quote_the_question(profile: Profile) -> None:
    turn = view("en", "Yes.", previous=(("assistant", "So you are 32 years old?"),))
    statement = entry(text="User is 32 years old.", quote="you are 32 years old")
    assert len(read([statement], profile, turn)[0]) == 1
    others = view("en", "Yes.", previous=(("user", "So you are 32 years old?"),))
    assert read([statement], profile, others)[0] == []
    long = view("en", "No idea what you mean by that, let us talk about it some other day.", previous=turn.previous)
    assert read([statement], profile, long)[0] == []


def test_the_same_twice_counts_once_and_there_is_a_bound(profile: Profile) -> None:
    found, dropped = read([entry()] * 40, profile)
    assert len(found) == 1
    assert dropped == {"too_many": 10, "repeated": 29}


@pytest.mark.parametrize("answer", ["[]", "3", '"x"', "{}", '{"candidates": {}}', "no"])
def test_json_of_another_form_is_no_answer(profile: Profile, answer: str) -> None:
    with pytest.raises(model.NotAnAnswer):
        model.read_answer(answer, view(), profile)


def test_the_schema_names_the_fields_of_the_profile_and_no_other_key(profile: Profile) -> None:
    entries = model.schema(profile)["properties"]["candidates"]["items"]
    names = entries["properties"]["fields"]["items"]["properties"]["name"]["enum"]
    assert names == [f.name for f in profile.fields]
    assert entries["additionalProperties"] is False
    assert sorted(entries["required"]) == sorted(entries["properties"])
    assert "scope" not in entries["properties"]


def test_d1_the_question_holds_turn_and_context_and_no_more() -> None:
    request = json.loads(model.question(view("en", "Yes.", previous=(("assistant", "Are you 32?"),), speaker="Ann")))
    assert request == {"CONTEXT": [{"role": "assistant", "content": "Are you 32?"}], "MESSAGE": "Yes.", "AUTHOR": "Ann"}


@pytest.mark.parametrize(("reaches", "project"), [(None, "proj_123_cangqiong"), (("p2",), None)])
def test_c7_a_projects_name_is_its_id_only_where_the_caller_reaches_it(
    reaches: tuple[str, ...] | None, project: str | None
) -> None:
    text = "苍穹项目决定采用Redis作为缓存。"
    statement = entry(kind="episode", episode_type="decision", text=text, quote=text, fields=[])
    [c], _ = read([statement], load_profile("engineering"), view(text=text, reaches=reaches))
    assert (c.project_id, c.hot is not None) == (project, project is not None)
