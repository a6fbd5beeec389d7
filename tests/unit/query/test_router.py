"""Intents, projects, times and decisions that a query names, and why (D10)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memstream.workers.models import default_embedder
from query.prompt.intents import by_example, reason_fields, route
from schemas.profile.model import Intent, ProjectSpec, load_profile
from tests.linear import assert_linear

NOW = datetime(2026, 11, 22, 9, tzinfo=UTC)
PROFILE = load_profile("engineering")


@pytest.mark.parametrize(
    ("query", "since", "until", "words"),
    [
        ("What did we talk about last month?", (2026, 10, 1), (2026, 11, 1), "last month"),
        ("上个月我们讨论了什么?", (2026, 10, 1), (2026, 11, 1), "上个月"),
        ("What happened in May 2025", (2025, 5, 1), (2025, 6, 1), "May 2025"),
    ],
)
def test_d10_a_time_limits_what_happened(
    query: str, since: tuple[int, int, int], until: tuple[int, int, int], words: str
) -> None:
    routed = route(PROFILE, query, now=NOW)
    assert routed.filters is not None
    assert routed.filters.occurred_from == datetime(*since, tzinfo=UTC)
    assert routed.filters.occurred_to == datetime(*until, tzinfo=UTC)
    assert routed.kinds == {"turn", "episode"}
    (result,) = [b for b in routed.because if b.get("filter") == "occurred"]
    assert words.casefold() in result["words"][0].casefold()


def between(query: str) -> tuple[str | None, str | None]:
    filters = route(PROFILE, query, now=NOW).filters
    since, until = (filters.occurred_from, filters.occurred_to) if filters is not None else (None, None)
    return since.date().isoformat() if since else None, until.date().isoformat() if until else None


@pytest.mark.parametrize(
    ("query", "since", "until"),
    [
        ("Who was my dentist before May 2025?", None, "2025-05-01"),
        ("Who was my dentist until May 2025?", None, "2025-06-01"),
        ("Where did I live up to the end of 2020?", None, "2021-01-01"),
        ("What has changed since May?", "2026-05-01", None),
        ("What has changed since the summer?", "2026-06-01", None),
        ("What happened after last week?", "2026-11-16", None),
        ("What happened since March, before May 2026?", "2026-03-01", "2026-05-01"),
        ("2025年5月之前我的牙医是谁？", None, "2025-05-01"),
        ("自5月以来有什么变化？", "2026-05-01", None),
        ("去年之后呢？", "2026-01-01", None),
        ("截至2025年5月的牙医是谁？", None, "2025-06-01"),
        ("去年年底之前我住在哪里？", None, "2026-01-01"),
        ("Where was I before 3 to 5 March?", None, "2026-03-03"),
        ("年初以来有什么变化？", "2026-01-01", None),
    ],
)
def test_d10_before_and_since_leave_a_side_open(query: str, since: str | None, until: str | None) -> None:
    assert between(query) == (since, until)


@pytest.mark.parametrize(
    ("query", "since", "until"),
    [
        ("What did we plan in May?", "2026-05-01", "2026-06-01"),
        ("What did we agree between March and May 2026?", "2026-03-01", "2026-06-01"),
        ("How old was I in 1999?", "1999-01-01", "2000-01-01"),
        ("What happened in Q3 2026?", "2026-07-01", "2026-10-01"),
        ("What happened in the first quarter?", "2026-01-01", "2026-04-01"),
        ("Who did I meet in the last two weeks?", "2026-11-08", "2026-11-23"),
        ("What did I do in the past 3 months?", "2026-08-21", "2026-11-23"),
        ("What did I do last quarter?", "2026-07-01", "2026-10-01"),
        ("What did I say over the weekend?", "2026-11-21", "2026-11-23"),
        ("最近三天我说了什么?", "2026-11-19", "2026-11-23"),
        ("过去两周讨论了哪些问题?", "2026-11-08", "2026-11-23"),
        ("上季度的进展", "2026-07-01", "2026-10-01"),
        ("第三季度发生了什么?", "2026-07-01", "2026-10-01"),
        ("去年第四季度呢?", "2025-10-01", "2026-01-01"),
        ("半年前我在哪里?", "2026-04-01", "2026-07-01"),
        ("周末我做了什么?", "2026-11-21", "2026-11-23"),
        ("上个周末", "2026-11-14", "2026-11-16"),
        ("上周12号受试者缺了什么？", "2026-11-09", "2026-11-16"),
        ("What did I say a few days ago?", "2026-11-15", "2026-11-22"),
        ("Who did we meet a couple of weeks ago?", "2026-10-26", "2026-11-16"),
        ("Where was I several months ago?", "2026-04-01", "2026-11-01"),
        ("几天前我说了什么?", "2026-11-15", "2026-11-22"),
        ("前几周讨论了什么?", "2026-09-28", "2026-11-16"),
        ("年初定了什么?", "2026-01-01", "2026-03-01"),
        ("去年年底定了什么?", "2025-11-01", "2026-01-01"),
        ("月初谁来过?", "2026-11-01", "2026-11-11"),
        ("上月底谁来过?", "2026-10-21", "2026-11-01"),
        ("What happened 3 to 5 March?", "2026-03-03", "2026-03-06"),
        ("What happened between 3 and 5 March?", "2026-03-03", "2026-03-06"),
        ("3月3日到5日发生了什么?", "2026-03-03", "2026-03-06"),
        ("3月30日到4月2日发生了什么?", "2026-03-30", "2026-04-03"),
    ],
)
def test_d10_times_that_only_a_question_needs(query: str, since: str, until: str) -> None:
    assert between(query) == (since, until)


@pytest.mark.parametrize(
    "query",
    ["May I ask what flowers Ana likes?", "Is port 2020 open?", "What do I think of the 2024 Corolla?",
     "我的2024年款卡罗拉怎么样?", "年底要交什么?", "月底要交什么?", "大年初一吃什么?",
     "What did I promise to finish by Monday?", "What is planned since next month?"],
)  # fmt: skip
def test_d10_what_is_no_time_limits_nothing(query: str) -> None:
    assert between(query) == (None, None)


@pytest.mark.parametrize(
    "unit", ["since May ", "last two ", "in in ", "Q3 2020, ", "第三", "最近", "半年前", "a few days ", "前几"]
)
def test_d10_long_queries_end(unit: str) -> None:
    assert_linear(between, lambda size: unit * size, 5_000)


@pytest.mark.parametrize("query", ["苍穹项目的决策有哪些?", "Which decisions did we make?"])
def test_d10_decisions_are_asked_for_by_their_type(query: str) -> None:
    routed = route(PROFILE, query, now=NOW)
    assert routed.filters is not None
    assert routed.filters.episode_type == "decision"
    assert any(b.get("filter") == "episode_type" for b in routed.because)


@pytest.mark.parametrize("query", ["What shall we do next month?", "hello", "明年去哪里?"])
def test_d10_what_is_not_over_limits_nothing(query: str) -> None:
    assert route(PROFILE, query, now=NOW).filters is None


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("I painted the fence", []),
        ("my knee is painful", ["pain"]),
        ("two appointments next week", ["appointment"]),
        ("shall I follow up?", ["follow up"]),
        ("disappointment", []),
        ("最近头晕", ["头晕"]),
    ],
)
def test_d10_a_keyword_is_a_word_in_any_form_and_no_part_of_another(query: str, words: list[str]) -> None:
    routed = route(load_profile("health"), query, now=NOW)
    assert [w for b in routed.because if "intent" in b for w in b["words"]] == words


@pytest.mark.parametrize(("before", "found"), [(1_900, True), (2_100, False)])
def test_c2_patterns_are_looked_for_where_a_question_begins(before: int, found: bool) -> None:
    """They ran over up to 100,000 characters on the event loop, at each of them anew."""
    profile = PROFILE.model_copy(update={"intents": (Intent(name="X", patterns=("according to the plan",)),)})
    routed = route(profile, "x" * before + " according to the plan", now=NOW)
    assert bool(routed.intents) is found


@pytest.mark.parametrize(("query", "project"), [("Cangqiong's cache?", True), ("precangqionging", False)])
def test_d10_an_alias_is_a_word_of_its_own(query: str, project: bool) -> None:
    assert (route(PROFILE, query, now=NOW).project_id is not None) == project


@pytest.mark.parametrize(
    ("query", "project"),
    [("What did we decide on Atlas Mobile?", "mobile"), ("苍穹二期的决策是什么?", "mobile"), ("On Atlas?", "atlas"),
     ("苍穹的决策是什么?", "atlas")],
)  # fmt: skip
def test_d2_the_longest_name_is_the_projects(query: str, project: str) -> None:
    named = {"atlas": ("Atlas", "苍穹"), "mobile": ("Atlas Mobile", "苍穹二期")}
    projects = tuple(ProjectSpec(id=i, aliases=a) for i, a in named.items())
    assert route(PROFILE.model_copy(update={"projects": projects}), query, now=NOW).project_id == project


def test_d10_an_intent_says_which_words_chose_it_and_a_given_one_that_it_was_given() -> None:
    clinical = load_profile("clinical_trial")
    intent = next(i for i in clinical.intents if i.keywords)
    routed = route(clinical, f"xx {intent.keywords[0]} xx", now=NOW)
    assert {"intent": intent.name, "words": [intent.keywords[0]]} in [
        {"intent": b.get("intent"), "words": b.get("words", [])[:1]} for b in routed.because
    ]
    given = route(clinical, "anything", intent.name, NOW)
    assert [i.name for i in given.intents] == [intent.name]
    assert any(b.get("given") for b in given.because)
    assert route(clinical, "zzz").intents == []


def test_d10_the_seeds_example_in_the_seeds_shape() -> None:
    query = "我们上次关于苍穹项目的决策是什么？"
    answer = reason_fields(query, route(load_profile("engineering"), query, None, NOW))
    assert answer["query"] == query
    assert set(answer["intents"]) == {"project_review", "recall_decision"}
    assert answer["entities"] == {"project_name": "苍穹", "event_type": "决策"}
    assert answer["metadata_filter"] == {
        "episodic_memory": {"project_id": "proj_123_cangqiong", "event_type": "decision"}
    }


def test_d10_times_limit_what_happened_and_nothing_limits_where_no_word_does() -> None:
    profile = load_profile("engineering")
    answer = reason_fields("What broke last month?", route(profile, "What broke last month?", None, NOW))
    assert answer["entities"] == {"time": "last month"}
    assert answer["metadata_filter"].keys() == {"episodic_memory", "history"}
    assert answer["metadata_filter"]["history"].keys() == {"occurred_from", "occurred_to"}
    plain = reason_fields("hello", route(profile, "hello", None, NOW))
    assert (plain["entities"], plain["metadata_filter"]) == ({}, {})


@pytest.mark.parametrize(
    ("profile", "query", "intent"),
    [
        ("engineering", "Which cache did we choose?", "recall_decision"),
        ("engineering", "Redis 与本地缓存的差别是什么？", "knowledge_qa"),
        ("clinical_trial", "Please look over record 12 for errors", "QC_TASK"),
        ("clinical_trial", "研究规定的入选条件有哪些？", "PROTOCOL_QA"),
        ("clinical_trial", "我喜欢吃面条", None),
        ("engineering", "When did Caroline go to the support group?", None),
    ],
)
def test_d10_the_nearest_example_claims_what_no_word_does(profile: str, query: str, intent: str | None) -> None:
    given = load_profile(profile)
    examples = [(i, text) for i in given.intents for text in i.examples]
    vectors = default_embedder().embed([query, *(text for _, text in examples)])
    by_words = route(given, query, now=NOW)
    assert by_words.intents == []
    routed = by_example(by_words, examples, [float(v @ vectors[0]) for v in vectors[1:]])
    assert [i.name for i in routed.intents][:1] == ([] if intent is None else [intent])
    assert [b["intent"] for b in routed.because if "example" in b] == [i.name for i in routed.intents]


@pytest.mark.parametrize(
    ("query", "months"),
    [("上个月的决策是什么？", (10, 11)), ("What happened to the decisions of last month?", (10, 11))],
)
def test_d10_decisions_of_a_time_are_looked_for_among_its_turns_where_turns_are_searched_alone(
    query: str, months: tuple[int, int]
) -> None:
    routed = route(load_profile("clinical_trial"), query, "QA_QUERY", NOW)
    assert routed.filters is not None
    assert routed.limits({"turn", "episode", "fact"}) == (routed.filters, frozenset({"episode"}))
    times, kinds = routed.limits({"turn"})
    assert times is not None
    assert (times.occurred_from, times.occurred_to) == tuple(datetime(2026, m, 1, tzinfo=UTC) for m in months)
    assert (times.episode_type, kinds) == (None, frozenset({"turn"}))
    statement = reason_fields(query, routed)["metadata_filter"]
    assert set(statement["history"]) == {"occurred_from", "occurred_to"}
    assert statement["episodic_memory"]["event_type"] == "decision"
    with_all = route(load_profile("general"), query, now=NOW)
    assert set(reason_fields(query, with_all)["metadata_filter"]) == {"episodic_memory"}, (
        "episodes are searched beside turns"
    )
