"""How Postgres keeps the records of the log."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from schemas.events.memory import Decision, MemoryUpdate
from schemas.events.sessions import Checkpoint, SessionState
from schemas.events.turns import ScreenedTurn
from schemas.log import topics
from schemas.log.codec import Event
from schemas.log.owner import OwnerKind
from sinks.held import Held, held

DECISIONS_KEPT = timedelta(days=topics.DECISIONS.retention_days or 14)


def in_postgres(event: Event) -> Held | None:
    match event:
        case ScreenedTurn():
            return held("turns", event, f"{event.user_id}\x1f{event.turn_id}", until=event.expires_at)
        case MemoryUpdate():
            key = f"{event.record_id}\x1f{event.version}"
            moved = event.state == "archived" and event.op != "delete" and event.owner_kind is OwnerKind.USER
            row = held("memories", event, key, marked=event.op == "delete")
            return replace(row, beside="archive") if moved else row
        case Decision():
            return held("decisions", event, event.decision_id, until=event.accepted_at + DECISIONS_KEPT)
        case SessionState():
            return held("sessions", event, f"{event.user_id}\x1f{event.session_id}")
        case Checkpoint():
            return held("checkpoints", event, f"{event.user_id}\x1f{event.session_id}\x1f{event.message_id}")
    return None
