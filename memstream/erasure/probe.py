"""The leak probe (N6): words that were planted, looked for in every store, topic and file of a running memstream.

It reads what is there, by the stores' own clients (their files are compressed), and opens what is sealed under a key
that still stands; then every file of the data folder byte by byte: as UTF-8, as JSON escapes, as UTF-16, in
hexadecimal, and in base64 at each of its three offsets.
"""

from __future__ import annotations

import base64
import json
import logging
import mmap
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import redis
from confluent_kafka.admin import AdminClient
from psycopg import sql
from pymilvus import MilvusClient

from memstream.erasure.kafka import read_to_end
from memstream.erasure.log import COMPACTED_DAYS
from memstream.keyring.state import owner_of, place_of_state
from memstream.keyring.wiring import MASTER_FILE, sealing_of
from memstream.settings import Settings
from schemas.components.installed import components
from schemas.events.envelope import Envelope
from schemas.events.memory import Decision, MemoryUpdate
from schemas.events.sessions import Checkpoint, SessionState
from schemas.events.turns import ScreenedTurn
from schemas.log.codec import DecodeError, clear_owner
from schemas.log.owner import Owner
from schemas.log.places import place_of, place_of_row
from schemas.security.sealing import Place, SealedError
from schemas.storage import postgres_connections
from schemas.storage.connections import librdkafka, milvus_options
from schemas.storage.postgres_connections import LONG_SECONDS

logging.getLogger("pymilvus").setLevel(logging.CRITICAL + 1)
SILENT_SECONDS = 30
OPENED = " (opened)"
"""Behind a place: what lies there sealed under a key that stands."""
_TABLES = """
SELECT table_schema, table_name FROM information_schema.tables
WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')
"""


def forms(words: Iterable[str]) -> list[bytes]:
    """Every form in which a word can lie in bytes, the longest first."""
    found: set[bytes] = set()
    for word in words:
        raw = word.encode()
        found |= {raw, json.dumps(word)[1:-1].encode(), word.encode("utf-16-le"), word.encode("utf-16-be")}
        found.add(raw.hex().encode())
        for shift in range(3):  # of a text that is coded as a whole, the middle of the word is the same
            coded = base64.b64encode(b"\0" * shift + raw).decode().rstrip("=")
            found.add(coded[(0, 2, 3)[shift] : len(coded) - 1].encode())
    return sorted((f for f in found if len(f) > 3), key=lambda f: (-len(f), f))


class Probe:
    """Words in the places of `settings`. `until`: of a topic with hits, the day on which the last of them is gone."""

    def __init__(self, settings: Settings, words: Sequence[str]) -> None:
        self._settings = settings
        self._forms = forms(words)
        self._pattern = re.compile(b"|".join(re.escape(f) for f in self._forms))
        # The command line may not know that the services seal: their master keys lie beside what they sealed.
        sealed = settings.encryption == "sealed" or (settings.data_dir / MASTER_FILE).is_file()
        self._sealing = sealing_of(settings.model_copy(update={"encryption": "sealed" if sealed else "off"}))
        self.until: dict[str, date] = {}

    def everything(self) -> dict[str, int]:
        """Place -> how often a word was seen there."""
        out: Counter[str] = Counter()
        for part in (self.postgres, self.redis, self.milvus, self.kafka, self.files):
            for place, raw in part():
                out[place] += self.hits(raw)
        return {place: count for place, count in sorted(out.items()) if count}

    def close(self) -> None:
        self._sealing.close()

    def hits(self, raw: bytes) -> int:
        """How often a word stands in these bytes."""
        return len(self._pattern.findall(raw))

    def postgres(self) -> Iterator[tuple[str, bytes]]:
        dsn = self._settings.postgres.get_secret_value()
        with postgres_connections.connect(dsn, autocommit=True, answer_seconds=LONG_SECONDS) as conn:
            for schema, table in conn.execute(_TABLES).fetchall():
                query = sql.SQL("SELECT to_jsonb(t)::text FROM {}.{} t").format(
                    sql.Identifier(schema), sql.Identifier(table)
                )
                outbox = (schema, table) in (("stream", "positions"), ("stream", "state"))
                with conn.cursor("probe", withhold=True) as cursor:
                    for (row,) in cursor.execute(query):
                        yield f"postgres {schema}.{table}", row.encode()
                        yield from self._opened_rows(f"postgres {schema}.{table}", row.encode())
                        if outbox:
                            opened, blob = self._opened_row(json.loads(row))
                            yield f"postgres {schema}.{table}{OPENED if opened else ''}", blob

    def redis(self) -> Iterator[tuple[str, bytes]]:
        client: Any = redis.Redis.from_url(
            self._settings.redis.get_secret_value(), socket_connect_timeout=5, socket_timeout=60
        )
        for key in client.scan_iter(count=1_000):
            yield "redis", key
            kind = client.type(key)
            match kind:
                case b"string":
                    values = [client.get(key)]
                case b"list":
                    values = client.lrange(key, 0, -1)
                case b"hash":
                    values = [x for pair in client.hgetall(key).items() for x in pair]
                case b"set":
                    values = client.smembers(key)
                case _:
                    values = [client.dump(key)]
            for value in values:
                yield "redis", value or b""
                yield from self._opened_rows("redis", value or b"", _owner_of_key(key))
        client.close()

    def milvus(self) -> Iterator[tuple[str, bytes]]:
        client: Any = MilvusClient(**milvus_options(self._settings.milvus_access), timeout=30)
        with closing(client):
            for name in client.list_collections():
                schema_fields = client.describe_collection(name)["fields"]
                fields = [f["name"] for f in schema_fields if f["name"] not in _VECTORS]
                rows = client.query_iterator(name, filter='pk != ""', output_fields=fields, batch_size=1_000)
                while batch := rows.next():
                    for row in batch:
                        yield f"milvus {name}", json.dumps(row, ensure_ascii=False, default=str).encode()
                rows.close()

    def kafka(self) -> Iterator[tuple[str, bytes]]:
        """Every topic of the broker, but its own."""
        known = AdminClient({**librdkafka(self._settings.brokers), "log_level": 3}).list_topics(timeout=30).topics
        places = [(n, p) for n, t in known.items() if not n.startswith("__") for p in t.partitions]
        for m in read_to_end(self._settings.brokers, places, SILENT_SECONDS):
            headers: Any = m.headers() or ()
            value, topic = m.value() or b"", m.topic() or ""
            source = dict(headers).get("source_topic", b"").decode() or topic
            raw = b"\n".join((m.key() or b"", value, *(v or b"" for _, v in headers), self._opened(source, value)))
            if self.hits(raw):
                self._note(topic, m.timestamp()[1])
            yield f"kafka {topic}", raw

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Every file of the data folder; a place is the folder below it. Servers go on making and removing files."""
        root = self._settings.data_dir
        for path in sorted(p for p in root.rglob("*") if p.is_file()):
            try:
                hits = _in_file(path, self._forms, self._pattern)
            except FileNotFoundError:
                continue
            yield f"file {'/'.join(path.relative_to(root).parts[:3])}", b"\n".join(hits)

    def _opened(self, topic: str, value: bytes) -> bytes:
        """What is sealed in a topic's value, where its key still stands."""
        cipher = self._sealing.cipher
        if cipher is None or b'"ct"' not in value:
            return b""
        try:
            data = json.loads(value)
            plain = cipher.open(clear_owner(topic, data), data["sealed"], place_of(data))
            return json.dumps(plain, ensure_ascii=False).encode()
        except (SealedError, DecodeError, ValueError, KeyError, TypeError):
            return b""

    def _opened_rows(self, place: str, raw: bytes, owner: Owner | None = None) -> Iterator[tuple[str, bytes]]:
        """Text of a view's rows, or of a snapshot of them under a key of `owner`, that stands sealed (C7)."""
        if self._sealing.cipher is None or b'"sealed_for"' not in raw or b'"ct"' not in raw:
            return
        left = [json.loads(raw)]
        while left:
            node = left.pop()
            if isinstance(node, dict) and node.get("sealed") and node.get("sealed_for"):
                with suppress(SealedError):
                    record_owner = Owner.parse(node["sealed_for"])
                    body = self._sealing.cipher.open(
                        record_owner, node["sealed"], _place_of(node, owner or record_owner)
                    )
                    yield f"{place}{OPENED}", json.dumps(body, ensure_ascii=False).encode()
            if isinstance(node, dict | list):  # an entry of hot memory holds what is proposed instead of it
                left.extend(node.values() if isinstance(node, dict) else node)

    def _opened_row(self, row: dict[str, Any]) -> tuple[bool, bytes]:
        """A state row or an outbox as bytes, opened (True) where it is sealed and its key still stands."""
        blob = bytes.fromhex(str(row.get("outbox") or row.get("value") or "").removeprefix("\\x"))
        name = str(row.get("owner") or "@")
        owner, at = owner_of(name), place_of_state(str(row.get("step")), name, str(row.get("key")))
        if self._sealing.cipher is None or owner is None:
            return False, blob
        try:
            plain = self._sealing.cipher.open_bytes(owner, blob, at)
        except SealedError:
            return False, blob
        return plain is not blob, plain

    def _note(self, topic: str, at: int) -> None:
        found = components().topics.get(topic)
        days = 1 + ((found.retention_days if found else None) or COMPACTED_DAYS - 1)
        removed_on = datetime.fromtimestamp(at / 1000, UTC).date() + timedelta(days=days)
        self.until[f"kafka {topic}"] = max(removed_on, self.until.get(f"kafka {topic}", removed_on))


def _place_of(node: Mapping[str, Any], owner: Owner) -> Place:
    """Of a row of any view as JSON, or of what Redis holds of one; `owner`: whose it is where it does not say so."""
    associated_data = {"tenant": owner.tenant, "owner_kind": owner.kind, "owner_id": owner.id, "version": 0}
    associated_data |= {"record_id": node.get("id"), **node}
    model = next((model for name, model in _NAMED_BY.items() if node.get(name)), SessionState)
    return place_of_row(model, associated_data)


def _owner_of_key(key: bytes) -> Owner | None:
    """A key of ours has its owner in braces."""
    found = re.search(rb"\{([^}]*)\}", key)
    try:
        return None if found is None else Owner.parse(found[1].decode())
    except ValueError:
        return None


def _in_file(path: Path, wanted: Sequence[bytes], pattern: re.Pattern[bytes]) -> list[bytes]:
    """Hits in a file. Looked for one by one first: that is many times faster than the pattern."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return []
        try:
            view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:  # emptied in between
            return []
        with view:
            return pattern.findall(view) if any(view.find(f) >= 0 for f in wanted) else []


_VECTORS = ("dense", "sparse")
_NAMED_BY: Mapping[str, type[Envelope]] = {
    "decision_id": Decision, "record_id": MemoryUpdate, "message_id": Checkpoint, "turn_id": ScreenedTurn,
    "id": MemoryUpdate,
}  # fmt: skip
"""Field that names a row -> its event; the first one counts. A session has none of them."""
