"""The value of a weekly report, as `MemoryUpdate.sealed.value` has it."""

from __future__ import annotations

from pydantic import ValidationError

from processors.state_tables import Row, UnreadableRow
from schemas.base import JsonObject
from schemas.events.memory import MemoryUpdate
from schemas.log.codec import describe


class ReportStatement(Row):
    """`type`: an episode's, or a kind of memory. `occurred_at`: sortable text."""

    type: str
    text: str
    occurred_at: str
    source_turn_ids: tuple[str, ...]


class ReportProblem(Row):
    """`solution` None: still open when the week ended."""

    text: str
    turn_id: str
    solution: str | None = None
    solved_by: str | None = None


class ReportMetrics(Row):
    """`turns_by_user` names the first users only; `users` counts the turns of others too, an upper bound."""

    turns: int
    users: int
    turns_by_user: dict[str, int]
    memories: dict[str, int]
    decisions: int
    open_tasks: int
    problems: int
    solved: int
    late_turns: int
    texts_left_out: int


class ReportLists(Row):
    """What is read again of a report. One that was erased has empty lists."""

    week_start: str = ""
    key_events: tuple[ReportStatement, ...] = ()
    decisions: tuple[ReportStatement, ...] = ()
    open_tasks: tuple[ReportStatement, ...] = ()
    problems: tuple[ReportProblem, ...] = ()

    def json_value(self) -> JsonObject:
        """Only the fields that were given."""
        return self.model_dump(mode="json", exclude_unset=True)


class ReportValue(ReportLists):
    """A report as it is written. `extractive`: no model has worded it."""

    week_end: str
    metrics: ReportMetrics
    extractive: bool
    closed: bool


def lists_of(report: MemoryUpdate) -> ReportLists:
    """Raises UnreadableRow."""
    try:
        return ReportLists.model_validate(report.sealed.value)
    except ValidationError as exc:
        raise UnreadableRow(describe(exc)) from None


def with_values(report: MemoryUpdate, changes: JsonObject) -> JsonObject:
    """The value of a report with some fields replaced."""
    value = report.sealed.value
    return {**value, **changes} if isinstance(value, dict) else changes
