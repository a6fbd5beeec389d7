"""Tokens with their characters: nothing is lost, out of order or beyond the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.reader.placed_tokens import placed_tokens
from inference.reader.turn_text import TurnTokenizer

TOKENIZER = TurnTokenizer()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I'm 45, from Pune…", ["I", "'", "m", "45", ",", "from", "P", "une", "…"]),
        ("我今年３２岁", ["我", "今", "年", "３２", "岁"]),
        ("“住”在 杭州。", ["", "“", "住", "”", "在", "", "杭州", "。"]),
        ("", [""]),
    ],
)
def test_a_token_stands_for_its_characters(text: str, words: list[str]) -> None:
    placed = placed_tokens(TOKENIZER, text)
    assert [text[a:b] for a, b in zip(placed.starts, placed.ends, strict=True)] == words
    assert list(placed.ids) == TOKENIZER.ids(text)


def test_unknown_characters_keep_their_place() -> None:
    text = "住在彧镇的😀小王"
    placed = placed_tokens(TOKENIZER, text)
    found = [text[a:b] for a, b in zip(placed.starts, placed.ends, strict=True)]
    assert "".join(found) == text
    assert any("彧" in word for word in found)


@given(st.text(max_size=60))
def test_places_rise_within_any_text(text: str) -> None:
    placed = placed_tokens(TOKENIZER, text)
    assert len(placed.ids) == len(placed.starts) == len(placed.ends)
    assert all(0 <= a <= b <= len(text) for a, b in zip(placed.starts, placed.ends, strict=True))
    assert list(placed.starts) == sorted(placed.starts)
