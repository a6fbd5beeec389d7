"""Counts turns: reads conversation.history, writes days.turns.v1. Its state is a row a day and user, without a bound
but for the user's days."""

from __future__ import annotations

from collections.abc import Iterable

from processors.erasure.guard import Erased, Guarded
from processors.erasure.refused import REFUSED
from processors.erasure.steps import OwnRows
from processors.parts import Parts
from processors.state_tables import JsonRows, Table
from processors.step import Emit, Null, Out, PlainStep, Prepared, Reads, Record, StateSpace, Step
from schemas.events.erasure import Erasure
from schemas.events.turns import ScreenedTurn
from schemas.log.topics import HISTORY

from .declared import DAYS
from .events import DayCount

COUNTS: Table[int] = Table("day/", JsonRows(int))
"""Turns by day."""


class TurnsADay(PlainStep):
    """A turn is counted when it is new, on the day on which it was said."""

    name = "turns-a-day"
    source = HISTORY
    outputs = (DAYS,)
    marks = (DAYS,)

    def reads(self, record: Record, prepared: Prepared) -> tuple[Reads, ...]:
        turn = record.event
        return (Reads(turn.owner.key, (COUNTS.key(_day(turn)),)),) if isinstance(turn, ScreenedTurn) else ()

    def handle(self, record: Record, prepared: Prepared, state: StateSpace) -> Iterable[Out]:
        turn = record.event
        if not isinstance(turn, ScreenedTurn) or turn.revision > 1:  # a later revision is the same turn, amended
            return []
        counts, day = state.of(turn.owner.key).table(COUNTS), _day(turn)
        turns = (counts.get(day) or 0) + 1
        counts.put(day, turns)
        return [Emit(DAYS, _count(turn, day, turns))]


class DaysEraser(OwnRows):
    """All days of a user; of a session nothing, since a count does not say whose turns it counts."""

    passes_to = (DAYS,)

    def erase(self, e: Erasure, state: StateSpace) -> Erased:
        if e.scope != "user":
            return Erased()
        rows = state.of(e.owner.key)
        days = list(rows.table(COUNTS).names())
        nulls: list[Out] = [Null(DAYS, e.owner, f"{e.owner.key}/day/{day}".encode()) for day in days]
        rows.clear((REFUSED.key,))
        return Erased(outs=nulls, found={"days": len(days)})


def _day(turn: ScreenedTurn) -> str:
    return turn.occurred_at.date().isoformat()


def _count(turn: ScreenedTurn, day: str, turns: int) -> DayCount:
    return DayCount(
        tenant=turn.tenant, user_id=turn.user_id, day=day, turns=turns, revision=turns, accepted_at=turn.accepted_at
    )


def built(parts: Parts) -> Step:
    return Guarded(TurnsADay(), DaysEraser())
