"""Turns that wait for their reply (D1): rows of the extract step, closed by the reply, by the user's next turn, or by
the first tick after the wait."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import orjson

from processors.state_tables import BuiltRows, Table, TimeRows
from processors.step import Reads, StateSpace
from schemas.base import Json, JsonValue
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
class PendingReply:
    """What becomes of a turn: `plain` without a reply that confirms, `confirmed` with one; and the job that the reply
    is added to. `interaction_id` of the turn: a reply of another one does not answer it. `trace` of the turn: what
    becomes of it belongs there, and not to what ended the wait (a tick has none)."""

    plain: Extraction | None = None
    confirmed: Extraction | None = None
    job: Job | None = None
    interaction_id: str | None = None
    trace: str = ""


def _stored(pending: PendingReply) -> Json:
    parts = {"plain": pending.plain, "confirmed": pending.confirmed, "job": pending.job}
    row = {name: orjson.loads(_PLAIN.value(event)) for name, event in parts.items() if event is not None}
    return {**row, "interaction": pending.interaction_id, **({"trace": pending.trace} if pending.trace else {})}


def _built(row: JsonValue) -> PendingReply:
    """Through the codec that wrote it: vectors are base64 in the row."""

    def event(name: str, topic: Topic) -> Any:  # what the topic's adapter has checked
        return _PLAIN.event(topic.name, row[name]) if name in row else None

    plain, confirmed = event("plain", topics.LEDGER), event("confirmed", topics.LEDGER)
    return PendingReply(plain, confirmed, event("job", topics.JOBS), row["interaction"], row.get("trace", ""))


PENDING: Table[PendingReply] = Table("wait/", BuiltRows(_built, _stored))
"""Under a user, by session id."""
DUE_REPLIES: Table[datetime] = Table("", TimeRows())
"""Under `DUE`, by `_place`: until when it waits."""


def reads(owner: Owner, session_id: str) -> Reads:
    return Reads(owner.key, (PENDING.key(session_id),))


def hold(state: StateSpace, owner: Owner, session_id: str, pending: PendingReply, until: datetime) -> None:
    """Needs the rows of `reads`, and DUE."""
    state.of(owner.key).table(PENDING).put(session_id, pending)
    state.of(DUE).table(DUE_REPLIES).put(_place(owner, session_id), until)


def holds(state: StateSpace, owner: Owner, session_id: str) -> bool:
    return session_id in state.of(owner.key).table(PENDING)


def take(state: StateSpace, owner: Owner, session_id: str) -> PendingReply | None:
    """What waits in a session, taken out. Needs the rows of `reads`, and where something waits, DUE."""
    table = state.of(owner.key).table(PENDING)
    pending = table.get(session_id)
    if pending is not None:
        table.delete(session_id)
        state.of(DUE).table(DUE_REPLIES).delete(_place(owner, session_id))
    return pending


def due(state: StateSpace, now: datetime) -> list[tuple[Owner, str]]:
    """(owner, session) of what has waited long enough, the longest first."""
    ready = sorted((until, place) for place, until in state.of(DUE).table(DUE_REPLIES).items() if until <= now)
    return [_parsed(place) for _, place in ready[:MOST_AT_A_TICK]]


def forget(state: StateSpace, owner: Owner, session_id: str | None = None) -> int:
    """What an erasure takes: a session's, or all of a user's. Needs all rows of the owner, and DUE."""
    forgotten = [s for s in state.of(owner.key).table(PENDING).names() if session_id in (None, s)]
    for session in forgotten:
        take(state, owner, session)
    return len(forgotten)


def _place(owner: Owner, session_id: str) -> str:
    return f"{owner.key}|{session_id}"


def _parsed(place: str) -> tuple[Owner, str]:
    owner, _, session = place.partition("|")
    return Owner.parse(owner), session
