"""What an erasure found where: rows of `trust` in Postgres, written by whoever removes (C9, N6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from psycopg import Connection
from psycopg.types.json import Jsonb

from schemas.events.erasure import Erasure

_BEGIN = """
INSERT INTO trust.erasures (erasure_id, tenant, scope, user_id, session_id, accepted_at)
VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (erasure_id) DO NOTHING
"""
_FOUND = """
INSERT INTO trust.erasure_findings AS old (erasure_id, owner, place, found) VALUES (%s, %s, %s, %s)
ON CONFLICT (erasure_id, owner, place) DO UPDATE SET found = (
  SELECT jsonb_object_agg(k, greatest((old.found->>k)::bigint, (EXCLUDED.found->>k)::bigint))
  FROM jsonb_object_keys(old.found || EXCLUDED.found) AS k)
WHERE EXCLUDED.found <> '{}'::jsonb
"""

_NAMED = """
UPDATE trust.erasures SET record_ids = ARRAY(SELECT DISTINCT unnest(record_ids || %(names)s::text[])), named_at = now()
WHERE erasure_id = %(erasure)s AND NOT record_ids @> %(names)s::text[]
"""


def place(store: str, generation: int, topic: str, stage: str, partition: int) -> str:
    """Where something was removed: a store that read the erasure from a partition of a topic."""
    return f"{store}/{generation}/{topic}/{stage}/{partition}"


def begin(conn: Connection[Any], e: Erasure) -> None:
    """The erasure stands in the registry. Its parts belong to the whole."""
    if not e.part:
        conn.execute(_BEGIN, (e.erasure_id, e.tenant, e.scope, e.user_id, e.session_id, e.accepted_at))


def named(conn: Connection[Any], e: Erasure) -> None:
    """Records of a user that go though they are dated behind the cut-off (`Erasure.record_ids`). Idempotent."""
    if e.record_ids and e.stage == "gate":
        conn.execute(_NAMED, {"erasure": e.erasure_id, "names": list(e.record_ids)})


def found(conn: Connection[Any], e: Erasure, where: str, counts: Mapping[str, int]) -> None:
    """Idempotent: a redelivery finds nothing any more and lowers no count."""
    conn.execute(_FOUND, (e.erasure_id, e.owner.key, where, Jsonb(dict(counts))))
