"""The topic catalogue (DESIGN "The flow"): names, owners, retention. `memstream topics apply` makes it so."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from schemas.log.owner import OwnerKind

DAY_MS = 86_400_000
EMBEDDED_PARTITIONS = 8
CLUSTER_PARTITIONS = 64
SAFE_REPLICATION = 3
"""From so many replicas on, one more than the leader's has a record before it is acknowledged."""


class Cleanup(StrEnum):
    DELETE = "delete"
    COMPACT = "compact"
    BOTH = "compact,delete"


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic. `retention_days` None: kept (compacted, or as long as what it decided).

    `root`: clients write to it, so freshness tokens name it. Every owner-keyed topic has one fixed
    partition count, which `topics apply` refuses to change. `max_bytes`: the largest record batch.
    """

    name: str
    owners: tuple[OwnerKind, ...]
    cleanup: Cleanup
    retention_days: int | None
    purpose: str
    root: bool = False
    max_bytes: int = 2 * 1024 * 1024

    def config(self, replication: int = 1) -> dict[str, str]:
        """Broker settings of the topic. `segment.ms` is at most a day, so that an expiry promise holds.

        What a broker acknowledges must survive a power cut: with fewer than three replicas by a flush to the disk
        before the acknowledgement, else by a second replica that has it, and a leader that never lacks it."""
        out = {
            "cleanup.policy": self.cleanup.value,
            "segment.ms": str(DAY_MS),
            "max.message.bytes": str(self.max_bytes),
        }
        if self.cleanup is not Cleanup.COMPACT:
            out["retention.ms"] = str(-1 if self.retention_days is None else self.retention_days * DAY_MS)
            out["retention.bytes"] = "-1"  # a size set for all of a cluster's topics would delete what was accepted
        if self.cleanup is not Cleanup.DELETE:
            out["delete.retention.ms"] = str(30 * DAY_MS)
            out["min.cleanable.dirty.ratio"] = "0.2"
            out["max.compaction.lag.ms"] = str(7 * DAY_MS)
        if replication >= SAFE_REPLICATION:
            return out | {"min.insync.replicas": "2", "unclean.leader.election.enable": "false"}
        return out | {"flush.messages": "1"}


_U, _P, _D, _T = OwnerKind.USER, OwnerKind.PROJECT, OwnerKind.DOCUMENT, OwnerKind.TENANT

TURNS = Topic("conversation.turns.v1", (_U,), Cleanup.DELETE, 7, "turns as sent; session commands; ticks", root=True)
HISTORY = Topic("conversation.history.v1", (_U,), Cleanup.DELETE, 30, "turns screened: redacted, counted, embedded")
LEDGER = Topic(
    "memory.ledger.v1", (_U,), Cleanup.COMPACT, None, "all that the gate decides on, in one order; one key a record",
    root=True,
)  # fmt: skip
PROJECT_EVENTS = Topic(
    "project.events.v1", (_P,), Cleanup.COMPACT, None,
    "project candidates, turn digests, project commands; one key a record", root=True,
)
UPDATES = Topic(
    "memory.updates.v1", (_U, _P, _D, _T), Cleanup.COMPACT, None, "every change of long-term memory, with its reason"
)
SESSION_STATE = Topic("session.state.v1", (_U,), Cleanup.BOTH, 2, "whole session value and checkpoints, by revision")
DECISIONS = Topic("memory.decisions.v1", (_U, _P), Cleanup.DELETE, 14, "gate outcomes")
JOBS = Topic("memory.jobs.v1", (_U, _P), Cleanup.DELETE, 7, "model work: extraction, summaries, narratives, reports")
ACCESSES = Topic("memory.accesses.v1", (_U, _P, _D, _T), Cleanup.DELETE, 7, "reads, writes, citations; kept in audit")
DOCUMENTS = Topic("knowledge.documents.v1", (_D,), Cleanup.COMPACT, None, "Markdown documents by version", root=True)
PROFILES = Topic("config.profiles.v1", (_T,), Cleanup.COMPACT, None, "profiles and policies, versioned", root=True)
DEAD_LETTERS = Topic(
    "memory.dead-letters.v1", (_U, _P, _D, _T), Cleanup.DELETE, 30, "original bytes; reason and source in headers",
    max_bytes=4 * 1024 * 1024 + 65_536,
)  # fmt: skip

CATALOGUE: tuple[Topic, ...] = (
    TURNS, HISTORY, LEDGER, PROJECT_EVENTS, UPDATES, SESSION_STATE, DECISIONS, JOBS, ACCESSES, DOCUMENTS, PROFILES,
    DEAD_LETTERS,
)  # fmt: skip
BY_NAME: dict[str, Topic] = {t.name: t for t in CATALOGUE}
KEPT_LOGS: frozenset[str] = frozenset({LEDGER.name, PROJECT_EVENTS.name})
"""Compacted, and emptied by nulls alone: every record has a key of its own, so that an erasure can take it out (C9)."""
TOWARDS_PROJECTS: tuple[Topic, ...] = (HISTORY, LEDGER)
"""What is told of a turn there comes to its project in the end."""
MAX_MESSAGE_BYTES = 4 * 1024 * 1024
"""What producers let through (librdkafka's own bound is a million). Dead letters hold whatever a topic took, and
headers; outputs of steps are kept smaller, see streams/batch_frame.py."""
_MARKER = b"marker"


def marker_key(writer: str) -> bytes:
    """`writer`: `step/partition` of whose progress it is. Several steps write into one partition, and a step writes
    there from several of its own, each with progress of other roots: compaction must leave the last word of each. Who
    reads late (a worker that was away, a view that is rebuilt) has it from there alone. No id holds a NUL."""
    return _MARKER + b"\x00" + writer.encode()


def is_marker(key: bytes | None) -> bool:
    """Of those written before, too, which had one key for all steps, or one for each."""
    return key is not None and (key == _MARKER or key.startswith(_MARKER + b"\x00"))


def sent_key(topic: str, key: bytes | None, token: Callable[[int], str] = secrets.token_hex) -> bytes | None:
    """The key under which a record is sent now. In a kept log no two records share one, a repeated sending included:
    compaction would leave the later of the two, and a replay would meet it behind what came after the first, take it
    for a redelivery and drop it (N1). Markers are worth nothing but the last. `token`: so many random bytes as hex."""
    if key is None or is_marker(key) or topic not in KEPT_LOGS:
        return key
    return key + b"~" + token(6).encode()


ROOTS: frozenset[str] = frozenset(t.name for t in CATALOGUE if t.root)
