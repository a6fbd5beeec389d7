"""Bodies of the writing endpoints (CONTRACT "Writing"). Unknown fields are refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from schemas.base import CleanText, Content, Frozen, Id, JsonObject, JsonValue, Timestamp
from schemas.events.memory import resolve_scope
from schemas.events.turns import MAX_HELD, MAX_METADATA_BYTES, Recalled, Role, crowded_field, metadata_fits

Rating = Literal["good", "neutral", "bad"]
HotType = Literal["meta", "status", "decision", "preference"]
_RATING_ALIASES = {"helpful": "good", "not_helpful": "bad", "positive": "good", "negative": "bad"}
_HOT_ALIASES = {"decisions": "decision", "preferences": "preference"}
_RESERVED = len(":assistant")


def _rating(value: Any) -> Any:
    return _RATING_ALIASES.get(value, value) if isinstance(value, str) else value


def _hot_type(value: Any) -> Any:
    return _HOT_ALIASES.get(value, value) if isinstance(value, str) else value


def _language(value: Any) -> Any:
    """BCP 47 tags of the two languages are taken by their first part."""
    return value.split("-")[0].lower() if isinstance(value, str) and value[:3].lower() in ("en-", "zh-") else value


def _short_id(value: str) -> str:
    if len(value) > 256 - _RESERVED:
        raise ValueError(f"must have at most {256 - _RESERVED} characters")
    return value


def _small(value: dict[str, Any]) -> dict[str, Any]:
    if not metadata_fits(value):
        raise ValueError(f"must not pass {MAX_METADATA_BYTES} bytes of JSON")
    return value


def _comparable(value: dict[str, Any]) -> dict[str, Any]:
    if crowded_field(value) is not None:
        raise ValueError(f"must have at most {MAX_HELD} values of a field")
    return value


ShortId = Annotated[Id, AfterValidator(_short_id)]
"""An id that ids of turns are made of."""
ExistingInfo = Annotated[JsonObject, AfterValidator(_small), AfterValidator(_comparable)]
"""Catalogue fields with the values that the caller holds, at most 200 of each: what is said of them again is skipped
(B3)."""
RatingIn = Annotated[Rating, BeforeValidator(_rating)]
HotTypeIn = Annotated[HotType, BeforeValidator(_hot_type)]
LanguageIn = Annotated[Literal["en", "zh", "und"], BeforeValidator(_language)]


class TurnIn(Frozen):
    turn_id: Id | None = None
    user_id: Id
    session_id: Id
    role: Role
    content: Content
    occurred_at: Timestamp
    project_id: Id | None = None
    agent_id: Id | None = None
    interaction_id: Id | None = None
    context_id: Id | None = None
    speaker: CleanText | None = Field(default=None, max_length=200)
    intent: Id | None = None
    language: LanguageIn | None = None
    llm_context: CleanText | None = Field(default=None, max_length=400_000)
    recalled: tuple[Recalled, ...] = Field(default=(), max_length=200)
    metadata: Annotated[JsonObject, AfterValidator(_small)] = Field(default_factory=dict)
    existing_info: ExistingInfo | None = None


class TurnsIn(Frozen):
    turns: tuple[TurnIn, ...] = Field(min_length=1)


class UserFeedback(Frozen):
    rating: RatingIn | None = None
    correction: CleanText | None = Field(default=None, max_length=20_000)


class InteractionIn(Frozen):
    """The message body of the memory engine."""

    user_id: Id
    session_id: Id
    interaction_id: ShortId
    timestamp: Timestamp
    user_query: Content
    ai_response: Content | None = None
    llm_context: CleanText | None = Field(default=None, max_length=400_000)
    context_id: Id | None = None
    user_feedback: UserFeedback | None = None
    project_id: Id | None = None
    agent_id: Id | None = None


class FeedbackIn(Frozen):
    user_id: Id
    interaction_id: Id | None = None
    context_id: Id | None = None
    memory_ids: tuple[Id, ...] = Field(default=(), max_length=500)
    record_id: Id | None = None
    rating: RatingIn | None = None
    score: float | None = None
    correction: CleanText | None = Field(default=None, max_length=20_000)
    comment: CleanText | None = Field(default=None, max_length=20_000)
    adopted: bool | None = None
    outcome: CleanText | None = Field(default=None, max_length=1_000)
    """What came of the suggestion (C6)."""
    about: Literal["answer", "function", "performance", "suggestion", "bug"] = "answer"
    feature: CleanText | None = Field(default=None, max_length=200)
    traits: JsonObject = Field(default_factory=dict, max_length=20)
    """How the suggestion was made, by preference field of the profile: what the judge is learned to like."""
    by: Id | None = None
    """Who judges, where it is not the user whose record it is: a doctor. What is learned is theirs."""


class MemoryIn(Frozen):
    user_id: Id
    kind: Literal["fact", "preference", "intent", "episode"]
    text: Content
    field: CleanText | None = Field(default=None, max_length=200)
    value: JsonValue = None
    category: CleanText | None = Field(default=None, max_length=200)
    project_id: Id | None = None
    scope: Id = "global"
    """`project`: that of the project which `project_id` names."""
    occurred_at: Timestamp | None = None

    @field_validator("scope")
    @classmethod
    def _meant(cls, scope: str, info: ValidationInfo) -> str:
        if "project_id" not in info.data:  # refused by its own name
            return scope
        resolved = resolve_scope(scope, info.data["project_id"])
        if resolved is None:
            raise ValueError("the scope of a project needs project_id (or is the project's id)")
        return resolved


class MemoryPatch(Frozen):
    user_id: Id
    text: Content | None = None
    value: JsonValue = None

    @model_validator(mode="after")
    def _something(self) -> MemoryPatch:
        if self.text is None and self.value is None:
            raise ValueError("text or value is required")
        return self


class SessionIn(Frozen):
    user_id: Id
    session_id: Id


class SessionPatch(Frozen):
    user_id: Id
    global_state: Annotated[JsonObject, AfterValidator(_small)] | None = None
    current_agent_key: CleanText | None = Field(default=None, max_length=256)
    user_snapshot: Annotated[JsonObject, AfterValidator(_small)] | None = None


class AnchorsIn(Frozen):
    user_id: Id
    anchors: Annotated[JsonObject, Field(max_length=200), AfterValidator(_small)]


class CheckpointIn(Frozen):
    user_id: Id
    summary: CleanText | None = Field(default=None, max_length=100_000)
    recent_turns: int | None = Field(default=None, ge=1, le=100)


class SessionUser(Frozen):
    user_id: Id


class HotIn(Frozen):
    value: JsonValue
    priority: int = Field(default=0, ge=0, le=10)
    user_id: Id | None = None


class ReportIn(Frozen):
    user_id: Id | None = None


class DocumentIn(Frozen):
    document_id: Id
    version: Id
    title: CleanText = Field(max_length=1_000)
    markdown: CleanText = Field(min_length=1, max_length=1_500_000)
    metadata: JsonObject = Field(default_factory=dict)


class ItemKey(Frozen):
    namespace: tuple[Id, ...] = Field(min_length=1, max_length=16)
    key: CleanText = Field(min_length=1, max_length=256)


class ItemIn(ItemKey):
    """`project_id`: it is kept for the project, and whoever asks there about the record that is its key is told."""

    value: JsonObject
    index: bool | tuple[CleanText, ...] | None = None
    ttl_minutes: float | None = Field(default=None, gt=0)
    project_id: Id | None = None


class ItemValue(Frozen):
    """Body of the alias, whose path names the item."""

    value: JsonObject
    index: bool | tuple[CleanText, ...] | None = None
    ttl_minutes: float | None = Field(default=None, gt=0)


class Accepted(Frozen):
    """202: the brokers have it."""

    accepted: int
    freshness_token: str


class TurnsAccepted(Accepted):
    turn_ids: tuple[str, ...]


class FeedbackAccepted(Accepted):
    feedback_id: str


class CommandAccepted(Accepted):
    command_id: str


class MemoryAccepted(CommandAccepted):
    memory_id: str
    """The id that the memory has, or will have, if the gate keeps it."""


class MemoryNamed(MemoryAccepted):
    """`found`: whether such a memory of the user's stood as the call came; false for one that was deleted, or that a
    write under way may still make, null where Postgres did not answer or the credential may not read. Where it is known
    that there never was one the answer is 404, and nothing is written."""

    found: bool | None = None


class DocumentAccepted(Accepted):
    document_id: str
