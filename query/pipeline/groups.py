"""The consumer groups that are watched: steps, sinks and the jobs worker, and the topics that each reads.

Those of steps and sinks follow from their declarations, which `query` may read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from schemas.components.installed import BUILT_IN, Components, components
from schemas.log import topics
from schemas.storage.layouts import sink_group


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


_WORKERS = (Group("jobs", "worker", (topics.JOBS.name,)), Group("audit", "worker", (topics.ACCESSES.name,)))


def groups(found: Components | None = None) -> tuple[Group, ...]:
    """All that there are. Raises ComponentError."""
    found = found or components()
    return (
        *(Group(name, "step", (step.reads.name,)) for name, step in found.steps.items()),
        *_WORKERS,
        *(Group(f"sink-{name}", "sink", sink.feed.topics) for name, sink in found.sinks.items()),
    )


GROUPS = groups(BUILT_IN)
"""Those of this release."""


def live_groups(live: Callable[[str], int]) -> tuple[Group, ...]:
    """All, the sinks at the generations that are read now. `live`: store -> generation."""
    return tuple(
        replace(g, generation=live(g.name.removeprefix("sink-"))) if g.kind == "sink" else g for g in groups()
    )
