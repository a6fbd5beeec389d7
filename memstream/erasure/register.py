"""The register of erasures in Postgres (`trust`), with what the steps' state and the access log hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import psycopg
from psycopg.rows import dict_row, tuple_row
from psycopg.types.json import Jsonb

from memstream.erasure.ports import AT_ONCE, Access, Away, Finding, UnderWay
from schemas.events.erasure import Erasure
from schemas.security import audit
from schemas.storage import generations, postgres_connections
from schemas.storage.postgres_connections import LONG_SECONDS

Conn = psycopg.Connection[dict[str, Any]]
_FIRST = datetime.min.replace(tzinfo=UTC)
_OPEN = """
SELECT * FROM trust.erasures
WHERE state = 'under_way' AND (started_at, erasure_id) > (%s, %s) ORDER BY started_at, erasure_id LIMIT %s
"""
_OPEN_OF = """
SELECT * FROM trust.erasures WHERE tenant = %s
  AND state = 'under_way' AND (started_at, erasure_id) > (%s, %s) ORDER BY started_at, erasure_id LIMIT %s
"""
_TENANTS = """
SELECT tenant FROM trust.erasures WHERE state = 'under_way'
GROUP BY tenant ORDER BY min(started_at), min(erasure_id)
"""
_ANSWERED = "SELECT place FROM trust.erasure_findings WHERE erasure_id = %s AND owner = %s"
_FOUND = "SELECT place, found FROM trust.erasure_findings WHERE erasure_id = %s ORDER BY place"
_HELD = """
SELECT count(*) AS rows FROM stream.state
WHERE (owner = %(owner)s OR starts_with(owner, %(owner)s || '|') OR starts_with(owner, %(owner)s || '/'))
  AND key <> 'deny'
"""
_UNDELIVERED = """
SELECT count(*) AS outboxes FROM stream.positions
WHERE CASE WHEN no_erasure_at = next_offset THEN false ELSE position(%s::bytea IN outbox) > 0 END
"""
"""Few outboxes hold an erasure, and none for long: the others are not read. (CASE: Postgres may ask parts of AND in any
order.)"""
_OWNERS = "SELECT DISTINCT owner FROM stream.state WHERE starts_with(owner, %s) AND key <> 'deny'"
_ACCESSES = "SELECT chain, seq, at, operation, principal, hash FROM audit.accesses WHERE access_id = %s"
_DONE = """
UPDATE trust.erasures SET state = 'done', step = 'done', finished_at = now(), report = %s
WHERE erasure_id = %s AND state = 'under_way' AND step <> 'late'
"""


class PostgresRegister:
    """Over one connection in autocommit mode. `audit_key` seals the access log."""

    def __init__(self, conn: Conn, audit_key: bytes) -> None:
        self._conn, self._key = conn, audit_key

    def tenants(self) -> Sequence[str]:
        return [str(r["tenant"]) for r in self._conn.execute(_TENANTS)]

    def under_way(self, behind: UnderWay | None = None, tenant: str | None = None) -> Sequence[UnderWay]:
        at, name = (_FIRST, "") if behind is None else (behind.started_at, behind.erasure.erasure_id)
        if tenant is None:
            rows = self._conn.execute(_OPEN, (at, name, AT_ONCE)).fetchall()
        else:
            rows = self._conn.execute(_OPEN_OF, (tenant, at, name, AT_ONCE)).fetchall()
        return [
            UnderWay(_erasure(r), str(r["step"]), r["started_at"], (r["report"] or {}).get("nulled", {})) for r in rows
        ]

    def answered(self, e: Erasure) -> set[str]:
        return {r["place"] for r in self._conn.execute(_ANSWERED, (e.erasure_id, e.owner.key))}

    def generations(self) -> Sequence[tuple[str, int]]:
        with self._conn.cursor(row_factory=tuple_row) as cursor:
            found = generations.all_of(cursor)  # type: ignore[arg-type]
        return [(g.store, g.number) for g in found]

    def waits(self, e: Erasure, step: str) -> None:
        self._conn.execute("UPDATE trust.erasures SET step = %s WHERE erasure_id = %s", (step, e.erasure_id))

    def held(self, e: Erasure) -> int:
        row = self._conn.execute(_HELD, {"owner": e.owner.key}).fetchone()
        return int(row["rows"]) if row else 0

    def undelivered(self, e: Erasure) -> int:
        row = self._conn.execute(_UNDELIVERED, (e.erasure_id.encode(),)).fetchone()
        return int(row["outboxes"]) if row else 0

    def owners(self, e: Erasure) -> Sequence[str]:
        return [r["owner"] for r in self._conn.execute(_OWNERS, (e.owner.key.removesuffix("tenant/"),)).fetchall()]

    def accesses(self, e: Erasure) -> list[Access]:
        """Its place in the chain and its hash, for `memstream audit`."""
        rows = self._conn.execute(_ACCESSES, (e.erasure_id,))
        return [{**row, "hash": bytes(row["hash"]).hex()} for row in rows]

    def forget_accesses(self, e: Erasure) -> None:
        if audit.vouches(self._conn, self._key):  # its own writer does so, too, whatever comes late
            with self._conn.transaction():
                audit.erase(self._conn, self._key, e.owner, e.accepted_at)

    def findings(self, e: Erasure) -> Sequence[Finding]:
        return [Finding(str(r["place"]), r["found"]) for r in self._conn.execute(_FOUND, (e.erasure_id,)).fetchall()]

    def keys_destroyed(self, e: Erasure, since: datetime) -> int:
        if e.scope == "session":
            return 0
        which = "starts_with(owner, %s)" if e.scope == "tenant" else "owner = %s"
        owner = e.owner.key.removesuffix("tenant/") if e.scope == "tenant" else e.owner.key
        query = f"SELECT count(*) AS n FROM trust.data_keys WHERE destroyed_at >= %s AND {which}"  # noqa: S608 - constants
        row = self._conn.execute(query, (since, owner)).fetchone()
        return int(row["n"]) if row else 0

    def finish(self, e: Erasure, report: dict[str, Any]) -> bool:
        return self._conn.execute(_DONE, (Jsonb(report), e.erasure_id)).rowcount > 0


@contextmanager
def opened(dsn: str, audit_key: bytes) -> Iterator[PostgresRegister]:
    """For one look. What Postgres says within it is Away."""
    try:
        with postgres_connections.connect(
            dsn, autocommit=True, answer_seconds=LONG_SECONDS, row_factory=dict_row
        ) as conn:
            yield PostgresRegister(conn, audit_key)
    except psycopg.Error as exc:
        raise Away(f"{type(exc).__name__} {exc.sqlstate or ''}".strip()) from None


def _erasure(row: dict[str, Any]) -> Erasure:
    return Erasure(
        tenant=row["tenant"], erasure_id=row["erasure_id"], scope=row["scope"], user_id=row["user_id"],
        session_id=row["session_id"], accepted_at=row["accepted_at"],
    )  # fmt: skip
