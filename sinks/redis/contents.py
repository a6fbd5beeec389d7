"""Counts and hashes of the sessions that Redis holds, and dropping a generation (N1).

Only sessions are compared: hot-memory snapshots are made of Postgres' rows whenever a reader misses one. A session that
expires within the minute is left out: its two copies need not go at the same instant. So is one that had expired and
is there because somebody read it (E6): no log says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any, TypeVar

import orjson
from redis.exceptions import RedisError

from schemas.log.owner import Owner
from schemas.storage.layouts import RedisLayout
from sinks.clock import utc_now
from sinks.contents import Bucket, Digest, Rebuildable, Token, digests, hash64, part_of
from sinks.parts import SinkParts
from sinks.protocol import Mark, Transient
from sinks.redis.held import in_redis
from sinks.redis.session import SessionTtl, as_idle, connect, thirty_minutes

T = TypeVar("T")
_SOON_MS = 60_000
_NAME = ":short_term_memory:session:"
_BATCH = 500


class RedisContents:
    """Over a client of its own."""

    def __init__(
        self, url: str, now: Callable[[], datetime] = utc_now, session_ttl: SessionTtl = thirty_minutes
    ) -> None:
        self._client: Any = connect(url)
        self._session_ttl = session_ttl
        self._now = now

    def buckets(self, generation: int) -> dict[Bucket, Digest]:
        return digests((bucket, token) for bucket, _, token in self._run(lambda: list(self._scan(generation))))

    def rows(self, generation: int, bucket: Bucket) -> dict[str, Token]:
        return {k: t for b, k, t in self._run(lambda: list(self._scan(generation))) if b == bucket}

    def part(self, key: str) -> str:
        return part_of(key)

    def progress(self, generation: int) -> dict[Mark, int]:
        layout = RedisLayout(generation)

        def read() -> dict[Mark, int]:
            places = [orjson.loads(raw) for raw in self._client.smembers(layout.progress_index)]
            return {
                Mark(stage, partition, root.decode()): int(offset)
                for stage, partition in places
                for root, offset in self._client.hgetall(layout.progress(stage, partition)).items()
            }

        return self._run(read)

    def drop(self, generation: int) -> None:
        def remove() -> None:
            for pattern in RedisLayout(generation).patterns:
                for keys in batched(self._client.scan_iter(pattern, count=1_000), _BATCH):
                    self._client.unlink(*keys)

        self._run(remove)

    def close(self) -> None:
        self._client.close()

    def _scan(self, generation: int) -> Iterator[tuple[Bucket, str, Token]]:
        layout = RedisLayout(generation)
        pattern = f"{layout.prefix}{{*{_NAME}*"
        soon = self._now() + timedelta(milliseconds=_SOON_MS)
        # SCAN may name a key twice.
        names = sorted({raw.decode() for raw in self._client.scan_iter(pattern, count=1_000)})
        for part in batched(names, _BATCH):
            owners = [_owner(name, layout.prefix) for name in part]
            with self._client.pipeline(transaction=False) as pipe:
                for name, (owner, session_id) in zip(part, owners, strict=True):
                    pipe.get(name)
                    pipe.pttl(name)
                    pipe.get(layout.revision(owner, session_id))
                answers = pipe.execute()
            for (owner, session_id), value, left, revision in zip(
                owners, answers[::3], answers[1::3], answers[2::3], strict=True
            ):
                over = (soon - self._session_ttl(owner.tenant)).timestamp()
                if value is not None and left > _SOON_MS and _updated_at(value) > over:
                    key = f"{owner.id}\x1f{session_id}"
                    token = Token(int(revision or 0), hash64(value))
                    yield Bucket("sessions", owner.tenant, part_of(key)), key, token

    def _run(self, call: Callable[[], T]) -> T:
        try:
            return call()
        except RedisError as exc:
            raise Transient(type(exc).__name__) from None


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """As itertools.batched, which Python 3.11 does not have."""
    left = iter(items)
    while part := list(islice(left, size)):
        yield part


def _updated_at(value: bytes) -> float:
    """Seconds since 1970; of a sealed session it stands beside its body."""
    found = orjson.loads(value)
    if "updated_at" in found:
        return datetime.fromisoformat(found["updated_at"]).timestamp()
    return float(found["meta"]["updated_at"])


def _owner(name: str, prefix: str) -> tuple[Owner, str]:
    """Owner and session of a key. An owner's parts are percent-encoded, so the first `}` ends the tag."""
    tag, _, rest = name.removeprefix(prefix).partition("}")
    return Owner.parse(tag.removeprefix("{")), rest.removeprefix(_NAME)


def rebuildable(parts: SinkParts) -> Rebuildable:
    ttl = as_idle(parts.profiles().of)
    return Rebuildable(RedisContents(parts.redis, session_ttl=ttl), partial(in_redis, session_ttl=ttl))
