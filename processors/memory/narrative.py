"""A user in a few sentences, without a model (B6): what they said of themselves, in the order of the catalogue, and
what is not known yet. Pure. Nothing is worded that was not said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from schemas.profile.model import Profile

Language = Literal["en", "zh"]
MOST_CHARS = 1_200
MOST_MISSING = 12
_ORDER = {"fact": 0, "intent": 1, "preference": 2}


@dataclass(frozen=True, slots=True)
class Statement:
    """One standing statement; `fields` are the catalogue fields that it fills."""

    kind: str
    fields: tuple[str, ...]
    text: str
    language: str
    known_at: datetime


def language_of(statements: Iterable[Statement]) -> Language:
    """The language that most statements are in. One that a caller had remembered has none: its script says it."""
    return "zh" if sum(1 if _chinese(s) else -1 for s in statements) > 0 else "en"


def _chinese(s: Statement) -> bool:
    return s.language == "zh" or (s.language == "und" and any("\u4e00" <= c <= "\u9fff" for c in s.text))


def in_order(profile: Profile, statements: Iterable[Statement]) -> list[Statement]:
    """Facts, intents, preferences; within each, the catalogue's order, then the newest."""
    place = {f.name: i for i, f in enumerate(profile.fields)}
    last = len(place)

    def key(s: Statement) -> tuple[int, int, float, str]:
        first = min((place.get(f, last) for f in s.fields), default=last)
        return _ORDER.get(s.kind, 3), first, -s.known_at.timestamp(), s.text

    return sorted(statements, key=key)


def missing(profile: Profile, statements: Iterable[Statement], language: Language) -> list[str]:
    """Labels of the catalogue fields that count and that nobody has filled."""
    filled = {f for s in statements for f in s.fields}
    return [
        f.label.get(language) or f.name
        for f in profile.fields
        if f.path is not None and f.weight > 0 and f.name not in filled
    ]


def narrative(profile: Profile, statements: Sequence[Statement], language: Language) -> str:
    """Empty where nothing is known. At most `MOST_CHARS` characters: what is left out is the last of the order."""
    sentences: list[str] = []
    room = MOST_CHARS
    for s in in_order(profile, statements):
        text = " ".join(s.text.split()).rstrip("。.;；")
        if not text or text in sentences:
            continue
        room -= len(text) + 2
        if room < 0:
            break
        sentences.append(text)
    if not sentences:
        return ""
    left = missing(profile, statements, language)[:MOST_MISSING]
    if language == "zh":
        return "；".join(sentences) + "。" + (f"尚未收集：{'、'.join(left)}。" if left else "")
    return "; ".join(sentences) + "." + (f" Not known yet: {', '.join(left)}." if left else "")
