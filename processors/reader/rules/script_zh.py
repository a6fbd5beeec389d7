"""Traditional and Cantonese turns, read with the rules of Simplified Mandarin, and worded in their own characters.

`simplified` keeps the length, so places stay true. A statement keeps the script of its turn; words of a dialect are
told as the rules know them (唔飲酒: 不飲酒).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from processors.reader.rules.catalogue import own_fields, resolve
from processors.reader.rules.found import Found
from processors.reader.rules.protocol import TurnView
from schemas.profile.model import Profile

_FEWEST = 2
"""Traditional characters from which a turn is written in them; of a shorter one than SHORT, one."""
_SHORT = 12
_DIALECT = re.compile(
    r"[嘅喺冇咗嚟佢嗰啲畀瞓嘢]|唔(?=[好系係使会會识識想知得要食饮飲去做再可太钟鍾])|(?<![关關體体聯联])係"
)
_IS = re.compile(r"(?<![关關體体聯联])係")


@cache
def _tables() -> tuple[dict[int, str], tuple[tuple[str, str], ...]]:
    data = tomllib.loads((files(__package__) / "script_zh.toml").read_text(encoding="utf-8"))
    old, new = ("".join(data[name].split()) for name in ("traditional", "simplified"))
    pairs = tuple((said, read) for said, read in (line.split() for line in data["dialect"].strip().splitlines()))
    return dict(zip(map(ord, old), new, strict=True)), pairs


def simplified(text: str) -> str:
    """The text as the rules read it, of the same length; itself where it is in Simplified Mandarin."""
    if text.isascii():
        return text
    characters, dialect = _tables()
    in_dialect = _DIALECT.search(text) is not None
    if not in_dialect:
        old = sum(ord(c) in characters for c in text[:400])
        if old < (1 if len(text) < _SHORT else _FEWEST):
            return text
    read = (_IS.sub("是", text) if in_dialect else text).translate(characters)
    for said, known in dialect if in_dialect else ():
        read = read.replace(said, known)
    return read


def in_script_of(turn: str, read: str) -> dict[int, str]:
    """How a statement made from a `turn` as it was `read` is told in the turn's characters (for `str.translate`)."""
    if turn == read:
        return {}
    characters, _ = _tables()
    return {ord(r): t for t, r in zip(turn, read, strict=True) if t != r and characters.get(ord(t)) == r}


def told_in(found: Found, script: Mapping[int, str], profile: Profile) -> Found:
    """The same in a script; a value that the profile knows stays."""

    def value(slot: str, said: Any) -> Any:
        if not isinstance(said, str) or any(v != said for _, v in resolve(profile, ((slot, said),))):
            return said
        written = said.translate(script)
        return written if own_fields(profile, resolve(profile, ((slot, written),))) else said

    if not script:
        return found
    slots = tuple((slot, value(slot, said)) for slot, said in found.slots)
    return replace(found, text=found.text.translate(script), slots=slots)


def read_simplified(turn: TurnView) -> TurnView:
    """A Chinese turn, and what was said before it, as the rules read it."""
    if turn.language != "zh":
        return turn
    before = tuple((role, simplified(said)) for role, said in turn.previous)
    return replace(turn, content=simplified(turn.content), previous=before)
