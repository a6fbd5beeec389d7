"""From offsets over time to lag in records and seconds, rates, and what stands still. Pure: the clock is given."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from query.pipeline.groups import Group
from query.pipeline.offsets import Offsets, Place

RATE_SECONDS = 30.0
"""Rates are means over this long."""
HISTORY = 2_000
"""Changes of a topic's end that are remembered: how far back a lag in seconds can be told."""


@dataclass(frozen=True, slots=True)
class GroupLag:
    """One group now. `lag_seconds`: how long the oldest record that it has not committed has waited, as far as this
    process saw it. `still_seconds`: for how long some partition has had lag without advancing. `unread`: partitions
    that no member has, and for how long some have had none (infinite: since this process looks)."""

    name: str
    kind: str
    topics: tuple[str, ...]
    lag: int
    lag_seconds: float
    still_seconds: float
    rate_in: float
    rate: float
    unread: int = 0
    unread_seconds: float = 0.0


@dataclass(slots=True)
class _Progress:
    committed: int
    since: float
    """When the committed offset last changed, or lag began."""
    waiting: bool


@dataclass(slots=True)
class LagTracker:
    """Fed with offsets every few seconds."""

    _ends: dict[Place, deque[tuple[float, int]]] = field(default_factory=dict)
    _progress: dict[tuple[str, Place], _Progress] = field(default_factory=dict)
    _totals: dict[str, deque[tuple[float, int, int]]] = field(default_factory=dict)
    _whole: dict[str, float] = field(default_factory=dict)
    """Stage -> when each of its partitions was last seen to have a reader."""

    def update(self, at: float, offsets: Offsets, groups: Sequence[Group]) -> list[GroupLag]:
        """`at` in seconds of any clock that does not go back."""
        for place, end in offsets.ends.items():
            seen = self._ends.setdefault(place, deque(maxlen=HISTORY))
            if not seen or seen[-1][1] != end:
                seen.append((at, end))
        return [self._group(at, offsets, group) for group in groups]

    def _group(self, at: float, offsets: Offsets, group: Group) -> GroupLag:
        committed = offsets.committed.get(group.group_id, {})
        readers = offsets.assigned.get(group.group_id, ())
        lag, lag_seconds, still, done, ends, unread = 0, 0.0, 0.0, 0, 0, 0
        for place, end in offsets.ends.items():
            if place[0] not in group.topics:
                continue
            unread += place not in readers
            # What retention has taken can be committed no more.
            at_least = max(committed.get(place, 0), offsets.starts.get(place, 0))
            behind = max(0, end - at_least)
            lag, done, ends = lag + behind, done + at_least, ends + end
            still = max(still, self._still(at, group, place, at_least, behind))
            if behind:
                lag_seconds = max(lag_seconds, at - self._appeared(place, at_least, at))
        rate_in, rate = self._rates(at, group.name, ends, done)
        if not unread:
            self._whole[group.name] = at
        since = at - self._whole.get(group.name, float("-inf"))
        return GroupLag(group.name, group.kind, group.topics, lag, lag_seconds, still, rate_in, rate, unread, since)

    def _still(self, at: float, group: Group, place: Place, committed: int, behind: int) -> float:
        known = self._progress.get((group.name, place))
        if known is None or known.committed != committed or not (behind and known.waiting):
            self._progress[group.name, place] = _Progress(committed, at, behind > 0)
            return 0.0
        return at - known.since

    def _appeared(self, place: Place, committed: int, now: float) -> float:
        """When the record at `committed` was first seen to be there."""
        seen = self._ends.get(place)
        if not seen:
            return now
        for (_, before), (when, after) in pairwise(seen):
            if before <= committed < after:
                return when
        return seen[0][0]

    def _rates(self, at: float, name: str, ends: int, done: int) -> tuple[float, float]:
        """Records a second that came and that went."""
        totals = self._totals.setdefault(name, deque())
        totals.append((at, ends, done))
        while len(totals) > 2 and at - totals[1][0] >= RATE_SECONDS:
            totals.popleft()
        then, ends_then, done_then = totals[0]
        seconds = at - then
        if seconds <= 0:
            return 0.0, 0.0
        return max(0, ends - ends_then) / seconds, max(0, done - done_then) / seconds
