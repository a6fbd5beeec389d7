"""memory.updates as it is on the wire: one flat form for records of every kind."""

from __future__ import annotations

from decimal import Decimal
from typing import ClassVar, Literal

from pydantic import Field

from schemas.base import CleanText, Frozen, Id, JsonObject, JsonValue, Timestamp, UnitFloat
from schemas.events.envelope import Envelope, SourceTurn
from schemas.events.memory.common import Confidence, EpisodeType, MemoryKind, Reason, Source, State
from schemas.log.owner import Owner, OwnerKind


class MemoryBody(Frozen):
    text: CleanText = ""
    value: JsonValue = None
    attributes: JsonObject = Field(default_factory=dict)
    terms: tuple[str, ...] = ()
    embedding: bytes = b""


class MemoryUpdate(Envelope):
    """One version of one record, whole, at one revision: the public event of memory.updates.

    Key = `record_id/version` for bitemporal kinds (fact, preference, intent), so that compaction keeps every
    value that was ever true, `record_id/0` for the rest. Sinks upsert by key and refuse lower revisions.
    `op` delete is the non-null marker of a deletion.
    """

    SEALED: ClassVar[bool] = True
    PLACE: ClassVar[tuple[str, ...]] = ("owner_kind", "owner_id", "record_id", "version", "revision")
    type: Literal["memory"] = "memory"
    owner_kind: OwnerKind
    owner_id: CleanText
    record_id: Id
    version: int = Field(default=0, ge=0)
    revision: int = Field(ge=1)
    op: Literal["upsert", "delete"] = "upsert"
    kind: MemoryKind
    state: State
    reason: Reason
    field: CleanText | None = None
    fields: tuple[CleanText, ...] = ()
    scope: Id = "global"
    category: CleanText | None = None
    episode_type: EpisodeType | None = None
    namespace: tuple[Id, ...] = ()
    key: CleanText | None = None
    importance: UnitFloat = 0.5
    confidence: Confidence = Decimal("1.0")
    source: Source = "explicit"
    priority: int = 0
    negated: bool = False
    approximate: bool = False
    user_id: Id | None = None
    session_id: Id | None = None
    project_id: Id | None = None
    interaction_id: Id | None = None
    language: Literal["en", "zh", "und"] = "und"
    sources: tuple[SourceTurn, ...] = ()
    occurred_at: Timestamp
    """When it happened or was said (event time)."""
    valid_from: Timestamp | None = None
    valid_to: Timestamp | None = None
    known_at: Timestamp
    """accepted_at of what made this version known."""
    last_accessed_at: Timestamp
    expires_at: Timestamp | None = None
    conflicts_with: tuple[Id, ...] = ()
    also: tuple[Id, ...] = ()
    """Ids that callers were told when they had the same remembered again: they lead here."""
    extractor: CleanText | None = None
    profile: str = ""
    profile_version: int = 0
    model_id: str = ""
    sealed: MemoryBody = MemoryBody()

    @property
    def owner(self) -> Owner:
        return Owner(self.tenant, self.owner_kind, self.owner_id)

    @property
    def sealed_for(self) -> Owner:
        """A value of hot memory comes from one user (A3); a report from several, and is the project's."""
        if self.kind == "hot" and self.user_id is not None:
            return Owner(self.tenant, OwnerKind.USER, self.user_id)
        return self.owner

    @property
    def row_key(self) -> str:
        return f"{self.record_id}/{self.version}"

    @property
    def subject(self) -> str:
        return self.row_key
