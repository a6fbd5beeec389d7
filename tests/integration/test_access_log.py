"""C10: the access log on a real Postgres: written once, verified, tampering found, names gone after an erasure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from memstream import audit
from memstream.stack import Addresses
from schemas import migrations
from schemas.events.documents import Access
from schemas.log import owner
from schemas.security import audit as chain
from sinks.audit.sink import CHAIN_COLUMNS, AuditSink
from sinks.protocol import Item, Message, SinkBatch

KEY = b"k" * 32
NOW = datetime.now(UTC)


@pytest.fixture
def dsn(addresses: Addresses) -> Iterator[str]:
    """A database of its own: other tests write to the log too."""
    with psycopg.connect(addresses.postgres, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS access_log")
        connection.execute("CREATE DATABASE access_log")
    made = psycopg.conninfo.make_conninfo(addresses.postgres, dbname="access_log")
    migrations.upgrade(made)
    yield made
    with psycopg.connect(addresses.postgres, autocommit=True) as connection:
        connection.execute("DROP DATABASE access_log WITH (FORCE)")


def access(name: str, user: str = "ann", partition: int = 0, **over: Any) -> Item:
    given: dict[str, Any] = {
        "tenant": "acme", "access_id": name, "owner_id": user, "action": "read", "operation": "POST /v1/context",
        "principal": "key:k1", "record_ids": ("m1", "m2"), "context_id": f"ctx-{name}", "accepted_at": NOW,
    }  # fmt: skip
    return Item(Access(**{**given, **over}), Message("t", partition, 0, None, None, [], 0))


def written(dsn: str, *items: Item) -> None:
    with closing(AuditSink(dsn, KEY, timedelta(days=365))) as sink:
        sink.write(SinkBatch(items))


def execute(dsn: str, statement: str) -> int:
    with psycopg.connect(dsn) as connection:
        return connection.execute(statement.encode()).rowcount


def test_c10_entries_are_written_once_and_verify(dsn: str) -> None:
    written(dsn, access("a1"), access("a2"), access("b1", "王伟", 3))
    written(dsn, access("a2"), access("a3"))
    found = audit.verify(dsn, KEY)
    assert (found.entries, found.faults) == (4, [])
    assert {n: seq for n, (seq, _) in found.heads.items()} == {0: 3, 3: 1}
    rows = audit.listed(dsn, "acme", "ann", None, None, 10)
    assert [r["seq"] for r in rows] == [3, 2, 1]
    assert rows[0]["record_ids"] == ["m1", "m2"]
    assert audit.listed(dsn, "other", "ann", None, None, 10) == []
    assert audit.verify(dsn, b"x" * 32).faults, "another key does not vouch for it"


TAMPERING = {
    "who did it": ("UPDATE audit.accesses SET principal = 'key:k2' WHERE seq = 2", "who"),
    "what was read": ("UPDATE audit.accesses SET record_ids = '{m9}' WHERE seq = 2", "what"),
    "whose it was": ("UPDATE audit.accesses SET owner = 'acme/user/bob' WHERE seq = 2", "what"),
    "words taken out without the salt": ("UPDATE audit.accesses SET owner = NULL WHERE seq = 2", "what"),
    "another caller, without the salt": (
        "UPDATE audit.accesses SET principal = 'key:k2', who_salt = NULL WHERE seq = 2", "who"
    ),
    "the caller blanked, with no erasure": (
        "UPDATE audit.accesses SET principal = 'erased:' || left(md5(who_digest::text), 16), who_salt = NULL"
        " WHERE seq = 2", "who"
    ),
    "whose it was blanked, with no erasure": (
        "UPDATE audit.accesses SET owner = NULL, record_ids = NULL, context_id = NULL, what_salt = NULL WHERE seq = 2",
        "what"
    ),
    "blanked with a mark of one's own": (
        "UPDATE audit.accesses SET owner = NULL, record_ids = NULL, context_id = NULL, what_salt = NULL,"
        " what_gone = sha256(hash) WHERE seq = 2", "what"
    ),
    "when": ("UPDATE audit.accesses SET at = at - interval '1 day' WHERE seq = 2", "hash"),
    "a read made a write": ("UPDATE audit.accesses SET action = 'write' WHERE seq = 2", "hash"),
    "an entry removed": ("DELETE FROM audit.accesses WHERE seq = 2", "gap"),
    "the last entry removed": ("DELETE FROM audit.accesses WHERE seq = 3", "end"),
    "the first entry removed": ("DELETE FROM audit.accesses WHERE seq = 1", "gap"),
    "the end moved": ("UPDATE audit.chains SET seq = 2", "seal"),
    "the beginning moved": ("UPDATE audit.chains SET first_seq = 1", "seal"),
    "the chain removed": ("DELETE FROM audit.chains", "seal"),
    "the hash rewritten": ("UPDATE audit.accesses SET hash = sha256(hash) WHERE seq = 3", "hash"),
}


def test_c10_tampering_is_found(dsn: str) -> None:
    written(dsn, access("a1"), access("a2"), access("a3"))
    with psycopg.connect(dsn) as connection:
        for name, (statement, what) in TAMPERING.items():
            with connection.transaction(force_rollback=True):
                assert connection.execute(statement.encode()).rowcount == 1, name
                faults = _faults(connection)
            assert what in {f.what for f in faults}, name
    assert audit.verify(dsn, KEY).faults == []


def _faults(connection: psycopg.Connection[Any]) -> list[chain.Fault]:
    """What verify finds, within the tampering transaction."""
    chains = [chain.Chain(*r) for r in connection.execute(_chains())]
    faults = audit._strays(connection, [c.chain for c in chains])
    for row in chains:
        check = chain.Check(KEY, row)
        for entry in audit._entries(connection, row.chain):
            check.add(entry)
        faults += check.end()
    return faults


def _chains() -> bytes:
    return f"SELECT {', '.join(CHAIN_COLUMNS)} FROM audit.chains".encode()  # noqa: S608 - constants


def test_c10_a_log_set_back_to_an_earlier_state_is_found_by_its_anchor(dsn: str, tmp_path: Path) -> None:
    written(dsn, access("a1"))
    with psycopg.connect(dsn) as connection:
        old = connection.execute(b"SELECT * FROM audit.chains").fetchone()
        listed = connection.execute(b"SELECT seqs, seal FROM audit.roster").fetchone()
    written(dsn, access("a2"))
    result = audit.verify(dsn, KEY)
    anchors = tmp_path / "heads.json"
    anchors.write_text(json.dumps({"heads": result.heads}))
    execute(dsn, "DELETE FROM audit.accesses WHERE seq = 2")
    execute(dsn, "DELETE FROM audit.chains")
    with psycopg.connect(dsn) as connection:
        connection.execute("INSERT INTO audit.chains VALUES (%s, %s, %s, %s, %s, %s, %s)", old)
    assert [f.what for f in audit.verify(dsn, KEY).faults] == ["lost"], "the list of chains was not set back"
    with psycopg.connect(dsn) as connection:
        connection.execute("UPDATE audit.roster SET seqs = %s, seal = %s", listed)
    assert audit.verify(dsn, KEY).faults == [], "the old state agrees with itself"
    found = audit.verify(dsn, KEY, audit.read_anchors(anchors)).faults
    assert [f.what for f in found] == ["anchor"]


def test_c10_retention_shortens_the_chain_and_it_still_verifies(dsn: str) -> None:
    old = NOW - timedelta(days=400)
    written(dsn, access("a1", accepted_at=old), access("a2", accepted_at=old), access("a3"), access("a4"))
    with closing(AuditSink(dsn, KEY, timedelta(days=365))) as sink:
        sink.idle(NOW)
    found = audit.verify(dsn, KEY)
    assert (found.entries, found.faults) == (2, [])
    execute(dsn, "DELETE FROM audit.accesses WHERE seq = 3")
    assert {f.what for f in audit.verify(dsn, KEY).faults} >= {"gap"}


def test_c10_an_access_that_arrives_after_the_erasure_loses_its_name_too(dsn: str) -> None:
    execute(
        dsn,
        "INSERT INTO trust.erasures (erasure_id, tenant, scope, user_id, accepted_at)"
        " VALUES ('e1', 'acme', 'user', 'ann', now())",
    )
    with closing(AuditSink(dsn, KEY, timedelta(days=365))) as sink:
        late = access("a1", accepted_at=NOW - timedelta(hours=1)), access("a2", "bob")
        sink.write(SinkBatch([*late, access("a3", accepted_at=datetime.now(UTC) + timedelta(hours=1))]))
        sink.idle(NOW)
    rows = audit.listed(dsn, "acme", None, None, None, 10)
    assert [r["owner"] for r in sorted(rows, key=lambda r: r["seq"])] == [None, "acme/user/bob", "acme/user/ann"]
    assert audit.verify(dsn, KEY).faults == []


def test_c10_after_an_erasure_the_log_names_nobody_and_verifies(dsn: str) -> None:
    mine = access("a1", "ann"), access("a2", "bob", principal="jwt:ann"), access("a3", "ann")
    written(dsn, *mine)
    with psycopg.connect(dsn) as connection:
        assert chain.erase(connection, KEY, owner.user("acme", "ann"), NOW) == 3
        assert chain.erase(connection, KEY, owner.user("acme", "ann"), NOW) == 0
    found = audit.verify(dsn, KEY)
    assert (found.entries, found.erased, found.faults) == (3, 2, [])
    with psycopg.connect(dsn) as connection:
        words = str(connection.execute(b"SELECT a::text FROM audit.accesses a").fetchall())
        words += str(connection.execute(b"SELECT s::text FROM audit.subjects s").fetchall())
    for planted in ("ann", "ctx-a1", "m9"):
        assert planted not in words
    assert "acme/user/bob" in words
    rows = audit.listed(dsn, "acme", None, None, None, 10)
    with psycopg.connect(dsn) as connection, connection.transaction(force_rollback=True):
        connection.execute(b"UPDATE audit.accesses SET principal = 'key:k9' WHERE who_salt IS NULL")
        assert {f.what for f in _faults(connection)} == {"who"}, "an erased caller cannot be given another name"
    first, last = (r for r in rows if r["owner"] is None)
    assert first["subject"] == last["subject"], "one pseudonym for what was read of one person"


def test_c10_a_log_of_before_marks_verifies_and_gets_them(dsn: str) -> None:
    written(dsn, access("a1", "ann"), access("a2", "bob", principal="jwt:ann"), access("a3", "bob"))
    with psycopg.connect(dsn) as connection:
        chain.erase(connection, KEY, owner.user("acme", "ann"), NOW)
        connection.execute(b"UPDATE audit.accesses SET who_gone = NULL, what_gone = NULL")
        [row] = [chain.Chain(*r) for r in connection.execute(_chains())]
        assert {f.what for f in _faults(connection)} == {"who", "what"}
        connection.execute(b"UPDATE audit.chains SET seal = %s", (row.sealed(KEY, chain.UNMARKED),))
    assert audit.verify(dsn, KEY).faults == []
    written(dsn, access("a4", "bob"))
    assert audit.verify(dsn, KEY).faults == []
    execute(dsn, "UPDATE audit.accesses SET principal = 'key:k2', who_salt = NULL WHERE seq = 3")
    assert [(f.seq, f.what) for f in audit.verify(dsn, KEY).faults] == [(3, "who")]


def test_c10_who_erases_without_the_logs_key_leaves_it_to_its_writer(dsn: str) -> None:
    written(dsn, access("a1", "ann"))
    with psycopg.connect(dsn) as connection:
        assert chain.vouches(connection, KEY)
        assert not chain.vouches(connection, b"x" * 32)


def test_m7_a_chain_that_is_lost_whole_is_found_and_stays_so(dsn: str) -> None:
    """Row and entries: what was left verified, and the log went on over it."""
    written(dsn, access("a1"), access("b1", "bob", 3), access("b2", "bob", 3))
    execute(dsn, "DELETE FROM audit.accesses WHERE chain = 3")
    execute(dsn, "DELETE FROM audit.chains WHERE chain = 3")
    assert [(f.chain, f.seq, f.what) for f in audit.verify(dsn, KEY).faults] == [(3, 2, "lost")]
    written(dsn, access("b3", "bob", 3), access("a2"))
    assert [(f.chain, f.seq, f.what) for f in audit.verify(dsn, KEY).faults] == [(3, 3, "lost")]


def test_m7_an_emptied_log_does_not_verify(dsn: str) -> None:
    assert [f.what for f in audit.verify(dsn, KEY).faults] == ["list"], "nobody began it"
    with closing(AuditSink(dsn, KEY, timedelta(days=365))) as sink:
        sink.ensure()
    assert audit.verify(dsn, KEY).faults == [], "begun, and nothing was read or written yet"
    written(dsn, access("a1"))
    begun_at = audit.verify(dsn, KEY).begun_at
    execute(dsn, "DELETE FROM audit.roster")
    written(dsn, access("a2"))
    assert [f.what for f in audit.verify(dsn, KEY).faults] == ["list"], "it is not made anew for what is left"
    for table in ("accesses", "chains"):
        execute(dsn, f"DELETE FROM audit.{table}")  # noqa: S608 - constants
    found = audit.verify(dsn, KEY)
    assert ([f.what for f in found.faults], found.begun_at) == (["list"], None)
    assert begun_at is not None


def test_c10_a_log_of_before_there_was_a_list_gets_one(dsn: str) -> None:
    written(dsn, access("a1"), access("a2"), access("b1", "bob", 3))
    execute(dsn, "DELETE FROM audit.roster")
    with psycopg.connect(dsn) as connection:
        for row in [chain.Chain(*r) for r in connection.execute(_chains()).fetchall()]:
            seal = row.sealed(KEY, chain.MARKED)
            connection.execute("UPDATE audit.chains SET seal = %s WHERE chain = %s", (seal, row.chain))
    assert audit.verify(dsn, KEY).faults == []
    written(dsn, access("a3"))
    assert audit.verify(dsn, KEY).faults == []
    execute(dsn, "DELETE FROM audit.accesses WHERE chain = 3")
    execute(dsn, "DELETE FROM audit.chains WHERE chain = 3")
    assert [(f.chain, f.what) for f in audit.verify(dsn, KEY).faults] == [(3, "lost")]
