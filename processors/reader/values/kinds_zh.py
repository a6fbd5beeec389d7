"""Kinds of values (`words_zh.toml`): what a value looks like, and what makes it its field's."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from pydantic import Field, TypeAdapter

from processors.reader.rules.places_zh import COUNTRIES, PLACE
from schemas.base import Frozen, JsonValue
from schemas.events.memory import CandidateKind
from schemas.profile.model import FieldSpec, Profile

Possession = Literal["own", "has", "family", "theirs", "asked"]
"""Of the speaker; a person of theirs whom they have; of their family; what their people think; what is asked of who
answers."""
Lexicon = tuple[tuple[str, tuple[str, ...]], ...]
_PLACE = re.compile(r"\{(words|parts|lexicon)\.(\w+)\}")
_NOTHING = r"(?!)"


class Kind(Frozen):
    """A kind of value; `words_zh.toml` says what each part is for. A pattern stands for itself, as `{words.NAME}` does
    for one of a list."""

    fields: tuple[str, ...] = ()
    pair: dict[str, str] = Field(default_factory=dict)
    """Fields that one match fills together, each with its group."""
    value: str
    units: dict[str, float] = Field(default_factory=dict)
    """How much one of a unit is of the field's own; 1 where it is not listed."""
    within: tuple[float, float] = (0, 1e15)
    height: bool = False
    money: bool = False
    with_surgery: bool = False
    means: JsonValue = None
    """The value, whatever the words."""
    canonical: dict[str, str] = Field(default_factory=dict)
    before: str | None = None
    behind: str | None = None
    cue: str | None = None
    topic: str | None = None
    earlier: str | None = None
    """What the turn says before the clause."""
    joined: str | None = None
    """Before a value that follows one of its kind in the clause before."""
    listed: bool = False
    """Several may stand side by side, of which the same is said."""
    next: str | None = None
    """What the clause behind goes on with, where the value is all of its own clause."""
    asked: str | None = None
    context: str | None = None
    """What the turn speaks of."""
    sure: bool = False
    alone: bool = False
    """It needs no more where it is all of its clause."""
    unless: str | None = None
    not_in_turn: str | None = None
    """What the turn does not speak of."""
    not_asked: str | None = None
    """What the question before does not ask for."""
    ended_before: str | None = None
    ended_behind: str | None = None
    ended_next: str | None = None
    """What the clause behind goes on with."""
    denied_near: str | None = None
    by_staff: str | None = None
    """What who serves the speaker does for them: such a clause is of the speaker, whoever is its subject."""
    whose: Possession = "own"
    planned: bool = False
    plan_cue: str | None = None
    denial: bool = False
    of_past: bool = False
    """It is so still, whenever it was."""
    reply: bool = False
    kind: CandidateKind | None = None
    says: str
    says_not: str | None = None
    of_time: Literal["told", "said"] | None = None


class _Data(Frozen):
    words: dict[str, str]
    parts: dict[str, str]
    guards: dict[str, str]
    kinds: tuple[Kind, ...]


_TEXT = (files(__package__) / "words_zh.toml").read_text(encoding="utf-8")
_DATA = TypeAdapter(_Data).validate_python(tomllib.loads(_TEXT))
KINDS = _DATA.kinds


def filled(pattern: str, lexicon: Lexicon = (), aliases: tuple[str, ...] = ()) -> str:
    """A pattern with the words that it names."""
    known = dict(lexicon)

    def put(match: re.Match[str]) -> str:
        source, name = match.groups()
        if source == "parts":
            return filled(_DATA.parts[name], lexicon, aliases)
        words = known.get(name, ()) if source == "lexicon" else tuple(_DATA.words[name].split())
        return _either(words)

    pattern = pattern.replace("{aliases}", _either(aliases))
    return _PLACE.sub(put, pattern.replace("{place}", PLACE).replace("{country}", f"(?:{COUNTRIES})"))


def _either(words: tuple[str, ...]) -> str:
    listed = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return f"(?:{listed})" if listed else _NOTHING


def compiled(pattern: str, lexicon: Lexicon = (), aliases: tuple[str, ...] = ()) -> re.Pattern[str]:
    """A pattern of a kind, with a profile's names where it asks for any."""
    if "{lexicon" not in pattern and "{parts" not in pattern:
        lexicon = ()
    return _compiled(pattern, lexicon, aliases if "{aliases}" in pattern else ())


@lru_cache(maxsize=2048)
def _compiled(pattern: str, lexicon: Lexicon, aliases: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(filled(pattern, lexicon, aliases))


@lru_cache(maxsize=16)
def guard(name: str) -> re.Pattern[str]:
    return compiled(_DATA.guards[name])


def has_guard(name: str) -> bool:
    return name in _DATA.guards


def lexicon_of(profile: Profile) -> Lexicon:
    """The Chinese names of a profile's lexicon."""
    return tuple((slot, tuple(n for n in table if not n.isascii())) for slot, table in sorted(profile.lexicon.items()))


def names_of(spec: FieldSpec) -> tuple[str, ...]:
    """The names of a field's values, in any script; a single character names too much."""
    listed = {*spec.values, *spec.aliases, *(other for others in spec.aliases.values() for other in others)}
    return tuple(sorted(n for n in listed if len(n) > 1))


def known_words() -> Mapping[str, str]:
    return _DATA.words
