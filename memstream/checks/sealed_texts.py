"""How many texts in Postgres are bound to their owner alone, as releases before sealed them (C7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import psycopg

from memstream.checks.result import CheckResult, Status
from memstream.keyring.cipher import ALG, MAGIC
from memstream.settings import Settings
from schemas import migrations
from schemas.storage import postgres_connections
from schemas.storage.layouts import postgres_schema

SECONDS = 20
"""Longest time for one table: of large ones the whole is read."""
_VIEWS = ("turns", "memories", "decisions", "sessions", "checkpoints")
_IN_VIEW = "SELECT count(*) FROM {schema}.{table} WHERE sealed ->> 'alg' = %s"
_IN_ARCHIVE = "SELECT count(*) FROM {schema}.archive WHERE record -> 'sealed' ->> 'alg' = %s"
_IN_STATE = f"SELECT count(*) FROM stream.state WHERE substring(value FROM 1 FOR {len(MAGIC)}) = %s"  # noqa: S608 - a constant
_NAME = "sealed texts"


def sealed_texts(settings: Settings) -> Iterator[CheckResult]:
    """Nothing where Postgres has no address, or holds no sealed text and none is to come."""
    dsn = settings.postgres.get_secret_value()
    if not dsn:
        return
    try:
        with postgres_connections.connect(
            dsn, autocommit=True, answer_seconds=SECONDS + 10, options=f"-c statement_timeout={SECONDS * 1000}"
        ) as conn:
            older = count_older(conn)
    except psycopg.errors.QueryCanceled:
        yield CheckResult(_NAME, Status.SKIP, f"too many rows to count within {SECONDS} s a table")
        return
    except psycopg.Error as exc:
        yield CheckResult(
            _NAME, Status.WARN, f"those of before are not counted ({type(exc).__name__})", "mend `postgres` first"
        )
        return
    if settings.encryption == "sealed" or older:
        yield judged(settings, older)


def count_older(conn: psycopg.Connection[Any]) -> int:
    """In the views of every generation, their archives and the state of the steps. The log is not counted. Raises
    psycopg.Error."""
    state = conn.execute(cast(Any, _IN_STATE), (MAGIC,)).fetchone()
    found = [0 if state is None else state[0]]
    for generation in migrations.generations(conn):
        schema = postgres_schema(generation)
        queries = [_IN_VIEW.format(schema=schema, table=name) for name in _VIEWS] + [_IN_ARCHIVE.format(schema=schema)]
        for query in queries:
            row = conn.execute(cast(Any, query), (ALG,)).fetchone()
            found.append(0 if row is None else row[0])
    return sum(found)


def judged(settings: Settings, older: int) -> CheckResult:
    """`older`: texts that are bound to their owner alone."""
    phrase = f"{older} in Postgres are bound to their owner alone, as releases before sealed them"
    match settings.sealed_to:
        case "owner":
            remedy = "set MEMSTREAM_SEALED_TO=place once every process runs this release (docs/encryption.md)"
            return CheckResult(_NAME, Status.WARN, f"new ones are bound to their owner alone; {phrase}", remedy)
        case "place_only" if older:
            return CheckResult(_NAME, Status.FAIL, f"{phrase}, and do not open", "set MEMSTREAM_SEALED_TO=place")
    return CheckResult(_NAME, Status.OK, phrase if older else "each in Postgres is bound to its place")
