"""Fills Redis from Postgres with what readers miss: expired sessions (E6) and dropped hot-memory snapshots (A5).

Readers never write; they push a wish (schemas.storage.layouts.RedisLayout.WANTED). The filler runs in the sink's
process in a thread of its own, so that a slow Postgres delays no record, and writes through the same guarded scripts.
"""

from __future__ import annotations

import heapq
import logging
import threading
import time
from datetime import timedelta
from typing import Any, cast

import orjson
import psycopg
import redis
from psycopg.rows import dict_row
from psycopg.types.json import set_json_loads
from redis.exceptions import RedisError

from schemas.events.hot_memory import HotRow, hot_memory
from schemas.events.sessions import SessionBody, SessionState
from schemas.log.owner import Owner
from schemas.storage import postgres_connections
from schemas.storage.layouts import RedisLayout, postgres_schema
from sinks.redis import scripts as lua
from sinks.redis.erasure import is_erased
from sinks.redis.session import SessionTtl, session_args, session_keys

_LOG = logging.getLogger("memstream.sinks.redis")
AGAIN_SECONDS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""When a snapshot is tried again that Postgres is not ready for; after that the next reader's wish tries again."""
_SESSION = """
SELECT tenant, user_id, session_id, revision, status, mode, checkpoint_message_id, segment, segment_start, turn_count,
  segment_tokens, current_agent_key, project_id, updated_at, body, sealed, sealed_for
FROM {v}.sessions WHERE tenant = %s AND user_id = %s AND session_id = %s
"""
_HOT = """
SELECT record_id, revision, state, deleted, category, key, value, priority, known_at, user_id, reason, conflicts_with,
  sources, sealed, sealed_for
FROM {v}.memories WHERE tenant = %s AND owner_kind = 'project' AND owner_id = %s AND kind = 'hot'
"""


class Filler:
    """One thread. `start` is idempotent; `close` waits for it to end."""

    def __init__(
        self, client: redis.Redis, dsn: str, session_ttl: SessionTtl, hot_ttl: timedelta, layout: RedisLayout
    ) -> None:
        self._client = client
        self._layout = layout
        self._dsn = dsn
        self._session_ttl, self._hot_ttl = session_ttl, hot_ttl
        self._session = client.register_script(lua.SESSION)
        self._hot = client.register_script(lua.HOT_FILL)
        self._conn: psycopg.Connection[dict[str, Any]] | None = None
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._later: list[tuple[float, bytes]] = []
        self._tries: dict[bytes, int] = {}

    def start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._loop, name="redis filler", daemon=True)
            self._thread.start()

    def close(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=10.0)
        self._disconnect()
        self._client.close()

    def fill(self, wish: bytes) -> bool:
        """Grant one wish. False when Postgres does not have it (yet). Raises psycopg.Error and RedisError."""
        try:
            kind, owner_key, *rest = orjson.loads(wish)
            owner = Owner.parse(owner_key)
        except (ValueError, TypeError):
            return True
        if kind == "session" and rest:
            return self._fill_session(owner, str(rest[0]))
        return self._fill_hot(owner) if kind == "hot" else True

    def _loop(self) -> None:
        while not self._stop.is_set():
            try:
                for wish in self._due():
                    self._grant(wish)
                found = cast(
                    "tuple[bytes, bytes] | None", self._client.brpop([self._layout.wanted], timeout=self._nap())
                )
                if found is not None:
                    self._grant(found[1])
            except (RedisError, psycopg.Error) as exc:
                _LOG.warning("filling waits: %s", type(exc).__name__)
                self._disconnect()
                self._stop.wait(1.0)

    def _grant(self, wish: bytes) -> None:
        """A wish that came too early is tried again a little later, each time later."""
        try:
            granted = self.fill(wish)
        except (ValueError, TypeError) as exc:  # a row that is no snapshot: its readers are served from Postgres
            _LOG.warning("a wish cannot be granted: %s", type(exc).__name__)
            granted = True
        tries = self._tries.pop(wish, 0)
        if granted or tries >= len(AGAIN_SECONDS) or len(self._later) >= RedisLayout.WANTED_MAX:
            return
        self._tries[wish] = tries + 1
        heapq.heappush(self._later, (time.monotonic() + AGAIN_SECONDS[tries], wish))

    def _due(self) -> list[bytes]:
        now, out = time.monotonic(), []
        while self._later and self._later[0][0] <= now:
            out.append(heapq.heappop(self._later)[1])
        return out

    def _nap(self) -> float:
        """Until the next try, a second at most; 0 would mean for ever."""
        return min(1.0, max(0.01, self._later[0][0] - time.monotonic())) if self._later else 1.0

    def _fill_session(self, owner: Owner, session_id: str) -> bool:
        rows = self._read(_SESSION, owner.tenant, owner.id, session_id)
        if not rows:
            return False
        body = SessionBody.model_validate(rows[0].pop("body"))
        sealed, _ = rows[0].pop("sealed"), rows[0].pop("sealed_for")
        state = SessionState(**rows[0], sealed=body)
        if is_erased(self._client, self._layout, state):
            return True
        keys = session_keys(self._layout, owner, session_id)
        self._session(keys=keys, args=session_args(state, self._session_ttl(state.tenant), sealed))
        if is_erased(self._client, self._layout, state):  # meanwhile
            self._client.delete(*keys)
        return True

    def _fill_hot(self, owner: Owner) -> bool:
        rows = [HotRow.of_row(r) for r in self._read(_HOT, owner.tenant, owner.id)]
        revisions = [x for r in rows for x in (r.record_id, r.revision)]
        keys = [self._layout.hot_memory(owner, owner.id), self._layout.hot_guard(owner, owner.id)]
        args = [int(self._hot_ttl.total_seconds() * 1000), orjson.dumps(hot_memory(rows)), *revisions]
        return bool(self._hot(keys=keys, args=args))

    def _read(self, query: str, *params: str) -> list[dict[str, Any]]:
        """From the generation that readers read."""
        conn = self._connection()
        live = conn.execute("SELECT generation FROM ops.live_views WHERE store = 'postgres'").fetchone()
        schema = postgres_schema(1 if live is None else live["generation"])
        return conn.execute(cast(Any, query.replace("{v}", schema)), params).fetchall()

    def _connection(self) -> psycopg.Connection[dict[str, Any]]:
        if self._conn is None or self._conn.closed:
            self._conn = postgres_connections.connect(
                self._dsn, autocommit=True, answer_seconds=10.0, row_factory=dict_row,
                application_name="memstream-sink-redis", options="-c statement_timeout=5000",
            )  # fmt: skip
            # Postgres tells 1e25 in digits: an integer to Python's parser, which no snapshot takes.
            set_json_loads(orjson.loads, self._conn)
        return self._conn

    def _disconnect(self) -> None:
        if self._conn is not None:
            self._conn.close()
            self._conn = None
