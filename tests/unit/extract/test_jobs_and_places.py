"""Jobs and no jobs, a country and "us", what is to come and what was, a move of last month (B1, B4, N8)."""

from __future__ import annotations

import pytest

from tests.unit.extract.support import extract, values


@pytest.mark.parametrize(
    "what",
    [
        "a smoker",
        "a non-smoker",
        "a homeowner",
        "a heavy sleeper",
        "a nervous flyer",
        "a first-time buyer",
        "a Trump voter",
        "a feminist",
        "a good cook",
        "a slow walker",
        "an aspiring writer",
        "a hoarder",
    ],
)
def test_b1_not_every_word_in_er_is_an_occupation(what: str) -> None:
    assert values(f"I'm {what}.") == {}
    assert values(f"I've been {what} for 10 years.") == {}


def test_b1_a_native_speaker_has_a_language_and_no_occupation() -> None:
    assert values("I'm a native Italian speaker.") == {"language": "Italian"}


@pytest.mark.parametrize(
    ("what", "job"),
    [
        ("a teacher", "teacher"),
        ("a nurse", "nurse"),
        ("a high school teacher in Leeds", "high school teacher"),
        ("a data analyst", "data analyst"),
        ("an electrician", "electrician"),
        ("a marine biologist and I love dogs", "marine biologist"),
        ("a software engineer turned baker", "software engineer turned baker"),
        ("a truck driver", "truck driver"),
    ],
)
def test_b1_occupations_are_still_heard(what: str, job: str) -> None:
    assert values(f"I'm {what}.")["occupation"] == job


def test_b1_an_age_beside_what_is_no_job_stands() -> None:
    assert values("I'm a 32-year-old smoker.") == {"age": 32}
    assert values("I'm a 32-year-old nurse.") == {"age": 32, "occupation": "nurse"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm a US citizen.", "User is a US citizen"),
        ("I work for the US Navy.", "User works for the US Navy"),
        ("I no longer drink coffee.", "User no longer drinks coffee"),
    ],
)
def test_d2_a_country_is_not_us(text: str, expected: str) -> None:
    assert [c.text for c in extract(text)] == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I have two cats, Miso and Tofu.", "User has two cats, Miso and Tofu"),
        ("We have three dogs, Rex, Bo and Kit.", "User has three dogs, Rex, Bo and Kit"),
        ("I adopted a dog called Bo, and Tom was glad.", "User adopted a dog called Bo"),
    ],
)
def test_b1_pets_have_all_their_names(text: str, expected: str) -> None:
    assert [c.text for c in extract(text)] == [expected]


@pytest.mark.parametrize(
    ("text", "year", "month"),
    [
        ("I'm getting married in June.", 2026, 6),
        ("I'm starting a new job in April.", 2026, 4),
        ("I have a dentist appointment on Friday.", 2026, 2),
        ("我六月结婚。", 2026, 6),
        ("我们八月去西班牙。", 2026, 8),
        ("I started my job in April.", 2025, 4),
        ("I'm taking the pills I bought in May.", 2025, 5),
        ("我们八月去了西班牙。", 2025, 8),
        ("I saw the dentist on Friday.", 2026, 1),
        ("We're flying to Peru in September.", 2026, 9),
    ],
)
def test_n8_what_is_to_come_lies_ahead(text: str, year: int, month: int) -> None:
    (kept,) = [c for c in extract(text) if c.occurred_from]
    assert kept.occurred_from is not None
    assert (kept.occurred_from.year, kept.occurred_from.month) == (year, month)


@pytest.mark.parametrize(
    "text", ["我上个月搬到上海了。", "上周我搬到上海了。", "我去年三月搬到了上海。", "我两年前定居在上海。"]
)
def test_b4_a_move_of_last_month_holds_on(text: str) -> None:
    assert values(text) == {"residence": "上海"}


@pytest.mark.parametrize("text", ["我以前搬到过上海。", "去年我在上海工作。", "我去年住在上海。", "我小时候搬到上海。"])
def test_b4_a_home_of_then_is_none_of_now(text: str) -> None:
    assert values(text) == {}
