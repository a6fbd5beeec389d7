"""Answers about turns, sessions, projects, structured tables and the store."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from query.answers.base import Answered, Degraded, Json, Open, Why


class TurnAnswer(Answered):
    """A turn as screened."""

    turn_id: str
    user_id: str
    session_id: str
    role: str
    speaker: str | None
    content: str
    occurred_at: datetime
    accepted_at: datetime
    expires_at: datetime
    project_id: str | None
    agent_id: str | None
    interaction_id: str | None
    intent: Json
    language: str | None
    tokens: int
    position: int
    metadata: Json
    pii: Json
    refused: Json
    content_hash: str


class OneOriginal(Answered):
    """A value, and what stands for it in the text."""

    entity: str
    placeholder: str
    value: str


class OriginalsAnswer(Answered):
    """What the PII policy `encrypt` took out of a turn."""

    turn_id: str
    user_id: str
    originals: list[OneOriginal]


class SavedMemory(Answered):
    memoryType: str  # noqa: N815 - the seed's name
    content: str
    field: str | None
    category: str | None
    memory_id: str | None
    outcome: str


class TurnDecision(Answered):
    ordinal: int
    kind: str
    field: str | None
    fields: list[str]
    record_id: str | None
    extractor: str | None
    accepted_at: datetime
    reason: Why


class OutcomeAnswer(Answered):
    """What was taken from a turn, stored, and skipped because it was known. `model`: `read`, or `gave up: REASON`;
    null while a language model is asked, or where none is."""

    turn_id: str
    user_id: str
    extracted_info: dict[str, Json]
    saved_count: int
    saved_memories: list[SavedMemory]
    skipped_fields: list[str]
    model: str | None
    decisions: list[TurnDecision]


class SavedInfoAnswer(Answered):
    """In the memory engine's shape. `pending`: the turn is not decided yet; `repeated`: an earlier call brought it;
    `model` as in a turn's outcome."""

    action: Literal["save_info"]
    extracted_info: dict[str, Json]
    saved_count: int
    saved_memories: list[SavedMemory]
    skipped_fields: list[str]
    model: str | None
    pending: bool
    repeated: bool
    session_id: str
    accepted: int
    turn_ids: list[str]
    freshness_token: str


class SessionMeta(Answered):
    """`updated_at`: seconds since 1970."""

    conversation_id: str
    user_id: str
    updated_at: int


class FlowContext(Answered):
    current_agent_key: str
    last_bot_message: str
    turn_count: int


class SaidMessage(Answered):
    role: str
    content: str
    speaker: str | None = None


class MessageContext(Answered):
    summary: str
    window_messages: list[SaidMessage]
    mode: Literal["FULL_HISTORY", "SUMMARY_N"]
    checkpoint_message_id: str
    cached_checkpoint: str


class SessionValue(Answered):
    """In the memory engine's shape; `global_state`, `user_snapshot` and `anchors` hold what callers write."""

    meta: SessionMeta
    flow_context: FlowContext
    message_context: MessageContext
    global_state: dict[str, Json]
    user_snapshot: dict[str, Json]
    anchors: dict[str, Json]
    status: str
    revision: int


class SessionAnswer(SessionValue):
    degraded: list[Degraded] = Field(default_factory=list)


class MemoryContextAnswer(Answered):
    """The history that fits the model, and whether a summary is due; `session` is null before its first state."""

    conversation_id: str
    mode: Literal["FULL_HISTORY", "SUMMARY_N"]
    session: SessionValue | None
    history: str
    full_history: str
    estimated_tokens: int
    token_ratio: float
    should_checkpoint_summary: bool
    truncated: bool


class WrittenTurnAnswer(Answered):
    """The session behind what was written; `updated_at`: seconds since 1970."""

    conversation_id: str
    mode: Literal["FULL_HISTORY", "SUMMARY_N"] | None
    updated_at: int | None
    accepted: int
    turn_ids: list[str]
    freshness_token: str
    degraded: list[Degraded]


class SessionMessage(Answered):
    """A turn as screened."""

    message_id: str
    role: str
    speaker: str | None
    content: str
    occurred_at: datetime
    interaction_id: str | None
    tokens: int


class MessagesAnswer(Answered):
    """In the order of the conversation."""

    conversation_id: str
    segment: Literal["open", "all"]
    messages: list[SessionMessage]
    cursor: str | None


class CheckpointRow(Answered):
    """A row of the memory engine's ai_message."""

    message_id: str
    conversation_id: str
    query: str
    answer: str
    summary: str
    segment: int
    extractive: bool
    model: str | None
    create_time: datetime


class CheckpointsAnswer(Answered):
    checkpoints: list[CheckpointRow]
    cursor: str | None


class HotProposal(Answered):
    """What talk says instead of a value that was set by hand. It takes its place when a caller sets it."""

    id: str
    value: Json
    user_id: str | None
    source_turn_ids: list[str]
    updated_at: datetime
    revision: int


class HotEntry(Answered):
    """`user_id`: who said or set it, null where nobody was named; `origin`: set by hand, said in talk, or computed of
    other figures."""

    id: str
    key: str
    value: Json
    priority: int
    updated_at: datetime
    revision: int
    user_id: str | None = None
    origin: Literal["set", "said", "computed"] = "said"
    source_turn_ids: list[str] = Field(default_factory=list)
    proposal: HotProposal | None = None


class HotMemoryAnswer(Answered):
    """In each group the highest priority first, then the newest."""

    project_id: str
    meta: list[HotEntry]
    status: list[HotEntry]
    decisions: list[HotEntry]
    preferences: list[HotEntry]
    degraded: list[Degraded] = Field(default_factory=list)


class WeeklyReport(Answered):
    id: str
    week_start: str | None
    week_end: str | None
    summary: str
    key_events: list[Json]
    decisions: list[Json]
    open_tasks: list[Json]
    problems: list[Json]
    figures: list[Json]
    metrics: dict[str, Json]
    revision: int
    updated_at: datetime
    source_turn_ids: list[str]


class ReportsAnswer(Answered):
    reports: list[WeeklyReport]
    cursor: str | None


class TableRow(Open):
    """With every column of the table in the profile, null where nothing is known."""

    id: str
    record_id: str
    user_id: str
    created_at: datetime
    updated_at: datetime
    revision: int
    source_turn_ids: list[str]


class RowsAnswer(Answered):
    table: str
    rows: list[TableRow]
    cursor: str | None


class RowAnswer(Answered):
    """`row` is null where there is none."""

    table: str
    row: TableRow | None


class SimilarRow(TableRow):
    """`went`: above 0 well, below badly, 0 nobody judged."""

    similarity: float
    went: float


class SimilarAnswer(Answered):
    table: str
    cases: list[SimilarRow]
    degraded: list[Degraded]


class StoredItem(Answered):
    """As LangGraph has it, and when it runs out (null: never)."""

    namespace: list[str]
    key: str
    value: Json
    created_at: datetime
    updated_at: datetime
    score: float | None
    expires_at: datetime | None


class ItemAnswer(Answered):
    """`item` is null where there is none."""

    item: StoredItem | None


class ItemsAnswer(Answered):
    items: list[StoredItem]
    cursor: str | None


class NamespacesAnswer(Answered):
    namespaces: list[list[str]]
    cursor: str | None


class BatchAnswer(Answered):
    """In the order of the operations, null for a write; 202 and a token where something was written."""

    results: list[ItemAnswer | ItemsAnswer | NamespacesAnswer | None]
    freshness_token: str | None
