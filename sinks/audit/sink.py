"""The access log's writer (C10): memory.accesses into the chains of `audit`, one transaction a batch."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar, cast

import psycopg
from psycopg import Connection, errors
from psycopg.rows import TupleRow

from schemas.events.documents import Access
from schemas.log import topics
from schemas.log.owner import Owner, OwnerKind, tenant_owner
from schemas.security.audit import SALT_BYTES, START, Chain, Entry, erase, mark_redacted, what_digest, who_digest
from schemas.security.audit_roster import Roster, begins_without
from schemas.storage import postgres_connections
from sinks.clock import utc_now
from sinks.protocol import Mark, Permanent, SinkBatch, Transient

log = logging.getLogger(__name__)
T = TypeVar("T")
COLUMNS = tuple(f.name for f in fields(Entry))
CHAIN_COLUMNS = tuple(f.name for f in fields(Chain))
SWEEP_EVERY = timedelta(hours=1)
ERASE_EVERY = timedelta(seconds=10)
_ERASURES = """SELECT tenant, user_id, accepted_at FROM trust.erasures
    WHERE scope IN ('user', 'tenant') AND accepted_at > now() - make_interval(days => %s + 1)"""
_READ = f"SELECT {', '.join(CHAIN_COLUMNS)} FROM audit.chains WHERE chain = %s FOR UPDATE"  # noqa: S608 - constants
_ALL = f"SELECT {', '.join(CHAIN_COLUMNS)} FROM audit.chains ORDER BY chain FOR UPDATE"  # noqa: S608 - constants
_LIST = """INSERT INTO audit.roster (begun_at, chains, seqs, seal) VALUES (%s, %s, %s, %s)
    ON CONFLICT (one) DO UPDATE SET chains = EXCLUDED.chains, seqs = EXCLUDED.seqs, seal = EXCLUDED.seal"""
_WRITE = f"""INSERT INTO audit.chains ({", ".join(CHAIN_COLUMNS)}) VALUES ({", ".join(["%s"] * len(CHAIN_COLUMNS))})
    ON CONFLICT (chain) DO UPDATE SET {", ".join(f"{c} = EXCLUDED.{c}" for c in CHAIN_COLUMNS[1:])}"""  # noqa: S608


class AuditSink:
    """One chain a partition of the topic. `key` seals the chains; `keep`: how long an entry stands; `now`: when the log
    begins.

    A record that is delivered again is known by its access id and changes nothing.
    """

    name = "audit"
    topics = (topics.ACCESSES.name,)

    def __init__(self, dsn: str, key: bytes, keep: timedelta, now: Callable[[], datetime] = utc_now) -> None:
        self._dsn, self._key, self._keep, self._now = dsn, key, keep, now
        self._conn: Connection[TupleRow] | None = None
        self._swept_at: datetime | None = None
        self._erased_at: datetime | None = None

    def ensure(self) -> None:
        """The list of chains is begun with the log."""

        def begun(conn: Connection[TupleRow]) -> None:
            with conn.transaction():
                if self._roster(conn) is None:
                    log.error("the list of the access log's chains was taken away: see `memstream audit verify`")

        self._run(begun)

    def write(self, batch: SinkBatch) -> int:
        chains: dict[int, list[Access]] = {}
        for item in batch.items:
            if isinstance(item.event, Access):
                chains.setdefault(item.message.partition, []).append(item.event)

        def transaction(conn: Connection[TupleRow]) -> int:
            with conn.transaction():
                roster = self._roster(conn)
                lengths = roster.lengths if roster else {}
                known = sum(self._append(conn, chain, events, lengths) for chain, events in sorted(chains.items()))
                if roster and lengths != roster.lengths:
                    self._list(conn, Roster.of(self._key, roster.begun_at, lengths))
                return known

        return self._run(transaction)

    def progress(self) -> dict[Mark, int]:
        """Nobody waits for the access log."""
        return {}

    def written_at(self) -> datetime | None:
        return None

    def idle(self, now: datetime) -> None:
        """Entries of who was erased lose their names, within seconds; once an hour entries whose time is over go, and
        the chain begins behind them."""
        if self._erased_at is None or now - self._erased_at >= ERASE_EVERY:
            self._run(self._erase)
            self._erased_at = now
        if self._swept_at is not None and now - self._swept_at < SWEEP_EVERY:
            return
        self._run(lambda conn: self.sweep(conn, now - self._keep))
        self._swept_at = now

    def close(self) -> None:
        if self._conn is not None:
            self._conn.close()
            self._conn = None

    def _append(
        self, conn: Connection[TupleRow], number: int, events: Sequence[Access], lengths: dict[int, int]
    ) -> int:
        """How many were there already. `lengths`: of the chains as listed; the new entries are added to what is listed,
        not to what is found, so that a chain that was set back stays found out."""
        chain = self._chain(conn, number)
        ids = [e.access_id for e in events]
        query = "SELECT access_id FROM audit.accesses WHERE access_id = ANY(%s)"
        known = {r[0] for r in conn.execute(query, (ids,))}
        fresh = [e for e in events if e.access_id not in known]
        subjects = self._subjects(conn, sorted({e.owner.key for e in fresh}))
        seq, before, rows = chain.seq, chain.hash, []
        for event in fresh:
            seq += 1
            entry = _entry(number, seq, event, subjects[event.owner.key], self._key, before)
            before = entry.hash
            rows.append(entry)
        if rows:
            with conn.cursor().copy(f"COPY audit.accesses ({', '.join(COLUMNS)}) FROM STDIN") as copy:
                for entry in rows:
                    copy.write_row([getattr(entry, c) for c in COLUMNS])
            self._store(conn, chain, seq=seq, hash=before)
        if length := self._length(chain, lengths) + len(rows):
            lengths[number] = length
        return len(events) - len(fresh)

    def _length(self, chain: Chain, listed: dict[int, int]) -> int:
        """As it is listed; a process of before there were lists may have written to it."""
        length = listed.get(chain.chain, 0)
        return max(length, chain.seq) if chain.older(self._key) else length

    def _roster(self, conn: Connection[TupleRow]) -> Roster | None:
        """The list of chains, locked, made where the log begins or is of before there were lists; None: it was taken
        away. Locked before any chain, so that writers of several cannot wait for each other."""
        conn.execute("SELECT pg_advisory_xact_lock(hashtext('memstream audit'), -1)")
        row = conn.execute("SELECT begun_at, chains, seqs, seal FROM audit.roster").fetchone()
        if row is not None:
            return Roster(*row)
        chains = [Chain(*r) for r in conn.execute(_ALL.encode())]
        if not begins_without(self._key, chains):
            return None
        made = Roster.of(self._key, self._now(), {c.chain: c.seq for c in chains})
        self._list(conn, made)
        for chain in chains:
            if not chain.unmarked(self._key):  # the others are sealed anew with their marks
                self._store(conn, chain)
        return made

    def _list(self, conn: Connection[TupleRow], roster: Roster) -> None:
        conn.execute(_LIST, (roster.begun_at, list(roster.chains), list(roster.seqs), roster.seal))

    def _chain(self, conn: Connection[TupleRow], number: int) -> Chain:
        """The chain's row, locked. Two writers of one partition come one after the other. What was erased before
        erasures left marks gets them."""
        conn.execute("SELECT pg_advisory_xact_lock(hashtext('memstream audit'), %s)", (number,))
        row = conn.execute(_READ.encode(), (number,)).fetchone()
        chain = Chain(*row) if row else Chain(number, 0, START, None, 0, START, b"")
        if chain.unmarked(self._key):
            mark_redacted(conn, self._key, number)
            self._store(conn, chain)  # what is returned has the seal that was found
        return chain

    def _store(self, conn: Connection[TupleRow], old: Chain, **changed: Any) -> None:
        new = replace(old, **changed)
        new = replace(new, seal=new.sealed(self._key))
        conn.execute(_WRITE.encode(), [getattr(new, c) for c in CHAIN_COLUMNS])

    def _subjects(self, conn: Connection[TupleRow], owners: Sequence[str]) -> dict[str, str]:
        """A random pseudonym an owner, for as long as the owner is not erased."""
        if not owners:
            return {}
        made = [secrets.token_hex(8) for _ in owners]
        conn.execute(
            "INSERT INTO audit.subjects (owner, subject) SELECT * FROM unnest(%s::text[], %s::text[]) "
            "ON CONFLICT DO NOTHING",
            (list(owners), made),
        )
        rows = conn.execute("SELECT owner, subject FROM audit.subjects WHERE owner = ANY(%s)", (list(owners),))
        return {row[0]: row[1] for row in rows}

    def _erase(self, conn: Connection[TupleRow]) -> None:
        """Again and again, for as long as the topic can bring an access from before an erasure."""
        found = conn.execute(_ERASURES, (topics.ACCESSES.retention_days,)).fetchall()
        for tenant, user, accepted_at in found:
            owner = tenant_owner(tenant) if user is None else Owner(tenant, OwnerKind.USER, user)
            with conn.transaction():
                erase(conn, self._key, owner, accepted_at)

    def sweep(self, conn: Connection[TupleRow], horizon: datetime) -> int:
        """Drop the oldest entries of each chain up to the first one that is not before `horizon`; how many."""
        removed = 0
        for (number,) in conn.execute("SELECT chain FROM audit.chains ORDER BY chain").fetchall():
            with conn.transaction(), postgres_connections.patient(conn):
                roster, chain = self._roster(conn), self._chain(conn, number)
                if roster and (length := self._length(chain, roster.lengths)) > roster.lengths.get(number, 0):
                    self._list(conn, Roster.of(self._key, roster.begun_at, {**roster.lengths, number: length}))
                row = conn.execute(
                    "SELECT COALESCE(min(seq), %s) FROM audit.accesses WHERE chain = %s AND at >= %s",
                    (chain.seq + 1, number, horizon),
                ).fetchone()
                last = cast(int, row[0]) - 1 if row else chain.first_seq
                if last <= chain.first_seq:
                    continue
                found = conn.execute(
                    "SELECT hash FROM audit.accesses WHERE chain = %s AND seq = %s", (number, last)
                ).fetchone()
                if found is None:  # tampered with: left as it is, for verify to tell
                    continue
                done = conn.execute("DELETE FROM audit.accesses WHERE chain = %s AND seq <= %s", (number, last))
                removed += done.rowcount
                self._store(conn, chain, first_seq=last, first_hash=found[0], swept_to=horizon)
        return removed

    def _run(self, call: Callable[[Connection[TupleRow]], T]) -> T:
        try:
            if self._conn is None or self._conn.closed:
                self._conn = postgres_connections.connect(
                    self._dsn, autocommit=True, application_name="memstream-audit"
                )
            return call(self._conn)
        except (errors.DataError, errors.IntegrityError) as exc:
            raise Permanent("postgres_refused", f"SQLSTATE {exc.sqlstate}") from None
        except psycopg.Error as exc:
            self.close()
            raise Transient(f"{type(exc).__name__} {exc.sqlstate or ''}".strip()) from None


def _entry(chain: int, seq: int, event: Access, subject: str, key: bytes, before: bytes) -> Entry:
    who, what = secrets.token_bytes(SALT_BYTES), secrets.token_bytes(SALT_BYTES)
    owner = event.owner.key
    made = Entry(
        chain=chain, seq=seq, access_id=event.access_id, tenant=event.tenant, at=event.accepted_at.astimezone(UTC),
        action=event.action, operation=event.operation, subject=subject, principal=event.principal, who_salt=who,
        who_digest=who_digest(who, event.principal), owner=owner, record_ids=list(event.record_ids),
        context_id=event.context_id, what_salt=what,
        what_digest=what_digest(what, owner, event.record_ids, event.context_id), hash=b"",
    )  # fmt: skip
    return replace(made, hash=made.mac(key, before))
