"""Which memories an answer was given: feedback and turns reach them by its context or interaction (D4, D7, D16).

State: a row a context and one an interaction, under an owner name beside the user's own, so that an event loads the
rows that it names and no more. They are forgotten after 7 days. Feedback that comes before its memories are known (it
takes the shorter way) waits in the row.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from processors.memory.values import iso
from processors.step import OwnerState, Reads
from schemas.events.memory import Extraction, Feedback, Given
from schemas.log.owner import Owner

KEPT = timedelta(days=7)
MOST_IDS = 500
MOST_SAID = 20
"""Feedback on one answer that is remembered for memories of it that become known later."""


class Judged(NamedTuple):
    """Feedback as it was packed, the memories that it reaches now, and all that its answer was given."""

    said: dict[str, Any]
    reached: tuple[str, ...]
    given: tuple[str, ...]


def place(owner: Owner) -> str:
    return f"{owner.key}/given"


def keys_of(context_id: str | None, interaction_id: str | None) -> tuple[str, ...]:
    """Rows that an event may name, the narrower first."""
    return tuple(f"{kind}/{name}" for kind, name in (("c", context_id), ("i", interaction_id)) if name is not None)


def reads_of(event: Given | Feedback | Extraction) -> tuple[Reads, ...]:
    keys = keys_of(event.context_id, event.interaction_id)
    return (Reads(place(event.owner), keys),) if keys else ()


class GivenBook:
    """The rows that one event names (None: it names none)."""

    def __init__(self, rows: OwnerState | None, at: datetime) -> None:
        self._rows = rows
        self._at = at

    def of_context(self, context_id: str | None) -> tuple[str, ...]:
        """What a context gave; empty where it is unknown or forgotten."""
        return () if context_id is None else tuple(self._row(f"c/{context_id}")[0])

    def waits(self, context_id: str | None, interaction_id: str | None) -> bool:
        """Does feedback wait for what the answer was given?"""
        return any(self._row(key)[1] for key in keys_of(context_id, interaction_id))

    def give(self, ids: Iterable[str], context_id: str | None, interaction_id: str | None) -> list[Judged]:
        """An answer was given these memories; feedback that waited for them."""
        known = list(dict.fromkeys(ids))
        out: list[Judged] = []
        for key in keys_of(context_id, interaction_id):
            before, said = self._row(key)
            new = [i for i in known if i not in before][: MOST_IDS - len(before)]
            if not new:
                continue
            self._keep(key, [*before, *new], said)
            out += [Judged(s, tuple(new), (*before, *new)) for s in said]
        return out

    def judge(self, said: dict[str, Any], context_id: str | None, interaction_id: str | None) -> Judged | None:
        """Feedback that names no memory: it reaches those of its context, else of its interaction (the context says
        exactly what was given), and those that become known later. None: it names neither."""
        keys = keys_of(context_id, interaction_id)
        if not keys:
            return None
        ids, before = self._row(keys[0])
        self._keep(keys[0], ids, [*before, said][-MOST_SAID:])
        return Judged(said, tuple(ids), tuple(ids))

    def _row(self, key: str) -> tuple[list[str], list[dict[str, Any]]]:
        raw = None if self._rows is None else self._rows.get(key)
        if not isinstance(raw, dict) or str(raw["until"]) <= iso(self._at):
            return [], []
        return list(raw["ids"]), list(raw["said"])

    def _keep(self, key: str, ids: list[str], said: list[dict[str, Any]]) -> None:
        until = self._at + KEPT
        if self._rows is not None:
            self._rows.put(key, {"ids": ids, "said": said, "until": iso(until)}, until)
