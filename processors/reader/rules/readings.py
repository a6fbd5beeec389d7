"""Calibrated readings of what the rules find, measured on writers' turns by what a statement shows of itself.

Only a free statement has one: it may be missed. What is always made (values, intents with a category, what the user
asks to remember, instructions, constraints, all of a project) has none.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from importlib.resources import files
from typing import TypeAlias

from pydantic import TypeAdapter

from processors.reader.rules.protocol import Reading, TurnView, values_of
from processors.reader.rules.text import Sentence, prepare, sentences
from schemas.events.memory import Candidate, DropLabel, Dropped
from schemas.profile.model import Profile

_Tables: TypeAlias = dict[str, dict[str, float]]
_DATA: _Tables = TypeAdapter(_Tables).validate_python(
    tomllib.loads((files(__package__) / "readings.toml").read_text(encoding="utf-8"))
)
_WORDS: dict[str, dict[str, str]] = tomllib.loads(
    (files("processors.reader") / "always_made.toml").read_text(encoding="utf-8")
)
_ALWAYS = re.compile("|".join(pattern for group in _WORDS.values() for pattern in group.values()), re.IGNORECASE)
_TAKES_BACK = frozenset({"correction", "replaces"})
"""Attributes of what changes an earlier statement."""
_BANDS = {"en": (8, 15), "zh": (11, 20)}
"""From so many words, or characters, a statement is of medium length, and long."""
_DIGIT = re.compile(r"\d")
_DATE = re.compile(r"(?:\d{1,2} )?[A-Z][a-z]{2,8} \d{4}\b|\d{4}年(?:\d{1,2}月)?(?:\d{1,2}[日号])?")
"""A date is no number of a statement: it is written for what was said in words."""


def with_readings(reading: Reading, turn: TurnView, profile: Profile) -> Reading:
    """The same with the readings of what may be missed."""
    language = "zh" if turn.language == "zh" else "en"
    may_miss = set(doubtful(reading.candidates, turn, profile))
    candidates = [
        c.model_copy(update={"reading": _read(c, language)}) if c.ordinal in may_miss else c for c in reading.candidates
    ]
    return Reading(candidates, tuple(_of_dropped(d, language) for d in reading.dropped))


def doubtful(found: list[Candidate], turn: TurnView, profile: Profile) -> dict[int, str]:
    """Ordinal of a candidate that may be missed -> its own sentences. A reply confirmed it, or a report reads the
    sentences of a project: then none may be."""
    if turn.reply or profile.hot_keys:
        return {}
    free = [c for c in found if is_free(c)]
    parts = sentences(prepare(turn.content)) if free else []
    own = {c.ordinal: sentence_of(c, turn.content, parts) for c in free}
    return {n: text for n, text in own.items() if not _ALWAYS.search(text)}


def is_free(c: Candidate) -> bool:
    """Is it a statement without a value, which may be missed?"""
    always = c.kind == "intent" or c.episode_type in ("decision", "task") or c.negated
    made = always or values_of(c) or c.category or c.project_id or c.hot
    return c.source == "explicit" and not made and _TAKES_BACK.isdisjoint(c.attributes)


def sentence_of(c: Candidate, content: str, parts: Sequence[Sentence]) -> str:
    """The sentences (`parts`) of a turn that hold the statement's head span; all of the turn where it has none."""
    head = c.head
    if head is None:
        return content
    phrase = [s.text for s in parts if s.start < head.end and head.start < s.end]
    return " ".join(phrase) or content[head.start : head.end]


def cell_of(c: Candidate, language: str) -> str:
    """What of its statements share a reading in one language."""
    if c.kind == "relation":
        return "relation"
    size = len(c.text) if language == "zh" else len(c.text.split())
    medium, long = _BANDS[language]
    band = "long" if size >= long else "medium" if size >= medium else "short"
    return f"{band}_number" if _DIGIT.search(_DATE.sub("", c.text)) else band


def cell_of_dropped(label: DropLabel, language: str) -> str:
    return f"{label}_{language}" if label == "unresolved" else label


def reading_of_cell(table: str, cell: str) -> float:
    """`table`: `en`, `zh` or `dropped`."""
    return _DATA[table][cell]


def reading_of_taken(c: Candidate, language: str) -> float | None:
    """The reading of a dropped statement that a profile takes now: as if it had taken it when the turn was said."""
    may_miss = is_free(c) and not _ALWAYS.search(c.text)
    return _read(c, "zh" if language == "zh" else "en") if may_miss else None


def _read(c: Candidate, language: str) -> float:
    return reading_of_cell(language, cell_of(c, language))


def _of_dropped(d: Dropped, language: str) -> Dropped:
    read = reading_of_cell("dropped", cell_of_dropped(d.label, language))
    return d.model_copy(update={"candidate": d.candidate.model_copy(update={"reading": read})})
