"""Hot memory of a turn that was extracted anew (A4; docs/decisions/2026-11-22-restating.md): what the newer extractor
no longer says leaves. Pure.

State of a project, 30 days: the ids of the entries that a turn wrote. Not their keys, which may be what somebody said.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from processors.project.hot_keys import INDEX, HotKeys
from processors.project.rows import HOT, PROPOSED, WRITTEN_BY, HotName
from processors.step import OwnerState, Reads, StateSpace
from schemas.events.documents import TurnDigest

KEPT = timedelta(days=30)
"""As long as a newer extractor may speak (processors.memory.store)."""


def note(rows: OwnerState, turn_ids: Iterable[str], record: str, at: datetime) -> None:
    """An entry was written from these turns. In the caller's reads: `WRITTEN_BY` of each."""
    table = rows.table(WRITTEN_BY)
    for turn in turn_ids:
        ids = table.get(turn) or ()
        if record not in ids:
            table.put(turn, (*ids, record), at + KEPT)


def reads(d: TurnDigest) -> tuple[Reads, ...]:
    return (Reads(d.owner.key, (WRITTEN_BY.key(d.turn.turn_id), INDEX)),) if d.restated else ()


def then_reads(d: TurnDigest, state: StateSpace) -> tuple[Reads, ...]:
    found = entries_of(d, state) if d.restated else ()
    rows = tuple(t.key(entry.name) for entry in found for t in (HOT, PROPOSED))
    return (Reads(d.owner.key, rows),) if found else ()


def entries_of(d: TurnDigest, state: StateSpace) -> list[HotName]:
    """The entries that the turn wrote and that it does not say any more."""
    rows = state.of(d.owner.key)
    ids = rows.table(WRITTEN_BY).get(d.turn.turn_id)
    if ids is None:
        return []
    written = [entry for row in HotKeys(rows).all() if (entry := HotName.parse(row)).record_id(d.owner) in ids]
    if d.sealed.withdrawn is not None:
        return [entry for entry in written if entry.record_id(d.owner) in d.sealed.withdrawn]
    return [entry for entry in written if entry.row not in d.sealed.hot]
