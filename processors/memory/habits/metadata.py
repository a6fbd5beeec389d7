"""What of a turn habits are mined from (C5): a few short scalars of its metadata, as the profile names them, and for
those that it does not hold what the turn itself says. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo

from processors.memory.habits.appointment_times import SLOT, slot, times_of
from processors.memory.habits.mentions import habit_mentions, values_of
from processors.reader.rules.text import MASKED
from schemas.events.memory import MemoryUpdate
from schemas.events.turns import ScreenedTurn, metadata_value
from schemas.profile.model import Profile

ACTION, ZONE, PHRASE = "@action", "@zone", "@phrase"
"""Entries that stand for what the profile names by keys of its own."""
MOST_CHARS = 100
_PHRASE_CHARS = 40
_WORDS = re.compile(r"[^\W\d_]+")


def habit_metadata(turn: ScreenedTurn, profile: Profile) -> dict[str, str]:
    """Only a user's own turns; values longer than `MOST_CHARS` are no habit."""
    if turn.role != "user" or turn.refused:
        return {}
    metadata, spec = turn.sealed.metadata, profile.habits
    plain = habit_mentions(turn.sealed.content, turn.sealed.previous, spec)
    own = metadata_value(metadata, spec.action) or turn.intent
    resolved_action = plain.effective_action if own is None else own.strip()
    values = plain.values if own is None else values_of(turn.sealed.content, resolved_action, spec)
    zone = metadata_value(metadata, spec.zone)
    there = turn.occurred_at.astimezone(ZoneInfo(zone if zone and is_zone(zone) else profile.time_zone))
    values |= times_of(turn.sealed.content, resolved_action, spec, there)
    out = {k: v for k in (*spec.usual, *spec.times) if (v := metadata_value(metadata, k) or _unmasked(values.get(k)))}
    out |= _slots(values, {k: v for k in spec.times if (v := metadata_value(metadata, k))}, there.tzinfo)
    if action := own or plain.action:
        out[ACTION] = action.strip()
        # Of a turn whose action is known by its words, these: what else it says is of that day.
        if spec.phrases and (phrase := _phrase(plain.action_words if own is None else turn.sealed.content)):
            out[PHRASE] = phrase
    if zone and is_zone(zone):
        out[ZONE] = zone
    return {k: v for k, v in out.items() if v and len(v) <= MOST_CHARS}


def _slots(plain: Mapping[str, str], named: Mapping[str, str], zone: tzinfo | None) -> dict[str, str]:
    """Weekdays and parts of the day that plain words ask for, or in which the times lie that the caller named."""
    slots = {k: v for k, v in plain.items() if k.startswith(SLOT)}
    times = {k: when for k, v in named.items() if (when := time_of(v)) is not None}
    return slots | {SLOT + k: slot(when.astimezone(zone)) for k, when in times.items()}


def time_of(text: str | None) -> datetime | None:
    """An RFC 3339 time with its offset, else None."""
    try:
        when = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return when if when is not None and when.tzinfo is not None and 1980 <= when.year < 9000 else None


def _unmasked(value: str | None) -> str | None:
    """What the screen masked is no value."""
    return None if value is None or MASKED.search(value) else value


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
