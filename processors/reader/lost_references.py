"""Statements that were not made because a word in them could not be resolved: she, it, they, there.

A reader that drops a statement says only that it does not stand alone. Here is looked whether it would, with somebody
or something of the speaker's in the place of the word; an opinion or a courtesy would not.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from importlib.resources import files
from typing import NamedTuple

from pydantic import TypeAdapter

from processors.reader.rules.free_statements_en import tells
from processors.reader.rules.resolved_en import resolved as resolved_en
from processors.reader.rules.self_contained_zh import ASKS, YOU
from processors.reader.rules.self_contained_zh import is_self_contained as tells_zh
from processors.reader.rules.self_contained_zh import resolved as resolved_zh
from schemas.base import Frozen
from schemas.events.memory import Dropped
from schemas.reading_stats import LostReference

_LABELS = frozenset({"unresolved", "dangling"})


class _Row(Frozen):
    what: LostReference
    word: str
    named: str


class _StandIn(NamedTuple):
    what: LostReference
    word: re.Pattern[str]
    named: str


_ROWS = TypeAdapter(dict[str, tuple[_Row, ...]]).validate_python(
    tomllib.loads((files(__package__) / "lost_references.toml").read_text(encoding="utf-8"))
)
_STAND_INS = {
    language: tuple(_StandIn(row.what, re.compile(row.word, re.IGNORECASE), row.named) for row in rows)
    for language, rows in _ROWS.items()
}
_OWN_VERB = re.compile(r"\bI (?P<verb>(?!was\b|always\b|sometimes\b)[a-z]+s)\b")
_IRREGULAR = {"is": "am", "has": "have", "does": "do", "goes": "go"}


def lost_reference(d: Dropped, language: str) -> LostReference | None:
    """To what the reference was that cost the statement; None where something else did."""
    if d.label not in _LABELS:
        return None
    owner = d.candidate.attributes.get("about")
    name = owner if isinstance(owner, str) and owner else None
    if language == "zh":
        return _lost(d.candidate.text.replace(name or "用户", "我"), "zh", resolved_zh, _is_whole_zh)
    return _lost(_as_said(d.candidate.text, name or "User"), "en", resolved_en, tells)


def _lost(
    text: str, language: str, resolved: Callable[[str], bool], is_whole: Callable[[str], bool]
) -> LostReference | None:
    """Nothing is lost where the text resolves what it points at, or does not stand alone for another reason."""
    if resolved(text):
        return None
    for what, word, named in _STAND_INS[language]:
        replaced = word.sub(named, text)
        if replaced != text and resolved(text := replaced):
            return what if is_whole(text[:1].upper() + text[1:]) else None
    return None


def _as_said(text: str, owner: str) -> str:
    """The statement in the first person again."""
    name = re.escape(owner)
    text = re.sub(rf"\b{name}'s\b", "my", text)
    text = re.sub(rf"\b{name}\b", "I", text)
    return _OWN_VERB.sub(lambda m: f"I {_base(m['verb'])}", text)


def _base(verb: str) -> str:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    return verb[:-2] if verb.endswith("es") and verb[:-2].endswith(("sh", "ch", "ss", "x", "z")) else verb[:-1]


def _is_whole_zh(text: str) -> bool:
    if YOU.search(text) or ASKS.search(text):
        return False
    return tells_zh(text, of_other=False, of_kin=False, in_group=False)
