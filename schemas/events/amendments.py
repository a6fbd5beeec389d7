"""Amendments: what is stored is written anew by its one writer, through the log (N1: rescreen, regate; C8: redate)."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from schemas.base import CleanText, Frozen, Id, JsonObject, Timestamp
from schemas.events.envelope import UserEvent


class AmendmentBody(Frozen):
    record: JsonObject = Field(default_factory=dict)
    """The event as it is to stand, as JSON, without search terms and embedding: its writer makes those."""


class Amendment(UserEvent):
    """One stored record as it is to stand. `what` decides who writes it: turn and checkpoint texts pass through screen,
    a session amends the texts in its own state (and brings none), memories and decisions are the gate's.

    `expected`: the newest revision of the record when it was read, over all its versions; a record that has moved on
    since is left as it is. Counts once by `amendment_id`. A regate brings memories as the ledger decides them now,
    new ones among them (`expected` 0). A redate changes the end of a memory alone (`until`).
    """

    SEALED: ClassVar[bool] = True
    PLACE: ClassVar[tuple[str, ...]] = ("user_id", "amendment_id")
    type: Literal["amendment"] = "amendment"
    amendment_id: Id
    cause: Literal["rescreen", "regate", "redate"]
    what: Literal["turn", "session", "checkpoint", "memory", "decision"]
    target: Id
    """turn_id, session_id, message_id, record_id or decision_id."""
    session_id: Id | None = None
    version: int = Field(default=0, ge=0)
    expected: int = Field(default=0, ge=0)
    rule: CleanText = Field(default="", max_length=100)
    """Why, as the reason of the amended record names it."""
    was: Timestamp | None = None
    """Redate: when the version was to end (None: with the account)."""
    until: Timestamp | None = None
    """Redate: when it ends by the days of now."""
    accepted_at: Timestamp | None = None
    sealed: AmendmentBody = AmendmentBody()
