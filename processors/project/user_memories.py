"""A memory that its user corrected, had forgotten, or had remembered for the project: its hot memory and its report
follow (A4, A5, C9, D9). Where its days are over, hot memory does (C8). Pure.

Of a report that is not closed for good the statement leaves or is told in its new words, and the texts of the turns
that said it are quoted no more: they say what is not so.
"""

from __future__ import annotations

from datetime import datetime

from processors.project import weeks
from processors.project.hot_keys import INDEX, HotKeys
from processors.project.report_value import ReportLists, lists_of, with_values
from processors.project.rollup import weeks_of
from processors.project.rows import EXTRACT, REPORT, STATEMENTS, TEXTS, WEEK, HotName, WeekCounts
from processors.project.week_held import TEXT_CHARS
from processors.project.week_places import DUE, Place, note_due, span
from processors.step import OwnerState, Reads, StateSpace
from schemas.events.documents import UserMemory
from schemas.events.envelope import SourceTurn
from schemas.events.memory import MemoryUpdate
from schemas.profile.model import Profile

MEMORY = "memory"
"""Attribute of an entry of hot memory: the user's record that it came from."""


def reads(e: UserMemory) -> tuple[Reads, ...]:
    texts = [(p, t) for t in _source_turns(e) for p in _places(e, t.occurred_at)]
    week = WEEK.key, REPORT.key, EXTRACT.key
    kept = [Reads(p.key, (*week, TEXTS.key(t.turn_id), STATEMENTS.key(t.turn_id))) for p, t in texts]
    return Reads(e.owner.key, (INDEX,)), *kept, *(Reads(DUE, (p.key,)) for p, _ in texts)


def entries_of(e: UserMemory, state: StateSpace) -> list[HotName]:
    """The entries that it has written."""
    rows = HotKeys(state.of(e.owner.key)).all()
    return [entry for row in rows if (entry := HotName.parse(row)).record_id(e.owner) in e.entries]


def written_by(e: UserMemory, old: MemoryUpdate | None) -> bool:
    """Does an entry, or a proposal, stand that came from this memory? One of before the attribute is known by its
    turn."""
    if old is None or old.state == "deleted" or old.user_id != e.user_id:
        return False
    if MEMORY in old.sealed.attributes:
        return str(old.sealed.attributes[MEMORY]) == e.record_id
    turn_ids = {s.turn_id for s in old.sources}
    return bool(turn_ids) and turn_ids <= {t.turn_id for t in e.turns}


def retell(e: UserMemory, profile: Profile, state: StateSpace) -> None:
    """The weeks of the turns that said it, as far as they are held. The next tick writes their reports again."""
    for turn, place in [(t, p) for t in _source_turns(e) for p in _places(e, t.occurred_at)]:
        rows = state.of(place.key)
        counts = rows.single(WEEK).get()
        _, end, ends_at = span(place, profile)
        if counts is None or not _reword(e, turn.turn_id, rows, counts, ends_at):
            continue
        counts.dirty = True
        rows.single(WEEK).put(counts, ends_at)
        _unquote(turn.turn_id, rows, ends_at)
        when = e.accepted_at if counts.closed else max(e.accepted_at, end + weeks.STRAGGLERS)
        note_due(place, when, state)


def _source_turns(e: UserMemory) -> tuple[SourceTurn, ...]:
    """Turns whose weeks tell it: those of a report outlive the days of a memory."""
    return () if e.command == "expire" else e.turns


def _reword(e: UserMemory, turn: str, rows: OwnerState, counts: WeekCounts, ends_at: datetime) -> bool:
    """The week loses the turn's text, and its statement is reworded or removed. Whether it held one of the two."""
    texts, statements = rows.table(TEXTS), rows.table(STATEMENTS)
    had = turn in texts
    texts.delete(turn)
    counts.texts.pop(turn, None)
    note = statements.get(turn)
    if note is None or all(statement.record_id != e.record_id for statement in note.statements):
        return had
    text = e.sealed.text[:TEXT_CHARS]
    kept = []
    for statement in note.statements:
        if statement.record_id != e.record_id:
            kept.append(statement)
        elif text:
            kept.append(statement._replace(text=text))
        else:
            counts.memories[statement.kind] -= 1
    if kept:
        statements.put(turn, note.model_copy(update={"statements": tuple(kept)}), ends_at)
    else:
        counts.notes -= 1
        statements.delete(turn)
    return True


def _unquote(turn: str, rows: OwnerState, ends_at: datetime) -> None:
    """What the report that stands would hand down to the next one, where other texts have expired meanwhile."""
    rows.single(EXTRACT).delete()
    row = rows.single(REPORT)
    report = row.get()
    if report is None:
        return
    held = lists_of(report)
    left = ReportLists(
        problems=tuple(p for p in held.problems if turn not in (p.turn_id, p.solved_by)),
        key_events=tuple(k for k in held.key_events if turn not in k.source_turn_ids),
        open_tasks=tuple(t for t in held.open_tasks if turn not in t.source_turn_ids),
        decisions=tuple(d for d in held.decisions if turn not in d.source_turn_ids),
        figures=tuple(f for f in held.figures if turn not in (f.turn_id, f.turn_before, f.turn_of)),
    )
    body = report.sealed.model_copy(update={"value": with_values(report, left.json_value())})
    row.put(report.model_copy(update={"sealed": body}), ends_at)


def _places(e: UserMemory, stated_at: datetime) -> list[Place]:
    """The weeks that may hold it, whatever the zone was when it was said."""
    return [Place(e.owner, monday) for monday in weeks_of(stated_at)]
