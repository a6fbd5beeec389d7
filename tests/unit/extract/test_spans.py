"""Every candidate says which characters of its turn it was read from, the head span first (N5)."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest

from inference.language import language_of
from processors.reader.rules.protocol import TurnView
from processors.reader.rules.rules import RuleExtractor
from schemas.events.memory import MAX_SPANS, Candidate, Span
from tests.unit.extract.support import GENERAL, THURSDAY, extract

CORPUS = Path(__file__).resolve().parents[3] / "corpus"


def read_from(text: str, c: Candidate) -> list[str]:
    return [text[s.start : s.end] for s in c.spans]


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        ("I'm 32. I live in Leeds.", ["I'm 32", "I live in Leeds"]),
        ("我今年32岁，住在杭州。", ["今年32岁", "住在杭州"]),
        ("We agreed to use Redis for the cache.", ["We agreed to use Redis for the cache"]),
    ],
)
def test_n5_a_statement_says_where_it_was_read(text: str, heads: list[str]) -> None:
    assert [read_from(text, c) for c in extract(text)] == [[head] for head in heads]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("I live in Leeds. Sorry, I meant York.", ["I live in Leeds", "Sorry, I meant York"]),
        ("I live in York. Sorry, I meant Headingley.", ["I live in York", "Sorry, I meant Headingley"]),
        ("我住在杭州。不对，是苏州。", ["住在杭州", "不对，是苏州"]),
        ("I'm not 32, I'm 33.", ["I'm 33", "I'm not 32"]),
    ],
)
def test_n5_what_a_statement_corrects_is_a_place_of_it(text: str, spans: list[str]) -> None:
    [c] = extract(text)
    assert read_from(text, c) == spans


def test_n5_what_is_said_over_and_over_names_a_bounded_number_of_places() -> None:
    [c] = [c for c in extract("I like green tea. " * 60) if c.kind == "preference"]
    assert len(c.spans) == MAX_SPANS
    assert c.head == Span(start=0, end=16)


@pytest.mark.parametrize("name", ["en2", "zh2"])
def test_n5_spans_lie_in_the_turn(name: str) -> None:
    found = 0
    with (CORPUS / f"{name}.jsonl").open(encoding="utf-8") as lines:
        for turn in map(json.loads, islice(lines, 250)):
            statement = turn["text"]
            for c in RuleExtractor().extract(TurnView(statement, "user", language_of(statement), THURSDAY), GENERAL):
                found += 1
                assert c.spans, c.text
                assert all(0 <= s.start < s.end <= len(statement) for s in c.spans)
    assert found > 50


def test_n8_a_record_of_before_says_where_it_was_read_too() -> None:
    of_old = {"ordinal": 0, "kind": "fact", "text": "User is 32", "importance": 0.5, "confidence": "1.0",
              "source": "explicit"}  # fmt: skip
    assert Candidate.model_validate(of_old).head is None
    assert Candidate.model_validate(of_old | {"span": {"start": 3, "end": 9}}).head == Span(start=3, end=9)
