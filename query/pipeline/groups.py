"""The consumer groups that are watched: steps, sinks and the jobs worker, and the topics that each reads.

A test compares this with the topology and the sinks, which `query` may not import.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from schemas import topics


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    kind: Literal["step", "sink", "worker"]
    topics: tuple[str, ...]

    @property
    def group_id(self) -> str:
        return f"memstream-{self.name}"


GROUPS: tuple[Group, ...] = (
    Group("screen", "step", (topics.TURNS.name,)),
    Group("extract", "step", (topics.HISTORY.name,)),
    Group("gate", "step", (topics.LEDGER.name,)),
    Group("session", "step", (topics.HISTORY.name,)),
    Group("project", "step", (topics.PROJECT_EVENTS.name,)),
    Group("chunk", "step", (topics.DOCUMENTS.name,)),
    Group("jobs", "worker", (topics.JOBS.name,)),
    Group(
        "sink-postgres",
        "sink",
        (topics.HISTORY.name, topics.UPDATES.name, topics.DECISIONS.name, topics.SESSION_STATE.name),
    ),
    Group("sink-milvus", "sink", (topics.HISTORY.name, topics.UPDATES.name)),
    Group("sink-redis", "sink", (topics.SESSION_STATE.name, topics.UPDATES.name)),
)
