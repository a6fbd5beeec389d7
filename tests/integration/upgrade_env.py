"""Databases of a test's own on the session's Postgres, and the one that migration 0016 made (tests/data/upgrade)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo

DATA = Path(__file__).parents[1] / "data" / "upgrade"


@contextmanager
def database(server: psycopg.Connection[Any], address: str, like: str = "") -> Iterator[str]:
    """An empty database, or a copy of one; gone at the end."""
    name = f"upgrade_{random.randrange(1_000_000_000)}"
    server.execute(f"CREATE DATABASE {name}{like}".encode())
    try:
        yield make_conninfo(address, dbname=name)
    finally:
        server.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def fill(dsn: str) -> None:
    """As the code of migration 0016 left it."""
    with psycopg.connect(dsn) as conn:
        conn.execute(
            "DO $$ BEGIN CREATE ROLE memstream_reader NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$"
        )
        conn.execute((DATA / "v0016.sql").read_bytes())
