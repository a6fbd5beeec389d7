"""How much of twenty weeks of plain talk is found, and how much of what is found is right (A6): tests/data/weeks."""

from __future__ import annotations

import pytest

from tests.week_scores import KINDS, scored, weeks

FOUND = 0.8
RIGHT = 0.85
WHOLE = 0.75
"""Of what is found, with the right owner and day, or the right solution."""


@pytest.mark.parametrize("half", ["a", "b"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a6_weeks_of_plain_talk_are_read(language: str, half: str) -> None:
    talked = weeks(language, half)
    assert len(talked) == 5
    scores = scored(talked)
    for kind in KINDS:
        assert scores.labelled[kind] > 0
        assert scores.recall(kind) >= FOUND, (kind, scores.notes)
        assert scores.precision(kind) >= RIGHT, (kind, scores.notes)
        assert scores.whole(kind) >= WHOLE, (kind, scores.notes)
