"""How Redis keeps the records of the log: sessions, for as long as they are not idle."""

from __future__ import annotations

from datetime import timedelta

from schemas.events.sessions import SessionState
from schemas.log.codec import Event
from sinks.held import Held, held
from sinks.redis.session import SessionTtl, thirty_minutes

SOON = timedelta(minutes=1)


def in_redis(event: Event, session_ttl: SessionTtl = thirty_minutes) -> Held | None:
    if not isinstance(event, SessionState):
        return None
    until = event.updated_at + session_ttl(event.tenant) - SOON
    return held("sessions", event, f"{event.user_id}\x1f{event.session_id}", until=until)
