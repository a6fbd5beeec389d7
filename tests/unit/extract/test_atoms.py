"""Decisions, tasks, relations, hot memory, answers, times and wishes, in both languages (A4, B1, D2, D4, N8)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from processors.reader.rules.protocol import TurnView
from processors.reader.rules.rules import RuleExtractor
from schemas.events.memory import HotValue
from schemas.profile.model import FieldSpec, HotKey, Profile, ProjectSpec, load_profile
from tests.unit.extract.support import GENERAL, extract, values

PROJECT = Profile(
    name="test",
    version=1,
    hot_keys=(
        HotKey(key="enrolled", type="status", aliases=("入组", "已入组", "enrolled"), priority=8),
        HotKey(key="target", type="meta", aliases=("目标入组", "enrolment target")),
        HotKey(key="cache", type="decision", aliases=("缓存", "caching"), priority=5),
    ),
    projects=(ProjectSpec(id="proj_123_cangqiong", aliases=("苍穹", "Firmament")),),
)


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("我决定采用 Redis 作为缓存", "用户决定采用 Redis 作为缓存"),
        ("项目决定用 PostgreSQL 而不是 MySQL", "项目决定用 PostgreSQL 而不是 MySQL"),
        ("We decided to use Redis for caching.", "User and others decided to use Redis for caching"),
        ("We agreed to meet on Monday at 9am.", "User and others agreed to meet on Monday at 9am"),
    ],
)
def test_d2_decisions(statement: str, text: str) -> None:
    (found,) = extract(statement)
    assert (found.kind, found.episode_type, found.text) == ("episode", "decision", text)


@pytest.mark.parametrize(
    "text",
    ["我们还没决定用什么缓存", "要不要采用 Redis？", "Have we decided on Redis?", "We haven't decided on a cache yet."],
)
def test_d2_open_questions_are_no_decisions(text: str) -> None:
    assert all(c.episode_type != "decision" for c in extract(text))


@pytest.mark.parametrize(
    ("statement", "text", "day"),
    [
        ("提醒我下周一之前提交报告", "提醒用户下周一之前提交报告", 9),
        ("TODO：下周五之前更新文档", "用户待办：下周五之前更新文档", 13),
        ("Remind me to call mom tomorrow.", "User wants to be reminded to call mom tomorrow", 6),
        ("Don't forget to submit the report by Friday.", "User must not forget to submit the report by Friday", 6),
    ],
)
def test_d2_n8_tasks_with_their_day_ahead(statement: str, text: str, day: int) -> None:
    (found,) = extract(statement)
    assert (found.episode_type, found.text) == ("task", text)
    assert found.occurred_from == datetime(2026, 2, day, tzinfo=UTC)


def test_n8_what_happened_has_its_time() -> None:
    (went,) = extract("I went to the Louvre in Paris last Friday with my wife.")
    assert (went.kind, went.time_text) == ("episode", "last Friday")
    assert went.occurred_from == datetime(2026, 1, 30, tzinfo=UTC)
    (lake,) = extract("上周五我去了西湖看音乐喷泉")
    assert (lake.text, lake.time_text, lake.occurred_from) == (
        "2026年1月30日用户去了西湖看音乐喷泉", "上周五", datetime(2026, 1, 30, tzinfo=UTC),
    )  # fmt: skip
    (age,) = extract("我今年32岁")
    assert age.occurred_from is None, "this year is now: it dates nothing"


@pytest.mark.parametrize(
    ("statement", "text", "relation", "name"),
    [
        ("My sister Anna lives in Rome.", "User's sister Anna lives in Rome", "sister", "Anna"),
        ("I have a daughter named Lily.", "User has a daughter called Lily", "daughter", "Lily"),
        ("我姐姐安娜住在罗马", "用户的姐姐安娜住在罗马", "姐姐", "安娜"),
        ("我老婆是老师", "用户的老婆是老师", "老婆", None),
    ],
)
def test_d2_relations(statement: str, text: str, relation: str, name: str | None) -> None:
    (found,) = [c for c in extract(statement) if c.kind == "relation"]
    assert (found.text, found.attributes["relation"], found.attributes.get("name")) == (text, relation, name)


def test_a4_status_becomes_hot_memory_under_the_profiles_key() -> None:
    (found,) = extract("目前已入组45例", PROJECT, project="p1")
    assert found.hot == HotValue(type="status", key="enrolled", value=45, priority=8)
    (target,) = extract("目标入组100例", PROJECT, project="p1")
    assert target.hot == HotValue(type="meta", key="target", value=100)
    (english,) = extract("We have enrolled 45 subjects", PROJECT, project="p1")
    assert english.hot == HotValue(type="status", key="enrolled", value=45, priority=8)


STUDY = load_profile("clinical_trial")


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("现在入组45例了", "enrolled_count", 45),
        ("截至目前累计入组了45例", "enrolled_count", 45),
        ("目前共有45例患者已入组", "enrolled_count", 45),
        ("We now have 45 patients enrolled.", "enrolled_count", 45),
        ("45 patients are enrolled.", "enrolled_count", 45),
        ("We have enrolled 45 patients so far", "enrolled_count", 45),
        ("We've now enrolled 45 of 120.", "enrolled_count", 45),
        ("So far we have recruited 45 participants.", "enrolled_count", 45),
        ("45 patients have been enrolled to date.", "enrolled_count", 45),
        ("We enrolled 45 subjects in total.", "enrolled_count", 45),
        ("目前已入组45例", "enrolled_count", 45),
        ("Enrollment stands at 45.", "enrolled_count", 45),
        ("Enrolment has reached 45 of 100 patients.", "enrolled_count", 45),
        ("Progress is 38%.", "progress", 38),
        ("Progress is at 38%.", "progress", 38),
        ("Overall progress now stands at 38%.", "progress", 38),
    ],
)
def test_a4_how_many_there_are_by_now_is_heard(text: str, key: str, value: int) -> None:
    (found,) = extract(text, STUDY, project="p1")
    assert found.hot is not None
    assert (found.hot.key, found.hot.value) == (key, value)


@pytest.mark.parametrize(
    "text",
    [
        "本周一共入组5例",
        "目前每周入组5例",
        "中心3目前入组5例",
        "计划目前入组45例",
        "We don't have 45 patients enrolled.",
        "We hope to have 45 patients enrolled.",
        "We have 3 patients enrolled this week.",
        "We have enrolled 3 patients this week.",
        "We have enrolled 3 patients at site 2 so far.",
        "Site 2 has enrolled 3 patients so far.",
        "This month we have enrolled 3 patients so far.",
        "Since Monday, we have enrolled 3 patients so far.",
        "Today we have enrolled 3 patients.",
        "We hope to have enrolled 45 patients in total.",
        "We will have enrolled 45 patients by June.",
        "We have not enrolled 45 patients so far.",
        "Enrollment is now 3 weeks late.",
        "Enrollment stands at 45%.",
        "已入组45%",
    ],
)
def test_a4_a_part_a_plan_or_a_share_is_no_count(text: str) -> None:
    assert all(c.hot is None for c in extract(text, STUDY, project="p1"))


def test_a4_a_decision_with_a_project_is_hot_and_its_project_is_found_by_alias() -> None:
    (found,) = extract("苍穹项目决定采用Redis作为缓存", PROJECT)
    assert found.project_id == "proj_123_cangqiong"
    assert found.hot == HotValue(type="decision", key="cache", value="苍穹项目决定采用Redis作为缓存", priority=5)
    assert extract("我们决定采用Redis作为缓存", PROJECT)[0].hot is None, "without a project nothing is hot"


@pytest.mark.parametrize(
    ("question", "text", "fields"),
    [
        ("Are you married?", "Yes", {"maritalStatus": "married"}),
        ("Do you live in Leeds?", "Yes, I do", {"residence": "Leeds"}),
        ("How old are you?", "32", {"age": 32}),
        ("What's your name?", "Anna", {"name": "Anna"}),
        ("Do you have any kids?", "No", {"hasChildren": False}),
        ("您今年32岁对吗？", "是的", {"age": 32}),
        ("请问您多大年纪？", "32", {"age": 32}),
        ("您是在杭州工作吗？", "对", {"residence": "杭州"}),
        ("请问您有孩子吗？", "没有", {"hasChildren": False}),
        ("您的学历是什么？", "硕士", {"education": "master"}),
    ],
)
def test_b1_an_answer_confirms_what_the_assistant_asked(question: str, text: str, fields: dict[str, object]) -> None:
    assert values(text, question=question) == fields


def test_b1_the_assistant_is_never_a_source() -> None:
    assert values("Thanks", question="So you are 32 and live in Leeds.") == {}
    assert values("不清楚", question="您今年32岁对吗？") == {}
    assert extract("I'm 32 and I live in Leeds", role="assistant") == []
    assert extract("我今年32岁", role="assistant") == []


@pytest.mark.parametrize(
    ("text", "field", "value", "source", "confidence"),
    [
        ("Please answer in Chinese.", "response_language", "Chinese", "inferred", 0.6),
        ("From now on, always reply in French.", "response_language", "French", "explicit", 1.0),
        ("以后都用中文回答我", "response_language", "Chinese", "explicit", 1.0),
        ("回答简短一点", "response_style", "concise", "inferred", 0.6),
        ("用通俗的语言解释。", "response_style", "simple", "inferred", 0.6),
        ("我喜欢简洁的回答。", "response_style", "concise", "explicit", 1.0),
        ("我比较喜欢更详细的解释，谢谢。", "response_style", "detailed", "explicit", 1.0),
        ("以后用简洁的方式回答我", "response_style", "concise", "explicit", 1.0),
    ],
)
def test_d4_a_wish_said_once_is_inferred(text: str, field: str, value: str, source: str, confidence: float) -> None:
    (found,) = [c for c in extract(text) if c.kind == "preference"]
    assert (found.field, found.value, found.source, float(found.confidence)) == (field, value, source, confidence)


@pytest.mark.parametrize(
    "text",
    [
        "我不喜欢简洁的回答。",
        "老板喜欢简短的回答。",
        "她给了我一个详细的回答。",
        "我喜欢简洁的设计。",
        "你喜欢简洁的回答吗？",
    ],
)
def test_d4_an_answer_that_is_not_the_owners_wish_is_none(text: str) -> None:
    assert "response_style" not in values(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I prefer reports as tables.", "reports as tables"),
        ("I prefer tea as it helps me sleep.", "tea"),
        ("I prefer cats as well.", "cats"),
        ("I prefer Lego as a kid would.", "Lego"),
    ],
)
def test_d9_what_a_thing_is_preferred_as_belongs_to_it(text: str, value: str) -> None:
    assert values(text)["prefers"] == value


def test_d9_a_wish_of_the_profiles_is_worded_as_a_request() -> None:
    (wish,) = extract("Please always cite the latest guidelines.", load_profile("health"))
    assert (wish.field, wish.text) == ("guideline_references", "User asks to always cite the latest guidelines")
    (form,) = extract("以后报告请用表格。", load_profile("clinical_trial"))
    assert (form.kind, form.field, form.value) == ("preference", "report_format", "表格")


def test_d2_requests_keep_their_particulars() -> None:
    (flight,) = extract("Can you find me a one way flight to Las Vegas on March 7th?")
    assert (flight.kind, flight.text) == ("intent", "User asked to find a one way flight to Las Vegas on 7 March 2026")
    (hotel,) = extract("你好，我想找一家评分4.5分以上的酒店，给我推荐一个吧")
    assert (hotel.kind, hotel.text) == ("intent", "用户想找一家评分4.5分以上的酒店")
    (park,) = extract("我想带孩子去一个门票免费的公园，给我推荐一个吧")
    assert (park.kind, park.text) == ("intent", "用户想带孩子去一个门票免费的公园")
    assert extract("Thanks, that's great!") == []
    assert extract("好的，谢谢") == []


@pytest.mark.parametrize(
    ("text", "among_people", "alone"),
    [
        ("Would you like me to ring Mr Hall about the boiler?", 0, 0),
        ("Would you prefer the flat in Leeds or the one in York?", 0, 0),
        ("Will you be sailing to Oban on Sunday?", 0, 0),
        ("Shall I add Mr Hall to the list for Monday?", 0, 0),
        ("Ask Mr Hall for two kilos of haddock.", 0, 1),
        ("Could you find a cheap boiler in Leeds?", 0, 1),
        ("Will you answer in Gaelic from now on?", 0, 1),
        ("Use metric units", 0, 1),
        ("Book club is on Monday at 7", 0, 0),
        ("Recommend me something for supper", 0, 0),
        ("Please send twenty more", 0, 0),
        ("Can you check the ferry to Oban and tell me whether it sails", 0, 0),
        ("Can you review this text: we sail to Oban and bake", 0, 0),
        ("Help me quit smoking", 0, 1),
        ("Book a dentist on Friday", 0, 1),
        ("May I move my appointment to Friday?", 0, 1),
        ("Could you book me a van for Monday the 3rd?", 1, 1),
        ("Can you help me prepare my application to Leeds college?", 1, 1),
    ],
)
def test_b1_a_request_among_people_names_a_goal_a_deadline_or_an_application(
    text: str, among_people: int, alone: int
) -> None:
    for speaker, kept in (("Ann", among_people), (None, alone)):
        found = extract(text, speaker=speaker)
        assert len([c for c in found if c.kind == "intent" and c.source == "explicit"]) == kept


def test_d5_masked_values_are_no_values() -> None:
    assert values("My name is <PERSON> and I live in <LOCATION>") == {}
    assert values("我叫<PERSON>，住在<LOCATION>") == {}


def test_d1_the_same_turn_gives_the_same_candidates_with_running_ordinals() -> None:
    turn = TurnView("I'm 32 and I live in Leeds. I love hiking.", "user", "en", datetime(2026, 2, 5, tzinfo=UTC))
    first, again = RuleExtractor().extract(turn, GENERAL), RuleExtractor().extract(turn, GENERAL)
    assert first == again
    assert [c.ordinal for c in first] == [0, 1, 2]
    assert all(c.terms == () and c.embedding == b"" for c in first)


def test_code_between_backticks_states_nothing() -> None:
    assert values("```I am 32``` is the greeting. I am 41.") == {"age": 41}


@pytest.mark.parametrize(("text", "value"), [("I prefer concise answers.", "concise"), ("我喜欢简洁的回答", "简洁")])
def test_the_profiles_own_field_is_filled_beside_a_general_one(text: str, value: str) -> None:
    own = {"name": "tone", "kind": "preference", "patterns": ["prefer (?P<value>concise)", "喜欢(?P<value>简洁)的"]}
    profile = GENERAL.model_copy(update={"fields": (*GENERAL.fields, FieldSpec.model_validate(own))})
    assert values(text, profile)["tone"] == value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Please submit the report by Friday.", "Submit the report by Friday"),
        ("Please review the protocol by 3 December.", "Review the protocol by 3 December"),
        ("Next step: call the lab about the results.", "User has to do: call the lab about the results"),
        ("Action items: review the protocol and order kits.", "User has to do: review the protocol and order kits"),
    ],
)
def test_d2_what_is_asked_of_others_by_a_day_is_a_task(text: str, expected: str) -> None:
    assert [(c.episode_type, c.text) for c in extract(text)] == [("task", expected)]


@pytest.mark.parametrize(
    "text",
    ["Please send me the slides before 5 pm.", "Please book a table by 7 pm.", "Please pass by Friday's market."],
)
def test_d2_what_the_assistant_is_asked_for_stays_a_request(text: str) -> None:
    assert [c.kind for c in extract(text)] == ["intent"]
