"""Rows of the screen step, under a user."""

from __future__ import annotations

from typing import NamedTuple

from processors.state_tables import IsoTime, JsonRows, Table
from schemas.events.turns import Role


class AcceptedTurn(NamedTuple):
    """A turn id that was used, with the keyed hash of what it said."""

    digest: str
    kept_until: IsoTime


class PreviousTurn(NamedTuple):
    """A redacted turn, shortened."""

    role: Role
    text: str


class PreviousTurns(NamedTuple):
    """The last turns of a session, oldest first."""

    kept_until: IsoTime
    turns: tuple[PreviousTurn, ...]


ACCEPTED: Table[AcceptedTurn] = Table("turn/", JsonRows(AcceptedTurn))
"""By turn id."""
PREVIOUS: Table[PreviousTurns] = Table("last/", JsonRows(PreviousTurns))
"""By session id."""
