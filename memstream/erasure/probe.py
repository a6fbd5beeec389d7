"""The leak probe (N6): words that were planted, looked for in every store, topic and file of a running memstream.

It reads what is there, by the stores' own clients (their files are compressed), and then every file of the data folder
byte by byte: as UTF-8, as JSON escapes, as UTF-16, and in base64 at each of its three offsets.
"""

from __future__ import annotations

import base64
import json
import mmap
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import psycopg
import redis
from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from psycopg import sql
from pymilvus import MilvusClient

from memstream.settings import Settings
from schemas import topics

SILENT_SECONDS = 30
_TABLES = """
SELECT table_schema, table_name FROM information_schema.tables
WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')
"""


def patterns(words: Iterable[str]) -> re.Pattern[bytes]:
    """Every form in which a word can lie in bytes."""
    forms: set[bytes] = set()
    for word in words:
        raw = word.encode()
        forms |= {raw, json.dumps(word)[1:-1].encode(), word.encode("utf-16-le"), word.encode("utf-16-be")}
        forms.add(raw.hex().encode())
        for shift in range(3):  # of a text that is coded as a whole, the middle of the word is the same
            coded = base64.b64encode(b"\0" * shift + raw).decode().rstrip("=")
            forms.add(coded[(0, 2, 3)[shift] : len(coded) - 1].encode())
    return re.compile(b"|".join(re.escape(f) for f in sorted(forms, key=len, reverse=True) if len(f) > 3))


class Probe:
    """`found` maps a place to how often a word was seen there."""

    def __init__(self, settings: Settings, words: Sequence[str]) -> None:
        self._settings = settings
        self._pattern = patterns(words)

    def everything(self) -> dict[str, int]:
        out: Counter[str] = Counter()
        for part in (self.postgres, self.redis, self.milvus, self.kafka, self.files):
            for place, raw in part():
                out[place] += self.hits(raw)
        return {place: count for place, count in sorted(out.items()) if count}

    def hits(self, raw: bytes) -> int:
        """How often a word stands in these bytes."""
        return len(self._pattern.findall(raw))

    def postgres(self) -> Iterator[tuple[str, bytes]]:
        with psycopg.connect(self._settings.postgres.get_secret_value(), autocommit=True) as conn:
            for schema, table in conn.execute(_TABLES).fetchall():
                query = sql.SQL("SELECT to_jsonb(t)::text FROM {}.{} t").format(
                    sql.Identifier(schema), sql.Identifier(table)
                )
                outbox = (schema, table) in (("stream", "positions"), ("stream", "state"))
                with conn.cursor("probe", withhold=True) as cursor:
                    for (row,) in cursor.execute(query):
                        yield f"postgres {schema}.{table}", row.encode()
                        if outbox:
                            blob = json.loads(row).get("outbox") or json.loads(row).get("value") or ""
                            yield f"postgres {schema}.{table}", bytes.fromhex(blob.removeprefix("\\x"))

    def redis(self) -> Iterator[tuple[str, bytes]]:
        client: Any = redis.Redis.from_url(self._settings.redis.get_secret_value())
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
        client.close()

    def milvus(self) -> Iterator[tuple[str, bytes]]:
        client: Any = MilvusClient(self._settings.milvus, timeout=30)
        for name in client.list_collections():
            fields = [f["name"] for f in client.describe_collection(name)["fields"] if f["name"] not in _VECTORS]
            rows = client.query(name, filter='pk != ""', output_fields=fields, limit=16_384)
            for row in rows:
                yield f"milvus {name}", json.dumps(row, ensure_ascii=False, default=str).encode()
        client.close()

    def kafka(self) -> Iterator[tuple[str, bytes]]:
        consumer = Consumer(
            {"bootstrap.servers": self._settings.kafka, "group.id": "memstream-probe", "enable.auto.commit": False,
             "enable.partition.eof": True, "log_level": 3}
        )  # fmt: skip
        try:
            places = [
                TopicPartition(t.name, p, consumer.get_watermark_offsets(TopicPartition(t.name, p), 10)[0])
                for t in topics.CATALOGUE
                for p in range(self._settings.partitions)
            ]
            consumer.assign(places)
            left, silent = {(t.topic, t.partition) for t in places}, 0
            while left:  # ticks go on: an end may be reached more than once
                batch = consumer.consume(1_000, 1.0)
                silent = 0 if batch else silent + 1
                if silent > SILENT_SECONDS:
                    raise KafkaException(KafkaError(KafkaError._TIMED_OUT, "the ends of the topics were not reached"))
                for m in batch:
                    error = m.error()
                    if error is not None:
                        if error.code() == KafkaError._PARTITION_EOF:
                            left.discard((m.topic(), m.partition()))
                        continue
                    headers: Any = m.headers() or ()
                    yield f"kafka {m.topic()}", b"\n".join((m.key() or b"", m.value() or b"", *(v for _, v in headers)))
        finally:
            consumer.close()

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Every file of the data folder; a place is the folder below it."""
        root = self._settings.data_dir
        for path in sorted(p for p in root.rglob("*") if p.is_file() and p.stat().st_size):
            with path.open("rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as view:
                hits = self._pattern.findall(view)
            yield f"file {'/'.join(path.relative_to(root).parts[:3])}", b"\n".join(hits)


_VECTORS = ("dense", "sparse")
