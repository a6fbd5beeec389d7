"""memory.ledger, memory.updates, memory.decisions: what was said, what became of it, and why."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator

from schemas.base import CleanText, Content, Frozen, Id, JsonObject, JsonValue, Timestamp, UnitFloat
from schemas.events.amendments import Amendment
from schemas.events.envelope import Envelope, Marker, SourceTurn, Tick, UserEvent
from schemas.events.erasure import Erasure
from schemas.log.owner import Owner, OwnerKind

CandidateKind = Literal["fact", "preference", "intent", "episode", "relation"]
MemoryKind = Literal[
    "fact", "preference", "intent", "episode", "relation",  # user memories
    "hot", "report",  # project memories
    "chunk",  # knowledge
    "item", "table", "pattern", "profile", "feedback", "rejection",
]  # fmt: skip
State = Literal["active", "observed", "superseded", "refused", "archived", "deleted"]
Source = Literal["explicit", "confirmed", "inferred"]
EpisodeType = Literal["decision", "task", "qa", "fact"]
Outcome = Literal["kept", "merged", "superseding", "skipped", "observed", "masked", "refused", "retired"]
Confidence = Annotated[Decimal, Field(ge=0, le=1, decimal_places=4)]


PROJECT_SCOPE = "project"


def scope_meant(scope: str, project_id: str | None) -> str | None:
    """D9 speaks of scope = project: that of the project which is named, its id. None where none is."""
    return project_id if scope == PROJECT_SCOPE else scope


class HotValue(Frozen):
    """A candidate for a project's hot memory."""

    type: Literal["meta", "status", "decision", "preference"]
    key: Id
    value: JsonValue = None
    priority: int = Field(default=0, ge=0, le=10)


class Span(Frozen):
    """Characters `start` to `end` of a turn's content."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end


MAX_SPANS = 20
"""Places that one statement was read from."""


class Candidate(Frozen):
    """What one extractor says one turn holds. `ordinal` counts within the turn. A fact or preference is
    identified by its field and scope, what has no field by its source turn and head span."""

    ordinal: int = Field(ge=0)
    kind: CandidateKind
    text: Content
    """A short statement in the speaker's language that stands alone (no pronoun without its owner)."""
    field: CleanText | None = Field(default=None, max_length=200)
    """Catalogue field (a fact or intent) or preference key."""
    fields: tuple[CleanText, ...] = ()
    """All fields that the statement fills, when one statement fills several (B3: `education+university+major`)."""
    value: JsonValue = None
    approximate: bool = False
    scope: Id = "global"
    category: CleanText | None = None
    episode_type: EpisodeType | None = None
    project_id: Id | None = None
    importance: UnitFloat
    confidence: Confidence
    source: Source
    negated: bool = False
    occurred_from: Timestamp | None = None
    """Start of the time that the statement refers to, resolved against the turn's time."""
    occurred_to: Timestamp | None = None
    time_text: CleanText | None = None
    hot: HotValue | None = None
    attributes: JsonObject = Field(default_factory=dict)
    span: Span | None = None
    """Where an extractor of before `spans` read it."""
    spans: tuple[Span, ...] = Field(default=(), max_length=MAX_SPANS)
    """Where it was read, the head span first; empty where an older extractor did not say."""
    literal: bool = False
    """Of a model's: its words stand together in the span, so it may contradict what another reading took from them."""
    reading: UnitFloat | None = None
    """Calibrated probability that what was said there is to be kept; None for what is always made, and from an
    extractor that did not tell it. What it must reach is the profile's to say."""
    low_reading: UnitFloat | None = None
    """The same where it is too low: of a candidate that is inferred for it."""
    terms: tuple[str, ...] = ()
    embedding: bytes = b""

    @property
    def head(self) -> Span | None:
        """The span of the statement itself; None where an older extractor did not say."""
        return self.spans[0] if self.spans else self.span


DropLabel = Literal[
    "unresolved", "light", "too_many", "copy", "addressed", "dangling", "no_field", "of_another"
]  # fmt: skip
"""Why a reader took a statement for none: it does not stand alone; it says little; others of its turn say more; it
repeats a long turn; its turn is about the one it speaks to; a relation to nobody who is named; the profile's field does
not take its value; a value in an answer given for somebody else."""
MAX_DROPPED = 8
"""Dropped statements of one turn that the ledger keeps: the first."""
MAX_DROPPED_CHARS = 300
"""Of the text of one; a longer one is not kept."""


class Dropped(Frozen):
    """A statement that the reader found and did not take. It is decided where a profile of later takes it."""

    label: DropLabel
    candidate: Candidate
    """Without terms and embedding; its ordinal goes on from those of the candidates."""
    slots: JsonObject = Field(default_factory=dict)
    """Generic slot -> value as it was said: where the catalogue did not take them."""

    @field_validator("candidate")
    @classmethod
    def _as_it_was_read(cls, candidate: Candidate) -> Candidate:
        return candidate.model_copy(update={"terms": (), "embedding": b""})


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


CHANGED_ON = "changed_on"
"""Attribute of a memory that is marked with one that changed it: when the later one was said, in ISO 8601."""
CHANGED_AT = "changed_at"
"""Attribute beside it: for each record of `conflicts_with`, in that order, when it changed the memory; None where it
did not. CHANGED_ON is the latest of them."""
LOW_READING = "low_reading"
"""Rule of what is only observed because its reading is below the profile's threshold."""
MODEL_READ = "model_read"
MODEL_GAVE_UP = "model_gave_up_"
"""Rules of a turn's own decision: a model read it too, or did not, with the reason behind the rule."""


class Reason(Frozen):
    """Why a record is as it is."""

    outcome: Outcome
    gate: Literal["pii", "extraction", "dedupe", "confidence", "feedback", "command", "retention", "profile"]
    rule: CleanText = Field(max_length=100)
    score: float | None = None


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


UpdatesEvent = Annotated[MemoryUpdate | Erasure | Marker, Field(discriminator="type")]


class DecisionBody(Frozen):
    text: CleanText = ""
    value: JsonValue = None


class Decision(Envelope):
    """What the gates decided on one candidate or command: for dashboards and the turn's outcome."""

    SEALED: ClassVar[bool] = True
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
