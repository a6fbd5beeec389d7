"""memory.ledger: what extractors found, what users judged, and what callers wrote."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from schemas.base import CleanText, Frozen, Id, JsonObject, JsonValue, Timestamp
from schemas.events.amendments import Amendment
from schemas.events.envelope import Marker, SourceTurn, Tick, UserEvent
from schemas.events.erasure import Erasure
from schemas.events.memory.candidates import MAX_DROPPED, Candidate, Dropped


class ExtractionBody(Frozen):
    candidates: tuple[Candidate, ...] = ()
    dropped: tuple[Dropped, ...] = Field(default=(), max_length=MAX_DROPPED)
    content: CleanText = ""
    """The redacted turn, only where a project is named: its digest goes on to the project."""
    speaker: CleanText | None = None
    metadata: dict[Id, CleanText] = Field(default_factory=dict)
    """The few scalar entries that habits are mined from (C5), as the profile names them."""
    existing_info: JsonObject | None = None
    """Fields with the values that the caller of the turn holds (B3)."""


class Extraction(UserEvent):
    """Everything one extractor version found in one turn: written also when it found nothing."""

    SEALED: ClassVar[bool] = True
    PLACE: ClassVar[tuple[str, ...]] = ("user_id", "session_id", "turn.turn_id", "extractor", "extractor_version")
    type: Literal["extraction"] = "extraction"
    session_id: Id
    turn: SourceTurn
    position: int = Field(default=0, ge=0)
    """Of the turn, in the order of its user's turns; 0 where an older extractor wrote this."""
    role: Literal["user", "assistant", "system", "tool"]
    accepted_at: Timestamp
    language: Literal["en", "zh", "und"]
    project_id: Id | None = None
    interaction_id: Id | None = None
    context_id: Id | None = None
    """The context that the turn's model was given (D7): its memories are renewed as if recalled by id."""
    recalled_ids: tuple[Id, ...] = ()
    extractor: CleanText = Field(max_length=100)
    extractor_version: int = Field(ge=1)
    model: CleanText | None = None
    prompt_hash: CleanText | None = None
    reason: CleanText | None = Field(default=None, max_length=100)
    """Why a model that was asked did not read the turn: away, slow, too_old, refused, truncated, not_json, ... (B7)."""
    model_id: str = ""
    """The embedding model of the candidates' vectors."""
    model_asked: bool = False
    """A model is asked about the turn too: its answer comes as an extraction of its own."""
    profile: str
    profile_version: int
    refused: bool = False
    refused_for: CleanText | None = Field(default=None, max_length=100)
    """The rule of the reason: the entity that policy refused. None where it is not refused, or a credential is meant by
    an older extractor."""
    sealed: ExtractionBody


class Given(UserEvent):
    """Which memories an answer was made from: those that a context cites, or that a search for an interaction found.
    Feedback and turns that name only the context or the interaction reach them by it."""

    type: Literal["given"] = "given"
    context_id: Id | None = None
    interaction_id: Id | None = None
    record_ids: tuple[Id, ...] = Field(default=(), max_length=500)
    accepted_at: Timestamp


class FeedbackBody(Frozen):
    correction: CleanText | None = Field(default=None, max_length=20_000)
    comment: CleanText | None = Field(default=None, max_length=20_000)
    outcome: CleanText | None = Field(default=None, max_length=1_000)
    """What came of a suggestion (C6)."""
    traits: dict[Id, JsonValue] = Field(default_factory=dict, max_length=20)
    """How the judged suggestion was made, by preference field: what the judge's preferences are learned from."""


class Feedback(UserEvent):
    """What the user thought of an answer. Counts once by `feedback_id`."""

    SEALED: ClassVar[bool] = True
    PLACE: ClassVar[tuple[str, ...]] = ("user_id", "feedback_id")
    type: Literal["feedback"] = "feedback"
    feedback_id: Id
    interaction_id: Id | None = None
    context_id: Id | None = None
    memory_ids: tuple[Id, ...] = Field(default=(), max_length=500)
    record_id: Id | None = None
    rating: Literal["good", "neutral", "bad"] | None = None
    score: float | None = None
    adopted: bool | None = None
    about: Literal["answer", "function", "performance", "suggestion", "bug"] = "answer"
    feature: CleanText | None = Field(default=None, max_length=200)
    """Which function, page or the like it is about."""
    by: Id | None = None
    """Who judged, where it was not the user: what is learned of them comes as feedback of their own (C6)."""
    refused_for: CleanText | None = Field(default=None, max_length=100)
    """The entity that policy refuses, found and masked at the door (D5)."""
    accepted_at: Timestamp | None = None
    sealed: FeedbackBody = FeedbackBody()


class MemoryCommandBody(Frozen):
    text: CleanText | None = Field(default=None, max_length=100_000)
    value: JsonValue = None
    terms: tuple[str, ...] = ()
    embedding: bytes = b""


class MemoryCommand(UserEvent):
    """A caller's own write: remember, correct or forget a memory; put or delete a store item."""

    SEALED: ClassVar[bool] = True
    PLACE: ClassVar[tuple[str, ...]] = ("user_id", "command", "command_id")
    type: Literal["memory_command"] = "memory_command"
    command: Literal["remember", "correct", "forget", "put_item", "delete_item", "touch_item", "summarize"]
    command_id: Id
    session_id: Id | None = None
    """Of `summarize`: the conversation that ended (B9)."""
    memory_id: Id | None = None
    kind: Literal["fact", "preference", "intent", "episode"] | None = None
    field: CleanText | None = Field(default=None, max_length=200)
    category: CleanText | None = None
    scope: Id = "global"
    project_id: Id | None = None
    project_ids: tuple[Id, ...] = Field(default=(), max_length=100)
    """Of `correct` and `forget`: projects that may show the memory. Reads that wait there hear of it (freshness)."""
    namespace: tuple[Id, ...] = ()
    key: CleanText | None = Field(default=None, max_length=256)
    index: bool | tuple[str, ...] | None = None
    ttl_minutes: float | None = Field(default=None, gt=0, le=100 * 365 * 24 * 60)
    occurred_at: Timestamp | None = None
    refused_for: CleanText | None = Field(default=None, max_length=100)
    """The entity that policy refuses, found and masked at the door (D5)."""
    accepted_at: Timestamp | None = None
    sealed: MemoryCommandBody = MemoryCommandBody()


class JobResultBody(Frozen):
    result: JsonValue = None


class JobResult(UserEvent):
    """The answer to a model job whose asker reads the ledger (narratives)."""

    SEALED: ClassVar[bool] = True
    PLACE: ClassVar[tuple[str, ...]] = ("user_id", "job_id", "job")
    type: Literal["job_result"] = "job_result"
    job_id: Id
    job: CleanText = Field(max_length=100)
    session_id: Id | None = None
    asked_at: Timestamp | None = None
    """When the job was asked for: an erasure after that refuses the answer, however late it comes."""
    status: Literal["done", "failed"]
    model: CleanText | None = None
    prompt_hash: CleanText | None = None
    reason: CleanText | None = None
    accepted_at: Timestamp | None = None
    sealed: JobResultBody = JobResultBody()


LedgerEvent = Annotated[
    Extraction | Given | Feedback | MemoryCommand | JobResult | Amendment | Erasure | Tick | Marker,
    Field(discriminator="type"),
]
