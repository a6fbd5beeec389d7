"""memory.decisions: what became of each candidate and command, and why."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from schemas.base import CleanText, Frozen, Id, JsonValue, Timestamp
from schemas.events.envelope import Envelope, Marker
from schemas.events.erasure import Erasure
from schemas.events.memory.common import Reason
from schemas.log.owner import Owner, OwnerKind


class DecisionBody(Frozen):
    text: CleanText = ""
    value: JsonValue = None


class Decision(Envelope):
    """What the gates decided on one candidate or command: for dashboards and the turn's outcome."""

    SEALED: ClassVar[bool] = True
    PLACE: ClassVar[tuple[str, ...]] = ("owner_kind", "owner_id", "decision_id", "revision")
    type: Literal["decision"] = "decision"
    owner_kind: OwnerKind = OwnerKind.USER
    owner_id: Id
    decision_id: Id
    revision: int = Field(default=1, ge=1)
    """Above 1 once its texts were amended."""
    turn_id: Id | None = None
    session_id: Id | None = None
    ordinal: int = 0
    kind: CleanText
    field: CleanText | None = None
    fields: tuple[CleanText, ...] = ()
    category: CleanText | None = None
    record_id: Id | None = None
    version: int = 0
    reason: Reason
    accepted_at: Timestamp
    profile: str = ""
    profile_version: int = 0
    extractor: CleanText | None = None
    sealed: DecisionBody = DecisionBody()

    @property
    def owner(self) -> Owner:
        return Owner(self.tenant, self.owner_kind, self.owner_id)

    @property
    def subject(self) -> str:
        return self.decision_id


DecisionsEvent = Annotated[Decision | Erasure | Marker, Field(discriminator="type")]
