"""The value of a weekly report, as `MemoryUpdate.sealed.value` has it."""

from __future__ import annotations

from pydantic import ValidationError

from processors.state_tables import Row, UnreadableRow
from schemas.base import JsonObject
from schemas.events.memory import MemoryUpdate
from schemas.log.codec import describe


class ReportStatement(Row):
    """`type`: an episode's, or a kind of memory. `occurred_at`: sortable text. `by`: who said it. `owner`: of a task,
    whose it is; `due`: the day, as in 2026-11-24. `done_by`: the turn that says so."""

    type: str
    text: str
    occurred_at: str
    source_turn_ids: tuple[str, ...]
    by: str | None = None
    owner: str | None = None
    due: str | None = None
    done_by: str | None = None


class ReportProblem(Row):
    """`solution` None: still open when the week ended."""

    text: str
    turn_id: str
    solution: str | None = None
    solved_by: str | None = None
    by: str | None = None
    """Who named it; `solver`: who said how it was solved."""
    solver: str | None = None


class ReportFigure(Row):
    """A status key of the profile's catalogue as the week left it. `of`: what it is a share of; `turn_of`: the turn of
    the week that says so, None where it was known before. `before`: what the week before left, by `turn_before`."""

    key: str
    value: int | float
    turn_id: str
    of: int | float | None = None
    before: int | float | None = None
    turn_before: str | None = None
    turn_of: str | None = None

    @property
    def hands_down(self) -> bool:
        """Whether the whole comes from another week, or from hot memory."""
        return self.of is not None and self.turn_of is None


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
    done_tasks: int = 0


class ReportLists(Row):
    """What is read again of a report. One that was erased has empty lists."""

    week_start: str = ""
    key_events: tuple[ReportStatement, ...] = ()
    decisions: tuple[ReportStatement, ...] = ()
    open_tasks: tuple[ReportStatement, ...] = ()
    problems: tuple[ReportProblem, ...] = ()
    figures: tuple[ReportFigure, ...] = ()

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
