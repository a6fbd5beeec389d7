"""session.state: the whole value of a session, by revision (E1), and its checkpoints (E3)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from schemas.base import CleanText, Frozen, Id, JsonObject, JsonValue, Timestamp
from schemas.events.envelope import Marker, UserEvent
from schemas.events.erasure import Erasure


class WindowMessage(Frozen):
    role: Literal["user", "assistant", "system", "tool"]
    content: CleanText
    timestamp: Timestamp
    turn_id: Id
    tokens: int = Field(default=0, ge=0)
    speaker: CleanText | None = Field(default=None, max_length=200)


class SessionBody(Frozen):
    window: tuple[WindowMessage, ...] = ()
    """Oldest first; the Redis list of the seed is written newest first by its sink."""
    summary: CleanText = ""
    summaries: tuple[CleanText, ...] = ()
    """Newest first, one a checkpoint (D6)."""
    anchors: dict[CleanText, JsonValue] = Field(default_factory=dict)
    last_bot_message: CleanText = ""
    global_state: JsonObject = Field(default_factory=dict)
    user_snapshot: JsonObject = Field(default_factory=dict)
    carried_from: int | None = Field(default=None, ge=0)
    """Position of the first turn that was carried over the last checkpoint, `segment_start` where none was; None
    without a checkpoint, and behind one of before this was kept (E2)."""


class SessionState(UserEvent):
    """A session as a whole. `segment` counts checkpoints and resets; `segment_start` is the position in
    conversation.turns from which the open segment's turns count."""

    SEALED: ClassVar[bool] = True
    PLACE: ClassVar[tuple[str, ...]] = ("user_id", "session_id", "revision")
    type: Literal["session_state"] = "session_state"
    session_id: Id
    revision: int = Field(ge=1)
    status: Literal["open", "idle", "closed"] = "open"
    mode: Literal["FULL_HISTORY", "SUMMARY_N"] = "FULL_HISTORY"
    checkpoint_message_id: Id | None = None
    segment: int = Field(default=0, ge=0)
    segment_start: int = Field(default=0, ge=0)
    turn_count: int = Field(default=0, ge=0)
    segment_tokens: int = Field(default=0, ge=0)
    current_agent_key: CleanText | None = None
    project_id: Id | None = None
    updated_at: Timestamp
    """accepted_at of the newest event."""
    profile: str = ""
    profile_version: int = 0
    sealed: SessionBody = SessionBody()

    @property
    def subject(self) -> str:
        return f"{self.owner.key}/{self.session_id}"


class CheckpointBody(Frozen):
    summary: CleanText


class Checkpoint(UserEvent):
    """A row of the memory engine's ai_message with query `[MEMORY_CHECKPOINT]`."""

    SEALED: ClassVar[bool] = True
    PLACE: ClassVar[tuple[str, ...]] = ("user_id", "session_id", "message_id", "revision")
    type: Literal["checkpoint"] = "checkpoint"
    session_id: Id
    message_id: Id
    revision: int = Field(default=1, ge=1)
    """Above 1 once its summary was amended."""
    segment: int = Field(ge=1)
    position: int = Field(ge=0)
    created_at: Timestamp
    extractive: bool
    model: CleanText | None = None
    sealed: CheckpointBody

    @property
    def subject(self) -> str:
        return f"{self.owner.key}/{self.session_id}/{self.message_id}"


SessionsEvent = Annotated[SessionState | Checkpoint | Erasure | Marker, Field(discriminator="type")]
