"""The words of `week_words.toml`, by which a week's sentences are read for its report."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

_WORDS: dict[str, list[str]] = tomllib.loads((files(__package__) / "week_words.toml").read_text(encoding="utf-8"))


def words(name: str) -> re.Pattern[str]:
    """Any of a list, case ignored."""
    return re.compile("|".join(_WORDS[name]), re.IGNORECASE)
