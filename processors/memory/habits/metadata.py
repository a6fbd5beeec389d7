"""What of a turn's metadata habits are mined from (C5): a few short scalars, as the profile names them. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from zoneinfo import ZoneInfo

from schemas.events.memory import MemoryUpdate
from schemas.events.turns import ScreenedTurn, metadata_value
from schemas.profile.model import HabitSpec

ACTION, ZONE, PHRASE = "@action", "@zone", "@phrase"
"""Entries that stand for what the profile names by keys of its own."""
MOST_CHARS = 100
_PHRASE_CHARS = 40
_WORDS = re.compile(r"[^\W\d_]+")


def habit_metadata(turn: ScreenedTurn, spec: HabitSpec) -> dict[str, str]:
    """Only a user's own turns; values longer than `MOST_CHARS` are no habit."""
    if turn.role != "user" or turn.refused:
        return {}
    said = turn.sealed.metadata
    out = {k: v for k in (*spec.usual, *spec.times) if (v := metadata_value(said, k))}
    if action := metadata_value(said, spec.action) or turn.intent:
        out[ACTION] = action.strip()
        if spec.phrases and (phrase := _phrase(turn.sealed.content)):
            out[PHRASE] = phrase
    if (zone := metadata_value(said, spec.zone)) and is_zone(zone):
        out[ZONE] = zone
    return {k: v for k, v in out.items() if v and len(v) <= MOST_CHARS}


def _phrase(content: str) -> str | None:
    """A short request without its figures: "记录血压 128/82" and "记录血压 119/78" are one phrase."""
    if len(content) > _PHRASE_CHARS:
        return None
    return " ".join(_WORDS.findall(unicodedata.normalize("NFKC", content).casefold())) or None


def is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True


def zone_of(u: MemoryUpdate, names: Collection[str]) -> str | None:
    """The zone that a preference names, or a store item holds (C5)."""
    value = u.sealed.value
    zone: object = None
    if u.kind == "preference" and u.state == "active" and u.field in names:
        zone = value
    elif u.kind == "item" and u.op == "upsert" and isinstance(value, dict):
        zone = next((value[n] for n in names if n in value), None)
    return zone if isinstance(zone, str) and len(zone) <= MOST_CHARS and is_zone(zone) else None
