"""What a new statement of a user changes of what stands: which records it is marked with, and which it retires."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import numpy as np

from processors.memory.changes.excluding import only_takes_back
from processors.memory.changes.head import head_for
from processors.memory.changes.nearest import NEAREST
from processors.memory.changes.pair import Statement, measured
from processors.memory.index import LEARNED, slots_of
from processors.memory.readings import made_by, of_people
from processors.memory.store import UserMemoryStore
from schemas.events.memory import MemoryUpdate

WITHOUT_SIGN = 2
"""How many of the nearest a statement is compared with that no word of change stands in: it seldom changes any."""
MOST_CHANGED = 2
"""Records that one statement changes at most: the likeliest."""


@dataclass(frozen=True, slots=True)
class Change:
    """`old` is changed by `new`, `stated_at` after it, as likely as `score`; None where words alone say so, of
    embeddings that no head knows."""

    old: MemoryUpdate
    new: MemoryUpdate
    outcome: Literal["marked", "retired"]
    score: float | None
    stated_at: datetime


def changes(store: UserMemoryStore, new: MemoryUpdate) -> list[Change]:
    """What a statement changes of the active records of the same person and project: among the nearest to it, those
    that were said before it and in other turns. What people corrected or confirmed is marked and never retired."""
    if not _is_read(new):
        return []
    after = _statement(new, None)
    near = _nearest(store, new, NEAREST if _says_more(after) else WITHOUT_SIGN, later=False)
    return _likeliest(_change(old, _statement(old, store), new, after) for old in near)


def changes_by_later(store: UserMemoryStore, old: MemoryUpdate) -> list[Change]:
    """By which statements of turns that were said after it a record is changed: the same, seen from the other side."""
    if not _is_read(old):
        return []
    before, found = _statement(old, None), []
    for rank, new in enumerate(_nearest(store, old, NEAREST, later=True)):
        after = _statement(new, store)
        if _says_more(after) or rank < WITHOUT_SIGN:
            found.append(_change(old, before, new, after))
    return _likeliest(found)


def would_end(old: MemoryUpdate, new: MemoryUpdate) -> bool:
    """Do the words of a record end an older one? False where an embedding is missing."""
    if not old.sealed.embedding or len(old.sealed.embedding) != len(new.sealed.embedding):
        return False
    change = _change(old, _statement(old, None), new, _statement(new, None))
    return change is not None and change.outcome == "retired"


def changes_others(u: MemoryUpdate) -> bool:
    """Is a record a statement of turns without a field? Others change nothing by their words."""
    return not slots_of(u) and made_by(u) != "command"


def _says_more(new: Statement) -> bool:
    """Does a statement bear a word of change, or say what others cannot be true beside?"""
    return bool(new.signs or new.claims or new.withdrawn or new.ending.tells())


def _is_read(u: MemoryUpdate) -> bool:
    return u.state == "active" and u.kind in LEARNED and bool(u.sealed.embedding)


def _nearest(store: UserMemoryStore, u: MemoryUpdate, most: int, *, later: bool) -> list[MemoryUpdate]:
    """Active records that can be compared with `u`, nearest first: said before it, or those statements that were said
    later."""
    held: dict[str, MemoryUpdate] = {}
    turns, last = {s.turn_id for s in u.sources}, _last_stated(u)

    def takes(record_id: str) -> bool:
        other = store.get(record_id)
        if other is None or record_id == u.record_id or other.state != "active" or other.kind not in LEARNED:
            return False
        if (_about(other), other.project_id, other.model_id) != (_about(u), u.project_id, u.model_id):
            return False
        if (_last_stated(other) > last) != later or any(s.turn_id in turns for s in other.sources):
            return False
        held[record_id] = other
        return not later or changes_others(other)

    return [held[name] for name in store.near(u.sealed.embedding, takes, most)]


def _likeliest(found: Iterable[Change | None]) -> list[Change]:
    changes = [c for c in found if c is not None]
    changes.sort(key=lambda c: (c.outcome != "retired", -(c.score or 0.0), c.old.record_id, c.new.record_id))
    return changes[:MOST_CHANGED]


def _change(old: MemoryUpdate, before: Statement, new: MemoryUpdate, after: Statement) -> Change | None:
    found, last = measured(before, after), _last_stated(old)
    stated_at = min((s.occurred_at for s in new.sources if s.occurred_at >= last), default=_last_stated(new))
    head = head_for(new.model_id)
    if only_takes_back(new.sealed.text, new.sealed.attributes.get("about")):
        outcome: Literal["marked", "retired"] = "retired" if found.names and not of_people(old) else "marked"
        return Change(old, new, outcome, None, stated_at) if found.names or found.withdraws else None
    if head is None:
        is_stated = found.says_so or found.excludes or found.withdraws or found.ends or found.resumes
        return Change(old, new, "marked", None, stated_at) if is_stated else None
    score = round(head.changed(before, after, found), 4)
    if head.card.retires(score, found):
        return Change(old, new, "marked" if of_people(old) else "retired", score, stated_at)
    return Change(old, new, "marked", score, stated_at) if head.card.marks(score, found) else None


def _statement(u: MemoryUpdate, store: UserMemoryStore | None) -> Statement:
    """`store`: where its features may be kept."""
    kept = None if store is None else store.features(u.record_id)
    vector = np.frombuffer(u.sealed.embedding, np.float16).astype(np.float32)
    return Statement(u.sealed.text, vector, kept, _about(u))


def _about(u: MemoryUpdate) -> str:
    return str(u.sealed.attributes.get("about") or "")


def _last_stated(u: MemoryUpdate) -> datetime:
    return max((s.occurred_at for s in u.sources), default=u.occurred_at)
