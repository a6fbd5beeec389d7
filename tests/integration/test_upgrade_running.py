"""A database is brought to another version while the services go on: their writes wait for no index, and an upgrade
that was ended goes on where it was."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import psycopg
import pytest

from memstream.stack import Addresses
from schemas.migrations import create_generation, generations, newest, upgrade, version
from schemas.migrations.indexes import NameTakenError
from tests.integration.upgrade_env import database, fill
from tests.patience import PATIENCE, until

pytestmark = pytest.mark.integration
_TOUCH = "UPDATE views_g1.memories SET priority = priority + 1 WHERE record_id = %s"
_WAITING = """
SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ %s
"""
_VALID = """
SELECT i.indisvalid FROM pg_index i WHERE i.indexrelid IN
  (to_regclass('views_g1.memories_tables'), to_regclass('views_g2.memories_tables'))
"""


@pytest.fixture
def old(addresses: Addresses) -> Iterator[str]:
    """Of migration 0016."""
    with psycopg.connect(addresses.postgres, autocommit=True) as server, ExitStack() as stack:
        dsn = stack.enter_context(database(server, addresses.postgres))
        fill(dsn)
        yield dsn


@pytest.fixture
def beside() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as threads:
        yield threads


def question_of(dsn: str, query: str, *params: Any) -> list[Any]:
    with psycopg.connect(dsn) as conn:
        return conn.execute(query.encode(), params).fetchall()


def test_n1_writes_go_on_while_an_index_is_built(old: str, beside: ThreadPoolExecutor) -> None:
    """Here it is held up by a transaction that wrote before it began, where it would take minutes on a large table. Who
    wants to make a generation meanwhile waits without a statement, for whose end the index would wait."""
    with psycopg.connect(old) as sink:
        sink.execute(_TOUCH, ("acme-ann-fact",))
        migrating = beside.submit(upgrade, old)
        until(
            "the index waits",
            lambda: question_of(old, _WAITING, "^CREATE INDEX .*memories_tables"),
            lambda r: r == [(1,)],
        )
        second = beside.submit(upgrade, old)
        making = beside.submit(_make, old, 7)
        with psycopg.connect(old) as other:
            other.execute("SET lock_timeout = '2s'")
            assert other.execute(_TOUCH, ("acme-bob-fact",)).rowcount == 1
        assert (
            question_of(old, "SELECT 1 FROM pg_stat_activity WHERE query ~ 'advisory' AND wait_event_type = 'Lock'")
            == []
        )
        assert not migrating.done()
        sink.commit()
        for running in (migrating, second, making):
            running.result(PATIENCE)
    with psycopg.connect(old) as conn:
        assert (version(conn), generations(conn)) == (newest(), [1, 2, 7])
    assert question_of(old, _VALID) == [(True,), (True,)]


def _make(dsn: str, number: int) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        assert create_generation(conn, number)


def test_n1_half_an_index_of_an_upgrade_that_was_killed_is_built_anew(old: str) -> None:
    with psycopg.connect(old) as conn:
        conn.execute("CREATE INDEX memories_tables ON views_g1.memories (tenant)")
        conn.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'views_g1.memories_tables'::regclass"
        )
    upgrade(old)
    assert question_of(old, _VALID) == [(True,), (True,)]
    [(definition,)] = question_of(old, "SELECT pg_get_indexdef('views_g1.memories_tables'::regclass)")
    assert "(tenant, category)" in definition


def test_n1_shared_tables_are_dropped_one_by_one_and_an_upgrade_that_was_ended_goes_on(
    old: str, beside: ThreadPoolExecutor
) -> None:
    """All in one transaction would need a lock for each table and index, and keep the first for as long as the last."""
    shared = "SELECT schemaname FROM pg_tables WHERE tablename = 'plans' ORDER BY 1"
    assert question_of(old, shared) == [("views_g1",), ("views_g2",)]
    with psycopg.connect(old) as reader:
        reader.execute("SELECT FROM views_g2.plans LIMIT 1")
        migrating = beside.submit(upgrade, old)
        until("a table waits", lambda: question_of(old, _WAITING, "^DROP TABLE"), lambda r: r == [(1,)])
        assert question_of(old, shared) == [("views_g2",)]
        end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ '^DROP TABLE'"
        until("the migration is ended", lambda: question_of(old, end), lambda ended: ended == [(True,)])
        with pytest.raises(Exception, match="connection is lost"):
            migrating.result(PATIENCE)
    with psycopg.connect(old) as conn:
        assert version(conn) == "0016"
    upgrade(old)
    assert question_of(old, shared) == []


def test_n1_a_relation_with_the_name_of_our_index_is_not_taken_for_it(old: str) -> None:
    with psycopg.connect(old) as conn:
        conn.execute("CREATE INDEX memories_tables ON views_g1.turns (tenant)")
    with pytest.raises(NameTakenError, match=r"views_g1\.memories_tables is no index of views_g1\.memories"):
        upgrade(old)
    with psycopg.connect(old) as conn:
        assert version(conn) == "0018"
        conn.execute("ALTER INDEX views_g1.memories_tables RENAME TO of_turns")
    upgrade(old)
    assert question_of(old, _VALID) == [(True,), (True,)]


def test_n1_nobody_waits_long_behind_a_migration_that_waits_for_a_table(old: str, beside: ThreadPoolExecutor) -> None:
    """The report reads for longer than the migration may wait for its table: it lets go and comes again, and a read
    that came after it is answered although the report goes on."""
    with psycopg.connect(old) as report:
        report.execute("SELECT FROM views_g2.plans LIMIT 1")
        migrating = beside.submit(upgrade, old)
        until("the table waits", lambda: question_of(old, _WAITING, "^DROP TABLE"), lambda rows: rows == [(1,)])
        with psycopg.connect(old, options=f"-c statement_timeout={PATIENCE:.0f}s") as reader:
            reader.execute("SELECT FROM views_g2.plans LIMIT 1")
        assert not migrating.done()
    migrating.result(PATIENCE)
    with psycopg.connect(old) as conn:
        assert version(conn) == newest()


def test_n1_a_generation_that_an_older_release_made_afterwards_is_completed(old: str) -> None:
    upgrade(old)
    with psycopg.connect(old) as conn:
        conn.execute("DROP FUNCTION views_g2.led_to(text)")
    upgrade(old)
    may = "SELECT has_function_privilege('memstream_reader', 'views_g2.led_to(text)', 'EXECUTE')"
    assert question_of(old, may) == [(True,)]
