"""Hot memory of a turn that was extracted anew (A4; docs/decisions/2026-11-22-restating.md): what the newer extractor
no longer says leaves. Pure.

State of a project, 30 days: `said/TURN`, the ids of the entries that the turn wrote. Not their keys, which may be what
somebody said.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from processors.project.hot_keys import INDEX, HotKeys
from processors.step import OwnerState, Reads, StateSpace
from schemas.base import Json
from schemas.events.documents import TurnDigest
from schemas.log.ids import record_id
from schemas.log.owner import Owner

KEPT = timedelta(days=30)
"""As long as a newer extractor may speak (processors.memory.store)."""


def said(turn_id: str) -> str:
    return f"said/{turn_id}"


def note(rows: OwnerState, turn_ids: Iterable[str], record: str, at: datetime) -> None:
    """An entry was written from these turns. In the caller's reads: `said` of each."""
    for turn in turn_ids:
        held = rows.get(said(turn))
        ids: list[Json] = held if isinstance(held, list) else []
        if record not in ids:
            rows.put(said(turn), [*ids, record], at + KEPT)


def reads(d: TurnDigest) -> tuple[Reads, ...]:
    return (Reads(d.owner.key, (said(d.turn.turn_id), INDEX)),) if d.restated else ()


def then_reads(d: TurnDigest, state: StateSpace) -> tuple[Reads, ...]:
    found = rows_of(d, state) if d.restated else ()
    return (Reads(d.owner.key, tuple(found)),) if found else ()


def rows_of(d: TurnDigest, state: StateSpace) -> list[str]:
    """State rows of the entries that the turn wrote and that it does not say any more."""
    rows = state.of(d.owner.key)
    ids = rows.get(said(d.turn.turn_id))
    if not isinstance(ids, list):
        return []
    written = [row for row in HotKeys(rows).all() if entry(d.owner, row) in ids]
    if d.sealed.withdrawn is not None:
        return [row for row in written if entry(d.owner, row) in d.sealed.withdrawn]
    return [row for row in written if row not in d.sealed.hot]


def entry(owner: Owner, row: str) -> str:
    """Id of the entry that stands in a state row."""
    return record_id(owner, *row.split("/", 2))
