"""Erasures kept outside of the stores, to be done again where stores are put back from a backup (H12).

What a backup does not know of was erased since: Postgres brings back rows and keys, Kafka the records of kept topics.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson
import psycopg
from pydantic import ValidationError

from memstream.erasure.ports import Outgoing, Stored, Topics
from schemas.events.erasure import Erasure
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.owner import partition

_FIELDS = ("tenant", "erasure_id", "scope", "user_id", "session_id", "accepted_at")
_EXPORT = """
SELECT erasure_id, tenant, scope, user_id, session_id, accepted_at, state, report FROM trust.erasures
ORDER BY started_at, erasure_id
"""
_STATES = "SELECT erasure_id, state FROM trust.erasures WHERE erasure_id = ANY(%s)"
_READ = "SELECT partition, next_offset FROM stream.positions WHERE step = 'screen'"
_LATE = "UPDATE trust.erasures SET state = 'under_way', step = 'late' WHERE erasure_id = ANY(%s) AND state = 'done'"


class ExportError(ValueError):
    """A file that is no export of erasures. The message names the line, never content."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What becomes of the erasures of an export. `asked`: neither Postgres nor what it has still to read knows them:
    they are asked for once more. `sought`: Postgres has them as done: what the log holds of them again is nulled.
    `coming`: they lie in the log before the steps, or are under way there."""

    asked: Sequence[Erasure]
    sought: Sequence[str]
    coming: Sequence[str]


def exported(conn: psycopg.Connection[dict[str, Any]]) -> Iterator[bytes]:
    """A line an erasure, those that are under way among them, the oldest first."""
    for row in conn.execute(_EXPORT):
        yield orjson.dumps(row) + b"\n"


def read(raw: bytes, since: datetime | None = None) -> list[Erasure]:
    """Raises ExportError. `since`: those that were accepted then or later."""
    found = []
    for number, line in enumerate(raw.splitlines(), 1):
        try:
            row = orjson.loads(line)
            found.append(Erasure(**{name: row[name] for name in _FIELDS}))
        except (ValueError, KeyError, TypeError, ValidationError):
            raise ExportError(f"line {number} is no erasure: expected a file of `memstream erase --export`") from None
    return [e for e in found if since is None or e.accepted_at >= since]


def plan(erasures: Iterable[Erasure], states: Mapping[str, str], in_log: Collection[str]) -> Plan:
    """`states`: of those that Postgres knows. `in_log`: those that the steps have still to read."""
    each = {e.erasure_id: e for e in erasures}
    coming = [name for name in each if name in in_log]
    sought = [name for name in each if name not in in_log and states.get(name) == "done"]
    return Plan([e for name, e in each.items() if name not in {*coming, *sought}], sought, coming)


def unread(log: Topics, read_to: Mapping[int, int], partitions: int) -> set[str]:
    """Erasures behind what the first step has read. `read_to`: its next offset, by partition. Raises Away."""
    places = [(topics.TURNS.name, p) for p in range(partitions)]
    since = {(topics.TURNS.name, p): offset for p, offset in read_to.items()}
    found = (_erasure_id(m) for m in log.read(places, since) if (m.offset() or 0) >= since.get(_place(m), 0))
    return {name for name in found if name is not None}


def planned(conn: psycopg.Connection[dict[str, Any]], log: Topics, erasures: Sequence[Erasure], count: int) -> Plan:
    """`count`: partitions of an owner-keyed topic. Raises Away, psycopg.Error."""
    names = [e.erasure_id for e in erasures]
    states = {str(r["erasure_id"]): str(r["state"]) for r in conn.execute(_STATES, (names,))}
    read_to = {int(r["partition"]): int(r["next_offset"]) for r in conn.execute(_READ)}
    return plan(erasures, states, unread(log, read_to, count))


def do_again(
    conn: psycopg.Connection[dict[str, Any]], log: Topics, codec: Codec, new_key: Callable[[Erasure], object],
    wanted: Plan, count: int,
) -> None:  # fmt: skip
    """Under their ids and cut-offs; may be done twice. `new_key`: gives the owner a key that the erasure leaves. Raises
    Away, KeysAway, psycopg.Error."""
    for e in wanted.asked:
        if e.scope == "user":
            new_key(e)
    log.write(record for e in wanted.asked for record in _requests(e, codec, count))
    conn.execute(_LATE, (list(wanted.sought),))


def _requests(e: Erasure, codec: Codec, count: int) -> Iterator[Outgoing]:
    """As the query service sends it: of a tenant to each partition."""
    everywhere = e.scope == "tenant"
    event = e.model_copy(update={"everywhere": everywhere})
    encoded = codec.encode(event, "memstream/restore", e.erasure_id)
    for target in range(count) if everywhere else (partition(e.owner, count),):
        yield Outgoing(topics.TURNS.name, target, encoded.key, encoded.value, encoded.headers)


def _erasure_id(m: Stored) -> str | None:
    try:
        data = orjson.loads(m.value() or b"")
    except orjson.JSONDecodeError:
        return None
    mine = isinstance(data, dict) and data.get("type") == "erasure"
    return str(data.get("erasure_id")) if mine else None


def _place(m: Stored) -> tuple[str, int]:
    return m.topic() or "", m.partition() or 0
