"""The keyring in Postgres (`trust.data_keys`): primary data. A bounded copy a process, never older than a second."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import psycopg
from psycopg import Connection

from memstream.keyring import statements
from memstream.keyring.cache import KeyCache
from memstream.keyring.master import KEY_BYTES, MasterKeyError, MasterKeys
from schemas.log.owner import Owner, tenant_owner
from schemas.security.sealing import KeyDestroyed, KeysAway, MasterKeyAway, SealedError
from schemas.storage import postgres_connections

log = logging.getLogger(__name__)
GRACE_SECONDS = 1.0
"""How long a process may go on with the generation that it knows. An erasure's cut-off lies that much after its new
generation, so nothing that is kept was ever sealed with the key that goes."""
MARGIN_SECONDS = 0.5
"""For the look itself, and for what a call had in hand."""
MOST_KEYS = 50_000
STATEMENT_SECONDS, ANSWER_SECONDS = 5, 8.0
"""For Postgres to give a statement up, and for us to give Postgres up: it may hold a connection and answer nothing."""
LOCK_SECONDS = 10.0
"""Longest wait of a caller for those before it."""
MOST_AWAY_SECONDS = 5.0
_TELL_SECONDS = 60.0
MOST_CHANGED = 10_000
"""Changed keys that one look reads: behind an erasure of a tenant the whole copy is dropped in place of more."""
PAGE = 5_000
"""Keys that one statement destroys, or one page wraps anew: a tenant may have a million."""
_WRAPPING, _TURNING = 0x6D656D6B, 0x6D656D74
"""Advisory locks: shared while a key is wrapped and stored, alone while another master key becomes current; and one
turn of the master key at a time."""


class Keyring:
    """Thread-safe. What seals and opens raises KeysAway while Postgres is away, and where the master key is one that
    this process has not got (a rotation reaches it later: the record waits, it is not given up); KeyDestroyed. What
    rotates raises MasterKeyError."""

    def __init__(self, dsn: str, masters: MasterKeys) -> None:
        self._dsn, self._masters = dsn, masters
        self._lock = threading.Lock()
        self._conn: Connection[Any] | None = None
        self._cache = KeyCache(MOST_KEYS)
        self._looked_at = float("-inf")
        self._seen: datetime | None = None
        self._reported_at = float("-inf")
        self._fitting = False
        self._away_until = float("-inf")

    def current(self, owner: str) -> tuple[int, bytes]:
        """Generation and key to seal with, made on first use."""
        with self._using():
            self._refresh()
            known = self._cache.newest(owner)
            if known is None:
                known = self._read_newest(owner)
                self._cache.keep_newest(owner, known)
            return known, self._key(owner, known)

    def key(self, owner: str, generation: int) -> bytes:
        """Raises KeyDestroyed, SealedError for one that never was."""
        with self._using():
            self._refresh()
            return self._key(owner, generation)

    def key_exists(self, owner: str, generation: int) -> bool:
        """Whether what lies under this key can still be opened. Raises KeysAway."""
        try:
            self.key(owner, generation)
        except SealedError:  # destroyed, or one that never was
            return False
        return True

    def renew(self, owner: str) -> int:
        """A new generation from here on (an erasure begins); its number."""
        with self._using():
            newest = self._newest_row(owner)
            number = 1 if newest is None else newest[0] + 1
            self._add(owner, number)
            self._cache.forget_newest(owner)
            return number

    def renewed(self, owner: Owner) -> timedelta:
        """`renew`, and how long it takes until every process seals with it."""
        self.renew(owner.key)
        return timedelta(seconds=GRACE_SECONDS + MARGIN_SECONDS)

    def renewed_if_any(self, owner: Owner) -> timedelta:
        """`renewed`; nothing to do, nor to wait for, where the owner never had a key."""
        with self._guarded():
            known = self._newest_row(owner.key)
        return timedelta(0) if known is None else self.renewed(owner)

    def destroy(self, owner: str) -> int:
        """Destroy the keys of an owner, all but the newest generation (`renew` made it for what is kept); how many."""
        with self._guarded():
            done = self._connection().execute(statements.DESTROY, (owner,))
            self._cache.forget(owner)
            return done.rowcount

    def destroy_tenant(self, tenant: str) -> int:
        """Every key of a tenant, by pages: one statement over a million of them would outlast its time at every try.
        Those of the pages before are destroyed whatever becomes of the next; the call can be made again."""
        named, count = tenant_owner(tenant).key.partition("/")[0], 0
        behind: tuple[str, int] = ("", 0)
        with self._guarded():
            self._cache.clear()
            while True:
                rows = self._connection().execute(statements.DESTROY_PAGE, (named, *behind, PAGE)).fetchall()
                count += len(rows)
                if len(rows) < PAGE:
                    return count
                behind = rows[-1]

    def turn(self, make_current: Callable[[], object]) -> None:
        """Make another master key current. What is wrapped from then on, by any process, is wrapped with it, so that
        `rewrap` misses nothing. Raises MasterKeyError while another process is at it."""
        with self._guarded():
            conn = self._connection()
            taken = conn.execute("SELECT pg_try_advisory_lock(%s)", (_TURNING,)).fetchone()
            if taken != (True,):
                raise MasterKeyError("another `keyring rotate` runs: let it finish, then run this again")
            with conn.transaction():
                conn.execute("SELECT pg_advisory_xact_lock(%s)", (_WRAPPING,))
                self._masters.look()
                make_current()

    def rewrap(self) -> int:
        """Wrap what older master keys wrap with the current one; how many. Readers see either, both open. Goes through
        the keys once, by pages; may be ended and run again."""
        behind: tuple[str, int] = ("", 0)
        with self._guarded():
            conn, current, count = self._connection(), self._masters.current, 0
            while True:
                rows = conn.execute(statements.KEYS_PAGE, (*behind, PAGE)).fetchall()
                older = [(o, g, m, bytes(w)) for o, g, m, w in rows if w is not None and m != current]
                if older:
                    count += self._rewrapped(conn, current, older)
                if len(rows) < PAGE:
                    return count
                behind = rows[-1][0], rows[-1][1]

    def _rewrapped(self, conn: Connection[Any], current: str, older: list[tuple[str, int, str, bytes]]) -> int:
        wrapped = []
        for owner, generation, master_id, old in older:
            key = self._masters.unwrap(master_id, old, _context(owner, generation))
            wrapped.append(self._masters.wrap(key, _context(owner, generation)))
        names, numbers = [o for o, *_ in older], [g for _, g, *_ in older]
        return conn.execute(statements.REWRAP, (current, names, numbers, wrapped)).rowcount

    def close(self) -> None:
        with self._lock:
            if self._conn is not None:
                self._conn.close()
                self._conn = None

    @contextmanager
    def _using(self) -> Iterator[None]:
        """`_guarded`; a master key that is missing here is MasterKeyAway, and said once a minute."""
        with self._guarded():
            try:
                yield
            except MasterKeyError as exc:
                if time.monotonic() - self._reported_at > _TELL_SECONDS:
                    self._reported_at = time.monotonic()
                    log.error("what lies under this master key waits: %s", exc)
                raise MasterKeyAway(str(exc)) from None

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """One caller at a time. What Postgres says of being away is KeysAway. Where it took its time to say so, others
        are told at once for as long again: each of them would stand here for seconds."""
        if not self._lock.acquire(timeout=LOCK_SECONDS):
            raise KeysAway("others wait for the keyring")
        try:
            began = time.monotonic()
            if began < self._away_until:
                raise KeysAway("it did not answer just now")
            try:
                yield
            except psycopg.Error as exc:
                self._away_until = time.monotonic() + min(time.monotonic() - began, MOST_AWAY_SECONDS)
                if self._conn is not None:
                    self._conn.close()
                self._conn = None
                raise KeysAway(f"{type(exc).__name__} {exc.sqlstate or ''}".strip()) from None
        finally:
            self._lock.release()

    def _refresh(self) -> None:
        """Forget what others changed: one look a second, whoever asks."""
        if time.monotonic() - self._looked_at < GRACE_SECONDS:
            return
        at = time.monotonic()
        rows = self._connection().execute(statements.CHANGED, (self._seen, MOST_CHANGED)).fetchall()
        if len(rows) > MOST_CHANGED:  # there may be more than these
            self._cache.clear()
        for owner, now in rows:
            self._seen = now
            if owner is not None:
                self._cache.forget(owner)
        self._looked_at = at

    def _read_newest(self, owner: str) -> int:
        row = self._newest_row(owner)
        if row is None or row[2] is None:
            self._add(owner, 1 if row is None else row[0] + 1)
            row = self._newest_row(owner)
        assert row is not None  # noqa: S101 - added above, by us or by somebody quicker
        return int(row[0])

    def _newest_row(self, owner: str) -> tuple[int, str, bytes | None] | None:
        return self._connection().execute(statements.NEWEST, (owner,)).fetchone()

    def _add(self, owner: str, number: int) -> None:
        conn = self._connection()
        with conn.transaction():
            # Wrapped with a key that was dropped meanwhile, nobody could ever open it.
            conn.execute("SELECT pg_advisory_xact_lock_shared(%s)", (_WRAPPING,))
            self._masters.look()
            self._demand_fitting(conn)
            wrapped = self._masters.wrap(secrets.token_bytes(KEY_BYTES), _context(owner, number))
            conn.execute(statements.ADD, (owner, number, self._masters.current, wrapped))

    def _demand_fitting(self, conn: Connection[Any]) -> None:
        """Raises MasterKeyError where our master keys open nothing of what stands: they are of another system, or the
        file was lost and made anew. A data key wrapped with them would be closed to everybody else, and one record
        under it holds up the steps for all whose records lie behind it."""
        if self._fitting:
            return
        master_ids = [row[0] for row in conn.execute(statements.MASTERS).fetchall()]
        for master_id in master_ids:
            row = conn.execute(statements.OF_MASTER, (master_id,)).fetchone()
            if row is not None and self._opens(master_id, *row):
                self._fitting = True
                return
        if master_ids:
            raise MasterKeyError(
                f"the master keys here (current: {self._masters.current}) open no data key that stands (wrapped with"
                f" {', '.join(master_ids)}): none is made under them"
            )

    def _opens(self, master_id: str, owner: str, generation: int, wrapped: bytes) -> bool:
        try:
            self._masters.unwrap(master_id, bytes(wrapped), _context(owner, generation))
        except MasterKeyError:
            return False
        return True

    def _key(self, owner: str, generation: int) -> bytes:
        found = self._cache.key(owner, generation)
        if found is None:
            row = self._connection().execute(statements.ONE, (owner, generation)).fetchone()
            if row is None:
                raise SealedError("no such data key: was the keyring restored from an older backup?")
            if row[1] is None:
                raise KeyDestroyed("the owner's key has been destroyed")
            found = self._masters.unwrap(row[0], bytes(row[1]), _context(owner, generation))
            self._cache.keep_key(owner, generation, found)
        return found

    def _connection(self) -> Connection[Any]:
        if self._conn is None or self._conn.closed:
            self._conn = postgres_connections.connect(
                self._dsn, autocommit=True, answer_seconds=ANSWER_SECONDS, application_name="memstream-keyring",
                options=f"-c statement_timeout={STATEMENT_SECONDS * 1000}",
            )  # fmt: skip
        return self._conn


def _context(owner: str, generation: int) -> bytes:
    """A wrapped key opens only for the owner and generation that it was made for."""
    return f"{owner}#{generation}".encode()
