"""Values that are each of their time (C6): a reading, which is another one at another time though it is the same value,
and what comes and goes. Pure."""

from __future__ import annotations

from datetime import timedelta

from processors.memory.index import since
from schemas.events.envelope import SourceTurn
from schemas.events.memory import Candidate, MemoryUpdate
from schemas.profile.model import Profile

APART = timedelta(hours=1)
"""Between two readings of one value: closer they are one, said twice."""


def told_anew(profile: Profile, c: Candidate, name: str, held: MemoryUpdate, turn: SourceTurn) -> bool:
    """Is what a candidate says of a field another one than `held`, which has the same value? A reading is, at another
    time; what comes and goes is where it is told to have begun since it was last said."""
    spec = profile.field(name)
    if spec is None or any(s.turn_id == turn.turn_id for s in held.sources):
        return False
    if spec.spells:
        last = max((s.occurred_at for s in held.sources), default=held.occurred_at)
        return c.occurred_from is not None and last < c.occurred_from <= turn.occurred_at
    if spec.reading is None:
        return False
    begun, at = since(held), c.occurred_from or turn.occurred_at
    within = c.occurred_from is not None and c.occurred_to is not None and c.occurred_from <= begun < c.occurred_to
    return not within and abs(at - begun) >= APART


def read_before(profile: Profile, c: Candidate, name: str, held: MemoryUpdate) -> bool:
    """Is it a reading of a time that was over when `held` was read?"""
    spec = profile.field(name)
    return spec is not None and spec.reading is not None and c.occurred_to is not None and c.occurred_to <= since(held)
