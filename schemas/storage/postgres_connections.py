"""How Postgres is connected to, by every process: no connection waits for an answer without a deadline.

A server may end without a word (a host that vanishes, a network that drops packets): the kernel finds that by
`tcp_user_timeout` and keepalives. It may also keep its sockets and answer nothing (SIGSTOP, a disk that hangs): that
only a deadline of our own finds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import psycopg
from psycopg import AsyncConnection, Connection
from psycopg.abc import PQGen
from psycopg.rows import TupleRow
from psycopg_pool import AsyncConnectionPool

RV = TypeVar("RV")
Pool = AsyncConnectionPool[AsyncConnection[TupleRow]]
ANSWER_SECONDS = 60.0
"""Longest wait for one answer where the caller names no other. Above each statement_timeout that is set."""
LONG_SECONDS = 3_600.0
"""For what goes through whole tables."""
LIVENESS: dict[str, Any] = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 4,
    "tcp_user_timeout": 30_000,
}
"""Parameters of libpq: seconds, and milliseconds for the last one."""
_INTERVAL = 0.1


class NoAnswerError(psycopg.OperationalError):
    """The server kept the connection and did not answer in time; the connection is closed."""


class Answering(Connection[TupleRow]):
    """A connection whose every answer has a deadline. `answer_seconds` None: none (a rewrite of whole tables)."""

    answer_seconds: float | None = ANSWER_SECONDS

    def wait(self, gen: PQGen[RV], interval: float = _INTERVAL, timeout: float | None = None) -> RV:
        limit = self.answer_seconds if timeout is None else timeout
        try:
            return super().wait(gen, interval, limit)
        except psycopg.errors._WaitTimeout:
            if timeout is not None:
                raise  # psycopg's own: it handles it
            self.pgconn.finish()  # whether the statement ran is unknown
            raise NoAnswerError(f"no answer within {limit:g} s") from None


class AnsweringAsync(AsyncConnection[TupleRow]):
    """The same on an event loop."""

    answer_seconds: float | None = ANSWER_SECONDS

    async def wait(
        self, gen: PQGen[RV], interval: float = _INTERVAL, timeout: float | None = None  # noqa: ASYNC109 - psycopg's
    ) -> RV:
        limit = self.answer_seconds if timeout is None else timeout
        try:
            return await super().wait(gen, interval, limit)
        except psycopg.errors._WaitTimeout:
            if timeout is not None:
                raise
            self.pgconn.finish()
            raise NoAnswerError(f"no answer within {limit:g} s") from None


def connect(dsn: str, *, answer_seconds: float | None = ANSWER_SECONDS, **options: Any) -> Connection[Any]:
    """A blocking connection. `options`: of psycopg.connect, before those of `LIVENESS`. Raises psycopg.Error."""
    conn = Answering.connect(dsn, **{**LIVENESS, **options})
    conn.answer_seconds = answer_seconds
    return conn


async def connect_async(dsn: str, **options: Any) -> AsyncConnection[Any]:
    """The same on an event loop, with the deadline of all."""
    return await AnsweringAsync.connect(dsn, **{**LIVENESS, **options})


def pool(dsn: str, *, min_size: int, max_size: int, options: Mapping[str, Any] = {}, **more: Any) -> Pool:
    """A pool, not yet open, of connections in autocommit mode. `options`: of each connection; `more`: of the pool."""
    kwargs = {**LIVENESS, "autocommit": True, **options}
    return AsyncConnectionPool(
        dsn, min_size=min_size, max_size=max_size, open=False, connection_class=AnsweringAsync, kwargs=kwargs, **more
    )
