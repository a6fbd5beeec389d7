"""The access log's chain (C10): what an entry commits to, and how it is checked.

An entry's hash is HMAC-SHA-256, under a key that the database does not hold, over the hash before it and its fields.
Who and what (principal; owner, record ids, context id) enter as salted SHA-256 digests: an erasure drops words and
salt, and the chain still verifies, while nobody can guess the words back. The row of a chain (its first and last
entry) is sealed under the same key, so that neither end can be cut off unnoticed. Where an erasure took words out it
leaves a keyed mark, so that nobody else takes any out.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import orjson
from psycopg import Connection
from psycopg.rows import tuple_row

from schemas.base import Json
from schemas.log.owner import Owner, OwnerKind

Part = Literal["who", "what"]
SALT_BYTES = 16
START = hashlib.sha256(b"memstream access log").digest()
"""Stands for the hash of entry 0."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of audit.accesses. `owner`, `record_ids`, `context_id` and `what_salt` are None once erased; the principal
    is a pseudonym and `who_salt` None once that person is. `who_gone`, `what_gone`: the erasure's marks."""

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
    who_gone: bytes | None = None
    what_gone: bytes | None = None

    def mac(self, key: bytes, before: bytes) -> bytes:
        """The hash that this entry must have behind one with the hash `before`."""
        at = self.at.astimezone(UTC).isoformat(timespec="microseconds")
        fields: list[Json] = [
            self.chain, self.seq, self.access_id, self.tenant, at, self.action, self.operation, self.subject,
            self.who_digest.hex(), self.what_digest.hex(),
        ]  # fmt: skip
        return hmac.new(key, before + orjson.dumps(fields), hashlib.sha256).digest()

    def faults(self, key: bytes, before: bytes, marked: bool = True) -> Iterable[str]:
        """What does not agree: `hash`, `who`, `what`. `marked` False: of a chain of before there were marks."""
        if not hmac.compare_digest(self.hash, self.mac(key, before)):
            yield "hash"
        if self.who_salt is None:
            agrees = self.principal == pseudonym(self.who_digest)
            if not agrees or (marked and self.who_gone != redaction_mark(key, "who", self.hash)):
                yield "who"
        elif who_digest(self.who_salt, self.principal) != self.who_digest:
            yield "who"
        content = (self.owner, self.record_ids, self.context_id)
        if self.what_salt is None:
            if content != (None, None, None) or (marked and self.what_gone != redaction_mark(key, "what", self.hash)):
                yield "what"
        elif self.owner is None or what_digest(self.what_salt, *content) != self.what_digest:
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

    def sealed(self, key: bytes, kind: str = "listed chain") -> bytes:
        """The seal that this row must have. `kind` UNMARKED: as it was made before erasures left marks; MARKED: before
        there was a list of chains."""
        swept = self.swept_to.astimezone(UTC).isoformat(timespec="microseconds") if self.swept_to else None
        fields: list[Json] = [
            kind, self.chain, self.first_seq, self.first_hash.hex(), swept, self.seq, self.hash.hex()
        ]  # fmt: skip
        return hmac.new(key, orjson.dumps(fields), hashlib.sha256).digest()

    def unmarked(self, key: bytes) -> bool:
        """Was it written before erasures left marks? Its writer adds them (`mark_redacted`) before it seals it anew."""
        return hmac.compare_digest(self.seal, self.sealed(key, UNMARKED))

    def older(self, key: bytes) -> bool:
        """Was it written before there was a list of chains?"""
        return self.unmarked(key) or hmac.compare_digest(self.seal, self.sealed(key, MARKED))

    def vouched(self, key: bytes) -> bool:
        """Was it written under this key?"""
        return hmac.compare_digest(self.seal, self.sealed(key)) or self.older(key)


UNMARKED, MARKED = "chain", "marked chain"


def redaction_mark(key: bytes, part: Part, entry: bytes) -> bytes:
    """What says that an erasure took a part out of the entry with this hash."""
    return hmac.new(key, b"erased " + part.encode() + entry, hashlib.sha256).digest()


def pseudonym(digest: bytes) -> str:
    """Stands for an erased caller, as `_ERASE_WHO` writes it."""
    literal = "\\x" + digest.hex()  # as Postgres prints it
    return "erased:" + hashlib.md5(literal.encode(), usedforsecurity=False).hexdigest()[:16]


def who_digest(salt: bytes, principal: str) -> bytes:
    return hashlib.sha256(salt + orjson.dumps(principal)).digest()


def what_digest(salt: bytes, owner: str | None, record_ids: Sequence[str] | None, context_id: str | None) -> bytes:
    fields: list[Json] = [owner, list(record_ids or ()), context_id]
    return hashlib.sha256(salt + orjson.dumps(fields)).digest()


@dataclass(frozen=True, slots=True)
class Fault:
    """Where a chain does not verify. `what` is a stable word: seal, hash, who, what, gap, end, anchor; list and lost of
    the list of chains."""

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
        self._marked = not chain.unmarked(key)
        if not chain.vouched(key):
            self._fault(chain.seq, "seal")

    def add(self, entry: Entry) -> None:
        """The next entry."""
        self.entries += 1
        self.erased += entry.what_salt is None
        if entry.seq != self._seq + 1:
            self._fault(entry.seq, "gap")
        for what in entry.faults(self._key, self._hash, self._marked):
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


_PAGE = 10_000
_FIND_WHAT = """SELECT chain, seq, hash, subject FROM audit.accesses
    WHERE owner IS NOT NULL AND {} AND at <= COALESCE(%(before)s, 'infinity'::timestamptz)
    ORDER BY chain, seq LIMIT %(page)s FOR UPDATE"""
_FIND_WHO = """SELECT chain, seq, hash, subject FROM audit.accesses
    WHERE tenant = %(tenant)s AND principal = %(principal)s AND who_salt IS NOT NULL
      AND at <= COALESCE(%(before)s, 'infinity'::timestamptz) ORDER BY chain, seq LIMIT %(page)s FOR UPDATE"""
_FIND_UNMARKED = """SELECT chain, seq, hash, subject FROM audit.accesses
    WHERE chain = %(chain)s AND {0}_salt IS NULL AND {0}_gone IS NULL ORDER BY seq LIMIT %(page)s FOR UPDATE"""
_REDACTED = """UPDATE audit.accesses a SET {} FROM unnest(%(chains)s::int[], %(seqs)s::bigint[], %(marks)s::bytea[])
    AS g (chain, seq, mark) WHERE a.chain = g.chain AND a.seq = g.seq"""
_ERASE_WHAT = "owner = NULL, record_ids = NULL, context_id = NULL, what_salt = NULL, what_gone = g.mark"
_ERASE_WHO = "principal = 'erased:' || left(md5(who_digest::text), 16), who_salt = NULL, who_gone = g.mark"
_ERASE_NAME = "DELETE FROM audit.subjects WHERE subject = ANY(%s)"
_CHAINS = "SELECT chain, first_seq, first_hash, swept_to, seq, hash, seal FROM audit.chains"


def vouches(conn: Connection[Any], key: bytes) -> bool:
    """Is this the key that the log is written with? Marks by another would look like tampering."""
    with conn.cursor(row_factory=tuple_row) as cursor:
        chains = [Chain(*row) for row in cursor.execute(_CHAINS)]
    return any(c.vouched(key) for c in chains)


def erase(conn: Connection[Any], key: bytes, owner: Owner, before: datetime | None = None) -> int:
    """Take an owner's name and the ids of their memories out of the access log (C9, C10), where the access was not
    after `before`; how many entries that changed. A tenant's owner stands for everybody of the tenant.

    What stays is that somebody's memory was read or written, by whom and when, under a random pseudonym that no table
    resolves any more. A person who called with a token of their own (`jwt:ID`) is a pseudonym as caller too. Runs in
    the caller's transaction, as often as wanted; chains still verify: what goes leaves a mark under `key`.
    """
    values = {"owner": owner.key, "tenant": owner.tenant, "principal": f"jwt:{owner.id}", "before": before}
    condition = "tenant = %(tenant)s" if owner.kind is OwnerKind.TENANT else "owner = %(owner)s"
    changed, subjects = _take_out(conn, key, "what", _FIND_WHAT.format(condition), _ERASE_WHAT, values)
    conn.execute(_ERASE_NAME, (sorted(subjects),))
    if owner.kind is OwnerKind.USER:
        changed += _take_out(conn, key, "who", _FIND_WHO, _ERASE_WHO, values)[0]
    return changed


def mark_redacted(conn: Connection[Any], key: bytes, chain: int) -> None:
    """Marks on what erasures took out of an unmarked chain. In the caller's transaction."""
    parts: tuple[Part, Part] = ("who", "what")
    for part in parts:
        _take_out(conn, key, part, _FIND_UNMARKED.format(part), f"{part}_gone = g.mark", {"chain": chain})


def _take_out(
    conn: Connection[Any], key: bytes, part: Part, find: str, change: str, values: dict[str, Any]
) -> tuple[int, set[str]]:
    """How many entries `change` was made in, and their subjects. An entry that was changed is not found again."""
    count, subjects = 0, set[str]()
    with conn.cursor(row_factory=tuple_row) as cursor:  # whatever rows the caller's connection makes
        while rows := cursor.execute(find.encode(), {**values, "page": _PAGE}).fetchall():
            marks = {
                "chains": [r[0] for r in rows], "seqs": [r[1] for r in rows],
                "marks": [redaction_mark(key, part, r[2]) for r in rows],
            }  # fmt: skip
            count += cursor.execute(_REDACTED.format(change).encode(), marks).rowcount
            subjects.update(r[3] for r in rows)
    return count, subjects
