"""What a new statement of a user changes of what stands: which records it is marked with, and which it retires."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import numpy as np

from processors.memory.changes.head import head_for
from processors.memory.changes.nearest import NEAREST
from processors.memory.changes.pair import Statement, measured
from processors.memory.index import LEARNED
from processors.memory.readings import of_people
from processors.memory.store import Standing
from schemas.events.memory import MemoryUpdate

WITHOUT_SIGN = 2
"""How many of the nearest a statement is compared with that no word of change stands in: it seldom changes any."""
MOST_CHANGED = 2
"""Records that one statement changes at most: the likeliest."""


@dataclass(frozen=True, slots=True)
class Change:
    """`old` is changed by the new statement, as likely as `score`; None where words alone say so, of embeddings that no
    head knows."""

    old: MemoryUpdate
    outcome: Literal["marked", "retired"]
    score: float | None


def changes(standing: Standing, new: MemoryUpdate, turn_id: str) -> list[Change]:
    """What `new`, which does not stand yet and was said in a turn, changes: among the nearest that stand, of the same
    person and project, that were said before it and in other turns. What people corrected or confirmed is marked and
    never retired."""
    if new.state != "active" or new.kind not in LEARNED or not new.sealed.embedding:
        return []
    after = _statement(new, None)
    most = NEAREST if after.signs else WITHOUT_SIGN
    near = _comparable(standing, new, turn_id, most)
    found = [c for old in near if (c := _change(old, _statement(old, standing), new, after)) is not None]
    found.sort(key=lambda c: (c.outcome != "retired", -(c.score or 0.0), c.old.record_id))
    return found[:MOST_CHANGED]


def _comparable(standing: Standing, new: MemoryUpdate, turn_id: str, most: int) -> Sequence[MemoryUpdate]:
    held: dict[str, MemoryUpdate] = {}

    def takes(record_id: str) -> bool:
        old = standing.get(record_id)
        if old is None or record_id == new.record_id or old.state != "active" or old.kind not in LEARNED:
            return False
        if (_about(old), old.project_id, old.model_id) != (_about(new), new.project_id, new.model_id):
            return False
        if any(s.turn_id == turn_id for s in old.sources) or _last_said(old) > new.occurred_at:
            return False
        held[record_id] = old
        return True

    return [held[name] for name in standing.near(new.sealed.embedding, takes, most)]


def _change(old: MemoryUpdate, before: Statement, new: MemoryUpdate, after: Statement) -> Change | None:
    found = measured(before, after)
    head = head_for(new.model_id)
    if head is None:
        return Change(old, "marked", None) if found.says_so else None
    score = round(head.changed(before, after, found), 4)
    if head.card.retires(score, found) and not of_people(old):
        return Change(old, "retired", score)
    return Change(old, "marked", score) if head.card.marks(score, found) else None


def _statement(u: MemoryUpdate, standing: Standing | None) -> Statement:
    """`standing`: where its features may be kept."""
    kept = None if standing is None else standing.features(u.record_id)
    return Statement(u.sealed.text, np.frombuffer(u.sealed.embedding, np.float16).astype(np.float32), kept)


def _about(u: MemoryUpdate) -> str:
    return str(u.sealed.attributes.get("about") or "")


def _last_said(u: MemoryUpdate) -> datetime:
    return max((s.occurred_at for s in u.sources), default=u.occurred_at)
