"""Turns that wait for their reply (D1): rows of the extract step, closed by the reply, by the user's next turn, or by
the first tick after the wait."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

import orjson

from processors.step import Reads, StateSpace
from schemas.base import Json
from schemas.events.documents import Job
from schemas.events.memory import Extraction
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.owner import Owner
from schemas.log.topics import Topic

WAIT = timedelta(seconds=30)
"""Of accepted_at: no longer than this is a turn held back; ticks come once a minute."""
DUE = "@waits"
MOST_AT_A_TICK = 500
_PLAIN = Codec()


@dataclass(frozen=True, slots=True)
class Waiting:
    """What becomes of a turn: `plain` without a reply that confirms, `confirmed` with one; and the job that the reply
    is added to. `interaction_id` of the turn: a reply of another one does not answer it. `trace` of the turn: what
    becomes of it belongs there, and not to what ended the wait (a tick has none)."""

    plain: Extraction | None = None
    confirmed: Extraction | None = None
    job: Job | None = None
    interaction_id: str | None = None
    trace: str = ""

    def to_row(self) -> dict[str, Any]:
        parts = {"plain": self.plain, "confirmed": self.confirmed, "job": self.job}
        told = {name: orjson.loads(_PLAIN.value(event)) for name, event in parts.items() if event is not None}
        return {**told, "interaction": self.interaction_id, **({"trace": self.trace} if self.trace else {})}

    @staticmethod
    def of_row(row: dict[str, Any]) -> Waiting:
        """Through the codec that wrote it: vectors stand in the row as base64."""

        def event(name: str, topic: Topic) -> Any:
            return _PLAIN.event(topic.name, row[name]) if name in row else None

        plain, confirmed = event("plain", topics.LEDGER), event("confirmed", topics.LEDGER)
        return Waiting(plain, confirmed, event("job", topics.JOBS), row["interaction"], row.get("trace", ""))


def key(session_id: str) -> str:
    return f"wait/{session_id}"


def reads(owner: Owner, session_id: str) -> Reads:
    return Reads(owner.key, (key(session_id),))


def hold(state: StateSpace, owner: Owner, session_id: str, waiting: Waiting, until: datetime) -> None:
    """Needs the rows of `reads`, and DUE."""
    state.of(owner.key).put(key(session_id), waiting.to_row())
    state.of(DUE).put(f"{owner.key}|{session_id}", until.isoformat())


def holds(state: StateSpace, owner: Owner, session_id: str) -> bool:
    return state.of(owner.key).get(key(session_id)) is not None


def take(state: StateSpace, owner: Owner, session_id: str) -> Waiting | None:
    """What waits in a session, taken out. Needs the rows of `reads`, and where something waits, DUE."""
    row = state.of(owner.key).get(key(session_id))
    if row is None:
        return None
    state.of(owner.key).delete(key(session_id))
    state.of(DUE).delete(f"{owner.key}|{session_id}")
    return Waiting.of_row(cast("dict[str, Any]", row))


def due(state: StateSpace, now: datetime) -> list[tuple[Owner, str]]:
    """(owner, session) of what has waited long enough, the longest first."""
    ready = sorted((_until(at), place) for place, at in state.of(DUE).items() if _until(at) <= now)
    return [_parsed(place) for _, place in ready[:MOST_AT_A_TICK]]


def forget(state: StateSpace, owner: Owner, session_id: str | None = None) -> int:
    """What an erasure takes: a session's, or all of a user's. Needs all rows of the owner, and DUE."""
    sessions: Iterable[str] = [name.partition("/")[2] for name, _ in state.of(owner.key).items("wait/")]
    gone = [s for s in sessions if session_id in (None, s)]
    for session in gone:
        take(state, owner, session)
    return len(gone)


def _until(at: Json) -> datetime:
    return datetime.fromisoformat(str(at))


def _parsed(place: str) -> tuple[Owner, str]:
    owner, _, session = place.partition("|")
    return Owner.parse(owner), session
