"""Closed lists of English words that are data (en.toml), as alternatives of a pattern."""

from __future__ import annotations

import tomllib
from importlib.resources import files

_LISTS: dict[str, str] = tomllib.loads((files(__package__) / "en.toml").read_text(encoding="utf-8"))


def listed(name: str) -> tuple[str, ...]:
    """The words of a list, an underscore being a space; the longest first. Raises KeyError."""
    words = (word.replace("_", " ") for word in _LISTS[name].split())
    return tuple(sorted(words, key=lambda word: (-len(word), word)))


def alternatives(*names: str) -> str:
    """The words of lists as alternatives of a pattern; they may be parts of patterns themselves."""
    return "|".join(word for name in names for word in listed(name))
