"""What the project step holds of a week: its counts, texts of turns, and statements that the gate kept of them (A6)."""

from __future__ import annotations

from datetime import datetime

from processors.project.rollup import Noted, Spoken
from processors.project.rows import STATEMENTS, TEXTS, WEEK, Statement, TurnStatements, WeekCounts
from processors.state_tables import OwnerTable
from processors.step import OwnerState
from schemas.events.documents import TurnDigest
from schemas.events.envelope import SourceTurn

TEXT_CHARS = 600
NOTES = 200
"""Turns with statements."""
USERS = 200
"""Users that are counted by name."""


def counts_of(rows: OwnerState) -> WeekCounts:
    """Of a week, also of one that holds nothing yet."""
    return rows.single(WEEK).get() or WeekCounts()


def count_turn(counts: WeekCounts, d: TurnDigest) -> None:
    """A turn that the week has not had yet."""
    counts.turns += 1
    counts.zh += d.language == "zh"
    if d.user_id in counts.users or len(counts.users) < USERS:
        counts.users[d.user_id] = counts.users.get(d.user_id, 0) + 1
    else:
        counts.more_users += 1  # turns, not users: an upper bound


def put_statements(d: TurnDigest, counts: WeekCounts, table: OwnerTable[TurnStatements], ends_at: datetime) -> None:
    """The statements of a turn take the place of those that it had. `ends_at`: when the week goes."""
    name = d.turn.turn_id
    old = table.get(name)
    for statement in old.statements if old else ():
        counts.memories[statement.kind] -= 1
    for m in d.sealed.kept:
        counts.memories[m.kind] = counts.memories.get(m.kind, 0) + 1
    if d.sealed.kept and (old is not None or counts.notes < NOTES):
        counts.notes += old is None
        kept = tuple(Statement(m.kind, m.episode_type, m.text[:TEXT_CHARS], m.record_id) for m in d.sealed.kept)
        row = TurnStatements(statements=kept, source=d.turn, user_id=d.user_id, position=d.position)
        table.put(name, row, ends_at)
    elif old is not None:
        counts.notes -= 1
        table.delete(name)


def spoken(rows: OwnerState, now: datetime) -> tuple[list[Spoken], dict[str, SourceTurn]]:
    """Texts whose turns have not expired, oldest first, and their citations."""
    out, sources = [], {}
    for _, row in rows.table(TEXTS).items():
        if row.expires_at <= now:
            continue
        s = row.source
        sources[s.turn_id] = s
        out.append(
            Spoken(s.turn_id, s.session_id, s.occurred_at, row.role, row.speaker, row.text, row.position, row.user_id)
        )
    return sorted(out, key=in_order), sources


def noted(rows: OwnerState, sources: dict[str, SourceTurn]) -> list[Noted]:
    """Kept statements, oldest first; adds their citations to `sources`."""
    out, texts = [], rows.table(TEXTS)
    for name, row in rows.table(STATEMENTS).items():
        s = sources.setdefault(row.source.turn_id, row.source)
        held = texts.get(name)
        speaker = None if held is None else held.speaker
        out += [
            Noted(s.turn_id, s.occurred_at, kept.kind, kept.episode_type, kept.text, row.position, row.user_id, speaker)
            for kept in row.statements
        ]
    return sorted(out, key=in_order)


def in_order(entry: Spoken | Noted) -> tuple[datetime, int, str]:
    """When it was said; within one moment as the log has it."""
    return entry.at, entry.position, entry.turn_id
