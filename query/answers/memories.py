"""Answers about what is remembered of a user: searches, prompts, memories, profile."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from query.answers.base import Answered, Degraded, Json, Open, Why
from schemas.events.memory import MemoryKind, Source, State


class HitDetails(Answered):
    """Of a turn: role, speaker, intent; of a chunk of knowledge: the document, its version and the headings above it;
    of a memory: the others; of one that another contradicts `conflicts_with`, of one that a later statement
    changed also when that was said."""

    role: str | None = None
    speaker: str | None = None
    intent: Json = None
    field: str | None = None
    category: str | None = None
    scope: str | None = None
    key: str | None = None
    value: Json = None
    project_id: str | None
    document_id: str | None = None
    document_version: str | None = None
    title: str | None = None
    section: list[str] | None = None
    conflicts_with: list[str] | None = None
    changed_on: datetime | None = None


class Hit(Answered):
    """`id` of a turn is its turn_id. `score` orders the hits of one answer; `relevance` can be compared between
    questions. `scores` of each ranking with `explain`."""

    id: str
    kind: Literal["turn"] | MemoryKind
    text: str
    score: float
    relevance: float
    occurred_at: datetime
    user_id: str | None
    session_id: str | None
    source_turn_ids: list[str]
    details: HitDetails
    scores: dict[str, float] | None = None


class SearchAnswer(Answered):
    """`cursor` of the next page, null on the last; `hypothesis`: the passage that was searched for."""

    results: list[Hit]
    cursor: str | None
    degraded: list[Degraded]
    took_ms: float
    hypothesis: str | None = None


class Citation(Answered):
    id: str
    kind: str
    source_turn_ids: list[str]


class PromptSection(Answered):
    name: str
    text: str
    tokens: int
    citations: list[Citation]


class LeftOut(Answered):
    """Of a section what did not fit; not every piece cites something."""

    name: str
    pieces: int
    citations: list[Citation]


class Because(Answered):
    """Words of the query, and what they chose: one of intent, project, filter, state."""

    words: list[str]
    intent: str | None = None
    project: str | None = None
    filter: str | None = None
    state: str | None = None
    given: bool | None = None
    example: str | None = None
    likeness: float | None = None


class Routing(Answered):
    """In the memory engine's shape."""

    query: str
    intents: list[str]
    entities: dict[str, Json]
    metadata_filter: dict[str, dict[str, Json]]


class ContextAnswer(Answered):
    """The prompt within its budget; give `context_id` back with feedback. `tokens`: of the whole
    prompt, exactly. `dropped`: pieces that did not fit; `left_out` names them."""

    context_id: str
    prompt: str
    tokens: int
    intents: list[str]
    because: list[Because]
    routing: Routing
    sections: list[PromptSection]
    dropped: int
    left_out: list[LeftOut] = Field(default_factory=list)
    degraded: list[Degraded]


class MemoryVersion(Answered):
    """One version of a memory, with its reason and the turns that it came from."""

    id: str
    kind: MemoryKind
    state: State
    text: str
    field: str | None
    fields: list[str]
    value: Json
    scope: str | None
    category: str | None
    episode_type: str | None
    key: str | None
    importance: float
    confidence: float
    source: Source
    negated: bool
    approximate: bool
    user_id: str | None
    project_id: str | None
    session_id: str | None
    language: str | None
    version: int
    revision: int
    occurred_at: datetime
    valid_from: datetime | None
    valid_to: datetime | None
    known_at: datetime
    last_accessed_at: datetime | None
    reason: Why
    source_turn_ids: list[str]
    conflicts_with: list[str]
    also: list[str]
    attributes: dict[str, Json]


class ListedMemory(MemoryVersion):
    """`archived_at`: with state=archived, when its class ended it."""

    archived_at: datetime | None = None


class RefusedCandidate(Answered):
    """What a gate turned away: the decision stands, its text is not kept."""

    id: str
    kind: MemoryKind
    state: Literal["refused"]
    field: str | None
    fields: list[str]
    category: str | None
    session_id: str | None
    known_at: datetime
    reason: Why
    source_turn_ids: list[str]


class MemoriesAnswer(Answered):
    memories: list[ListedMemory | RefusedCandidate]
    cursor: str | None


class GateDecision(Answered):
    decision_id: str
    turn_id: str | None
    session_id: str | None
    ordinal: int
    kind: str
    field: str | None
    extractor: str | None
    accepted_at: datetime
    reason: Why


class CitedTurn(Answered):
    """`content` is "expired" where the turn's retention has ended: the citation outlives it."""

    turn_id: str
    session_id: str | None = None
    occurred_at: datetime
    content_hash: str
    content: str
    role: str | None
    expired: bool


class MemoryAnswer(MemoryVersion):
    history: list[MemoryVersion]
    decisions: list[GateDecision]
    source_turns: list[CitedTurn]


class Completeness(Answered):
    """`score`: 0 to 100, by the weights of the profile's fields."""

    score: int = Field(ge=0, le=100)
    filled_fields: list[str]
    missing_fields: list[str]


class ProfileAnswer(Answered):
    """Group -> field -> value, as the profile's catalogue names them; `approximate`: fields said as about that much."""

    profile: dict[str, dict[str, Json]]
    completeness: Completeness
    approximate: list[str]
    narrative_summary: str
    narrative_written_by: str | None


class Preference(MemoryVersion):
    """`effective`: whether it is the one that holds for its key."""

    effective: bool


class PreferencesAnswer(Answered):
    preferences: list[Preference]


class NowCompared(Answered):
    """How a moment lies to a time habit: "usually at 08:00, now 08:30"."""

    usual: str
    now: str
    minutes_late: int
    usual_now: bool
    expected_today: bool
    done_today: bool
    overdue: bool


class Habit(Open):
    """With the fields of its type: of a time habit `time`, `weekdays`, `last_done` and more."""

    id: str
    pattern: str | None
    state: State
    text: str
    support: int | None
    confidence: float
    updated_at: datetime
    source_turn_ids: list[str]
    at: NowCompared | None = None


class PatternsAnswer(Answered):
    patterns: list[Habit]


class Against(Answered):
    """How a reading lies to what is usual; `count`: of the readings that say so."""

    usual: float
    difference: float
    verdict: Literal["usual", "above", "below"]
    count: int | None = None


class ReadValue(Answered):
    id: str
    version: int
    field: str
    label: dict[str, str]
    unit: str | None
    value: float
    approximate: bool
    at: datetime
    text: str
    verdict: Literal["usual", "above", "below"] | None
    baseline: Against | None
    history: Against | None
    source_turn_ids: list[str]


class ReadingsAnswer(Answered):
    readings: list[ReadValue]


class SaidOften(Answered):
    """A word of the comments, and how many users used it."""

    word: str
    users: int


class FunctionJudged(Answered):
    about: str
    feature: str | None
    count: int
    users: int
    good: int
    neutral: int
    bad: int
    mean_score: float | None
    last: datetime
    problems: list[SaidOften]


class FeedbackSummaryAnswer(Answered):
    since: datetime
    count: int
    users: int
    truncated: bool
    functions: list[FunctionJudged]


class LoadedMemory(Answered):
    """In the memory engine's shape: importance times 100."""

    id: str
    type: str
    content: str
    importance: int
    category: str | None
    createdAt: datetime  # noqa: N815 - the seed's name
    source_turn_ids: list[str]


class LoadedAnswer(Answered):
    memories: list[LoadedMemory]
    user_profile_summary: str | None
    total_memories: int


class KeptFeedback(Open):
    """With the fields that the feedback was given with."""

    id: str
    about: str | None
    comment: str | None
    created_at: datetime
    expires_at: datetime | None


class FeedbackAnswer(Answered):
    feedback: list[KeptFeedback]
    cursor: str | None
