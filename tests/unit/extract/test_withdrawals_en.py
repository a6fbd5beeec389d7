"""English turns that say of what was said before that it holds no more (D3)."""

from __future__ import annotations

import pytest

from processors.reader.rules.rules import EXPLICIT
from tests.unit.extract.support import extract


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("scrap the Lisbon thing, too dear", ["User has dropped the Lisbon thing"]),
        ("forget the 12 miles, the coach says eight will do", ["User has dropped the 12 miles"]),
        ("You can delete that thing about Mossley, it was a joke", ["User takes back what they said about Mossley"]),
        ("please forget what I said about the choir", ["User takes back what they said about the choir"]),
        ("Day 30 sugar free!! so proud", ["User has been sugar-free for 30 days"]),
        ("two years sober today", ["User has been sober for two years"]),
        ("We're Whitby people now.", ["User and others are Whitby people now"]),
        ("never mind", []),
        ("ignore what I said about it", []),
        ("delete the line about fees from the letter", []),
        ("drop the eggs into the pan", []),
    ],
)
def test_d3_what_holds_no_more_is_told(text: str, texts: list[str]) -> None:
    assert [c.text for c in extract(text) if c.confidence == EXPLICIT] == texts
