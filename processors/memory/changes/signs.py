"""Words by which a statement says that something changed, as signs.toml has them."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from typing import Literal, get_args

from processors.dedupe.features import HAN

Sign = Literal["ended", "newer", "corrected", "beside"]
SIGNS: tuple[Sign, ...] = get_args(Sign)
Language = Literal["en", "zh"]
_DATA: dict[str, dict[str, list[str]]] = tomllib.loads((files(__package__) / "signs.toml").read_text(encoding="utf-8"))
_PATTERNS: dict[Language, dict[Sign, re.Pattern[str]]] = {
    "en": {s: re.compile(rf"(?<![\w-])(?:{'|'.join(_DATA['en'][s])})(?![\w-])", re.IGNORECASE) for s in SIGNS},
    "zh": {s: re.compile("|".join(_DATA["zh"][s])) for s in SIGNS},
}
MOST_READ = 1_000
"""Characters of a statement in which signs are looked for."""


def language_of_statement(text: str) -> Language:
    """A statement with Han characters has the signs of Chinese, whatever names stand in it."""
    return "zh" if any(c >= HAN for c in text[:MOST_READ]) else "en"


def signs_of(text: str) -> frozenset[Sign]:
    """The signs that a statement bears."""
    patterns, read = _PATTERNS[language_of_statement(text)], text[:MOST_READ]
    return frozenset(sign for sign in SIGNS if patterns[sign].search(read))
