"""Of two memories one of which changed the other, the later goes first, and the other says since when (D3)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from query.prompt import pieces
from query.search.changed import later_first
from query.search.documents import hit
from schemas.events.memory import CHANGED_AT, CHANGED_ON

START = datetime(2026, 5, 1, 9, tzinfo=UTC)
Hit = tuple[dict[str, Any], float, dict[str, Any] | None]


def memory(name: str, day: int, *marks: str, changed: int | None = None, text: str = "", language: str = "en") -> Hit:
    attributes: dict[str, Any] = {}
    if changed is not None:
        attributes = {CHANGED_ON: (START + timedelta(days=changed)).isoformat()}
    row = {
        "record_id": name, "version": 0, "kind": "episode", "text": text or name, "value": None, "episode_type": None,
        "occurred_at": START + timedelta(days=day), "conflicts_with": list(marks), "attributes": attributes,
        "language": language, "sources": [{"turn_id": f"t-{name}"}], "user_id": "ann", "session_id": "s", "field": None,
        "category": None, "scope": "global", "key": None, "project_id": None,
    }  # fmt: skip
    return row, 1.0 - day / 100, None


def turn(name: str) -> Hit:
    row = {"turn_id": name, "user_id": "ann", "content": name, "speaker": None, "role": "user", "occurred_at": START}
    return row, 0.1, None


def names(hits: list[Hit]) -> list[str]:
    return [row.get("record_id") or row["turn_id"] for row, _, _ in hits]


OLD, NEW = memory("old", 0, "new", changed=9), memory("new", 9, "old")


def test_the_later_takes_the_place_and_the_score_of_the_earlier() -> None:
    found = later_first([memory("a", 1), OLD, turn("t"), NEW, memory("b", 2)])
    assert names(found) == ["a", "new", "old", "t", "b"]
    scores = [score for _, score, _ in found[1:3]]
    assert scores == [OLD[1], OLD[1]]


@pytest.mark.parametrize(
    "hits",
    [
        [NEW, memory("a", 1), OLD],
        [OLD, memory("a", 1)],
        [memory("old", 0, "new"), NEW],
        [memory("old", 0, "other", changed=9), NEW],
        [turn("t"), memory("a", 1), turn("u")],
    ],
    ids=["in order", "the later is not among them", "a contradiction alone", "changed by another", "no marks"],
)
def test_nothing_else_moves(hits: list[Hit]) -> None:
    assert later_first(hits) == hits


def test_a_chain_of_changes_stands_from_the_latest_to_the_first() -> None:
    second = memory("second", 5, "first", "third", changed=9)
    chain = [memory("first", 0, "second", changed=5), second, memory("third", 9, "second")]
    assert names(later_first(chain)) == ["third", "second", "first"]


def dated(hit: Hit, *days: int | None) -> Hit:
    """The hit with a date for each of its marks."""
    row, score, scores = hit
    at = [None if d is None else (START + timedelta(days=d)).isoformat() for d in days]
    on = max(when for when in at if when is not None)
    return {**row, "attributes": {CHANGED_ON: on, CHANGED_AT: at}}, score, scores


def test_what_is_said_again_is_the_later_one_whenever_it_was_said_first() -> None:
    tea = dated(memory("tea", 9, "coffee"), 12)
    assert names(later_first([tea, memory("coffee", 0, "tea")])) == ["coffee", "tea"]
    assert names(later_first([memory("coffee", 0, "tea"), tea])) == ["coffee", "tea"]


def test_a_later_contradiction_does_not_go_first_for_the_date_of_a_change() -> None:
    old = dated(memory("old", 0, "denied", "new"), None, 5)
    assert names(later_first([old, memory("denied", 9, "old"), memory("new", 5, "old")])) == ["new", "old", "denied"]


def test_marks_in_a_circle_end() -> None:
    circle = [dated(memory(n, d, by), d + 1) for n, d, by in (("a", 0, "b"), ("b", 1, "c"), ("c", 2, "a"))]
    assert sorted(names(later_first(circle))) == ["a", "b", "c"]


def test_a_hit_shows_its_mark_and_one_without_shows_none() -> None:
    details = hit(OLD[0], 1.0, {"relevance": 0.4})["details"]
    assert (details["conflicts_with"], details["changed_on"]) == (["new"], OLD[0]["attributes"][CHANGED_ON])
    assert hit(NEW[0], 1.0, {"relevance": 0.4})["details"]["changed_on"] is None
    assert "conflicts_with" not in hit(memory("a", 1)[0], 1.0, {"relevance": 0.4})["details"]


@pytest.mark.parametrize(
    ("language", "text", "end"),
    [
        ("en", "User is on the search team", "team (changed on 2026-05-10)"),
        ("zh", "用户每天走两公里", "两公里（2026-05-10 有变化）"),
    ],
)
def test_a_prompt_says_since_when_it_may_hold_no_more(language: str, text: str, end: str) -> None:
    row, score, _ = memory("old", 0, "new", changed=9, text=text, language=language)
    later, _, _ = NEW
    first, second = pieces.retrieved([(later, score), (row, score)])
    assert first.text.endswith(": new")
    assert second.text.endswith(end)
