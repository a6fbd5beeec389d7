"""The Postgres sink on a real server: the contract of all, and what is its own."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.rows import dict_row

from memstream.reprocess.compare import Comparison, GenerationSide, RevisionSide, compare
from memstream.reprocess.fold import Fold
from memstream.stack import Addresses
from schemas.events.erasure import Erasure
from schemas.events.memory import MemoryBody, MemoryUpdate
from schemas.events.sessions import SessionState
from schemas.events.turns import ScreenedTurn
from schemas.log import topics
from schemas.log.codec import Event
from schemas.migrations import create_generation, drop_generation, generations, upgrade
from schemas.profile.model import TableSpec
from schemas.storage.layouts import postgres_schema
from sinks.decode import decode
from sinks.postgres.contents import PostgresContents
from sinks.postgres.erasure import erase
from sinks.postgres.held import in_postgres
from sinks.postgres.sink import PostgresSink
from sinks.postgres.structured import Specs
from sinks.protocol import Item, Permanent, SinkBatch, Tombstone, Transient
from tests.dates import fixed
from tests.patience import PATIENCE, until
from tests.unit.sinks import events
from tests.unit.sinks.contract import MARK, SinkContract, Store
from tests.unit.sinks.events import CODEC, NOW, TEXTS, batch, checkpoint, decision, hot, memory, message, session, turn

pytestmark = pytest.mark.integration


@pytest.fixture(scope="session")
def dsn(addresses: Addresses) -> str:
    upgrade(addresses.postgres)
    return addresses.postgres


@pytest.fixture
def generation(dsn: str) -> Iterator[int]:
    number = random.randrange(1_000, 1_000_000)
    with psycopg.connect(dsn) as conn:
        create_generation(conn, number)
    yield number
    with psycopg.connect(dsn) as conn:
        drop_generation(conn, number)


class PostgresStore:
    def __init__(self, dsn: str, generation: int, make: Callable[..., Event]) -> None:
        self._dsn, self._generation, self._make = dsn, generation, make
        self._open: list[PostgresSink] = []

    def sink(self) -> PostgresSink:
        sink = PostgresSink(self._dsn, [self._generation])
        self._open.append(sink)
        sink.ensure()
        return sink

    def close(self) -> None:
        for sink in self._open:
            sink.close()

    def record(self, n: int, revision: int, text: str, **changes: Any) -> Event:
        return self._make(n, revision, text, **changes)

    def read(self, record: Event) -> tuple[int, str] | None:
        match record:
            case ScreenedTurn():
                rows = self.rows("turns", turn_id=record.turn_id, tenant=record.tenant)
                return (rows[0]["revision"], rows[0]["content"]) if rows else None
            case MemoryUpdate():
                rows = self.rows("memories", record_id=record.record_id, tenant=record.tenant)
                return (rows[0]["revision"], rows[0]["text"]) if rows else None
            case SessionState():
                rows = self.rows("sessions", session_id=record.session_id, tenant=record.tenant)
                return (rows[0]["revision"], rows[0]["body"]["summary"]) if rows else None
            case _:
                raise AssertionError(record)

    def rows(self, table: str, **where: Any) -> list[dict[str, Any]]:
        query = f"SELECT * FROM {postgres_schema(self._generation)}.{table}"  # noqa: S608 - names are ours
        if where:
            query += " WHERE " + " AND ".join(f"{name} = %({name})s" for name in where)
        with psycopg.connect(self._dsn, row_factory=dict_row) as conn:
            return conn.execute(query.encode(), where).fetchall()


class TestPostgresSink(SinkContract):
    @pytest.fixture(params=["turn", "memory", "session"])
    def store(self, request: pytest.FixtureRequest, dsn: str, generation: int) -> Iterator[Store]:
        store = PostgresStore(dsn, generation, getattr(events, request.param))
        yield store
        store.close()


@pytest.fixture
def store(dsn: str, generation: int) -> Iterator[PostgresStore]:
    store = PostgresStore(dsn, generation, memory)
    yield store
    store.close()


def test_every_column_of_a_turn_and_a_memory(store: PostgresStore) -> None:
    """A1, N5: a reader finds all that the record says."""
    store.sink().write(batch(turn(1, text=TEXTS[1]), memory(1, text=TEXTS[1])))
    (row,) = store.rows("turns")
    assert row["content"] == TEXTS[1]
    assert row["terms"] == ["move", "lisbon"]
    assert bytes(row["embedding"]) == events.embedding(1)
    assert row["metadata"] == {"action": "visit"}
    assert row["pii"] == {"PERSON:mask": 1}
    assert row["accepted_at"] == NOW + timedelta(seconds=1)
    (row,) = store.rows("memories")
    assert (row["value"], row["attributes"], row["confidence"]) == ("Lisbon", {"since": 2024}, Decimal(1))
    assert row["reason"] == {"outcome": "kept", "gate": "confidence", "rule": "explicit", "score": 0.9}
    assert row["sources"][0]["turn_id"] == "turn-1"
    assert bytes(row["embedding"]) == events.embedding(1)
    assert row["deleted"] is False


def test_versions_of_a_memory_stand_side_by_side(store: PostgresStore) -> None:
    """N8."""
    store.sink().write(batch(memory(1, 1, state="superseded", version=1), memory(1, 1, version=2)))
    assert {(r["version"], r["state"]) for r in store.rows("memories")} == {(1, "superseded"), (2, "active")}


def test_deletion_keeps_ids_and_revision_and_no_content(store: PostgresStore) -> None:
    """Delivery rule 3."""
    sink = store.sink()
    sink.write(batch(memory(1, 1)))
    sink.write(batch(memory(1, 2, op="delete", state="deleted")))
    (row,) = store.rows("memories")
    assert (row["deleted"], row["revision"], row["state"]) == (True, 2, "deleted")
    assert (row["text"], row["value"], row["attributes"], row["terms"], row["sources"]) == ("", None, {}, [], [])
    assert bytes(row["embedding"]) == b""
    assert sink.write(batch(memory(1, 1))) == 1, "a deletion is not undone by what it deleted"


def test_tombstone_removes_only_what_is_deleted(store: PostgresStore) -> None:
    """Delivery rule 3: null follows the marker; a record written since stays."""
    sink = store.sink()
    removed = memory(1, 2, op="delete", state="deleted")
    tombstone = Item(Tombstone("memory.updates.v1", removed.owner, removed.row_key), message(removed, 9))
    sink.write(batch(memory(1, 1)))
    assert sink.write(SinkBatch([tombstone])) == 1
    assert len(store.rows("memories")) == 1
    assert sink.write(SinkBatch([*batch(removed).items, tombstone])) == 0
    assert store.rows("memories") == []


def test_session_tombstone_removes_session_or_checkpoint(store: PostgresStore) -> None:
    sink = store.sink()
    state, point = session(1), checkpoint(1)
    sink.write(batch(state, point, session(2)))
    removed = [Item(Tombstone("session.state.v1", e.owner, e.subject), message(e)) for e in (state, point)]
    assert sink.write(SinkBatch(removed)) == 0
    assert [r["session_id"] for r in store.rows("sessions")] == ["s2"]
    assert store.rows("checkpoints") == []


def test_checkpoints_and_decisions_are_written_once(store: PostgresStore) -> None:
    """E3, B3."""
    sink = store.sink()
    for _ in range(2):
        sink.write(batch(checkpoint(1), decision(1)))
    (row,) = store.rows("checkpoints")
    assert (row["summary"], row["position"], row["extractive"]) == (TEXTS[1], 9, True)
    (row,) = store.rows("decisions")
    assert (row["text"], row["value"], row["outcome"], row["gate"]) == (TEXTS[1], True, "kept", "confidence")


def test_both_generations_are_written(dsn: str, generation: int) -> None:
    """N1: a rebuild stands beside the live views until the switch."""
    other = generation + 1
    sink = PostgresSink(dsn, [generation, other])
    sink.ensure()
    try:
        sink.write(batch(hot(1), progress={MARK: 4}))
        for number in (generation, other):
            assert len(PostgresStore(dsn, number, memory).rows("memories")) == 1
            assert len(PostgresStore(dsn, number, memory).rows("progress")) == 1
    finally:
        sink.close()
        with psycopg.connect(dsn) as conn:
            drop_generation(conn, other)


def test_ticks_sweep_turns_whose_time_is_over(store: PostgresStore) -> None:
    sink = store.sink()
    sink.write(batch(turn(1, expires_at=NOW), turn(2, expires_at=NOW + timedelta(seconds=1)), decision(1)))
    sink.write(batch(sweep=NOW))
    assert [r["turn_id"] for r in store.rows("turns")] == ["turn-2"]
    sink.write(batch(sweep=NOW + timedelta(days=15)))
    assert store.rows("decisions") == []


def test_a1_checkpoints_go_as_long_after_they_were_written_as_turns_do(store: PostgresStore) -> None:
    """An extractive summary holds sentences as they were said; a session that goes on keeps what it shows now."""
    sink = store.sink()
    day = timedelta(days=1)
    sink.write(batch(session(1, updated_at=NOW + 29 * day), checkpoint(1), checkpoint(2, created_at=NOW + day)))
    sink.write(batch(sweep=NOW + 30 * day - timedelta(seconds=1)))
    assert {r["message_id"] for r in store.rows("checkpoints")} == {"m1", "m2"}
    sink.write(batch(sweep=NOW + 30 * day))
    assert [r["message_id"] for r in store.rows("checkpoints")] == ["m2"]
    assert len(store.rows("sessions")) == 1


def test_rows_and_progress_are_one_transaction(store: PostgresStore) -> None:
    """N3: a batch that is refused leaves neither."""
    sink = store.sink()
    with pytest.raises(Permanent):
        sink.write(batch(turn(1), turn(2, tokens=2**40), progress={MARK: 4}))
    assert store.rows("turns") == []
    assert sink.progress() == {}
    assert sink.write(batch(turn(1), progress={MARK: 4})) == 0


def test_content_that_never_fits_is_permanent(store: PostgresStore) -> None:
    """Too long for an index, and out of range: poison, not an outage."""
    sink = store.sink()
    wide = "".join(chr(0x20000 + random.randrange(40_000)) for _ in range(768))
    for poison in (turn(1, turn_id=wide[:256], user_id=wide[256:512], tenant=wide[512:]), turn(2, tokens=2**40)):
        with pytest.raises(Permanent) as caught:
            sink.write(batch(poison))
        assert wide[:256] not in str(caught.value)


def test_server_away_is_transient() -> None:
    with pytest.raises(Transient):
        PostgresSink("postgresql://memstream@127.0.0.1:1/memstream").ensure()


def test_missing_tables_are_transient(dsn: str) -> None:
    """Not migrated yet: wait, never dead-letter the stream."""
    with pytest.raises(Transient):
        PostgresSink(dsn, [999_999_999]).write(batch(turn(1)))  # closes its connection


def test_connection_killed_is_made_again(store: PostgresStore, dsn: str) -> None:
    sink = store.sink()
    sink.write(batch(turn(1)))
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'memstream-sink-postgres'"
        )
    with pytest.raises(Transient):
        sink.write(batch(turn(2)))
    assert sink.write(batch(turn(2))) == 0
    assert len(store.rows("turns")) == 2


def test_upgrade_by_many_at_once(dsn: str) -> None:
    """Every process migrates at its start: one does it, the others find it done."""
    name = f"migrate_{random.randrange(1_000_000)}"
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute(f"CREATE DATABASE {name}".encode())
        fresh = make_conninfo(dsn, dbname=name)
        try:
            with ThreadPoolExecutor(4) as pool:
                list(pool.map(upgrade, [fresh] * 4))
            with psycopg.connect(fresh) as other:
                assert generations(other) == [1]
                with pytest.raises(ValueError, match="live"):
                    drop_generation(other, 1)
        finally:
            conn.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def test_c8_an_archived_record_is_in_the_archive_or_in_the_view_whatever_comes(store: PostgresStore) -> None:
    sink = store.sink()

    def active() -> tuple[list[str], list[tuple[int, str]]]:
        archived = [r["record"]["text"] for r in store.rows("archive")]
        return archived, [(r["revision"], r["text"]) for r in store.rows("memories")]

    moved = memory(1, 3, "moved", state="archived", expires_at=NOW)
    sink.write(batch(memory(1, 2, "before")))
    for _ in range(2):  # and once more, as a redelivery
        sink.write(batch(moved))
        assert active() == (["moved"], [(3, "")])
    sink.write(batch(memory(1, 2, "before")))
    assert active() == (["moved"], [(3, "")]), "what is older changes neither"
    sink.write(batch(memory(1, 4, "amended", state="archived", expires_at=NOW)))
    assert active() == (["amended"], [(4, "")])
    sink.write(batch(memory(1, 5, "back")))
    assert active() == ([], [(5, "back")])
    sink.write(batch(memory(1, 6, "again", state="archived", expires_at=NOW)))
    sink.write(batch(memory(1, 7, "", op="delete", state="deleted")))
    assert active() == ([], [(7, "")])
    sink.write(batch(memory(2, 1, "new here", state="archived", expires_at=NOW)))
    assert active()[0] == ["new here"], "also where the view never had it"


def test_n1_c8_generations_are_compared_by_their_archives_too(dsn: str, generation: int) -> None:
    """Written one revision at a time or only the last, by writers in other time zones: equal. A row that is lost or
    changed in the archive alone is found, beside another generation and beside the log."""
    other = generation + 1_000_000
    with psycopg.connect(dsn) as conn:
        create_generation(conn, other)
    # What stood in three revisions, what came archived, what came back, what is no user's.
    late = memory(1, 3, "达喀尔 Dakar", state="archived", expires_at=NOW, importance=Decimal("0.7"), valid_from=NOW)
    last = [late, memory(2, 1, "new here", state="archived"), memory(3, 4, "back"), hot(4, 1, state="archived")]
    early: list[Event] = [memory(1, 1, "before"), memory(1, 2, "moved", state="archived"),
                          memory(3, 3, "went", state="archived"), *last, late]  # fmt: skip
    fold = Fold(in_postgres)
    fold.add(decode(CODEC, [message(e, n) for n, e in enumerate(early)]))
    contents = PostgresContents(dsn)
    try:
        for number, zone, rows in ((generation, "Asia/Shanghai", early), (other, "America/New_York", last)):
            with closing(PostgresSink(make_conninfo(dsn, options=f"-c TimeZone={zone}"), [number])) as sink:
                sink.ensure()
                for event in rows:
                    sink.write(batch(event))

        def compared() -> tuple[Comparison, Comparison]:
            sides = GenerationSide(contents, generation), GenerationSide(contents, other)
            return compare(*sides, lambda: None), compare(fold, RevisionSide(contents, other), lambda: None)

        for found in compared():
            assert found.agrees, found.as_json()
            assert found.rows["archive"] == (2, 2)
        with psycopg.connect(dsn) as conn:
            change = f"UPDATE views_g{other}.archive SET record = jsonb_set(record, '{{text}}', '\"?\"')"  # noqa: S608
            conn.execute(change.encode())
        assert compared()[0].different == {("archive", "differs"): 2}
        with psycopg.connect(dsn) as conn:
            lose = f"DELETE FROM views_g{other}.archive WHERE record_id = 'record-2'"  # noqa: S608
            conn.execute(lose.encode())
        beside, from_log = compared()
        assert beside.different == {("archive", "differs"): 1, ("archive", "missing"): 1}
        assert from_log.different == {("archive", "missing"): 1}
    finally:
        contents.close()
        with psycopg.connect(dsn) as conn:
            drop_generation(conn, other)


def test_c9_what_was_erased_is_not_carried_into_a_generation_that_has_met_the_erasure(
    dsn: str, generation: int
) -> None:
    """The live one may be behind: it still has the rows, and the new one meets the erasure no more."""
    other, tenant = generation + 1_000_000, f"carried-{generation}"
    statement, behind = (fixed(2020, 1, n) for n in (2, 3))
    turns = [
        turn(n, tenant=tenant, user_id=user, session_id=session, accepted_at=at)
        for n, (user, session, at) in enumerate(
            (
                ("ann", "s1", statement),
                ("ann", "s1", behind),
                ("bob", "s1", statement),
                ("bob", "s2", statement),
                ("cid", "s1", statement),
            )
        )
    ]
    erased = [("user", "ann", None), ("session", "bob", "s1")]
    contents = PostgresContents(dsn)
    with closing(PostgresSink(dsn, [generation])) as sink, psycopg.connect(dsn) as conn:
        sink.ensure()
        sink.write(batch(*turns))
        for scope, user, session in erased:
            conn.execute(
                "INSERT INTO trust.erasures (erasure_id, tenant, scope, user_id, session_id, accepted_at, state)"
                " VALUES (%s, %s, %s, %s, %s, %s, 'done')",
                (f"{scope}-{tenant}", tenant, scope, user, session, statement if scope == "user" else behind),
            )
        create_generation(conn, other)
        conn.commit()
        try:
            contents.carry(generation, other)
            query = f"SELECT user_id, session_id FROM {postgres_schema(other)}.turns WHERE tenant = %s ORDER BY turn_id"  # noqa: S608
            found = conn.execute(query.encode(), (tenant,)).fetchall()
            assert found == [("ann", "s1"), ("bob", "s2"), ("cid", "s1")]
        finally:
            contents.close()
            conn.rollback()
            drop_generation(conn, other)


@pytest.mark.parametrize("session_id", [None, "s1"])
def test_c9_rows_that_an_erasure_names_go_though_they_are_dated_behind_it(
    dsn: str, generation: int, session_id: str | None
) -> None:
    """Of a session those of its own: another version of the record stays."""
    tenant, later = f"named-{generation}-{session_id}", NOW + timedelta(minutes=1)
    versions = [
        memory(n, n, version=n, tenant=tenant, record_id=name, session_id=session, known_at=later)
        for n, (name, session) in enumerate((("a", "s1"), ("a", "s2"), ("b", "s1")), 1)
    ]
    e = Erasure(
        tenant=tenant, erasure_id=tenant, scope="session" if session_id else "user", user_id="u1",
        session_id=session_id, accepted_at=NOW, stage="gate", record_ids=("a",),
    )  # fmt: skip
    with closing(PostgresSink(dsn, [generation])) as sink, psycopg.connect(dsn) as conn:
        sink.ensure()
        sink.write(batch(*versions))
        for _ in range(2):
            sink.write(SinkBatch([Item(e, message(e, topic=topics.UPDATES.name))]))
            query = f"SELECT record_id, session_id FROM {postgres_schema(generation)}.memories WHERE tenant = %s"  # noqa: S608
            found = conn.execute(query.encode(), (tenant,)).fetchall()
            assert sorted(found) == [*([("a", "s2")] if session_id else []), ("b", "s1")]
            conn.commit()


def test_d5_originals_stand_as_the_log_has_them_and_go_with_a_higher_revision(dsn: str, generation: int) -> None:
    with closing(PostgresStore(dsn, generation, turn)) as store, closing(store.sink()) as sink:
        before = turn(1)
        sink.write(batch(before))
        [row] = store.rows("turns", turn_id="turn-1")
        assert [o.model_dump() for o in before.sealed.originals or ()] == row["originals"]
        bare = before.sealed.model_copy(update={"originals": None})
        sink.write(batch(turn(1, 2, sealed=bare)))
        [row] = store.rows("turns", turn_id="turn-1")
        assert (row["revision"], row["originals"]) == (2, None)


def _plans(kind: str, unique: bool = False) -> TableSpec:
    return TableSpec.model_validate(
        {"name": "plans", "namespace": "plans", "key": "plan" if unique else "p_{id}", "unique": unique,
         "columns": [{"name": "goal", "type": kind}], "indexes": {"plans_goal": ["goal"]}}
    )  # fmt: skip


def _plan(n: int, tenant: str, goal: Any, revision: int = 1, **over: Any) -> MemoryUpdate:
    given = {"tenant": tenant, "kind": "table", "category": "plans", "key": f"p_{n}", "field": None,
             "sealed": MemoryBody(text="", value={"goal": goal})}  # fmt: skip
    return memory(n, revision, **{**given, **over})


def test_c2_tables_of_one_name_are_apart_and_deleted_rows_go(dsn: str, generation: int) -> None:
    """They were one relation: another tenant's types and unique index refused rows, and what was deleted stayed."""
    tables: dict[str, tuple[TableSpec, ...]] = {"default": (_plans("string"),), "acme": (_plans("integer", True),)}
    specs = Specs(lambda tenant: tables.get(tenant, ()), lambda: tuple(tables))
    schema = postgres_schema(generation)

    def goals(relation: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(dsn) as conn:
            query = f'SELECT tenant, record_id, goal FROM {schema}."{relation}" ORDER BY record_id'  # noqa: S608
            return conn.execute(query.encode()).fetchall()

    with closing(PostgresSink(dsn, [generation], tables=specs)) as sink:
        sink.ensure()
        sink.write(batch(_plan(1, "default", "run"), _plan(2, "default", "swim"), _plan(3, "acme", 7)))
        assert goals("plans") == [("default", "record-1", "run"), ("default", "record-2", "swim")]
        assert goals("acme/plans") == [("acme", "record-3", 7)]
        sink.write(batch(_plan(4, "acme", 8)))  # of the same user, in a table of one row a user
        assert goals("acme/plans") == [("acme", "record-3", 7)], "left out alone"
        tables["acme"] = ()
        sink.write(batch(
            _plan(3, "acme", None, 2, op="delete", state="deleted"),
            _plan(1, "default", None, 2, op="delete", state="deleted"),
        ))  # fmt: skip
        assert (goals("acme/plans"), goals("plans")) == ([], [("default", "record-2", "swim")])
        tables["beta"] = tables["default"]
        sink.write(batch(_plan(5, "beta", "walk")))
        assert goals("beta/plans") == [("beta", "record-5", "walk")], "made with the first row"


def test_c2_a_table_that_another_sink_makes_at_the_same_moment_is_no_refusal(dsn: str, generation: int) -> None:
    """Both start after an upgrade: the slower one left the tenant's table out for as long as it ran."""
    schema = postgres_schema(generation)
    columns = "tenant text, record_id text, user_id text, key text, revision bigint, created_at timestamptz, updated_at"
    with psycopg.connect(dsn) as other, ThreadPoolExecutor() as beside:
        other.execute(
            f'CREATE TABLE {schema}."acme/plans" ({columns} timestamptz, PRIMARY KEY (tenant, record_id))'.encode()
        )
        with closing(PostgresSink(dsn, [generation], tables=Specs(lambda _: (_plans("string"),), lambda: ()))) as sink:
            writing = beside.submit(sink.write, batch(_plan(1, "acme", "run")))
            until("it waits", lambda: _waits(dsn, schema))
            other.commit()
            writing.result(PATIENCE)
        found = other.execute(f'SELECT goal FROM {schema}."acme/plans"'.encode()).fetchall()  # noqa: S608
    assert found == [("run",)]


def _waits(dsn: str, schema: str) -> bool:
    with psycopg.connect(dsn) as conn:
        query = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND strpos(query, %s) > 0"
        return bool(conn.execute(query, (schema,)).fetchall())


def test_c9_an_erasure_leaves_other_tenants_tables_alone(dsn: str, generation: int) -> None:
    specs = Specs(lambda tenant: (_plans("string"),), lambda: ())
    with closing(PostgresSink(dsn, [generation], tables=specs)) as sink, psycopg.connect(dsn) as conn:
        sink.ensure()
        sink.write(batch(_plan(1, "acme", "run"), _plan(2, "beta", "run")))
        erased = Erasure(tenant="acme", erasure_id="e", scope="user", user_id="u1", accepted_at=NOW, stage="gate")
        with conn.transaction(force_rollback=True):
            erase(conn, generation, erased, topics.UPDATES.name, 0)
            schema = postgres_schema(generation)
            left = {
                tenant: conn.execute(f'SELECT count(*) FROM {schema}."{tenant}/plans"'.encode()).fetchone()  # noqa: S608
                for tenant in ("acme", "beta")
            }
        assert left == {"acme": (0,), "beta": (1,)}
