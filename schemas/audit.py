"""The access log's chain (C10): what an entry commits to, and how it is checked.

An entry's hash is HMAC-SHA-256, under a key that the database does not hold, over the hash before it and its fields.
Who and what (principal; owner, record ids, context id) enter as salted SHA-256 digests: an erasure drops words and
salt, and the chain still verifies, while nobody can guess the words back. The row of a chain (its first and last
entry) is sealed under the same key, so that neither end can be cut off unnoticed.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson
from psycopg import Connection
from psycopg.rows import tuple_row

from schemas.base import Json
from schemas.owner import Owner, OwnerKind

SALT_BYTES = 16
START = hashlib.sha256(b"memstream access log").digest()
"""Stands for the hash of entry 0."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of audit.accesses. `owner`, `record_ids`, `context_id` and `what_salt` are None once erased; the principal
    is a pseudonym and `who_salt` None once that person is."""

    chain: int
    seq: int
    access_id: str
    tenant: str
    at: datetime
    action: str
    operation: str
    subject: str
    principal: str
    who_salt: bytes | None
    who_digest: bytes
    owner: str | None
    record_ids: Sequence[str] | None
    context_id: str | None
    what_salt: bytes | None
    what_digest: bytes
    hash: bytes

    def mac(self, key: bytes, before: bytes) -> bytes:
        """The hash that this entry must have behind one with the hash `before`."""
        at = self.at.astimezone(UTC).isoformat(timespec="microseconds")
        told: list[Json] = [
            self.chain, self.seq, self.access_id, self.tenant, at, self.action, self.operation, self.subject,
            self.who_digest.hex(), self.what_digest.hex(),
        ]  # fmt: skip
        return hmac.new(key, before + orjson.dumps(told), hashlib.sha256).digest()

    def faults(self, key: bytes, before: bytes) -> Iterable[str]:
        """What does not agree: `hash`, `who`, `what`."""
        if not hmac.compare_digest(self.hash, self.mac(key, before)):
            yield "hash"
        if self.who_salt is not None and who_digest(self.who_salt, self.principal) != self.who_digest:
            yield "who"
        told = (self.owner, self.record_ids, self.context_id)
        if self.what_salt is None:
            if told != (None, None, None):
                yield "what"
        elif self.owner is None or what_digest(self.what_salt, *told) != self.what_digest:
            yield "what"


@dataclass(frozen=True, slots=True)
class Chain:
    """A row of audit.chains: entries first_seq + 1 to seq stand."""

    chain: int
    first_seq: int
    first_hash: bytes
    swept_to: datetime | None
    seq: int
    hash: bytes
    seal: bytes

    def sealed(self, key: bytes) -> bytes:
        """The seal that this row must have."""
        swept = self.swept_to.astimezone(UTC).isoformat(timespec="microseconds") if self.swept_to else None
        told: list[Json] = [
            "chain", self.chain, self.first_seq, self.first_hash.hex(), swept, self.seq, self.hash.hex()
        ]  # fmt: skip
        return hmac.new(key, orjson.dumps(told), hashlib.sha256).digest()


def who_digest(salt: bytes, principal: str) -> bytes:
    return hashlib.sha256(salt + orjson.dumps(principal)).digest()


def what_digest(salt: bytes, owner: str | None, record_ids: Sequence[str] | None, context_id: str | None) -> bytes:
    told: list[Json] = [owner, list(record_ids or ()), context_id]
    return hashlib.sha256(salt + orjson.dumps(told)).digest()


@dataclass(frozen=True, slots=True)
class Fault:
    """Where a chain does not verify. `what` is a stable word: seal, hash, who, what, gap, end, anchor."""

    chain: int
    seq: int
    what: str


class Check:
    """Verifies one chain from its row and its entries in order. `anchor`: (seq, hash) of an earlier verification,
    which must still stand unless its time is over."""

    def __init__(self, key: bytes, chain: Chain, anchor: tuple[int, bytes] | None = None) -> None:
        self._key, self._chain, self._anchor = key, chain, anchor
        self._seq, self._hash = chain.first_seq, chain.first_hash
        self.faults: list[Fault] = []
        self.entries = self.erased = 0
        if not hmac.compare_digest(chain.seal, chain.sealed(key)):
            self._fault(chain.seq, "seal")

    def add(self, entry: Entry) -> None:
        """The next entry."""
        self.entries += 1
        self.erased += entry.what_salt is None
        if entry.seq != self._seq + 1:
            self._fault(entry.seq, "gap")
        for what in entry.faults(self._key, self._hash):
            self._fault(entry.seq, what)
        if self._anchor is not None and self._anchor[0] == entry.seq and self._anchor[1] != entry.hash:
            self._fault(entry.seq, "anchor")
        self._seq, self._hash = entry.seq, entry.hash

    def end(self) -> list[Fault]:
        """After the last entry: all faults found."""
        if (self._seq, self._hash) != (self._chain.seq, self._chain.hash):
            self._fault(self._seq, "end")
        if self._anchor is not None and self._anchor[0] > self._seq:
            self._fault(self._anchor[0], "anchor")
        return self.faults

    def _fault(self, seq: int, what: str) -> None:
        self.faults.append(Fault(self._chain.chain, seq, what))


_ERASE_WHAT = """UPDATE audit.accesses SET owner = NULL, record_ids = NULL, context_id = NULL, what_salt = NULL
    WHERE owner IS NOT NULL AND {} AND at <= COALESCE(%(before)s, 'infinity'::timestamptz) RETURNING subject"""
_ERASE_WHO = """UPDATE audit.accesses SET principal = 'erased:' || left(md5(who_digest::text), 16), who_salt = NULL
    WHERE tenant = %(tenant)s AND principal = %(principal)s AND who_salt IS NOT NULL
      AND at <= COALESCE(%(before)s, 'infinity'::timestamptz)"""
_ERASE_NAME = "DELETE FROM audit.subjects WHERE subject = ANY(%s)"


def erase(conn: Connection[Any], owner: Owner, before: datetime | None = None) -> int:
    """Take an owner's name and the ids of their memories out of the access log (C9, C10), where the access was not
    after `before`; how many entries that changed. A tenant's owner stands for everybody of the tenant.

    What stays is that somebody's memory was read or written, by whom and when, under a random pseudonym that no table
    resolves any more. A person who called with a token of their own (`jwt:ID`) is a pseudonym as caller too. Runs in
    the caller's transaction, as often as wanted; chains still verify.
    """
    values = {"owner": owner.key, "tenant": owner.tenant, "principal": f"jwt:{owner.id}", "before": before}
    whose = "tenant = %(tenant)s" if owner.kind is OwnerKind.TENANT else "owner = %(owner)s"
    with conn.cursor(row_factory=tuple_row) as cursor:  # whatever rows the caller's connection makes
        cursor.execute(_ERASE_WHAT.format(whose).encode(), values)
        changed, subjects = cursor.rowcount, {subject for (subject,) in cursor}
    conn.execute(_ERASE_NAME, (sorted(subjects),))
    who = conn.execute(_ERASE_WHO, values).rowcount if owner.kind is OwnerKind.USER else 0
    return changed + who
