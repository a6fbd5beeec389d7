"""The views of the stores against what the topics say must be in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import orjson
import psycopg
import redis
from pymilvus import MilvusClient

from memstream.workers.models import counter
from processors.knowledge.chunking import chunks
from schemas.events.memory import MemoryUpdate
from schemas.events.sessions import SessionState
from schemas.events.turns import ScreenedTurn
from schemas.log.codec import Codec
from schemas.log.owner import user
from schemas.storage.connections import milvus_options
from schemas.storage.layouts import MilvusLayout, RedisLayout, postgres_schema
from sinks.collapse import identity, revision
from sinks.milvus.rows import is_held, key
from sinks.postgres.rows import row
from streams.runner import Message
from tests.crash.compare import Differences
from tests.crash.log import Log
from tests.crash.part import Part
from tests.patience import PATIENCE

_CODEC = Codec()
_SKIP = frozenset({"embedding", "terms"})


def newest(logs: Iterable[Log]) -> dict[Any, Any]:
    """The newest event of each record, by its identity, over the records of these topics."""
    out: dict[Any, Any] = {}
    for log in logs:
        for (topic, _), records in log.items():
            for m in records:
                event = _event(topic, m)
                name = None if event is None else identity(event)
                if name is not None and (name not in out or revision(event) >= revision(out[name])):
                    out[name] = event
    return out


def _event(topic: str, m: Message) -> Any:
    return None if m.value is None else _CODEC.decode(topic, m.value)


def postgres(
    d: Differences, dsn: str, accepted: Collection[tuple[str, str]], wanted: Mapping[Any, Any], part: Part
) -> None:
    """Turns against what was acknowledged; every table against the newest events."""
    schema = postgres_schema(1)
    have: dict[str, dict[Any, Any]] = {}
    keys = {
        "turns": ("tenant", "user_id", "turn_id"),
        "memories": ("tenant", "record_id", "version"),
        "decisions": ("tenant", "decision_id"),
        "sessions": ("tenant", "user_id", "session_id"),
        "checkpoints": ("tenant", "user_id", "session_id", "message_id"),
    }
    with psycopg.connect(dsn) as conn:
        for table, names in keys.items():
            rows = conn.execute(f"SELECT to_jsonb(t) FROM {schema}.{table} t").fetchall()  # noqa: S608 - constants
            have[table] = {tuple(r[n] for n in names): r for (r,) in rows if _belongs(r, part)}
    have["memories"] = {k: r for k, r in have["memories"].items() if r["owner_kind"] != "document"}
    d.sets("postgres turns", accepted, ((u, t) for _, u, t in have["turns"]))
    expected: dict[str, dict[Any, Any]] = {table: {} for table in keys}
    for event in wanted.values():
        found = row(event)
        if found is not None:
            plain = orjson.loads(orjson.dumps(found[1], default=str))
            expected[found[0].name][tuple(plain[n] for n in keys[found[0].name])] = plain
    for table in keys:
        columns = {n for r in expected[table].values() for n in r} - _SKIP
        d.values(
            f"postgres {table}",
            {k: _normal(r, columns) for k, r in expected[table].items()},
            {k: _normal(r, columns) for k, r in have[table].items()},
        )


def _belongs(r: Mapping[str, Any], part: Part) -> bool:
    kind, name = (r["owner_kind"], r["owner_id"]) if "owner_kind" in r else ("user", r["user_id"])
    return part.has(r["tenant"], kind, name)


def documents(d: Differences, dsn: str, sent: Mapping[str, tuple[str, str]]) -> None:
    """Of each document the chunks of the version sent last are active, each once, and nothing else. (Its topic is
    compacted, so there is no whole log to run an oracle over.)"""
    want = []
    for name, (version, markdown) in sent.items():
        want += [(name, version, c.text) for c in chunks(markdown, counter("o200k_base").count)]
    query = (
        f"SELECT owner_id, key, text FROM {postgres_schema(1)}.memories "  # noqa: S608 - a constant name
        "WHERE owner_kind = 'document' AND state = 'active'"
    )
    with psycopg.connect(dsn) as conn:
        have = [(r[0], r[1], r[2]) for r in conn.execute(query).fetchall()]
    d.sets("postgres chunks", want, have)


def _normal(r: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {n: _plain(r.get(n)) for n in names}


def _plain(value: Any) -> Any:
    """Times to UTC, numbers and numbers in text to one form (real columns keep 6 digits)."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return f"{value:.6g}"
    if isinstance(value, str):
        try:
            return f"{float(value):.6g}"
        except ValueError:
            pass
        try:
            return datetime.fromisoformat(value).astimezone(UTC).isoformat() if len(value) > 18 else value
        except ValueError:
            return value
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items() if v is not None}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return value


def redis_sessions(d: Differences, url: str, wanted: Mapping[Any, Any], now: datetime) -> None:
    """Every session that has not expired, at its newest revision, with all of its window."""
    client = redis.Redis.from_url(url)
    want: dict[Any, Any] = {}
    have: dict[Any, Any] = {}
    for event in wanted.values():
        if not isinstance(event, SessionState):
            continue
        owner = user(event.tenant, event.user_id)
        name = (event.user_id, event.session_id)
        raw: Any = client.get(RedisLayout().revision(owner, event.session_id))
        want[name] = {"revision": event.revision}
        have[name] = {"revision": None if raw is None else int(raw)}
        if (now - event.updated_at).total_seconds() < 20 * 60:
            want[name]["messages"] = len(event.sealed.window)
            kept: Any = client.llen(RedisLayout().history(owner, event.session_id))
            have[name]["messages"] = int(kept)
    client.close()
    d.values("redis sessions", want, have)


def milvus(d: Differences, uri: str, wanted: Mapping[Any, Any], part: Part) -> None:
    """Every turn and memory that can be searched, at its newest revision, once, and nothing that cannot."""
    layout = MilvusLayout()
    client = MilvusClient(**milvus_options(uri), timeout=PATIENCE)
    for collection, kind in ((layout.turns, ScreenedTurn), (layout.memories, MemoryUpdate)):
        want = Counter((key(e), e.revision) for e in wanted.values() if isinstance(e, kind) and is_held(e))
        client.load_collection(collection)
        found: list[tuple[str, int]] = []
        for prefix in (f"{n:02x}" for n in range(256)):  # a query gives 16,384 rows at most
            rows = client.query(
                collection,
                filter=f'pk like "{prefix}%" and owner_kind != "document"',
                output_fields=["pk", "revision", "tenant", "owner_kind", "owner_id"],
                limit=16_384,
                consistency_level="Strong",
            )
            found += [(r["pk"], r["revision"]) for r in rows if _belongs(r, part)]
        d.sets(f"milvus {kind.__name__}", want.elements(), found)
    client.close()
