"""Layouts of the stores in one place: names of tables, collections and keys."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import ClassVar

import orjson

from schemas.log import topics
from schemas.log.owner import Owner

WITH_VECTORS = ("postgres", "milvus")
"""Stores whose rows hold what an embedding model made: their live generations have one model."""


def stage(step: str, topic: str) -> str:
    """Name of a stream of derived records in the progress tables: who emitted it, and into which topic (a step's
    topics advance apart from each other)."""
    return f"{step}:{topic}"


STAGE_OF_VIEW = {
    "turns": stage("screen", topics.HISTORY.name),
    "memories": stage("gate", topics.UPDATES.name),
    "outcomes": stage("gate", topics.DECISIONS.name),
    "sessions": stage("session", topics.SESSION_STATE.name),
    "projects": stage("project", topics.UPDATES.name),
    "knowledge": stage("chunk", topics.UPDATES.name),
}
"""A view of a store is as fresh as the progress of the stage that feeds it."""


def postgres_schema(generation: int) -> str:
    return f"views_g{generation}"


def sink_group(store: str, generation: int = 1) -> str:
    """Consumer group of the one writer of a generation of a store's views: each has its own for life (N1)."""
    return f"memstream-sink-{store}" if generation == 1 else f"memstream-sink-{store}-g{generation}"


@dataclass(frozen=True, slots=True)
class MilvusLayout:
    """Two collections and one of markers, a generation. Primary keys carry tenant and id, so that a row of one
    tenant never overwrites another's."""

    generation: int = 1
    dimensions: int = 512

    @property
    def turns(self) -> str:
        return f"memstream_turns_g{self.generation}"

    @property
    def memories(self) -> str:
        return f"memstream_memories_g{self.generation}"

    @property
    def progress(self) -> str:
        return f"memstream_progress_g{self.generation}"

    @staticmethod
    def key(*parts: str | int) -> str:
        """Primary key of a row: hash of (tenant, user_id, turn_id) or of (tenant, record_id, version). A hash, because
        ids are the caller's strings: it has one length, and no character that a filter could trip over."""
        return hashlib.sha256(orjson.dumps(parts)).hexdigest()[:40]

    @staticmethod
    def mark(stage: str, partition: int, root: str) -> str:
        """Primary key of a progress row."""
        return f"{stage}/{partition}/{root}"

    @staticmethod
    def literal(text: str) -> str:
        """A string in a filter. The embedded server knows no `\\u` escapes, so only quotes and backslashes are
        escaped. Raises ValueError for control characters, which ids cannot contain."""
        if any(ord(c) < 32 for c in text):
            raise ValueError("a filter value must not contain control characters")
        return orjson.dumps(text).decode()


@dataclass(frozen=True, slots=True)
class RedisLayout:
    """Keys: `{tenant/owner}:` (a cluster hash tag) before the seed's key name. The first generation has no prefix, so
    that the seed's names stand as they are; later ones lead with `gN:`, before the tag."""

    generation: int = 1

    WANTED_MAX: ClassVar[int] = 10_000

    @property
    def prefix(self) -> str:
        return "" if self.generation == 1 else f"g{self.generation}:"

    def session(self, owner: Owner, session_id: str) -> str:
        return self._of(owner, f"short_term_memory:session:{session_id}")

    def history(self, owner: Owner, session_id: str) -> str:
        return self._of(owner, f"wm:history:{session_id}")

    def summary(self, owner: Owner, session_id: str) -> str:
        return self._of(owner, f"wm:summary:{session_id}")

    def anchors(self, owner: Owner, session_id: str) -> str:
        return self._of(owner, f"wm:anchors:{session_id}")

    def revision(self, owner: Owner, session_id: str) -> str:
        return self._of(owner, f"wm:revision:{session_id}")

    def hot_memory(self, owner: Owner, project_id: str) -> str:
        return self._of(owner, f"hot_memory:{project_id}")

    def hot_guard(self, owner: Owner, project_id: str) -> str:
        """Hash record id -> revision: changes that the next hot-memory snapshot must have (A5)."""
        return self._of(owner, f"hot_memory:guard:{project_id}")

    def erased(self, owner: Owner, session_id: str | None) -> str:
        """The cut-off of an erasure (C9): sessions of before are not put back."""
        return self._of(owner, "erased" if session_id is None else f"erased:{session_id}")

    @property
    def wanted(self) -> str:
        """List of what readers missed in Redis: they LPUSH, the sink fills (E6). See `want_session`, `want_hot`."""
        return f"{self.prefix}memstream:wanted"

    @property
    def progress_index(self) -> str:
        """Set of the (stage, partition) that have a progress hash, as JSON arrays."""
        return f"{self.prefix}memstream:progress"

    @property
    def written_at(self) -> str:
        return f"{self.prefix}memstream:progress:written_at"

    def progress(self, stage: str, partition: int) -> str:
        """Hash root partition -> next offset (N3)."""
        return f"{self.prefix}memstream:progress:{stage}:{partition}"

    @property
    def patterns(self) -> tuple[str, ...]:
        """What SCAN is asked for, to find every key of this generation and of no other."""
        return f"{self.prefix}{{*", f"{self.prefix}memstream:*"

    @staticmethod
    def want_session(owner: Owner, session_id: str) -> bytes:
        """What a reader pushes that found a session in Postgres and not in Redis."""
        return orjson.dumps(["session", owner.key, session_id])

    @staticmethod
    def want_hot(owner: Owner) -> bytes:
        """What a reader pushes that found no hot-memory snapshot of a project."""
        return orjson.dumps(["hot", owner.key])

    def _of(self, owner: Owner, name: str) -> str:
        return f"{self.prefix}{{{owner.key}}}:{name}"
