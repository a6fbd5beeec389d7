"""Rows of the session step: whole sessions under their user, what is open of one session under `place`, and the list of
open sessions of a partition under `OPEN_OWNER`."""

from __future__ import annotations

from typing import NamedTuple

from processors.state_tables import EventRows, IsoTime, JsonRows, Single, Table
from schemas.events.sessions import SessionState
from schemas.log import topics

OPEN_OWNER = "@open"


class SessionEnd(NamedTuple):
    """Where a session that is not open stands: a session of the same id goes on from there."""

    revision: int
    segment: int


class OpenSession(NamedTuple):
    """`owner`: its user's key."""

    idle_at: IsoTime
    owner: str
    session_id: str


class SegmentTurn(NamedTuple):
    """A turn of an open segment, or carried into it. `tokens` are those of its line in a rendered history."""

    turn_id: str
    role: str
    speaker: str | None
    content: str
    tokens: int
    language: str


class SummaryJob(NamedTuple):
    """The summary job that is open."""

    job_id: str
    asked_at: IsoTime


SESSIONS: Table[SessionState] = Table("session/", EventRows(topics.SESSION_STATE, SessionState))
"""By session id, under the user."""
ENDS: Table[SessionEnd] = Table("tail/", JsonRows(SessionEnd))
"""By session id, under the user; as long as the user."""
OPEN: Table[OpenSession] = Table("", JsonRows(OpenSession))
"""By `place`, under `OPEN_OWNER`, so that a tick finds the idle ones."""
SEGMENT: Table[SegmentTurn] = Table("turn/", JsonRows(SegmentTurn))
"""By `position_name`, under `place`."""
JOB: Single[SummaryJob] = Single("@job", JsonRows(SummaryJob))
"""Under `place`."""


def place(owner: str, session_id: str) -> str:
    """The state owner of a session's open segment."""
    return f"{owner}|{session_id}"


def position_name(position: int) -> str:
    """The name sorts as the position does."""
    return f"{position:019d}"
