"""A statement is lost by a reference where it would stand alone but for a word that points at nobody."""

from __future__ import annotations

from typing import Any

import pytest

from processors.reader.lost_references import lost_reference
from schemas.events.memory import Dropped
from tests.unit.gate.bench import candidate

EN = (
    ("She works at the hospital in Leeds", "person"),
    ("His flat in Leeds has a balcony", "person"),
    ("User lent him the drill in May", "person"),
    ("They moved to Cardiff in March", "several"),
    ("User sold them in May", "several"),
    ("User took it to the garage last week", "thing"),
    ("It needs a new battery since May", "thing"),
    ("User went back there in March", "place"),
)
ZH = (
    ("她在医院上班", "person"),
    ("他们去年搬到苏州了", "several"),
    ("用户上周把它送去修了", "thing"),
    ("用户去年在那里住了半年", "place"),
)
OTHERS = (
    ("en", "User thinks it is great"), ("en", "User hopes she feels better"), ("en", "User is happy"),
    ("en", "User met Lena in May and likes her"), ("en", "You sold it in May"), ("en", "Nobody knows"),
    ("zh", "财务那边说年终奖今年按半个月发"),
    ("zh", "用户觉得它很好"), ("zh", "用户知道她是谁"), ("zh", "你把它卖了"), ("zh", "用户很开心"),
)  # fmt: skip


def dropped(text: str, label: str = "unresolved", **more: Any) -> Dropped:
    return Dropped.model_validate({"label": label, "candidate": candidate(text, **more)})


@pytest.mark.parametrize(
    ("language", "text", "what"), [*(("en", *case) for case in EN), *(("zh", *case) for case in ZH)]
)
def test_what_the_reference_was_to_is_named(language: str, text: str, what: str) -> None:
    assert lost_reference(dropped(text), language) == what


@pytest.mark.parametrize(("language", "text"), OTHERS)
def test_an_opinion_a_word_to_the_hearer_and_what_is_resolved_are_lost_by_no_reference(
    language: str, text: str
) -> None:
    assert lost_reference(dropped(text), language) is None


@pytest.mark.parametrize("label", ["light", "too_many", "copy", "addressed", "no_field", "of_another"])
def test_what_was_dropped_for_another_reason_is_lost_by_no_reference(label: str) -> None:
    assert lost_reference(dropped(EN[0][0], label), "en") is None


def test_a_relation_to_nobody_who_is_named_is_lost_by_its_reference() -> None:
    sister = dropped("Her sister works as a nurse in Hull", "dangling", kind="relation")
    assert lost_reference(sister, "en") == "person"


@pytest.mark.parametrize(
    ("language", "who", "text"),
    [("en", "Bob", "Bob took it to the garage last week"), ("zh", "小雅", "小雅上周把它送去修了")],
)
def test_a_speaker_of_a_group_is_the_speaker(language: str, who: str, text: str) -> None:
    assert lost_reference(dropped(text, attributes={"about": who}), language) == "thing"
