"""What has been so since then, is so no more, is about so; what somebody is called, and what is no job (B1, B2, B4)."""

from __future__ import annotations

import pytest

from processors.reader.rules.protocol import values_of
from processors.reader.rules.text import prepare, sentences
from schemas.profile.model import load_profile
from tests.unit.extract.support import extract, values

HEALTH = load_profile("health")


@pytest.mark.parametrize(
    ("text", "place", "year"),
    [
        ("I've lived in Leeds since 2019.", "Leeds", 2019),
        ("We have lived in New York since March 2020 and love it.", "New York", 2020),
        ("我从2019年起就住在杭州", "杭州", 2019),
        ("自2019年以来我一直住在苏州。", "苏州", 2019),
        ("我从去年开始住在杭州。", "杭州", 2025),
    ],
)
def test_n8_a_home_since_then_is_the_home_of_now(text: str, place: str, year: int) -> None:
    (home,) = [c for c in extract(text) if c.field == "residence"]
    assert (home.value, home.negated) == (place, False)
    assert home.occurred_from is not None
    assert home.occurred_from.year == year


def test_b4_a_home_for_years_is_the_home_of_now() -> None:
    assert values("I have lived in Leeds for about ten years now.") == {"residence": "Leeds"}
    assert values("I have lived in Leeds all my life.") == {"residence": "Leeds"}


@pytest.mark.parametrize(
    "text",
    [
        "I've lived in Leeds, and it rains.",
        "I have lived in Leeds since 2019 until last year.",
        "I have lived in Leeds for ten years before.",
        "我从2019年到2021年住在杭州",
        "我从2019年开始到2021年住在杭州",
        "我打算从明年起住在杭州。",
    ],
)
def test_b4_a_home_that_ended_or_is_to_come_is_none(text: str) -> None:
    assert "residence" not in values(text)


@pytest.mark.parametrize(
    ("text", "field", "thing"),
    [
        ("I don't like mushrooms anymore.", "likes", "mushrooms"),
        ("I do not enjoy running any longer.", "likes", "running"),
        ("I no longer like coffee.", "likes", "coffee"),
        ("I don't prefer tea any more.", "prefers", "tea"),
        ("我现在不喜欢喝咖啡了", "likes", "咖啡"),
        ("我不再喜欢咖啡。", "likes", "咖啡"),
        ("我已经不爱吃香菜了。", "likes", "香菜"),
    ],
)
def test_b4_what_is_no_longer_liked_ends_that_taste(text: str, field: str, thing: str) -> None:
    (over,) = extract(text)
    assert (over.kind, over.field, over.value, over.negated) == ("preference", field, thing, True)


@pytest.mark.parametrize(
    ("text", "taste"),
    [
        ("I don't like mushrooms.", {"dislikes": "mushrooms"}),
        ("I hate coffee now.", {"dislikes": "coffee"}),
        ("I love hiking these days.", {"likes": "hiking"}),
        ("我喜欢喝咖啡。", {"likes": "咖啡"}),
        ("我现在不喜欢咖啡。", {"dislikes": "咖啡"}),
        ("我喜欢吃饭。", {"likes": "吃饭"}),
        ("我喜欢吃喝玩乐。", {"likes": "吃喝玩乐"}),
    ],
)
def test_b1_a_taste_is_for_the_thing_itself(text: str, taste: dict[str, str]) -> None:
    assert values(text) == taste


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("I weigh about 82 kilos.", "weight", 82),
        ("I'm roughly 180 cm tall.", "height", 180),
        ("我身高大概178。", "height", 178),
        ("我身高178左右。", "height", 178),
        ("我体重差不多80公斤。", "weight", 80),
        ("I have about 10 years of experience.", "years", 10),
        ("I've been a teacher for over 10 years.", "years", 10),
        ("I am a nurse with around 10 years of experience.", "years", 10),
        ("我月薪大概2万", "monthly_income", 20_000),
    ],
)
def test_b2_about_is_kept_as_about(text: str, field: str, value: int) -> None:
    (about,) = [c for c in extract(text, HEALTH) if field in values_of(c)]
    assert (values_of(about)[field], about.approximate) == (value, True)


@pytest.mark.parametrize(
    "text", ["I weigh 82 kilos.", "我身高178。", "I have 10 years of experience.", "我月薪2万", "I'm 180 cm tall."]
)
def test_b2_a_plain_figure_is_exact(text: str) -> None:
    (exact,) = [c for c in extract(text, HEALTH) if values_of(c)]
    assert not exact.approximate


@pytest.mark.parametrize("text", ["Call me Ishmael.", "Please call me Ishmael.", "Hi! Call me Ishmael, please."])
def test_b1_what_somebody_is_called_is_a_name(text: str) -> None:
    assert values(text)["name"] == "Ishmael"


@pytest.mark.parametrize(
    "text", ["Please call me Monday.", "Call me Tomorrow.", "Please don't call me Robert.", "Please call me ASAP."]
)
def test_b1_when_to_call_is_no_name(text: str) -> None:
    assert "name" not in values(text)


@pytest.mark.parametrize(
    "text", ["My job is my life.", "My job is stressful.", "I work as a part-time job.", "My occupation is my job."]
)
def test_b1_what_is_said_of_a_job_is_no_job(text: str) -> None:
    assert "occupation" not in values(text)


def test_b1_an_answer_that_names_no_job_fills_none() -> None:
    assert values("It's my job.", question="What do you do for a living?") == {}
    assert values("A nurse.", question="What do you do for a living?") == {"occupation": "nurse"}


@pytest.mark.parametrize(
    ("text", "job"),
    [("My job is a nurse.", "nurse"), ("My job is teaching.", "teaching"), ("My job is law clerk.", "law clerk")],
)
def test_b1_what_a_job_is_said_to_be_is_heard(text: str, job: str) -> None:
    assert values(text)["occupation"] == job


def test_b1_years_in_a_trade_are_no_part_of_its_name() -> None:
    assert values("I've worked in banking for about 10 years.")["industry"] == "banking"


def test_d2_a_title_ends_no_sentence() -> None:
    assert [s.text for s in sentences(prepare("我看了《摔跤吧！爸爸》。真好！"))] == ["我看了《摔跤吧！爸爸》", "真好"]
    (answer,) = extract("2016年", question="《摔跤吧！爸爸》是哪年的？")
    assert "《摔跤吧！爸爸》" in answer.text
