"""The rules' own readings: calibrated on writers, for what may be missed and for what was dropped."""

from __future__ import annotations

from typing import get_args

import pytest

from inference.language import language_of
from processors.reader.rules.protocol import Reading, TurnView
from processors.reader.rules.readings import cell_of_dropped, reading_of_cell, reading_of_taken
from processors.reader.rules.rules import RuleExtractor
from schemas.events.memory import DropLabel
from schemas.profile.model import Profile, ReadingSpec, load_profile
from tests.unit.extract.support import GENERAL, THURSDAY


def read(text: str, profile: Profile = GENERAL) -> Reading:
    return RuleExtractor().read(TurnView(text, "user", language_of(text), THURSDAY), profile)


@pytest.mark.parametrize(
    ("shorter", "longer"),
    [
        ("I moved my piano to Leeds.", "I moved my old piano to Leeds with my brother and his van last winter."),
        ("我五月买了一架钢琴。", "我五月在城西的旧货市场买了一架德国产的旧钢琴。"),
        ("I sold my boat in May.", "I sold my 3 boats in May."),
    ],
)
def test_what_says_more_reads_higher(shorter: str, longer: str) -> None:
    [[one], [other]] = [read(text).candidates for text in (shorter, longer)]
    assert one.reading is not None
    assert other.reading is not None
    assert one.reading < other.reading


ALWAYS = [
    "I'm 32.",
    "我今年32岁。",
    "We decided to use Redis.",
    "I can't climb stairs since May.",
    "I'm allergic to walnuts.",
    "我对芒果过敏。",
    "Remember that I sold my boat in May.",
    "记住我五月把船卖了。",
    "I want to apply for a master's in Leeds.",
    "我想申请香港的硕士。",
    "Always answer me in short lists.",
    "以后请用列表回答我。",
]


@pytest.mark.parametrize("text", ALWAYS)
def test_what_is_always_made_has_none(text: str) -> None:
    made = read(text).candidates
    assert made
    assert [c.reading for c in made] == [None] * len(made)


def test_what_a_profile_takes_later_reads_as_what_it_had_taken_at_once() -> None:
    sister = next(c for c in read("My sister Anna lives in Rome.").candidates if c.kind == "relation")
    assert sister.reading == reading_of_cell("en", "relation")
    low = sister.model_copy(update={"reading": 0.1})
    assert reading_of_taken(low, "en") == sister.reading
    result = low.model_copy(update={"text": "Anna is allergic to walnuts"})
    assert reading_of_taken(result, "en") is None, "a constraint"
    assert reading_of_taken(low.model_copy(update={"field": "residence", "value": "Rome"}), "en") is None


def test_nothing_has_one_where_a_report_reads_the_turns() -> None:
    assert {c.reading for c in read("I moved my piano to Leeds.", load_profile("engineering")).candidates} == {None}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("label", get_args(DropLabel))
def test_every_label_has_a_reading(label: DropLabel, language: str) -> None:
    assert 0 < reading_of_cell("dropped", cell_of_dropped(label, language)) < 1


def test_what_was_dropped_has_the_reading_of_its_label() -> None:
    several = "I repaired our old gate. I painted the fence green. I sold my boat in May. I planted three apple trees."
    dropped = read(f"They were great. {several}").dropped
    assert {d.label: d.candidate.reading for d in dropped} == {
        "unresolved": reading_of_cell("dropped", "unresolved_en"), "too_many": reading_of_cell("dropped", "too_many"),
    }  # fmt: skip


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_thresholds_of_no_profile_lower_what_the_rules_take(language: str) -> None:
    bands = ("short", "medium", "long")
    cells = ["relation", *bands, *(f"{band}_number" for band in bands)]
    assert min(reading_of_cell(language, cell) for cell in cells) > ReadingSpec().kept
