"""What the parts of answers share."""

from __future__ import annotations

from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict

Json: TypeAlias = Any
Score: TypeAlias = float | None


class Answered(BaseModel):
    """An answer or a part of one. A field with a default may be missing; a newer service may add fields."""


class Open(Answered):
    """One with fields of its own, that a profile or a caller names."""

    model_config = ConfigDict(extra="allow")


class Degraded(Answered):
    """A store that the answer had to do without, and why."""

    store: str
    reason: str


class Why(Answered):
    """Why a record is as it is."""

    outcome: str
    gate: str
    rule: str
    score: Score = None
