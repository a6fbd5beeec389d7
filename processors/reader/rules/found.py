"""What a rule found, before the profile's catalogue names its fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from schemas.base import JsonValue
from schemas.events.memory import CandidateKind, DropLabel, EpisodeType, HotValue, Source
from schemas.profile.wording import OfTime


@dataclass(frozen=True, slots=True)
class Found:
    """One statement found at `content[start:end]`.

    `text` is final except for the owner's mark, which `{owner}` stands for. `slots` are generic slots, or names of
    catalogue fields where the profile's own rule found them.
    """

    start: int
    end: int
    kind: CandidateKind
    text: str
    slots: tuple[tuple[str, JsonValue], ...] = ()
    approximate: bool = False
    negated: bool = False
    source: Source = "explicit"
    category: str | None = None
    episode_type: EpisodeType | None = None
    hot: HotValue | None = None
    time_text: str | None = None
    dangling: bool = False
    """It does not stand alone, or is asked once: only observed, unless its category, project or fields ask for it."""
    attributes: Mapping[str, JsonValue] = field(default_factory=dict)
    said_end: int | None = None
    """Where it ended as it was said, where that is not `end`: a value that was meant may be longer or shorter."""
    more: tuple[tuple[int, int], ...] = ()
    """Other places that it was read from: a correction behind it, a denial that it replaces."""
    of_time: OfTime | None = None
    """It is of its time, and tells it (`schemas.profile.wording`)."""
    taken_back: bool = False
    """It only ends what stands: no part of what is said instead, which would keep its words."""
    dated: bool = False
    """A free statement that also fills a field: its relative times are told as dates."""
    reading: float | None = None
    """The calibrated probability that it was read rightly, where a model read it."""
    dropped: DropLabel | None = None
    """Why it is none to keep; it is told all the same, so that a profile of later may take it."""

    def overlaps(self, start: int, end: int) -> bool:
        return self.start < end and start < self.end
