"""What two statements exclude by their words, as excluding.toml has it: what cannot be true of one person at once
("User is an only child", "User's sister lives in Bath"), and what is taken back ("User has dropped the 80 kilos")."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from processors.memory.changes.signs import MOST_READ, Language, language_of_statement, signs_of

Side = Literal["one", "other"]
_OTHER: dict[Side, Side] = {"one": "other", "other": "one"}
_WHO: dict[Language, str] = {
    "en": r"(?P<who>User|[A-Z]\w+(?: [A-Z]\w+)?)",
    "zh": r"(?P<who>用[户戶]|[^，。的是有]{1,4}?)(?:[现現]在|目前|一直|自己|[还還])?",
}


class _Apart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    one: list[str]
    other: list[str]


class _Words(BaseModel):
    """The words of a language, as the file explains them."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    past: list[str]
    taken_back: list[str]
    withdrawn: list[str]
    unless: list[str]
    of_no_kind: str
    apart: list[_Apart]


class Claim(NamedTuple):
    """`side` of the pair `number` is said of somebody."""

    number: int
    side: Side
    who: str


class _Patterns:
    def __init__(self, language: Language, words: _Words) -> None:
        edge = r"(?<!\w)(?:{})(?!\w)" if language == "en" else "(?:{})"
        self.past = re.compile(edge.format("|".join(words.past)))
        self.unless = re.compile(edge.format("|".join(words.unless))) if words.unless else None
        self.taken_back = [re.compile(pattern, re.IGNORECASE) for pattern in words.taken_back]
        self.withdrawn = [re.compile(pattern, re.IGNORECASE) for pattern in words.withdrawn]
        self.sides = [
            (number, side, re.compile(rf"{_WHO[language]}(?:{'|'.join(phrase)})"))
            for number, pair in enumerate(words.apart)
            for side, phrase in _sides(pair)
        ]


def _sides(pair: _Apart) -> tuple[tuple[Side, list[str]], tuple[Side, list[str]]]:
    return ("one", pair.one), ("other", pair.other)


_DATA = tomllib.loads((files(__package__) / "excluding.toml").read_text(encoding="utf-8"))
_PATTERNS: dict[Language, _Patterns] = {
    language: _Patterns(language, _Words.model_validate(_DATA[language])) for language in _WHO
}
_TAKEN_BACK = [pattern for each in _PATTERNS.values() for pattern in each.taken_back]
_UNNAMED = frozenset({"user", "用户", "用戶"})
"""Speakers without a name, as statements have them."""
OF_NO_KIND = frozenset(word for language in _WHO for word in _DATA[language]["of_no_kind"].split())
"""Words of what is taken back that need not stand in what was said."""


def claims_of(text: str) -> frozenset[Claim]:
    """What a statement says beside which something else cannot be true."""
    patterns, read = _PATTERNS[language_of_statement(text)], text[:MOST_READ]
    if patterns.past.search(read):
        return frozenset()
    found = ((number, side, phrase.match(read)) for number, side, phrase in patterns.sides)
    return frozenset(Claim(number, side, match["who"]) for number, side, match in found if match is not None)


def apart(old: frozenset[Claim], new: frozenset[Claim]) -> bool:
    """Can the claims of two statements not be true at once?"""
    return any(claim._replace(side=_OTHER[claim.side]) in new for claim in old)


def began(text: str) -> bool:
    """Does a statement say of what it excludes others by that it began ("got married", not "is married")?"""
    read = text[:MOST_READ]
    found = (phrase.match(read) for _, _, phrase in _PATTERNS[language_of_statement(text)].sides)
    return any(match is not None and "newer" in signs_of(match[0]) for match in found)


def may_be_withdrawn(text: str) -> bool:
    """Does an older statement say something that can be taken back by naming it?"""
    unless = _PATTERNS[language_of_statement(text)].unless
    return unless is None or unless.search(text[:MOST_READ]) is None


def only_takes_back(text: str, about: object = None) -> bool:
    """Does a statement say nothing else than that its speaker takes something back? `about`: the speaker's name, where
    they have one; that of an English sentence may be Chinese."""
    who = {str(about).casefold()} if about else _UNNAMED
    return any((match := p.fullmatch(text)) is not None and match["who"].casefold() in who for p in _TAKEN_BACK)


def withdrawn_of(text: str) -> str:
    """What a statement takes back; empty where it takes back nothing."""
    read = text[:MOST_READ]
    found = (p.fullmatch(read) for p in (*_TAKEN_BACK, *_PATTERNS[language_of_statement(text)].withdrawn))
    return next((match["what"] for match in found if match is not None), "")
