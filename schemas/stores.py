"""Layouts of the stores in one place: names of tables, collections and keys."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import orjson

from schemas import topics
from schemas.owner import Owner

STORES = ("postgres", "milvus", "redis")


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


class RedisLayout:
    """Keys: `{tenant/owner}:` (a cluster hash tag) before the seed's key name."""

    @staticmethod
    def session(owner: Owner, session_id: str) -> str:
        return f"{{{owner.key}}}:short_term_memory:session:{session_id}"

    @staticmethod
    def history(owner: Owner, session_id: str) -> str:
        return f"{{{owner.key}}}:wm:history:{session_id}"

    @staticmethod
    def summary(owner: Owner, session_id: str) -> str:
        return f"{{{owner.key}}}:wm:summary:{session_id}"

    @staticmethod
    def anchors(owner: Owner, session_id: str) -> str:
        return f"{{{owner.key}}}:wm:anchors:{session_id}"

    @staticmethod
    def revision(owner: Owner, session_id: str) -> str:
        return f"{{{owner.key}}}:wm:revision:{session_id}"

    @staticmethod
    def hot_memory(owner: Owner, project_id: str) -> str:
        return f"{{{owner.key}}}:hot_memory:{project_id}"

    @staticmethod
    def hot_guard(owner: Owner, project_id: str) -> str:
        """Hash record id -> revision: changes that the next hot-memory snapshot must have (A5)."""
        return f"{{{owner.key}}}:hot_memory:guard:{project_id}"

    WANTED = "memstream:wanted"
    """List of what readers missed in Redis: they LPUSH, the sink fills (E6). See `want_session`, `want_hot`."""
    WANTED_MAX = 10_000
    PROGRESS_INDEX = "memstream:progress"
    """Set of the (stage, partition) that have a progress hash, as JSON arrays."""
    WRITTEN_AT = "memstream:progress:written_at"

    @staticmethod
    def progress(stage: str, partition: int) -> str:
        """Hash root partition -> next offset (N3)."""
        return f"memstream:progress:{stage}:{partition}"

    @staticmethod
    def want_session(owner: Owner, session_id: str) -> bytes:
        """What a reader pushes that found a session in Postgres and not in Redis."""
        return orjson.dumps(["session", owner.key, session_id])

    @staticmethod
    def want_hot(owner: Owner) -> bytes:
        """What a reader pushes that found no hot-memory snapshot of a project."""
        return orjson.dumps(["hot", owner.key])
