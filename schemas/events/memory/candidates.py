"""What extractors find in a turn: candidates, and statements that they drop."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator

from schemas.base import CleanText, Content, Frozen, Id, JsonObject, JsonValue, Timestamp, UnitFloat
from schemas.events.memory.common import CandidateKind, Confidence, EpisodeType, Source

PROJECT_SCOPE = "project"


def resolve_scope(scope: str, project_id: str | None) -> str | None:
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
