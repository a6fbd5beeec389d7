"""Stores that answer with refusals: full, read-only, locked. Each is hurt for as long as the context lasts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, LiteralString

import psutil
import psycopg
import redis

from tests.patience import until


@contextmanager
def postgres_read_only(dsn: str) -> Iterator[None]:
    """As after a failover to a standby, or when an operator stops writes; sessions that stand feel it, too."""
    _setting(dsn, "ALTER SYSTEM SET default_transaction_read_only = on")
    until("Postgres to only read", lambda: _reads_only(dsn), errors=(psycopg.OperationalError,))
    try:
        yield
    finally:
        _setting(dsn, "ALTER SYSTEM RESET default_transaction_read_only")


def _setting(dsn: str, statement: LiteralString) -> None:
    """The setting outlives the server: it is tried again, or nothing would be written ever after."""

    def done() -> bool:
        with psycopg.connect(dsn, autocommit=True) as conn:
            conn.execute(statement)
            conn.execute("SELECT pg_reload_conf()")
        return True

    until("a setting of Postgres to be taken", done, errors=(psycopg.OperationalError,), pause=1)


def _reads_only(dsn: str) -> bool:
    with psycopg.connect(dsn) as conn:
        return conn.execute("SHOW default_transaction_read_only").fetchone() == ("on",)


@contextmanager
def postgres_slow(dsn: str, schema: str) -> Iterator[None]:
    """A table that somebody else has locked: writers wait."""
    with psycopg.connect(dsn) as conn:
        conn.execute(f"LOCK TABLE {schema}.memories, {schema}.turns IN ACCESS EXCLUSIVE MODE".encode())
        yield
        conn.rollback()


@contextmanager
def redis_full(url: str) -> Iterator[None]:
    """Memory is at its bound and nothing may be evicted."""
    with _configured(url, "maxmemory", "1"):
        yield


@contextmanager
def redis_read_only(url: str) -> Iterator[None]:
    """Writes are refused because no replica is there to take them."""
    with _configured(url, "min-replicas-to-write", "1"):
        yield


@contextmanager
def _configured(url: str, name: str, value: str) -> Iterator[None]:
    with closing(redis.Redis.from_url(url, decode_responses=True)) as client:
        result: Any = client
        before = result.config_get(name)[name]
        result.config_set(name, value)
        try:
            yield
        finally:
            result.config_set(name, before)


@contextmanager
def no_handles(pid: int) -> Iterator[None]:
    """The process has no file handle left: no new connection, no new file."""
    process = psutil.Process(pid)
    before = process.rlimit(psutil.RLIMIT_NOFILE)
    process.rlimit(psutil.RLIMIT_NOFILE, (process.num_fds(), before[1]))
    try:
        yield
    finally:
        if process.is_running():
            process.rlimit(psutil.RLIMIT_NOFILE, before)
