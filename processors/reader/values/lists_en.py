"""The English words that values are known by (lists_en.toml, lists_health_en.toml, words_en.toml)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import SimpleNamespace
from typing import Any


def read_data(name: str) -> dict[str, Any]:
    """A file of data of this room."""
    return tomllib.loads((files(__package__) / name).read_text(encoding="utf-8"))


def _alternatives(text: str) -> str:
    words = sorted((word.replace("_", " ") for word in text.split()), key=lambda word: (-len(word), word))
    return "|".join(words)


@dataclass(frozen=True, slots=True)
class Meanings:
    """Words that stand for others; `pattern` finds any of them."""

    pattern: str
    of: Mapping[str, re.Pattern[str]]

    def sense(self, words: str) -> str | None:
        """What a word stands for."""
        return next((sense for sense, pattern in self.of.items() if pattern.fullmatch(words)), None)


_LISTS = read_data("lists_en.toml") | read_data("lists_health_en.toml")
WORDS = SimpleNamespace(**read_data("words_en.toml"))
LISTS: dict[str, str] = {name: _alternatives(text) for name, text in _LISTS.items() if isinstance(text, str)}
"""The words of a list as alternatives of a pattern."""
MEANINGS: dict[str, Meanings] = {
    name.removesuffix("_of"): Meanings(
        "|".join(_alternatives(text) for text in table.values()),
        {sense: re.compile(_alternatives(text), re.I) for sense, text in table.items()},
    )
    for name, table in _LISTS.items()
    if not isinstance(text := table, str)
}
