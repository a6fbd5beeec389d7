"""Times ahead of the log's (N2): for state the newest time is the last word, so one that lies years ahead would stay it
for good. Compared with the record's own time in the log, so that reading it again decides the same; a dead letter that
is replayed when its time has come is ahead no more."""

from __future__ import annotations

from datetime import timedelta

from processors.step import Record, Reject
from schemas.events.amendments import Amendment
from schemas.events.documents import Document, ProjectCommand, ReportResult
from schemas.events.erasure import Erasure
from schemas.events.memory import Extraction, Feedback, Given, JobResult, MemoryCommand
from schemas.events.turns import CheckpointResult, SessionCommand, TurnEvent

AHEAD = timedelta(days=1)
"""More than clocks differ; the service refuses such an `occurred_at` at its door."""
ClientsOwn = (
    TurnEvent | SessionCommand | CheckpointResult | MemoryCommand | Feedback | Given | JobResult | ProjectCommand
    | ReportResult | Document | Amendment | Erasure | Extraction
)  # fmt: skip


def reject_future_timestamp(event: object, record: Record) -> Reject | None:
    """Why a client's record is refused; None where its times are sound, and of what no client writes."""
    if not isinstance(event, ClientsOwn):
        return None
    if isinstance(event, MemoryCommand) and event.command == "summarize" and not record.first_hand:
        return None  # of a session that a tick ended: what a tick's clock said may be ahead of the log
    if isinstance(event, Extraction) and not record.first_hand:
        return None  # the step's own, of a turn that was let through; a model's answer comes first-hand
    if isinstance(event, Erasure) and event.stage != "door" and not record.first_hand:
        return None  # a step has moved it behind what stood before it in the log
    accepted = event.accepted_at or record.timestamp
    occurred = event.occurred_at if isinstance(event, TurnEvent | MemoryCommand) else None
    occurred = event.turn.occurred_at if isinstance(event, Extraction) else occurred
    if occurred is not None and occurred > max(accepted, record.replayed_at or accepted) + AHEAD:
        return Reject("occurred_at", "occurred_at: must not be more than a day after it was accepted")
    if accepted > (record.replayed_at or record.timestamp) + AHEAD:
        return Reject("accepted_at", "accepted_at: must not be more than a day in the future")
    return None
