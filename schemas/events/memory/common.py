"""Words that events of memories share: kinds, states, outcomes and the reason of a record."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from schemas.base import CleanText, Frozen

CandidateKind = Literal["fact", "preference", "intent", "episode", "relation"]
"""Kinds of statements: of candidates, and of the memories that they become."""
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
GateName = Literal["pii", "extraction", "dedupe", "confidence", "feedback", "command", "retention", "profile"]
"""What decided."""
Confidence = Annotated[Decimal, Field(ge=0, le=1, decimal_places=4)]

CHANGED_ON = "changed_on"
"""Attribute of a memory that is marked with one that changed it: when the later one was said, in ISO 8601."""
CHANGED_AT = "changed_at"
"""Attribute beside it: for each record of `conflicts_with`, in that order, when it changed the memory; None where it
did not. CHANGED_ON is the latest of them."""
REPLACES = "replaces"
"""Attribute of a correction: the value that it names as wrong."""
CORRECT_VALUE, UNIT, NOT_OF = "correct_value", "unit", "not_of"
"""Attributes beside it where no field is named: the right value, the fields' unit, slots that are not meant."""
LOW_READING = "low_reading"
"""Rule of what is only observed because its reading is below the profile's threshold."""
MODEL_READ = "model_read"
MODEL_GAVE_UP = "model_gave_up_"
"""Rules of a turn's own decision: a model read it too, or did not, with the reason behind the rule."""


class Reason(Frozen):
    """Why a record is as it is."""

    outcome: Outcome
    gate: GateName
    rule: CleanText = Field(max_length=100)
    score: float | None = None
