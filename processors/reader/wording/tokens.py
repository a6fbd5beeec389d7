"""Tokens of a text with their places: words, parts of contractions, numbers, single Chinese characters, marks."""

from __future__ import annotations

import re
from typing import NamedTuple

_LATIN = r"A-Za-z\u00c0-\u024f"
_TOKEN = re.compile(
    rf"[{_LATIN}]+?(?=n['’]t(?![{_LATIN}]))"  # do|n't
    rf"|n['’]t(?![{_LATIN}])"
    rf"|['’](?:s|m|re|ve|ll|d)(?![{_LATIN}])"  # I|'m
    rf"|[{_LATIN}]+"
    r"|\d+(?:[.,:/]\d+)*"
    r"|\S",
    re.IGNORECASE,
)


class Token(NamedTuple):
    text: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    """All tokens of a text in order; white space is none."""
    return [Token(match[0], match.start(), match.end()) for match in _TOKEN.finditer(text)]


def is_han(char: str) -> bool:
    return "\u3400" <= char <= "\u9fff"


def is_wide(char: str) -> bool:
    """Whether a character is Chinese, or a full-width mark."""
    return "\u2e80" <= char <= "\uffef"
