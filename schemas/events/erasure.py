"""The erasure event (C9, N6): what it takes, its cut-off, and what the steps found."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal

from pydantic import Field

from schemas.base import CleanText, Id, Timestamp
from schemas.events.envelope import Envelope
from schemas.log.owner import Owner, OwnerKind

Scope = Literal["user", "session", "project", "tenant"]


class Erasure(Envelope):
    """Everything of its scope that was accepted at or before `accepted_at` goes; what comes later starts anew.

    Written by a door; each step hands it on into its output topics, with its own name in `stage` and in `found` the
    rows of state that it dropped. It goes to the owner's partition, or (`everywhere`) to each one.
    """

    SEALED: ClassVar[bool] = False
    type: Literal["erasure"] = "erasure"
    erasure_id: Id
    scope: Scope
    user_id: Id | None = None
    session_id: Id | None = None
    project_id: Id | None = None
    accepted_at: Timestamp
    """The cut-off: when the door took it; where a clock had run ahead, the newest of the user in the log before it."""
    requested_at: Timestamp | None = None
    """When the door took it, where the log moved the cut-off."""
    everywhere: bool = False
    part: bool = False
    """A part of a tenant's erasure: one of its users or projects."""
    stage: CleanText = Field(default="door", max_length=40)
    found: dict[Id, int] = Field(default_factory=dict)
    record_ids: tuple[Id, ...] = Field(default=(), max_length=100_000)
    """Project records that were deleted or written anew: what was decided about them goes too. Of the gate: records
    that it dropped and that are dated behind the cut-off (by a tick, or as they came into the ledger while the erasure
    was on its way): stores delete them by id."""

    @property
    def owner(self) -> Owner:
        match self.scope:
            case "user" | "session":
                return Owner(self.tenant, OwnerKind.USER, self.user_id or "")
            case "project":
                return Owner(self.tenant, OwnerKind.PROJECT, self.project_id or "")
            case "tenant":
                return Owner(self.tenant, OwnerKind.TENANT, "")

    @property
    def subject(self) -> str:
        return f"erasure/{self.erasure_id}/{self.owner.key}/{self.session_id or ''}/{self.stage}"

    def covers(self, when: datetime, record_id: str | None = None) -> bool:
        """Whether a row of the owner goes: by its time, or as its record is named."""
        return when <= self.accepted_at or (self.stage != "project" and record_id in self.record_ids)
