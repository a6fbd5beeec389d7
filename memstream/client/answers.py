"""What reads return. Fields that a newer service adds are kept (`model_extra`) and break nobody."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A part of an answer."""

    model_config = ConfigDict(extra="allow", frozen=True)


class Answer(Record):
    """`fresh`: whether the views that were read had everything that this client has written (N3)."""

    fresh: bool = True


class Degraded(Record):
    """A store that the answer had to do without."""

    store: str
    reason: str


class Hit(Record):
    """One result of a search; for a turn `id` is its turn_id. `relevance`: comparable between questions; None from a
    service that does not tell it."""

    id: str
    kind: str
    text: str
    score: float
    relevance: float | None = None
    occurred_at: datetime
    user_id: str | None = None
    session_id: str | None = None
    source_turn_ids: list[str] = []
    scores: dict[str, float] | None = None
    details: dict[str, Any] = {}


class SearchAnswer(Answer):
    """`cursor` of the next page, None on the last."""

    results: list[Hit]
    cursor: str | None = None
    degraded: list[Degraded] = []
    took_ms: float = 0.0


class Citation(Record):
    id: str
    kind: str
    source_turn_ids: list[str] = []


class Section(Record):
    name: str
    text: str
    tokens: int
    citations: list[Citation] = []


class LeftOut(Record):
    """Of a section what did not fit; not every piece cites something."""

    name: str
    pieces: int
    citations: list[Citation] = []


class ContextAnswer(Answer):
    """The prompt within its budget, cited, and what did not fit; give `context_id` back with feedback."""

    context_id: str
    prompt: str
    tokens: int
    intents: list[str] = []
    sections: list[Section] = []
    dropped: int = 0
    left_out: list[LeftOut] = []
    degraded: list[Degraded] = []


class MemoryRecord(Record):
    """A memory; `reason` says why it is as it is, `source_turn_ids` where it came from."""

    id: str
    kind: str
    state: str
    text: str = ""
    field: str | None = None
    value: Any = None
    scope: str | None = None
    category: str | None = None
    importance: float | None = None
    confidence: float | None = None
    source: str | None = None
    known_at: datetime
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    source_turn_ids: list[str] = []
    reason: dict[str, Any] = {}


class MemoryPage(Answer):
    """`cursor` of the next page, None on the last."""

    memories: list[MemoryRecord]
    cursor: str | None = None


class MemoryDetail(MemoryRecord, Answer):
    """A memory with its versions, the gates' decisions and the turns that it came from."""

    history: list[MemoryRecord] = []
    decisions: list[dict[str, Any]] = []
    source_turns: list[dict[str, Any]] = []


class ProfileAnswer(Answer):
    profile: dict[str, Any]
    completeness: dict[str, Any]
    approximate: list[str] = []
    narrative_summary: str = ""


class PreferencesAnswer(Answer):
    preferences: list[dict[str, Any]]


class PatternsAnswer(Answer):
    patterns: list[dict[str, Any]]


class ReadingsAnswer(Answer):
    readings: list[dict[str, Any]]


class LoadedContext(Answer):
    memories: list[dict[str, Any]]
    user_profile_summary: str | None = None
    total_memories: int


class TurnAnswer(Answer):
    """A turn as screened."""

    turn_id: str
    user_id: str
    session_id: str
    role: str
    content: str
    occurred_at: datetime


class OutcomeAnswer(Answer):
    """What was taken from a turn (B3). `model`: `read` or `gave up: REASON`; None while or where none has answered."""

    turn_id: str
    extracted_info: dict[str, Any]
    saved_count: int
    saved_memories: list[dict[str, Any]]
    skipped_fields: list[str]
    model: str | None = None


class SavedInfo(Answer):
    """What was saved of a message (B3). `pending`: not decided yet; `outcome` of the first turn has it later.
    `repeated`: an earlier call with the same `interaction_id` brought it."""

    extracted_info: dict[str, Any]
    saved_count: int
    saved_memories: list[dict[str, Any]]
    skipped_fields: list[str]
    model: str | None = None
    turn_ids: list[str]
    session_id: str
    pending: bool
    repeated: bool = False
    freshness_token: str


class WrittenTurn(Answer):
    """The session behind what was written; `updated_at`: seconds since 1970; None: not known."""

    conversation_id: str
    mode: str | None
    updated_at: int | None
    turn_ids: list[str]
    freshness_token: str


class MessagesAnswer(Answer):
    """`cursor` of the next page, None on the last."""

    conversation_id: str
    segment: str
    messages: list[dict[str, Any]]
    cursor: str | None = None


class OriginalsAnswer(Answer):
    """What the PII policy `encrypt` took out of a turn: objects of `entity`, `placeholder` and `value`."""

    turn_id: str
    originals: list[dict[str, Any]]


class SessionAnswer(Answer):
    """A session's whole value; its keys are those of the seed (E1)."""


class MemoryContext(Answer):
    """The history that fits the model, and whether a summary is due (E2). `truncated`: only the newest turns."""

    conversation_id: str
    mode: str
    history: Any
    full_history: Any
    estimated_tokens: int
    token_ratio: float
    should_checkpoint_summary: bool
    truncated: bool = False


class CheckpointsAnswer(Answer):
    checkpoints: list[dict[str, Any]]
    cursor: str | None = None


class HotMemory(Answer):
    project_id: str
    meta: list[dict[str, Any]] = []
    status: list[dict[str, Any]] = []
    decisions: list[dict[str, Any]] = []
    preferences: list[dict[str, Any]] = []


class ReportsAnswer(Answer):
    reports: list[dict[str, Any]]
    cursor: str | None = None


class Accepted(Answer):
    """The log has it; `freshness_token` is carried on by the client itself."""

    accepted: int = 1
    freshness_token: str
    command_id: str | None = None
    memory_id: str | None = None
    found: bool | None = None
    """Of a correction or a deletion: whether there was a memory by that id; None where the store did not answer or
    the key may not read."""
    document_id: str | None = None


class StoreAnswer(Answer):
    """Results of a batch of store operations, in their order (C1)."""

    results: list[dict[str, Any] | None]
    freshness_token: str | None = None
