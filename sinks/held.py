"""How a store keeps a record of the log: what a rebuild expects of it (N1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from schemas.log.codec import Event
from schemas.log.owner import Owner
from sinks.collapse import accepted_at, revision


@dataclass(frozen=True, slots=True)
class Held:
    """A record as a store has it. `until`: when it goes by itself; `marked`: a deletion whose null value is to come."""

    view: str
    tenant: str
    key: str
    revision: int
    held: bool
    until: datetime | None = None
    marked: bool = False
    owner: Owner | None = None
    session_id: str | None = None
    accepted_at: datetime | None = None
    record_id: str | None = None
    beside: str = ""
    """Another view that has a row of it, under the same key."""


Reading = Callable[[Event], Held | None]
"""How a store keeps an event; None for what it has no place for."""


def held(
    view: str, event: Event, key: str, *, held: bool = True, until: datetime | None = None, marked: bool = False
) -> Held:
    """An event as a row of a view."""
    return Held(
        view, getattr(event, "tenant", ""), key, revision(event), held, until, marked, getattr(event, "owner", None),
        getattr(event, "session_id", None), accepted_at(event), getattr(event, "record_id", None),
    )  # fmt: skip
