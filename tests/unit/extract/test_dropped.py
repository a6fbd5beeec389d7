"""What the rules find in a turn and do not take: kept with its place and the reason, within bounds."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from inference.language import language_of
from processors.reader.rules.protocol import Reading, Role, TurnView
from processors.reader.rules.rules import RuleExtractor
from schemas.events.memory import MAX_DROPPED, MAX_DROPPED_CHARS, ExtractionBody
from schemas.profile.model import Profile
from tests.unit.extract.support import GENERAL, THURSDAY

CORPUS = Path(__file__).resolve().parents[3] / "corpus"


def only(*homes: str) -> Profile:
    """The profile whose field for homes takes these alone."""
    fields = [f.model_copy(update={"values": homes}) if f.name == "residence" else f for f in GENERAL.fields]
    return GENERAL.model_copy(update={"fields": tuple(fields)})


def read(text: str, profile: Profile = GENERAL, *previous: tuple[Role, str]) -> Reading:
    return RuleExtractor().read(TurnView(text, "user", language_of(text), THURSDAY, previous=previous), profile)


def statements_of(reading: Reading) -> list[tuple[str, str]]:
    return [(d.label, d.candidate.text) for d in reading.dropped]


@pytest.mark.parametrize(
    ("statement", "label", "text", "place"),
    [
        ("They were great. I painted the fence green.", "unresolved", "They were great", "They were great"),
        ("我去年考下了潜水证。她昨天又没来上课。", "unresolved", "她昨天又没来上课", "她昨天又没来上课"),
        (
            "I saw my dentist. I painted the fence green. I sold my old boat in May. I bought a canoe in Oban.",
            "too_many", "User saw their dentist", "I saw my dentist",
        ),
        ("My sister Anna works at it.", "dangling", "User's sister Anna works at it", "My sister Anna works at it"),
    ],
)  # fmt: skip
def test_what_is_not_taken_is_told_with_its_reason_and_place(statement: str, label: str, text: str, place: str) -> None:
    reading = read(statement)
    [span] = [d.candidate.spans[0] for d in reading.dropped if (d.label, d.candidate.text) == (label, text)]
    assert statement[span.start : span.end] == place
    assert text not in [c.text for c in reading.candidates]


@pytest.mark.parametrize(
    ("statement", "home", "text"),
    [("I live in York.", "York", "User lives in York"), ("我住在苏州。", "苏州", "目前住在苏州")],
)
def test_a_value_that_the_field_does_not_take_is_kept_as_it_was_said(statement: str, home: str, text: str) -> None:
    [dropped] = read(statement, only("Leeds")).dropped
    assert (dropped.label, dropped.candidate.text, dropped.slots) == ("no_field", text, {"residence": home})
    assert (dropped.candidate.field, dropped.candidate.value) == (None, None)
    assert read(statement, only(home)).dropped == ()


def test_ordinals_go_on_and_a_statement_is_told_once() -> None:
    reading = read("I live in York. They were great. They were great. I painted the fence green.", only("Leeds"))
    everything = [*reading.candidates, *(d.candidate for d in reading.dropped)]
    assert [c.ordinal for c in everything] == list(range(3))
    assert statements_of(reading) == [("no_field", "User lives in York"), ("unresolved", "They were great")]


def test_of_a_long_turn_a_bounded_number_is_kept_and_what_a_profile_may_take_comes_first() -> None:
    many = " ".join(f"They were great with number {n}." for n in range(40))
    reading = read(f"{many} I live in York.", only("Leeds"))
    assert len(reading.dropped) == MAX_DROPPED
    assert reading.dropped[0].label == "no_field"


def test_what_has_no_end_is_not_kept() -> None:
    assert read(f"They were {'great' * 100}.").dropped == ()
    assert all(len(d.candidate.text) <= MAX_DROPPED_CHARS for d in read("它们很" + "好" * 2_000 + "。").dropped)


@pytest.mark.parametrize("role", ["assistant", "system", "tool"])
def test_of_a_turn_that_is_not_the_users_nothing_is_kept(role: Any) -> None:
    turn = TurnView("They were great.", role, "en", THURSDAY)
    assert RuleExtractor().read(turn, GENERAL) == Reading([])


def test_a_masked_value_is_not_kept() -> None:
    assert [d.label for d in read("My home is <LOCATION>.", only("Leeds")).dropped if d.label == "no_field"] == []


def test_n8_a_record_of_before_is_read() -> None:
    """The ledger keeps what was written before anything dropped was kept."""
    body = {"candidates": [], "content": "", "metadata": {}}
    assert ExtractionBody.model_validate(body).dropped == ()


@pytest.mark.parametrize("name", ["en6", "zh7"])
def test_on_turns_of_the_corpus_candidates_are_the_same_and_what_was_dropped_lies_in_the_turn(name: str) -> None:
    dropped = 0
    with (CORPUS / f"{name}.jsonl").open(encoding="utf-8") as lines:
        for turn in map(json.loads, islice(lines, 150)):
            view = TurnView(turn["text"], "user", language_of(turn["text"]), THURSDAY)
            reading = RuleExtractor().read(view, GENERAL)
            assert reading.candidates == RuleExtractor().extract(view, GENERAL)
            dropped += len(reading.dropped)
            for d in reading.dropped:
                assert d.candidate.terms == ()
                assert d.candidate.embedding == b""
                assert all(0 <= s.start < s.end <= len(turn["text"]) for s in d.candidate.spans)
    assert dropped > 50
