"""Which memories an answer was given: feedback and turns reach them by its context or interaction (D4, D7, D16).

State: a row a context and one an interaction, under an owner name beside the user's own, so that an event loads the
rows that it names and no more. They are forgotten after 7 days. Feedback that comes before its memories are known (it
takes the shorter way) waits in the row.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from processors.state_tables import JsonRows, Row, SortableTime, Table, stored_as
from processors.step import OwnerState, Reads
from schemas.events.memory import Extraction, Feedback, Given
from schemas.log.owner import Owner

KEPT = timedelta(days=7)
MOST_IDS = 500
MOST_FEEDBACK = 20
"""Feedback on one answer that is remembered for memories of it that become known later."""


class PendingFeedback(Row):
    """Feedback on an answer, as it can wait. `words`: of its correction, as keyed hashes."""

    model_config = stored_as(feedback_id="id")

    feedback_id: str
    rating: str | None
    adopted: bool
    corrects: bool
    words: tuple[str, ...]


class AnswerFeedback(NamedTuple):
    """Feedback, the memories that it reaches now, and all that its answer was given."""

    feedback: PendingFeedback
    reached: tuple[str, ...]
    given: tuple[str, ...]


class AnswerRow(Row):
    """Of a context or an interaction. `ids`: of the memories that it was given."""

    model_config = stored_as(feedback="said")

    ids: tuple[str, ...] = ()
    feedback: tuple[PendingFeedback, ...] = ()
    until: SortableTime


ANSWERS: Table[AnswerRow] = Table("", JsonRows(AnswerRow))
"""Under `place`, by `names_of`."""


def place(owner: Owner) -> str:
    return f"{owner.key}/given"


def names_of(context_id: str | None, interaction_id: str | None) -> tuple[str, ...]:
    """Rows that an event may name, the narrower first."""
    return tuple(f"{kind}/{name}" for kind, name in (("c", context_id), ("i", interaction_id)) if name is not None)


def reads_of(event: Given | Feedback | Extraction) -> tuple[Reads, ...]:
    names = names_of(event.context_id, event.interaction_id)
    return (Reads(place(event.owner), tuple(map(ANSWERS.key, names))),) if names else ()


class CitationIndex:
    """The rows that one event names (None: it names none)."""

    def __init__(self, rows: OwnerState | None, at: datetime) -> None:
        self._rows = None if rows is None else rows.table(ANSWERS)
        self._at = at

    def of_context(self, context_id: str | None) -> tuple[str, ...]:
        """What a context gave; empty where it is unknown or forgotten."""
        return () if context_id is None else self._row(names_of(context_id, None)[0]).ids

    def waits(self, context_id: str | None, interaction_id: str | None) -> bool:
        """Does feedback wait for what the answer was given?"""
        return any(self._row(name).feedback for name in names_of(context_id, interaction_id))

    def give(self, ids: Iterable[str], context_id: str | None, interaction_id: str | None) -> list[AnswerFeedback]:
        """An answer was given these memories; feedback that waited for them."""
        known = list(dict.fromkeys(ids))
        out: list[AnswerFeedback] = []
        for name in names_of(context_id, interaction_id):
            row = self._row(name)
            new = tuple(i for i in known if i not in row.ids)[: MOST_IDS - len(row.ids)]
            if not new:
                continue
            given = (*row.ids, *new)
            self._keep(name, given, row.feedback)
            out += [AnswerFeedback(feedback, new, given) for feedback in row.feedback]
        return out

    def judge(
        self, feedback: PendingFeedback, context_id: str | None, interaction_id: str | None
    ) -> AnswerFeedback | None:
        """Feedback that names no memory: it reaches those of its context, else of its interaction (the context says
        exactly what was given), and those that become known later. None: it names neither."""
        names = names_of(context_id, interaction_id)
        if not names:
            return None
        row = self._row(names[0])
        self._keep(names[0], row.ids, (*row.feedback, feedback)[-MOST_FEEDBACK:])
        return AnswerFeedback(feedback, row.ids, row.ids)

    def _row(self, name: str) -> AnswerRow:
        row = None if self._rows is None else self._rows.get(name)
        return AnswerRow(until=self._at) if row is None or row.until <= self._at else row

    def _keep(self, name: str, ids: tuple[str, ...], feedback: tuple[PendingFeedback, ...]) -> None:
        until = self._at + KEPT
        if self._rows is not None:
            self._rows.put(name, AnswerRow(ids=ids, feedback=feedback, until=until), until)
