"""The Redis sink: sessions written whole under a revision guard (D6, E1), hot memory that is never stale (A5).

Sessions. One script writes a session's four keys at once and refuses a lower revision; the revision outlives them, so
that a late redelivery does not bring back what has expired. Their time to live is their profile's idle time and counts
from `updated_at` (the newest event's accepted_at): a session that had expired before its record was read is not held at
all.

Hot memory. A snapshot is the whole of a project, and one update is a part. Keeping all rows in Redis to assemble it
would make Redis primary data: after losing the last second of its file it would serve a snapshot that lacks a row,
for good. So a change *drops* the snapshot and notes in a guard which revision the next one must have; readers serve
from Postgres meanwhile, and the filler (sinks/redis/fill.py) puts the snapshot back from Postgres once Postgres has
every guarded revision. Both run in this process: one writer per key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar

import orjson
from redis.exceptions import RedisError

from schemas.components.builtin import REDIS
from schemas.events.erasure import Erasure
from schemas.events.memory import MemoryUpdate
from schemas.events.sessions import SessionState
from schemas.log import topics
from schemas.log.owner import Owner, OwnerKind
from schemas.security import erasure_findings
from schemas.security.sealed_rows import SealedPart, Seals, everything
from schemas.storage.layouts import RedisLayout
from sinks.clock import utc_now
from sinks.collapse import session_of
from sinks.parts import SinkParts
from sinks.protocol import Findings, Mark, Message, Sink, SinkBatch, Tombstone, kept_sealed
from sinks.redis import scripts as lua
from sinks.redis.erasure import drop_erased
from sinks.redis.fill import Filler
from sinks.redis.session import (
    SessionTtl,
    as_idle,
    classified,
    connect,
    session_args,
    session_keys,
    thirty_minutes,
)

T = TypeVar("T")
HOT_TTL = timedelta(seconds=300)


class RedisSink:
    """`fill_from`: a Postgres DSN; without it expired sessions and dropped snapshots stay out of Redis, and readers
    serve them from Postgres. `generation`: whose keys it writes. `now` is the clock that TTLs are counted by."""

    name = "redis"
    topics = REDIS.feed.topics

    def __init__(
        self,
        url: str,
        fill_from: str | None = None,
        *,
        generation: int = 1,
        session_ttl: SessionTtl = thirty_minutes,
        hot_ttl: timedelta = HOT_TTL,
        now: Callable[[], datetime] = utc_now,
        findings: Findings | None = None,
        seals: Seals = everything,
    ) -> None:
        self._client = connect(url)
        self._findings = findings
        self._seals = seals
        self._layout = RedisLayout(generation)
        self._session_ttl = session_ttl
        self._now = now
        self._session, self._delete_session, self._changed, self._advance = (
            self._client.register_script(text)
            for text in (lua.SESSION, lua.SESSION_GONE, lua.HOT_CHANGED, lua.PROGRESS)
        )
        self._filler: Filler | None = None
        if fill_from is not None:
            self._filler = Filler(connect(url), fill_from, session_ttl, hot_ttl, self._layout)

    def ensure(self) -> None:
        self._run(self._client.ping)
        if self._filler is not None:
            self._filler.start()

    def write(self, batch: SinkBatch) -> int:
        sessions = [(i.event, kept_sealed(i, self._seals)) for i in batch.items if isinstance(i.event, SessionState)]
        tombstones = [
            s for i in batch.items if isinstance(i.event, Tombstone) and (s := session_of(i.event)) is not None
        ]
        hot = _by_project(i.event for i in batch.items if isinstance(i.event, MemoryUpdate))

        def rows(pipe: Any) -> None:
            for state, sealed in sessions:
                self._write_session(pipe, state, sealed)
            for session in tombstones:
                self._drop_session(pipe, session)
            for owner, revisions in hot.items():
                self._drop_snapshot(pipe, owner, revisions)

        taken = self._pipeline(rows)
        for item in batch.items:
            if isinstance(item.event, Erasure):
                self._erase(item.event, item.message)
        self._write_progress(batch)
        return sum(1 for result in taken[: len(sessions)] if result == 0)

    def progress(self) -> dict[Mark, int]:
        client: Any = self._client  # redis-py types answers as text or bytes; this client is never told to decode

        def read() -> dict[Mark, int]:
            places = [orjson.loads(raw) for raw in client.smembers(self._layout.progress_index)]
            return {
                Mark(stage, partition, root.decode()): int(offset)
                for stage, partition in places
                for root, offset in client.hgetall(self._layout.progress(stage, partition)).items()
            }

        return self._run(read)

    def written_at(self) -> datetime | None:
        raw: Any = self._run(lambda: self._client.get(self._layout.written_at))
        return None if raw is None else datetime.fromisoformat(raw.decode())

    def idle(self, now: datetime) -> None:
        """Nothing to do: filling runs beside the loop, so that a slow Postgres delays no write."""

    def close(self) -> None:
        if self._filler is not None:
            self._filler.close()
        self._client.close()

    def _write_session(self, pipe: Any, s: SessionState, sealed: SealedPart | None) -> None:
        ttl = s.updated_at + self._session_ttl(s.tenant) - self._now()
        keys = session_keys(self._layout, s.owner, s.session_id)
        self._session(keys=keys, args=session_args(s, ttl, sealed), client=pipe)

    def _drop_session(self, pipe: Any, session: tuple[str, str, str]) -> None:
        tenant, user_id, session_id = session
        self._delete_session(
            keys=session_keys(self._layout, Owner(tenant, OwnerKind.USER, user_id), session_id), client=pipe
        )

    def _drop_snapshot(self, pipe: Any, owner: Owner, revisions: Sequence[tuple[str, int]]) -> None:
        keys = [self._layout.hot_memory(owner, owner.id), self._layout.hot_guard(owner, owner.id)]
        self._changed(keys=keys, args=[x for pair in revisions for x in pair], client=pipe)
        if self._filler is not None:
            pipe.lpush(self._layout.wanted, RedisLayout.want_hot(owner))

    def _erase(self, e: Erasure, message: Message) -> None:
        """Keys of the owner (C9). The cut-off stays for as long as the log can bring an older state, so that the
        filler puts none back that Postgres has still to give up."""
        count = 0
        if message.topic == topics.SESSION_STATE.name:
            count = self._run(lambda: drop_erased(self._client, self._layout, e))
        if self._findings is not None:
            at = erasure_findings.place(self.name, self._layout.generation, message.topic, e.stage, message.partition)
            self._findings(e, at, {"keys": count} if message.topic == topics.SESSION_STATE.name else {})

    def _write_progress(self, batch: SinkBatch) -> None:
        """After the rows: what a marker says is there, is there."""
        if not batch.progress:
            return
        hashes: dict[tuple[str, int], list[str | int]] = {}
        for mark, offset in batch.progress.items():
            hashes.setdefault((mark.stage, mark.partition), []).extend((mark.root, offset))

        def markers(pipe: Any) -> None:
            for place, args in hashes.items():
                self._advance(keys=[self._layout.progress(*place)], args=args, client=pipe)
            pipe.sadd(self._layout.progress_index, *(orjson.dumps(place) for place in hashes))
            pipe.set(self._layout.written_at, self._now().isoformat())

        self._pipeline(markers)

    def _pipeline(self, fill: Callable[[Any], None]) -> list[Any]:
        """One round trip. Raises for the first command that failed; those beside it may have been written."""

        def execute() -> list[Any]:
            with self._client.pipeline(transaction=False) as pipe:
                fill(pipe)
                results: list[Any] = pipe.execute(raise_on_error=False)
            for result in results:
                if isinstance(result, Exception):
                    raise result
            return results

        return self._run(execute)

    def _run(self, call: Callable[[], T]) -> T:
        """Raises Transient and Permanent in place of what redis-py says, whose messages may hold content."""
        try:
            return call()
        except RedisError as exc:
            raise classified(exc) from None


def _by_project(updates: Iterable[MemoryUpdate]) -> dict[Owner, list[tuple[str, int]]]:
    out: dict[Owner, list[tuple[str, int]]] = {}
    for u in updates:
        if u.kind == "hot" and u.owner_kind is OwnerKind.PROJECT:
            out.setdefault(u.owner, []).append((u.record_id, u.revision))
    return out


def built(parts: SinkParts) -> Sink:
    """Sessions are held for the idle time of their tenant's profile."""
    return RedisSink(
        parts.redis, fill_from=parts.postgres, generation=parts.generation,
        session_ttl=as_idle(parts.profiles().of), findings=parts.findings, seals=parts.seals(),
    )  # fmt: skip
