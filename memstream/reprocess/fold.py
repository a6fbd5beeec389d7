"""What the log says that a store must hold: the yardstick where the live generation is damaged (N1, `--repair`).

The topics are read once and folded as the sinks fold them: the newest revision of each record, without what has been
deleted or is over. About 200 bytes a record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from memstream.reprocess.compare import by_revision
from memstream.reprocess.log import LogReader
from schemas.events.erasure import Erasure
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.storage.connections import Bootstrap
from sinks.collapse import RECORD, identity, memory_of, session_of
from sinks.contents import Bucket, Digest, Token, digests, part_of
from sinks.decode import Decoded, decode
from sinks.held import Held, Reading
from sinks.protocol import Tombstone

FED_BY = {
    topics.HISTORY.name: ("turn",), topics.UPDATES.name: ("memory",), topics.DECISIONS.name: ("decision",),
    topics.SESSION_STATE.name: ("session", "checkpoint"),
}  # fmt: skip
"""Which records (sinks.collapse.identity) an erasure on a topic is about; on a package's topic, those of packages."""
NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(slots=True)
class Fold:
    """The newest of each record. `clock`: when it is, to tell what is over; None: as the newest tick says, by which
    Postgres sweeps. `reader`: the sink's step, for records that were put back for one reader."""

    reading: Reading
    reader: str = ""
    clock: Callable[[], datetime] | None = None
    part: Callable[[str], str] = part_of
    ticked: datetime = NEVER
    records: dict[tuple[object, ...], Held] = field(default_factory=dict)

    def add(self, decoded: Decoded) -> None:
        self.ticked = max(self.ticked, decoded.sweep or self.ticked)
        for item in decoded.items:
            event = item.event
            if isinstance(event, Tombstone):
                self._remove(event)
                continue
            if isinstance(event, Erasure):
                self._erase(event, item.message.topic)
                continue
            name, found = identity(event), self.reading(event)
            if name is None or found is None:
                continue
            old = self.records.get(name)
            if old is None or old.revision < found.revision or (found.revision == 0 and old.revision == 0):
                self.records[name] = found

    def buckets(self) -> dict[Bucket, Digest]:
        return digests((b, by_revision(h.key, h.revision)) for h in self._current() for b in self._buckets(h))

    def rows(self, bucket: Bucket) -> Mapping[str, Token]:
        return {h.key: by_revision(h.key, h.revision) for h in self._current() if bucket in self._buckets(h)}

    def _current(self) -> Iterable[Held]:
        now = self.ticked if self.clock is None else self.clock()
        return (h for h in self.records.values() if h.held and (h.until is None or h.until > now))

    def _buckets(self, h: Held) -> Iterable[Bucket]:
        return tuple(Bucket(view, h.tenant, self.part(h.key)) for view in (h.view, h.beside) if view)

    def _erase(self, e: Erasure, topic: str) -> None:
        """As the sinks do (C9): what the topic feeds, of the owner, accepted by the cut-off."""
        for name, held in list(self.records.items()):
            mine = held.owner == e.owner or (e.scope == "tenant" and held.tenant == e.tenant)
            if e.scope == "session":
                mine = mine and held.session_id == e.session_id
            taken = held.accepted_at is not None and e.covers(held.accepted_at, held.record_id)
            if mine and taken and name[0] in FED_BY.get(topic, (RECORD,)):
                del self.records[name]

    def _remove(self, tombstone: Tombstone) -> None:
        """As the sinks do: a memory once it is marked deleted, a session or a package's record at once."""
        if (memory := memory_of(tombstone)) is not None:
            name: tuple[object, ...] = ("memory", *memory)
            if name in self.records and self.records[name].marked:
                del self.records[name]
        if (session := session_of(tombstone)) is not None:
            tenant, user_id, rest = session
            self.records.pop(("session", tenant, user_id, rest), None)
            first, _, message_id = rest.partition("/")
            self.records.pop(("checkpoint", tenant, user_id, first, message_id), None)
        if tombstone.topic not in topics.BY_NAME:
            for name in [n for n in self.records if n[0] == RECORD and n[-1] == tombstone.key]:
                del self.records[name]


class LogSide:
    """The fold of a store's topics, read on to their present ends whenever it is asked to `advance`."""

    def __init__(self, bootstrap: Bootstrap, names: Sequence[str], partitions: int, fold: Fold, codec: Codec) -> None:
        self._fold, self._codec = fold, codec
        self._log = LogReader(bootstrap, [(t, p) for t in names for p in range(partitions)])

    def buckets(self) -> dict[Bucket, Digest]:
        return self._fold.buckets()

    def rows(self, bucket: Bucket) -> Mapping[str, Token]:
        return self._fold.rows(bucket)

    def advance(self) -> None:
        """Read to the ends as they are now."""
        for messages in self._log.to_end():
            self._fold.add(decode(self._codec, messages, self._fold.reader))

    def close(self) -> None:
        self._log.close()
