"""Stores that answer with refusals: full, read-only, locked. Each is hurt for as long as the context lasts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, LiteralString

import psutil
import psycopg
import redis


@contextmanager
def postgres_read_only(dsn: str) -> Iterator[None]:
    """As after a failover to a standby, or when an operator stops writes; sessions that stand feel it, too."""
    _setting(dsn, "ALTER SYSTEM SET default_transaction_read_only = on")
    try:
        yield
    finally:
        _setting(dsn, "ALTER SYSTEM RESET default_transaction_read_only")


def _setting(dsn: str, statement: LiteralString) -> None:
    """The setting outlives the server: it is tried for a minute, or nothing would be written ever after."""
    for left in range(60, -1, -1):
        try:
            with psycopg.connect(dsn, autocommit=True) as conn:
                conn.execute(statement)
                conn.execute("SELECT pg_reload_conf()")
            return
        except psycopg.OperationalError:
            if not left:
                raise
            time.sleep(1)


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
        told: Any = client
        before = told.config_get(name)[name]
        told.config_set(name, value)
        try:
            yield
        finally:
            told.config_set(name, before)


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
