"""A memory that its user corrected, had forgotten, or had remembered for the project: its hot memory and its report
follow (A4, A5, C9, D9). Where its days are over, hot memory does (C8). Pure.

Of a report that is not closed for good the statement leaves or is told in its new words, and the texts of the turns
that said it are quoted no more: they say what is not so.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

import orjson

from processors.project import hot_withdrawn, weeks
from processors.project.hot_keys import INDEX, HotKeys
from processors.project.rollup import weeks_of
from processors.project.week_places import DUE, Place, note_due, span
from processors.step import OwnerState, Reads, StateSpace
from schemas.base import Json
from schemas.events.documents import UserMemory
from schemas.events.envelope import SourceTurn
from schemas.events.memory import MemoryUpdate
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.profile.model import Profile

MEMORY = "memory"
"""Attribute of an entry of hot memory: the user's record that it came from."""
_PLAIN = Codec()


def reads(e: UserMemory) -> tuple[Reads, ...]:
    texts = [(p, t) for t in _told_by(e) for p in _places(e, t.occurred_at)]
    kept = [Reads(p.key, ("meta", "report", "extract", f"t/{t.turn_id}", f"k/{t.turn_id}")) for p, t in texts]
    return Reads(e.owner.key, (INDEX,)), *kept, *(Reads(DUE, (p.key,)) for p, _ in texts)


def rows_of(e: UserMemory, state: StateSpace) -> list[str]:
    """State rows of the entries that it has written."""
    return [r for r in HotKeys(state.of(e.owner.key)).all() if hot_withdrawn.entry(e.owner, r) in e.entries]


def written_by(e: UserMemory, old: MemoryUpdate | None) -> bool:
    """Does an entry stand that came from this memory? One of before the attribute is known by its turn."""
    if old is None or old.state != "active" or old.user_id != e.user_id:
        return False
    if MEMORY in old.sealed.attributes:
        return str(old.sealed.attributes[MEMORY]) == e.record_id
    said = {s.turn_id for s in old.sources}
    return bool(said) and said <= {t.turn_id for t in e.turns}


def retell(e: UserMemory, profile: Profile, state: StateSpace) -> None:
    """The weeks of the turns that said it, as far as they are held. The next tick writes their reports again."""
    for turn, place in [(t, p) for t in _told_by(e) for p in _places(e, t.occurred_at)]:
        rows = state.of(place.key)
        meta = cast("dict[str, Any] | None", rows.get("meta"))
        _, end, gone = span(place, profile)
        if meta is None or not _said(e, turn.turn_id, rows, meta, gone):
            continue
        meta["dirty"] = True
        rows.put("meta", meta, gone)
        _unquote(turn.turn_id, rows, gone)
        when = e.accepted_at if meta["closed"] else max(e.accepted_at, end + weeks.STRAGGLERS)
        note_due(place, when, state)


def _told_by(e: UserMemory) -> tuple[SourceTurn, ...]:
    """Turns whose weeks tell it: those of a report outlive the days of a memory."""
    return () if e.command == "expire" else e.turns


def _said(e: UserMemory, turn: str, rows: OwnerState, meta: dict[str, Any], gone: datetime) -> bool:
    """The week told of it: its statement goes or is reworded, its text goes."""
    had = rows.get(f"t/{turn}") is not None
    rows.delete(f"t/{turn}")
    meta["texts"].pop(turn, None)
    note = cast("dict[str, Any] | None", rows.get(f"k/{turn}"))
    if note is None or all(k[3] != e.record_id for k in note["k"]):
        return had
    text = e.sealed.text[: weeks.TEXT_CHARS]
    kept: list[Json] = []
    for k in note["k"]:
        if k[3] != e.record_id:
            kept.append(k)
        elif text:
            kept.append([k[0], k[1], text, k[3]])
        else:
            meta["memories"][k[0]] -= 1
    if kept:
        rows.put(f"k/{turn}", {**note, "k": kept}, gone)
    else:
        meta["notes"] -= 1
        rows.delete(f"k/{turn}")
    return True


def _unquote(turn: str, rows: OwnerState, gone: datetime) -> None:
    """What the report that stands would hand down to the next one, where other texts have expired meanwhile."""
    rows.delete("extract")
    raw = rows.get("report")
    if not isinstance(raw, dict):
        return
    report = cast(MemoryUpdate, _PLAIN.event(topics.UPDATES.name, raw))
    value = cast("dict[str, Any]", report.sealed.value)
    told: dict[str, Any] = {
        "problems": [p for p in value["problems"] if turn not in (p["turn_id"], p["solved_by"])],
        "key_events": [k for k in value["key_events"] if turn not in k["source_turn_ids"]],
        "open_tasks": [t for t in value["open_tasks"] if turn not in t["source_turn_ids"]],
    }
    body = report.sealed.model_copy(update={"value": {**value, **told}})
    rows.put("report", orjson.loads(_PLAIN.value(report.model_copy(update={"sealed": body}))), gone)


def _places(e: UserMemory, said: datetime) -> list[Place]:
    """The weeks that may hold it, whatever the zone was when it was said."""
    return [Place(e.owner, monday) for monday in weeks_of(said)]
