"""Reading and verifying the access log (C10)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import dict_row

from schemas.log.owner import Owner, OwnerKind
from schemas.security import audit_roster
from schemas.security.audit import Chain, Check, Entry, Fault
from schemas.storage import postgres_connections
from schemas.storage.postgres_connections import LONG_SECONDS
from sinks.audit.sink import CHAIN_COLUMNS, COLUMNS

_SHOWN = "at, tenant, action, operation, principal, owner, subject, record_ids, context_id, chain, seq"


class AuditError(Exception):
    """What was asked cannot be done; the message names the option."""


@dataclass(frozen=True, slots=True)
class Verified:
    """`heads`: chain -> (seq, hash in hex), for a later `--against`. `begun_at`: when the list of chains was begun; an
    emptied log that was begun anew has a late one."""

    entries: int
    erased: int
    faults: list[Fault]
    heads: dict[int, tuple[int, str]]
    begun_at: datetime | None = None


def verify(dsn: str, key: bytes, anchors: dict[int, tuple[int, str]] | None = None) -> Verified:
    """Check every chain, as of one moment."""
    anchors = anchors or {}
    faults: list[Fault] = []
    entries = erased = 0
    heads: dict[int, tuple[int, str]] = {}
    with postgres_connections.connect(dsn, answer_seconds=LONG_SECONDS) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        query = f"SELECT {', '.join(CHAIN_COLUMNS)} FROM audit.chains ORDER BY chain"  # noqa: S608 - constants
        chains = [Chain(*row) for row in connection.execute(query.encode())]
        for chain in chains:
            seq, anchored = anchors.get(chain.chain, (0, ""))
            check = Check(key, chain, (seq, bytes.fromhex(anchored)) if seq > chain.first_seq else None)
            for entry in _entries(connection, chain.chain):
                check.add(entry)
            faults += check.end()
            entries, erased = entries + check.entries, erased + check.erased
            heads[chain.chain] = (chain.seq, chain.hash.hex())
        faults += _strays(connection, [c.chain for c in chains])
        roster = _roster(connection)
        faults += audit_roster.faults(key, roster, chains)
    faults += [Fault(n, seq, "anchor") for n, (seq, _) in sorted(anchors.items()) if n not in heads]
    return Verified(entries, erased, faults, heads, roster.begun_at if roster else None)


def _roster(connection: psycopg.Connection[Any]) -> audit_roster.Roster | None:
    row = connection.execute("SELECT begun_at, chains, seqs, seal FROM audit.roster").fetchone()
    return None if row is None else audit_roster.Roster(*row)


def _entries(connection: psycopg.Connection[Any], chain: int) -> Iterator[Entry]:
    query = f"SELECT {', '.join(COLUMNS)} FROM audit.accesses WHERE chain = %s ORDER BY seq"  # noqa: S608 - constants
    with connection.cursor(name="audit") as cursor:
        cursor.itersize = 5_000
        cursor.execute(query.encode(), (chain,))
        for row in cursor:
            yield Entry(*row)


def _strays(connection: psycopg.Connection[Any], chains: list[int]) -> list[Fault]:
    """Entries of a chain whose row is gone."""
    query = "SELECT chain, min(seq) FROM audit.accesses WHERE chain <> ALL(%s) GROUP BY chain ORDER BY chain"
    return [Fault(chain, seq, "seal") for chain, seq in connection.execute(query, (chains,))]


def read_anchors(path: Path) -> dict[int, tuple[int, str]]:
    """The heads of an earlier `audit verify --json`. Raises AuditError."""
    try:
        heads = json.loads(path.read_text(encoding="utf-8"))["heads"]
        out = {int(chain): (int(seq), str(anchored)) for chain, (seq, anchored) in heads.items()}
        for _, anchored in out.values():
            bytes.fromhex(anchored)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        raise AuditError(f"--against: {path} is no output of `memstream audit verify --json`") from None
    return out


def listed(
    dsn: str, tenant: str, user: str | None, principal: str | None, since: datetime | None, limit: int
) -> list[dict[str, Any]]:
    """Entries, the newest first. Never content: ids, who, and when."""
    owner = None if user is None else Owner(tenant, OwnerKind.USER, user).key
    query = f"""SELECT {_SHOWN} FROM audit.accesses
        WHERE tenant = %(tenant)s AND (%(owner)s::text IS NULL OR owner = %(owner)s)
          AND (%(principal)s::text IS NULL OR principal = %(principal)s)
          AND (%(since)s::timestamptz IS NULL OR at >= %(since)s)
        ORDER BY at DESC, chain, seq DESC LIMIT %(limit)s"""  # noqa: S608 - constants
    values = {"tenant": tenant, "owner": owner, "principal": principal, "since": since, "limit": limit}
    with postgres_connections.connect(dsn, row_factory=dict_row) as connection:
        return connection.execute(query.encode(), values).fetchall()
