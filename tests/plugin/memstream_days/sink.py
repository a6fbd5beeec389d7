"""Keeps memories and day counts in a SQLite file a generation: rows and progress in one transaction, the guard in the
statement that writes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from schemas.events.erasure import Erasure
from schemas.events.memory import MemoryUpdate
from schemas.log.codec import Codec, Event
from schemas.security.erasure_findings import place
from sinks.collapse import accepted_at, memory_of, revision
from sinks.parts import SinkParts
from sinks.protocol import Findings, Item, Mark, Message, Sink, SinkBatch, Tombstone, Transient

from .declared import DAYS, SINK
from .events import DayCount

_TABLES = """
CREATE TABLE IF NOT EXISTS rows (view TEXT, tenant TEXT, key TEXT, revision INT, owner TEXT, session TEXT,
  record_id TEXT, accepted_at REAL, deleted INT, value BLOB, PRIMARY KEY (view, tenant, key));
CREATE TABLE IF NOT EXISTS progress (stage TEXT, part INT, root TEXT, next INT, at TEXT,
  PRIMARY KEY (stage, part, root));
"""
_ROW = """
INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET revision = excluded.revision,
  accepted_at = excluded.accepted_at, deleted = excluded.deleted, value = excluded.value
WHERE rows.revision < excluded.revision
"""
_PROGRESS = """
INSERT INTO progress VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET next = max(next, excluded.next), at = excluded.at
"""
_ERASED = """
DELETE FROM rows WHERE view = ? AND (owner = ? OR ? AND tenant = ?) AND (? IS NULL OR session = ?)
  AND (accepted_at <= ? OR record_id IN (SELECT value FROM json_each(?)))
"""


class SqliteSink:
    """`findings` is told what an erasure removed."""

    name = SINK.name
    topics: Sequence[str] = SINK.feed.topics

    def __init__(self, file: Path, generation: int, findings: Findings) -> None:
        self._file, self._generation, self._findings = file, generation, findings
        self._codec = Codec()
        self._db = sqlite3.connect(file)

    def ensure(self) -> None:
        self._db.executescript(_TABLES)

    def write(self, batch: SinkBatch) -> int:
        erasures: list[tuple[Erasure, Message, dict[str, int]]] = []
        try:
            with self._db:
                refused = sum(not self._item(item, erasures) for item in batch.items)
                now = datetime.now(UTC).isoformat()
                self._db.executemany(_PROGRESS, [(*mark, offset, now) for mark, offset in batch.progress.items()])
        except sqlite3.OperationalError as exc:  # locked, or the disk is full
            raise Transient(f"sqlite: {type(exc).__name__}") from None
        for e, message, counts in erasures:
            where = place(self.name, self._generation, message.topic, e.stage, message.partition)
            self._findings(e, where, counts)
        return refused

    def progress(self) -> dict[Mark, int]:
        rows = self._db.execute("SELECT stage, part, root, next FROM progress")
        return {Mark(stage, part, root): offset for stage, part, root, offset in rows}

    def written_at(self) -> datetime | None:
        (at,) = self._db.execute("SELECT max(at) FROM progress").fetchone()
        return None if at is None else datetime.fromisoformat(at)

    def idle(self, now: datetime) -> None:
        """Nothing to do."""

    def close(self) -> None:
        self._db.close()

    def _item(self, item: Item, erasures: list[tuple[Erasure, Message, dict[str, int]]]) -> bool:
        """Whether it changed anything."""
        event = item.event
        if isinstance(event, Tombstone):
            return self._remove(event)
        if isinstance(event, Erasure):
            erasures.append((event, item.message, self._erase(event, item.message.topic)))
            return True
        if not isinstance(event, MemoryUpdate | DayCount):
            return True
        deleted = isinstance(event, MemoryUpdate) and event.op == "delete"
        value = b"" if deleted else self._codec.value(event)
        at = accepted_at(event)
        values = (
            *row_key(event), revision(event), event.owner.key, getattr(event, "session_id", None),
            getattr(event, "record_id", None), None if at is None else at.timestamp(), deleted, value,
        )  # fmt: skip
        return self._db.execute(_ROW, values).rowcount > 0

    def _remove(self, tombstone: Tombstone) -> bool:
        """A day at once, a memory once it is marked deleted."""
        if tombstone.topic == DAYS.name:
            query = "DELETE FROM rows WHERE view = 'days' AND tenant = ? AND key = ?"
            values = tombstone.owner.tenant, tombstone.key
        elif (memory := memory_of(tombstone)) is not None:
            query = "DELETE FROM rows WHERE view = 'memories' AND tenant = ? AND key = ? AND deleted"
            values = memory[0], f"{memory[1]}/{memory[2]}"
        else:
            return False
        return self._db.execute(query, values).rowcount > 0

    def _erase(self, e: Erasure, topic: str) -> dict[str, int]:
        view = "days" if topic == DAYS.name else "memories"
        named = json.dumps([] if e.stage == "project" else e.record_ids)
        session = e.session_id if e.scope == "session" else None
        values = (view, e.owner.key, e.scope == "tenant", e.tenant, session, session, e.accepted_at.timestamp(), named)
        count = self._db.execute(_ERASED, values).rowcount
        return {view: count} if count else {}


def row_key(event: Event) -> tuple[str, str, str]:
    """View, tenant and key."""
    if isinstance(event, MemoryUpdate):
        return "memories", event.tenant, f"{event.record_id}/{event.version}"
    assert isinstance(event, DayCount)
    return "days", event.tenant, event.subject


def file_of(folder: Path, generation: int) -> Path:
    return folder / f"days-g{generation}.sqlite"


def built(parts: SinkParts) -> Sink:
    return SqliteSink(file_of(parts.data_dir, parts.generation), parts.generation, parts.findings)
