"""The remaining topics: knowledge.documents, config.profiles, memory.jobs, memory.accesses, project.events."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from schemas.base import MAX_ID_CHARS, CleanText, Frozen, Id, JsonObject, JsonValue, Timestamp
from schemas.events.envelope import Envelope, Marker, ProjectEvent, SourceTurn, Tick
from schemas.events.erasure import Erasure
from schemas.events.memory import Candidate, CandidateKind, EpisodeType, HotValue
from schemas.log.owner import Owner, OwnerKind

EVERY_VERSION = "*"
"""As the version of a deletion: the whole document."""


class DocumentBody(Frozen):
    title: CleanText = Field(default="", max_length=1_000)
    markdown: CleanText = Field(default="", max_length=1_500_000)
    metadata: JsonObject = Field(default_factory=dict)


class Document(Envelope):
    """A version of a Markdown document, or its deletion; `EVERY_VERSION` deletes all. Key = document/version."""

    SEALED: ClassVar[bool] = True
    PLACE: ClassVar[tuple[str, ...]] = ("document_id", "version")
    type: Literal["document"] = "document"
    document_id: Id
    version: Id
    op: Literal["put", "delete"] = "put"
    accepted_at: Timestamp | None = None
    sealed: DocumentBody = DocumentBody()

    @property
    def owner(self) -> Owner:
        return Owner(self.tenant, OwnerKind.DOCUMENT, self.document_id)

    @property
    def subject(self) -> str:
        return f"{self.document_id}/{self.version}"


DocumentsEvent = Annotated[Document | Tick | Marker, Field(discriminator="type")]


class ProfileVersion(Envelope):
    """A tenant's profile (or policy) in force from here on."""

    type: Literal["profile_version"] = "profile_version"
    profile: JsonObject
    accepted_at: Timestamp | None = None

    @property
    def owner(self) -> Owner:
        return Owner(self.tenant, OwnerKind.TENANT, "")


class JobBody(Frozen):
    payload: JsonObject = Field(default_factory=dict)


class Job(Envelope):
    """Model work asked for by a step; the answer goes to the input topic of the step that asked."""

    SEALED: ClassVar[bool] = True
    PLACE: ClassVar[tuple[str, ...]] = ("owner_kind", "owner_id", "job_id")
    type: Literal["job"] = "job"
    owner_kind: OwnerKind
    owner_id: Id
    job_id: Id
    job: Literal["extraction", "checkpoint", "narrative", "report"]
    asked_by: CleanText
    session_id: Id | None = None
    profile: str
    profile_version: int
    accepted_at: Timestamp
    sealed: JobBody = JobBody()

    @property
    def owner(self) -> Owner:
        return Owner(self.tenant, self.owner_kind, self.owner_id)

    @property
    def subject(self) -> str:
        return self.job_id


class Access(Envelope):
    """A read or write of long-term memory, without its content, or a citation to be renewed.

    One call of the service is one record an owner (more, of 500 ids each, where it showed more). A read without an
    owner, as a search of a whole tenant, has the tenant as its owner. `context_id` is the one that POST /v1/context
    answered with: `record_ids` are then the memories that its prompt cites.
    """

    type: Literal["access"] = "access"
    access_id: Id
    owner_kind: OwnerKind = OwnerKind.USER
    owner_id: CleanText = Field(max_length=MAX_ID_CHARS)
    action: Literal["read", "write", "cite"]
    operation: CleanText = Field(default="", max_length=120)
    """Method and route pattern, as `POST /v1/context`; never a path with ids."""
    principal: CleanText = Field(max_length=300)
    """Who: `key:ID`, `jwt:SUBJECT`, or `local`."""
    record_ids: tuple[Id, ...] = Field(default=(), max_length=500)
    context_id: Id | None = None
    accepted_at: Timestamp

    @property
    def owner(self) -> Owner:
        return Owner(self.tenant, self.owner_kind, self.owner_id)

    @property
    def subject(self) -> str:
        return self.access_id


class KeptMemory(Frozen):
    """What the gate kept of a turn, for the project's report."""

    kind: CandidateKind
    episode_type: EpisodeType | None = None
    text: CleanText
    record_id: Id


class TurnDigestBody(Frozen):
    content: CleanText = ""
    speaker: CleanText | None = None
    kept: tuple[KeptMemory, ...] = ()
    hot: tuple[CleanText, ...] = ()
    """Of a restated turn: the entries of hot memory that it still says, as `hot/TYPE/KEY`."""
    withdrawn: tuple[Id, ...] | None = None
    """Of a turn that two extractors read: ids of the entries that leave. None: all that it wrote and does not say."""


class UsersWords(ProjectEvent):
    """A project's event that holds what one user said: sealed under the user's key, so that it goes with it."""

    user_id: Id

    @property
    def sealed_for(self) -> Owner:
        return Owner(self.tenant, OwnerKind.USER, self.user_id)


class TurnDigest(UsersWords):
    """A redacted turn of a project: one for every turn with a project, so that a project's progress covers all
    of its turns (also those without a candidate)."""

    SEALED: ClassVar[bool] = True
    PLACE: ClassVar[tuple[str, ...]] = ("project_id", "user_id", "turn.turn_id")
    type: Literal["turn_digest"] = "turn_digest"
    turn: SourceTurn
    position: int = Field(default=0, ge=0)
    """Of the turn, in the order of its user's turns: a message and its reply may be of the same moment."""
    role: Literal["user", "assistant", "system", "tool"]
    language: Literal["en", "zh", "und"]
    accepted_at: Timestamp
    restated: bool = False
    """The turn was told before and is extracted anew: what it says is replaced, and it counts once."""
    sealed: TurnDigestBody = TurnDigestBody()


class ProjectCandidateBody(Frozen):
    candidate: Candidate


class ProjectCandidate(UsersWords):
    """A gated candidate that a project keeps as hot memory. `user_revision` is the record in the user's
    memory that it came from."""

    SEALED: ClassVar[bool] = True
    PLACE: ClassVar[tuple[str, ...]] = ("project_id", "user_id", "turn.turn_id", "record_id")
    type: Literal["project_candidate"] = "project_candidate"
    turn: SourceTurn
    record_id: Id
    accepted_at: Timestamp
    profile: str
    profile_version: int
    sealed: ProjectCandidateBody


class UserMemoryBody(Frozen):
    text: CleanText = ""
    """What the memory says now; empty where it was forgotten."""
    now: HotValue | None = None
    """The entry that it writes from here on."""


class UserMemory(UsersWords):
    """What became of a memory that a project shows in its hot memory or report: its user told it for the project,
    corrected it or had it forgotten, or its days were over (`expire`: reports have their own)."""

    SEALED: ClassVar[bool] = True
    PLACE: ClassVar[tuple[str, ...]] = ("project_id", "user_id", "command_id", "record_id")
    type: Literal["user_memory"] = "user_memory"
    command_id: Id
    command: Literal["remember", "correct", "forget", "expire"]
    record_id: Id
    turns: tuple[SourceTurn, ...] = ()
    """The turns that said it before."""
    entries: tuple[Id, ...] = ()
    """Ids of the entries of hot memory that it has written."""
    accepted_at: Timestamp
    sealed: UserMemoryBody = UserMemoryBody()


class ProjectCommandBody(Frozen):
    value: JsonValue = None


class ProjectCommand(ProjectEvent):
    """A caller's own write to a project: hot memory, or a report asked for now. `rescreen`: what its weeks hold is to
    go through the PII policy of now."""

    SEALED: ClassVar[bool] = True
    PLACE: ClassVar[tuple[str, ...]] = ("project_id", "command", "command_id")
    type: Literal["project_command"] = "project_command"
    command: Literal["put_hot", "delete_hot", "report", "rescreen"]
    command_id: Id
    user_id: Id | None = None
    hot_type: Literal["meta", "status", "decision", "preference"] | None = None
    key: Id | None = None
    priority: int = Field(default=0, ge=0, le=10)
    refused_for: CleanText | None = Field(default=None, max_length=100)
    """The entity that policy refuses, found and masked at the door (D5)."""
    restores: Literal["entry", "proposal"] | None = None
    """Of `put_hot`: an entry that talk has made, or a proposal, is put again as policy has it; no hand sets it."""
    accepted_at: Timestamp | None = None
    sealed: ProjectCommandBody = ProjectCommandBody()


class ReportResultBody(Frozen):
    result: JsonObject = Field(default_factory=dict)


class ReportResult(ProjectEvent):
    """The answer to a report job."""

    SEALED: ClassVar[bool] = True
    PLACE: ClassVar[tuple[str, ...]] = ("project_id", "job_id", "week_start")
    type: Literal["report_result"] = "report_result"
    job_id: Id
    week_start: CleanText
    status: Literal["done", "failed"]
    model: CleanText | None = None
    accepted_at: Timestamp | None = None
    sealed: ReportResultBody = ReportResultBody()


ProjectsEvent = Annotated[
    ProjectCandidate | TurnDigest | UserMemory | ProjectCommand | ReportResult | Erasure | Tick | Marker,
    Field(discriminator="type"),
]
