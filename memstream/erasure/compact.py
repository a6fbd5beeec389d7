"""The stores' own compaction (N6): what was deleted leaves their files now, not in days. Run before a leak probe.

Nothing here deletes what still stands. Each part can be run again and tells what it did, or why it could not.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, LiteralString

import psycopg
import redis
from pymilvus import MilvusClient
from pymilvus.exceptions import MilvusException

from memstream.erasure.roll import Roll
from memstream.settings import Settings
from memstream.stack import milvus, milvus_file
from memstream.stack.state import read_state, running_addresses
from schemas.storage import postgres_connections
from schemas.storage.connections import milvus_options

_STATISTICS = """
DELETE FROM pg_catalog.pg_statistic s USING pg_catalog.pg_class c, pg_catalog.pg_namespace n
WHERE c.oid = s.starelid AND n.oid = c.relnamespace AND n.nspname NOT IN ('pg_catalog', 'information_schema')
"""
_OLDEST = "SELECT min(backend_xmin::text::bigint) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
_WAL = "SELECT name FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$'"


@dataclass(frozen=True, slots=True)
class Done:
    """What was done in a store. `left`: what could not be, with the remedy; empty when all was."""

    store: str
    done: str
    left: str = ""


class Compaction:
    """Postgres, Redis, Milvus, Kafka of `settings`, one after the other. `patience`: seconds to wait for each."""

    def __init__(self, settings: Settings, patience: float = 180.0) -> None:
        self._settings, self._patience = settings, patience

    def everything(self) -> Iterator[Done]:
        """Raises psycopg.Error, redis.RedisError, MilvusException, KafkaException: run it again."""
        yield from (part() for part in (self.postgres, self.redis, self.milvus, self.kafka))

    def postgres(self) -> Done:
        """Tables and indexes written anew, samples of the planner taken anew (they hold values of rows), old segments
        of the write-ahead log removed. Tables are locked for as long as they are written."""
        dsn = self._settings.postgres.get_secret_value()
        with postgres_connections.connect(dsn, autocommit=True, answer_seconds=None) as conn:
            who = conn.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user").fetchone()
            superuser = bool(who and who[0])
            horizon = self._horizon(conn)
            if superuser:  # ANALYZE leaves the samples of an emptied table as they were
                conn.execute(_STATISTICS)
            conn.execute("ANALYZE")
            conn.execute("VACUUM (FULL)")
            done = "VACUUM FULL, new statistics"
            if not superuser:
                return Done("postgres", done, "write-ahead log: its segments go when they are used again")
            left = "" if horizon else "an open transaction holds deleted rows: end it and run this again"
            kept = self._fresh_wal(conn)
            return Done("postgres", f"{done}, write-ahead log begun anew", left or kept)

    def redis(self) -> Done:
        """The append-only file is rewritten from what stands, and a snapshot taken where the server keeps some."""
        url = self._settings.redis.get_secret_value()
        with closing(
            redis.Redis.from_url(url, decode_responses=True, socket_connect_timeout=5, socket_timeout=self._patience)
        ) as client:
            untyped: Any = client
            state = untyped.info("persistence")
            done = []
            if state.get("aof_enabled"):
                untyped.bgrewriteaof()
                self._until(lambda: not _busy(untyped.info("persistence"), "aof_rewrite"), "redis: the rewrite")
                done.append("append-only file rewritten")
            try:
                snapshots = bool(untyped.config_get("save").get("save"))
            except redis.ResponseError:  # a managed server hides its configuration
                snapshots = int(state.get("rdb_last_save_time", 0)) > 0
            if snapshots:
                untyped.bgsave()
                self._until(
                    lambda: not untyped.info("persistence").get("rdb_bgsave_in_progress"), "redis: the snapshot"
                )
                done.append("snapshot taken")
            failed = untyped.info("persistence").get("aof_last_bgrewrite_status", "ok") != "ok"
            return Done("redis", ", ".join(done) or "keeps nothing on disk", "the rewrite failed" if failed else "")

    def milvus(self) -> Done:
        """The embedded server starts anew on a vacuumed file; one of your own merges and rewrites its segments."""
        running = (running_addresses(self._settings.data_dir) or {}).get("milvus")
        if running is not None and running == self._settings.milvus:
            return self._restarted(self._settings.data_dir)
        client: Any = MilvusClient(**milvus_options(self._settings.milvus_access), timeout=self._patience)
        with closing(client):
            names = client.list_collections()
            for name in names:
                client.flush(name)
                job = client.compact(name)
                self._until(lambda job=job: client.get_compaction_state(job) == "Completed", f"milvus: {name}")  # type: ignore[misc]
        left = "its garbage collection removes the old segments (dataCoord.gc.dropTolerance, 3 hours by default)"
        return Done("milvus", f"{len(names)} collections flushed and compacted", left)

    def kafka(self) -> Done:
        """Segments rolled and compacted topics cleaned; topics with a retention keep theirs."""
        held = Roll(self._settings.brokers, self._settings.partitions, self._patience).run()
        left = ", ".join(f"{topic}: {n} superseded records" for topic, n in sorted(held.items()) if n)
        return Done("kafka", "segments rolled, compacted topics cleaned", left)

    def _horizon(self, conn: psycopg.Connection[Any]) -> bool:
        """Wait until nobody sees a row any more that is deleted now; False when somebody still does."""
        row = conn.execute("SELECT pg_current_xact_id()::text::bigint & 4294967295").fetchone()
        now = int(row[0]) if row else 0

        def passed() -> bool:
            oldest = conn.execute(_OLDEST).fetchone()
            return oldest is None or oldest[0] is None or int(oldest[0]) >= now

        try:
            self._until(passed, "postgres: open transactions")
        except TimeoutError:
            return False
        return True

    def _fresh_wal(self, conn: psycopg.Connection[Any]) -> str:
        """Old segments are removed instead of being kept for use; what is left in words."""
        with _setting(conn, "wal_recycle", "off"):
            before = {r[0] for r in conn.execute(_WAL).fetchall()}
            for _ in range(len(before) + 1):
                if self._segment(conn) > max(before, default=""):
                    break
                conn.execute("SELECT pg_logical_emit_message(false, 'memstream', '')")
                conn.execute("SELECT pg_switch_wal()")
            conn.execute("CHECKPOINT")
            kept = before & {r[0] for r in conn.execute(_WAL).fetchall()}
        return f"{len(kept)} old segments of the write-ahead log are held (slots, wal_keep_size)" if kept else ""

    def _segment(self, conn: psycopg.Connection[Any]) -> str:
        row = conn.execute("SELECT pg_walfile_name(pg_current_wal_insert_lsn())").fetchone()
        return str(row[0]) if row else ""

    def _restarted(self, data_dir: Path) -> Done:
        """The supervisor brings it back within seconds, with its file vacuumed; writers wait, searches are degraded."""
        request_file = data_dir / milvus.NAME / milvus_file.VACUUM
        who, number = read_state(data_dir).children[milvus.NAME]
        request_file.touch()
        os.kill(who.pid, number)
        self._until(lambda: not request_file.exists() and self._serves(), "milvus: its restart")
        return Done("milvus", "restarted, its file vacuumed")

    def _serves(self) -> bool:
        try:
            client: Any = MilvusClient(**milvus_options(self._settings.milvus_access), timeout=5)
            with closing(client):
                client.list_collections()
        except MilvusException:
            return False
        return True

    def _until(self, done: Callable[[], bool], what: str) -> None:
        """Raises TimeoutError."""
        deadline = time.monotonic() + self._patience
        while not done():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{what} did not end within {self._patience:.0f} s")
            time.sleep(0.1)


def _busy(state: dict[str, Any], what: str) -> bool:
    return bool(state.get(f"{what}_in_progress") or state.get(f"{what}_scheduled"))


@contextmanager
def _setting(conn: psycopg.Connection[Any], name: LiteralString, value: LiteralString) -> Iterator[None]:
    """A setting of the server, for as long as it is needed."""
    conn.execute(f"ALTER SYSTEM SET {name} = {value}")
    conn.execute("SELECT pg_reload_conf()")
    try:
        yield
    finally:
        conn.execute(f"ALTER SYSTEM RESET {name}")
        conn.execute("SELECT pg_reload_conf()")


__all__ = ["Compaction", "Done", "MilvusException"]
