"""Whose it is that somebody speaks of: what is a relative's, or anybody else's, is no fact about the speaker (B1)."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.profile.model import Profile, load_profile
from tests.unit.extract.support import values


@pytest.fixture(scope="module")
def health() -> Profile:
    return load_profile("health")


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("My brother's blood pressure is 150/90.", {}),
        ("My mom has diabetes.", {"family_history": "diabetes"}),
        ("My brother's heart rate is 100 and my weight is 80 kg.", {"weight": 80}),
        ("My dog weighs 20 kg and I weigh 70 kg.", {"weight": 70}),
        ("I measured my father: his blood pressure was 150/90.", {}),
        ("My doctor said my blood pressure is 150/90.", {"bp_systolic": 150, "bp_diastolic": 90}),
        ("我弟弟血压150/90。", {}),
        ("我给妈妈量了血压150/95。", {}),
        ("我爸爸有糖尿病，吃二甲双胍。", {"family_history": "糖尿病"}),
        ("我爸爸有糖尿病。在吃二甲双胍。", {"family_history": "糖尿病"}),
        ("我爸爸有糖尿病，我在吃二甲双胍。", {"family_history": "糖尿病", "medications": "二甲双胍"}),
        ("我猜你有高血压。", {}),
        ("我的狗体重20公斤。", {}),
        ("我今天血压128/82。", {"bp_systolic": 128, "bp_diastolic": 82}),
        ("我有高血压，在吃二甲双胍。", {"medical_history": "高血压", "medications": "二甲双胍"}),
    ],
)
def test_b1_what_is_anothers_is_no_fact_of_the_speaker(text: str, fields: dict[str, Any], health: Profile) -> None:
    assert values(text, health) == fields


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("我住在Leeds。", {"residence": "Leeds"}),
        ("我现在住在 New York 的一个小区。", {"residence": "New York"}),
        ("我住在 Leeds 在医院工作", {"residence": "Leeds"}),
        ("我叫Tom 今年30岁", {"name": "Tom", "age": 30}),
        ("我住在Airbnb里。", {}),
    ],
)
def test_b1_places_in_latin_script_are_heard_in_chinese(text: str, fields: dict[str, Any]) -> None:
    assert values(text) == fields
