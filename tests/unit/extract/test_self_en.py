"""English self-statements (B1, B2)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from processors.extract.protocol import TurnView, values_of
from processors.extract.rules import RuleExtractor
from schemas.profile import load_profile

PROFILE = load_profile("general")


def read(text: str, speaker: str | None = None) -> list[tuple[str, dict[str, object]]]:
    turn = TurnView(text, "user", "en", datetime(2026, 2, 5, 3, 0, tzinfo=UTC), speaker=speaker)
    return [(c.text, dict(values_of(c))) for c in RuleExtractor().extract(turn, PROFILE)]


def test_b1_one_sentence_with_several_facts() -> None:
    assert read("I'm 32 and work as a nurse in Leeds") == [
        ("User is 32", {"age": 32}),
        ("User works as a nurse", {"occupation": "nurse"}),
        ("User works in Leeds", {"residence": "Leeds"}),
    ]
    assert read("I'm 32.", speaker="Anna") == [("Anna is 32", {"age": 32})]


@pytest.mark.parametrize("text", ["If I'm 32, can I apply?", 'She said "I\'m 32"', "Am I 32?", "My brother is 32."])
def test_b1_what_states_nothing_of_the_owner(text: str) -> None:
    assert not any("age" in values for _, values in read(text))
