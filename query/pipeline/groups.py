"""The consumer groups that are watched: steps, sinks and the jobs worker, and the topics that each reads.

A test compares this with the topology and the sinks, which `query` may not import.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from schemas.log import topics
from schemas.storage.layouts import STORES, sink_group


@dataclass(frozen=True, slots=True)
class Group:
    """`generation`: of the views that a sink writes; each has a group of its own (N1)."""

    name: str
    kind: Literal["step", "sink", "worker"]
    topics: tuple[str, ...]
    generation: int = 1

    @property
    def group_id(self) -> str:
        if self.kind == "sink":
            return sink_group(self.name.removeprefix("sink-"), self.generation)
        return f"memstream-{self.name}"


GROUPS: tuple[Group, ...] = (
    Group("screen", "step", (topics.TURNS.name,)),
    Group("extract", "step", (topics.HISTORY.name,)),
    Group("gate", "step", (topics.LEDGER.name,)),
    Group("session", "step", (topics.HISTORY.name,)),
    Group("project", "step", (topics.PROJECT_EVENTS.name,)),
    Group("chunk", "step", (topics.DOCUMENTS.name,)),
    Group("jobs", "worker", (topics.JOBS.name,)),
    Group("audit", "worker", (topics.ACCESSES.name,)),
    *(Group(f"sink-{store}", "sink", feed.topics) for store, feed in STORES.items()),
)


def live_groups(live: Callable[[str], int]) -> tuple[Group, ...]:
    """The same, the sinks at the generations that are read now. `live`: store -> generation."""
    return tuple(
        replace(g, generation=live(g.name.removeprefix("sink-"))) if g.kind == "sink" else g for g in GROUPS
    )
