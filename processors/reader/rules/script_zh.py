"""Traditional and Cantonese turns, read with the rules of Simplified Mandarin, and worded in their own characters.

`simplified` keeps the length, so places stay true. A statement keeps the script of its turn and its words; a word of a
dialect is told in Mandarin only where that says the same (唔飲酒: 不喝酒).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files

from processors.reader.rules.catalogue import own_fields, resolve
from processors.reader.rules.found import Found
from processors.reader.rules.protocol import TurnView
from schemas.base import JsonValue
from schemas.profile.model import Profile

_FEWEST = 2
"""Traditional characters from which a turn is written in them; of a shorter one than SHORT, one."""
_SHORT = 12
_ALIGNED = 400
"""Characters of a turn that are looked through for those of one statement."""
_DIALECT = re.compile(
    r"[嘅喺冇咗嚟佢嗰啲畀瞓嘢]|唔(?=[好系係使会會识識想知得要食饮飲去做再可太钟鍾])|(?<![关關體体聯联])係"
)
_IS = re.compile(r"(?<![关關體体聯联])係")


@dataclass(frozen=True, slots=True)
class _Words:
    """The tables of `script_zh.toml`."""

    characters: Mapping[int, str]
    """Traditional to Simplified."""
    back: Mapping[int, str]
    """Simplified to Traditional, where there is one."""
    dialect: tuple[tuple[str, str, str], ...]
    """A word, how it is read, and how it is told: itself (empty here) where no other word says the same."""


@dataclass(frozen=True, slots=True)
class Script:
    """How statements of one turn are told in its own characters."""

    written: str
    read: str
    """The turn as the rules read it, of the same length."""
    characters: Mapping[int, str]
    """For characters that stand in no word of the turn."""
    words: tuple[tuple[int, int, str], ...]
    """Words of a dialect, by place, and how they are told."""

    def converted(self, text: str, start: int, end: int) -> str:
        """A statement made from `read[start:end]`, each of the turn's characters as it was written there."""
        end = min(end, start + _ALIGNED)
        pieces = list(text.translate(self.characters))
        places: dict[int, int] = {}
        for block in SequenceMatcher(None, self.read[start:end], text, autojunk=False).get_matching_blocks():
            if block.size > 1:
                places.update((start + block.a + n, block.b + n) for n in range(block.size))
        in_words = {at for first, last, _ in self.words for at in range(first, last)}
        for at, place in places.items():
            if at not in in_words:
                pieces[place] = self.written[at]
        for first, last, word in self.words:
            held = [places[at] for at in range(first, last) if at in places]
            if len(held) == last - first and held[-1] - held[0] == last - first - 1:
                pieces[held[0] : held[-1] + 1] = [word, *[""] * (last - first - 1)]
        for owner in re.finditer("用户", text):
            if owner.start() not in places.values():
                pieces[owner.start() : owner.end()] = owner.group()
        return "".join(pieces)


@cache
def _tables() -> _Words:
    data = tomllib.loads((files(__package__) / "script_zh.toml").read_text(encoding="utf-8"))
    old, new = ("".join(data[name].split()) for name in ("traditional", "simplified"))
    once = {ord(n): o for o, n in zip(old, new, strict=True) if new.count(n) == 1}
    lines = [(*line.split(), "")[:3] for line in data["dialect"].strip().splitlines()]
    return _Words(dict(zip(map(ord, old), new, strict=True)), once, tuple((s, r, t) for s, r, t in lines))


def simplified(text: str) -> str:
    """The text as the rules read it, of the same length; itself where it is in Simplified Mandarin."""
    return _read(text)[0]


def _read(text: str) -> tuple[str, list[tuple[int, int, str]]]:
    """The text as the rules read it, and the words of a dialect in it: where they stand, and how they are told."""
    if text.isascii():
        return text, []
    tables = _tables()
    in_dialect = _DIALECT.search(text) is not None
    if not in_dialect:
        old = sum(ord(c) in tables.characters for c in text[:400])
        if old < (1 if len(text) < _SHORT else _FEWEST):
            return text, []
    read = (_IS.sub("是", text) if in_dialect else text).translate(tables.characters)
    words: list[tuple[int, int, str]] = []
    for statement, known, standard in tables.dialect if in_dialect else ():
        at = read.find(statement)
        while at >= 0:
            words.append((at, at + len(statement), standard or text[at : at + len(statement)]))
            at = read.find(statement, at + len(statement))
        read = read.replace(statement, known)
    return read, words


def script_of(turn: str) -> Script | None:
    """How statements of a turn are told in its own characters; None where it is in Simplified Mandarin."""
    read, words = _read(turn)
    if turn == read:
        return None
    tables = _tables()
    own = {ord(r): t for t, r in zip(turn, read, strict=True) if t != r and tables.characters.get(ord(t)) == r}
    return Script(turn, read, {**tables.back, **own}, tuple(words))


def in_script(found: Found, script: Script | None, profile: Profile) -> Found:
    """The same in a script; a value that the profile knows stays."""
    if script is None:
        return found

    def value(slot: str, phrase: JsonValue) -> JsonValue:
        if not isinstance(phrase, str) or any(v != phrase for _, v in resolve(profile, ((slot, phrase),))):
            return phrase
        written = script.converted(phrase, found.start, found.end)
        return written if own_fields(profile, resolve(profile, ((slot, written),))) else phrase

    slots = tuple((slot, value(slot, text)) for slot, text in found.slots)
    return replace(found, text=script.converted(found.text, found.start, found.end), slots=slots)


def read_simplified(turn: TurnView) -> TurnView:
    """A Chinese turn, and what was said before it, as the rules read it."""
    if turn.language != "zh":
        return turn
    before = tuple((role, simplified(text)) for role, text in turn.previous)
    return replace(turn, content=simplified(turn.content), previous=before)
