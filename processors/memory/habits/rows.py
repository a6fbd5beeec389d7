"""Rows of habits, under a user in the gate's state, and the list of a partition that says when a habit is due."""

from __future__ import annotations

from pydantic import Field

from processors.memory.habits.patterns import Occurrence
from processors.state_tables import JsonRows, Row, Single, SortableTime, Table, TimeRows, stored_as
from schemas.events.envelope import SourceTurn

DUE_OWNER = "@habits"


class ActionTimes(Row):
    """When an action was done.

    `told`: a pattern of it was emitted. `minute`: the usual minute of the day that its own pattern tells. `further`:
    those of its other patterns, by their number. `due_day`: the local day on which it is next expected. `missed_day`:
    the one on which it was last said to be overdue. Days are proleptic ordinals.
    """

    model_config = stored_as(
        occurrences="o", sources="s", minute="p", further="m", due_day="w", missed_day="r", used_at="at"
    )

    used_at: SortableTime
    occurrences: tuple[Occurrence, ...] = ()
    sources: tuple[SourceTurn, ...] = ()
    told: bool = False
    minute: int | None = Field(default=None, exclude_if=lambda minute: minute is None)
    further: dict[str, int] = Field(default_factory=dict)
    due_day: int = 0
    missed_day: int | None = Field(default=None, exclude_if=lambda day: day is None)


class UsualValues(Row):
    """The last values of a key, oldest first. `told`: a pattern of it was emitted."""

    model_config = stored_as(values="v", sources="s")

    values: tuple[str, ...] = ()
    sources: tuple[SourceTurn, ...] = ()
    told: bool = False


TIMES: Table[ActionTimes] = Table("h/t/", JsonRows(ActionTimes))
"""By action."""
USUAL: Table[UsualValues] = Table("h/u/", JsonRows(UsualValues))
"""By key."""
HOURS: Single[tuple[tuple[int, int], ...]] = Single("h/hours", JsonRows(tuple[tuple[int, int], ...]))
"""Active local days, oldest first: the day's ordinal, and a bit for each hour."""
ZONE: Single[str] = Single("h/zone", JsonRows(str))
DUE_TIMES = Table("", TimeRows())
"""When a habit is due, by its user's key and its action (`USER|ACTION`), under `DUE_OWNER`."""
