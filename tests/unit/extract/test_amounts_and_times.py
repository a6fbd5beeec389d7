"""Amounts, times, names and categories are those that were said, and no more (B1, B2, B3, N8)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from processors.reader.rules.protocol import values_of
from schemas.profile.model import Profile, load_profile
from tests.unit.extract.support import GENERAL, IMMIGRATION, extract, values

HEALTH = load_profile("health")


@pytest.mark.parametrize(
    ("text", "job"),
    [
        ("我做了三年多销售。", "销售"),
        ("我做了三年多的销售。", "销售"),
        ("我做销售三年多了。", "销售"),
        ("我做了三年半销售。", "销售"),
    ],
)
def test_b2_years_and_more_are_about_so_many_and_no_part_of_the_job(text: str, job: str) -> None:
    [found] = extract(text)
    assert values_of(found) == {"occupation": job, "yearsOfExperience": 3}
    assert found.approximate


def test_b2_a_job_whose_name_begins_with_much_keeps_it() -> None:
    [found] = extract("我做了三年多媒体设计。")
    assert values_of(found) == {"occupation": "多媒体设计", "yearsOfExperience": 3}
    assert not found.approximate


@pytest.mark.parametrize(
    ("text", "profile", "field", "value"),
    [
        ("I can invest about 30 million.", IMMIGRATION, "investmentAmount", 30_000_000),
        ("My budget is roughly 30 million.", IMMIGRATION, "investmentAmount", 30_000_000),
        ("我可以投资三千万左右。", IMMIGRATION, "investmentAmount", 30_000_000),
        ("我可以投资大概三千万。", IMMIGRATION, "investmentAmount", 30_000_000),
        ("我心率58左右。", HEALTH, "heart_rate", 58),
        ("我心率平时大概58。", HEALTH, "baseline_heart_rate", 58),
        ("我的血压130/80左右。", HEALTH, "bp_systolic", 130),
        ("My heart rate is about 58.", HEALTH, "heart_rate", 58),
        ("My blood pressure is around 130/80.", HEALTH, "bp_systolic", 130),
    ],
)
def test_b2_what_is_said_as_about_so_much_is_approximate(text: str, profile: Profile, field: str, value: int) -> None:
    [found] = [c for c in extract(text, profile) if field in values_of(c)]
    assert values_of(found)[field] == value
    assert found.approximate


@pytest.mark.parametrize(
    ("text", "profile"),
    [
        ("I can invest 30 million.", IMMIGRATION),
        ("我可以投资三千万。", IMMIGRATION),
        ("我心率58。", HEALTH),
        ("My heart rate is 58.", HEALTH),
        ("My blood pressure is 130/80.", HEALTH),
    ],
)
def test_b2_what_is_said_outright_is_not(text: str, profile: Profile) -> None:
    found = [c for c in extract(text, profile) if values_of(c)]
    assert found
    assert not any(c.approximate for c in found)


@pytest.mark.parametrize("text", ["我们定了，周五发布。", "时间定了，周五发布。", "我们定了周五发布。"])
def test_n8_the_weekday_of_what_was_settled_lies_ahead(text: str) -> None:
    monday = datetime(2026, 2, 2, 3, 0, tzinfo=UTC)
    [found] = extract(text, at=monday)
    assert found.episode_type == "decision"
    assert found.occurred_from is not None
    assert found.occurred_from.date().isoformat() == "2026-02-06"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("我弟和我都住在杭州。", None),
        ("我弟弟们都住在杭州。", None),
        ("我弟他现在在杭州。", None),
        ("我弟小强住在杭州。", "小强"),
    ],
)
def test_d2_what_joins_is_no_name(text: str, name: str | None) -> None:
    [found] = [c for c in extract(text) if c.kind == "relation"]
    assert found.attributes.get("name") == name


@pytest.mark.parametrize("profile", [GENERAL, HEALTH])
@pytest.mark.parametrize("text", ["我每天吃两次二甲双胍。", "每天吃两片二甲双胍。"])
def test_b3_how_often_is_no_part_of_a_medicine(text: str, profile: Profile) -> None:
    assert set(values(text, profile).values()) == {"二甲双胍"}


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("我在考虑高才，不过我妹妹走优才。", None),
        ("我在考虑高才通，不过我妹妹走优才。", "TTPS"),
        ("我想帮我妹妹申请优才。", "QMAS"),
        ("我在考虑优才，我妹妹和我都想申请。", "QMAS"),
        ("我想了解政策，我老公和我都打算走优才。", "QMAS"),
    ],
)
def test_d2_the_category_of_an_intent_is_the_owners(text: str, category: str | None) -> None:
    found = [c for c in extract(text, IMMIGRATION) if c.kind == "intent"]
    assert found
    assert {c.category for c in found} == {category}
