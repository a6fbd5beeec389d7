"""`memstream worker eraser`: follows erasures through the stores, nulls what kept topics hold, signs the report.

Everything it does can be done again: it may be killed anywhere, and two of them do no harm.
"""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from uuid import uuid4

import psycopg
from confluent_kafka import KafkaException, Producer
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from memstream.erasure.log import Log
from memstream.erasure.report import signed, signing_key
from memstream.keyring.wiring import sealing_of
from memstream.settings import Settings
from memstream.workers.auditor import audit_key
from schemas.events.documents import EVERY_VERSION, Document
from schemas.events.envelope import Envelope
from schemas.events.erasure import Erasure
from schemas.log import topics
from schemas.log.owner import Owner, OwnerKind, partition
from schemas.log.topics import Topic
from schemas.security import audit
from schemas.security.erasure_findings import place
from schemas.security.sealing import KeysAway
from schemas.storage import generations, postgres_connections
from schemas.storage.connections import librdkafka
from schemas.storage.postgres_connections import LONG_SECONDS

log = logging.getLogger(__name__)
LOOK_SECONDS = 0.5
ACCESS_WAIT = timedelta(seconds=60)
"""How long a report waits for the access log's entry of its request; without it, it says so."""
HELD_WAIT = timedelta(seconds=5)
"""How long rows of the user in the steps' state hold a report up: of one who talks on there are always some."""
Conn = psycopg.Connection[dict[str, Any]]
_OPEN = "SELECT * FROM trust.erasures WHERE state = 'under_way' ORDER BY started_at LIMIT 20"
_HELD = """
SELECT count(*) AS rows FROM stream.state
WHERE (owner = %(owner)s OR starts_with(owner, %(owner)s || '|') OR starts_with(owner, %(owner)s || '/'))
  AND key <> 'deny'
"""
_OWNERS = "SELECT DISTINCT owner FROM stream.state WHERE starts_with(owner, %s) AND key <> 'deny'"
_VIA = (
    ("postgres", topics.HISTORY, "screen"), ("postgres", topics.SESSION_STATE, "session"),
    ("postgres", topics.UPDATES, "gate"), ("postgres", topics.DECISIONS, "gate"),
    ("postgres", topics.UPDATES, "project"), ("postgres", topics.DECISIONS, "project"),
    ("milvus", topics.HISTORY, "screen"), ("milvus", topics.UPDATES, "gate"), ("milvus", topics.UPDATES, "project"),
    ("redis", topics.SESSION_STATE, "session"), ("redis", topics.UPDATES, "gate"),
    ("redis", topics.UPDATES, "project"),
)  # fmt: skip
"""Ways on which an erasure reaches a store: through which topic, from which step."""


class Eraser:
    """One look at all erasures that are under way. `settings` name the brokers and Postgres."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._signing = signing_key(settings.data_dir, settings.report_key.get_secret_value())
        self._audit = audit_key(settings)  # both at once: a key that is none must not show at the end of an erasure
        self._log = Log(settings.brokers, settings.partitions)
        self._sealing = sealing_of(settings)
        self._codec = self._sealing.codec
        self._producer = Producer(
            {**librdkafka(settings.brokers), "enable.idempotence": True, "client.id": "memstream-eraser",
             "log_level": 3}
        )  # fmt: skip

    def look(self) -> int:
        """How many are still under way. Raises psycopg.Error, KafkaException."""
        dsn = self._settings.postgres.get_secret_value()
        with postgres_connections.connect(
            dsn, autocommit=True, answer_seconds=LONG_SECONDS, row_factory=dict_row
        ) as conn:
            rows = conn.execute(_OPEN).fetchall()
            return sum(not self._advance(conn, row) for row in rows)

    def _advance(self, conn: Conn, row: dict[str, Any]) -> bool:
        e = _erasure(row)
        missing = self._expected(conn, e) - {
            r["place"] for r in conn.execute(
                "SELECT place FROM trust.erasure_findings WHERE erasure_id = %s AND owner = %s",
                (e.erasure_id, e.owner.key),
            )
        }  # fmt: skip
        if missing:
            return self._waits(conn, e, "stores", len(missing))
        if e.scope == "tenant" and (left := self._parts(conn, e, str(row["step"]))):
            return self._waits(conn, e, left[0], left[1])
        # Every step gave its rows up in the transaction in which it handed the erasure on, and all have done so: what
        # stands now came after, for a user who talks on. It is looked at a while longer, and told.
        held = self._held(conn, e) if e.scope == "user" else 0
        if held and datetime.now(UTC) - row["started_at"] < HELD_WAIT:
            return self._waits(conn, e, "state", held)
        accesses = _accesses(conn, e)
        if not accesses and datetime.now(UTC) - row["started_at"] < ACCESS_WAIT:
            return self._waits(conn, e, "access log", 1)
        self._waits(conn, e, "log", 0)
        removed = self._log.remove(e)
        if removed and e.scope == "tenant":
            self._log.remove(e)
        self._destroy(e)
        key = self._audit
        if e.scope != "session" and audit.vouches(conn, key):  # its own writer does so, too, whatever comes late
            with conn.transaction():
                audit.erase(conn, key, e.owner, e.accepted_at)
        report = {
            **self._report(conn, e, removed),
            "encryption": self._settings.encryption,
            "keys_destroyed": _destroyed(conn, e, row["started_at"]),
            "accesses": accesses,
            "since": held,
        }
        conn.execute(
            "UPDATE trust.erasures SET state = 'done', step = 'done', finished_at = now(), report = %s"
            " WHERE erasure_id = %s AND state = 'under_way'",
            (Jsonb(signed(report, self._signing)), e.erasure_id),
        )
        log.info("an erasure is done", extra={"scope": e.scope, "erasure_id": e.erasure_id})
        return True

    def _destroy(self, e: Erasure) -> None:
        """The owner's keys but the newest, which is for what came after the cut-off; a tenant's all."""
        keyring = self._sealing.keyring
        if e.scope == "tenant":
            keyring.destroy_tenant(e.tenant)
        elif e.scope != "session":
            keyring.destroy(e.owner.key)

    def _expected(self, conn: Conn, e: Erasure) -> set[str]:
        """Places that must have answered: every generation of every store, of every partition that it comes from."""
        used = {"postgres", *(["milvus"] if self._settings.milvus else [])}
        used |= {"redis"} if self._settings.redis.get_secret_value() else set()
        numbers: dict[str, list[int]] = {}
        with conn.cursor(row_factory=psycopg.rows.tuple_row) as cursor:
            for g in generations.all_of(cursor):  # type: ignore[arg-type]
                if g.state in ("building", "standing"):
                    numbers.setdefault(g.store, []).append(g.number)
        everywhere = range(self._settings.partitions)
        own: Iterable[int] = everywhere if e.scope == "tenant" else (partition(e.owner, len(everywhere)),)
        return {
            place(store, number, topic.name, stage, p)
            for store, topic, stage in _VIA
            if store in used
            for number in numbers.get(store, ())
            for p in (everywhere if stage == "project" else own)
        }

    def _waits(self, conn: Conn, e: Erasure, step: str, _left: int) -> bool:
        conn.execute("UPDATE trust.erasures SET step = %s WHERE erasure_id = %s", (step, e.erasure_id))
        return False

    def _held(self, conn: Conn, e: Erasure) -> int:
        row = conn.execute(_HELD, {"owner": e.owner.key}).fetchone()
        return int(row["rows"]) if row else 0

    def _parts(self, conn: Conn, e: Erasure, step: str) -> tuple[str, int] | None:
        """A tenant owner by owner: documents and projects, then users. None once nothing of it is held."""
        prefix = e.owner.key.removesuffix("tenant/")
        found = [r["owner"] for r in conn.execute(_OWNERS, (prefix,)).fetchall()]
        owners = sorted({o for raw in found if (o := _owner(raw)) is not None})
        documents = [o for o in owners if o.kind is OwnerKind.DOCUMENT]
        projects = [o for o in owners if o.kind is OwnerKind.PROJECT]
        users = [o for o in owners if o.kind is OwnerKind.USER]
        told: list[Owner] = []
        if step == "stores":  # a document's rows hold numbers once it is deleted: nothing to wait for
            told += documents
        phase, wanted = ("projects", projects) if projects else ("users", users)
        if step != phase:  # once a phase
            told += wanted
        for owner in told:
            self._tell(e, owner)
        self._producer.flush(30)
        return (phase, len(wanted)) if wanted else None

    def _tell(self, e: Erasure, owner: Owner) -> None:
        part: dict[str, Any] = {
            "tenant": e.tenant, "erasure_id": e.erasure_id, "accepted_at": e.accepted_at, "part": True,
        }  # fmt: skip
        match owner.kind:
            case OwnerKind.USER:
                self._send(topics.TURNS, Erasure(**part, scope="user", user_id=owner.id))
            case OwnerKind.PROJECT:
                self._send(topics.PROJECT_EVENTS, Erasure(**part, scope="project", project_id=owner.id))
            case OwnerKind.DOCUMENT:
                gone = Document(
                    tenant=e.tenant, document_id=owner.id, version=EVERY_VERSION, op="delete", accepted_at=e.accepted_at
                )
                self._send(topics.DOCUMENTS, gone)
            case OwnerKind.TENANT:
                return

    def _send(self, topic: Topic, event: Envelope) -> None:
        encoded = self._codec.encode(event, "memstream/eraser", str(uuid4()))
        target = partition(event.owner, self._settings.partitions)
        self._producer.produce(topic.name, encoded.value, encoded.key, target, headers=list(encoded.headers))
        self._producer.poll(0)

    def _report(self, conn: Conn, e: Erasure, removed: dict[str, int]) -> dict[str, Any]:
        now = datetime.now(UTC)
        findings = conn.execute(
            "SELECT place, found FROM trust.erasure_findings WHERE erasure_id = %s ORDER BY place", (e.erasure_id,)
        ).fetchall()
        kept = self._log.remains(e, now, cache(self._sealing.keyring.stands))
        return {
            "version": 1, "erasure_id": e.erasure_id, "tenant": e.tenant, "scope": e.scope, "user_id": e.user_id,
            "session_id": e.session_id, "cut_off": e.accepted_at, "finished_at": now,
            "removed": _added(findings), "nulled": removed,
            "remains": [{**asdict(r), "until": r.until.date().isoformat()} for r in kept],
            "not_erased": _NOT_ERASED,
        }  # fmt: skip


_NOT_ERASED = [
    "ids of the owner, with the time of the erasure, in deny entries and in this report",
    "what others said of the owner as their own: turns, and comments of who judged a record (`by`)",
    "bytes of deleted rows in Postgres files and its write-ahead log until pages and segments are used again",
]


def _accesses(conn: Conn, e: Erasure) -> list[dict[str, Any]]:
    """The access log's entry of the request (C10): its place in the chain and its hash, for `memstream audit`."""
    rows = conn.execute(
        "SELECT chain, seq, at, operation, principal, hash FROM audit.accesses WHERE access_id = %s", (e.erasure_id,)
    )
    return [{**row, "hash": bytes(row["hash"]).hex()} for row in rows]


def _destroyed(conn: Conn, e: Erasure, since: datetime) -> int:
    """Keys that the erasure destroyed, also before the eraser was killed and began anew."""
    if e.scope == "session":
        return 0
    which = "starts_with(owner, %s)" if e.scope == "tenant" else "owner = %s"
    owner = e.owner.key.removesuffix("tenant/") if e.scope == "tenant" else e.owner.key
    query = f"SELECT count(*) AS n FROM trust.data_keys WHERE destroyed_at >= %s AND {which}"  # noqa: S608 - constants
    row = conn.execute(query, (since, owner)).fetchone()
    return int(row["n"]) if row else 0


def _added(findings: Sequence[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """Store (or step) -> kind -> removed, over partitions; a store's first generation speaks where several stand."""
    out: dict[str, dict[str, int]] = {}
    for row in findings:
        parts = str(row["place"]).split("/")
        name = "/".join(parts[:2])
        for kind, count in row["found"].items():
            out.setdefault(name, {})[kind] = out.get(name, {}).get(kind, 0) + int(count)
    return out


def _erasure(row: dict[str, Any]) -> Erasure:
    return Erasure(
        tenant=row["tenant"], erasure_id=row["erasure_id"], scope=row["scope"], user_id=row["user_id"],
        session_id=row["session_id"], accepted_at=row["accepted_at"],
    )  # fmt: skip


def _owner(raw: str) -> Owner | None:
    """The owner of a row of state; rows beside it (`owner|session`, `owner/given`) are dropped with it."""
    try:
        return Owner.parse("/".join(raw.partition("|")[0].split("/")[:3]))
    except ValueError:
        return None


def run_eraser(settings: Settings) -> None:
    """Until SIGTERM."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    eraser = Eraser(settings)
    while not stop.is_set():
        try:
            eraser.look()
        except (psycopg.Error, KafkaException, KeysAway) as exc:
            log.warning("erasures wait", extra={"error": type(exc).__name__})
        stop.wait(LOOK_SECONDS)
