"""A database that the code of migration 0016 made and filled, brought to today's version: several tenants, whose
structured tables of one name were one relation then, keys, the access log, erasures (tests/data/upgrade)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, closing
from datetime import timedelta
from functools import partial
from typing import Any

import psycopg
import pytest
from psycopg import sql

from memstream import audit
from memstream.checks.sealed_texts import count_older
from memstream.keyring.cipher import AesCipher
from memstream.keyring.master import LocalMasterKeys
from memstream.keyring.originals import Vault
from memstream.keyring.store import Keyring
from memstream.stack import Addresses
from query.auth.book import KeyBook
from query.key_threads import KeyThreads
from query.views import memories, structured
from query.views.db import Database
from schemas.events.erasure import Erasure
from schemas.events.memory import MemoryBody, MemoryUpdate
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.owner import user
from schemas.migrations import create_generation, drop_generation, generations, newest, upgrade, version, wall
from schemas.profile.model import TableSpec
from schemas.security.encrypted_values import Original, Originals
from schemas.security.scope import Permission, TenantScope
from schemas.security.sealing import KeyDestroyed
from schemas.storage import postgres_connections
from schemas.storage.relations import HOME, relation
from sinks.postgres.erasure import erase
from sinks.postgres.sink import PostgresSink
from sinks.postgres.structured import Specs
from tests.integration.upgrade_env import DATA, database, fill
from tests.patience import PATIENCE
from tests.unit.sinks.events import NOW, batch, memory

pytestmark = pytest.mark.integration
KEYS = json.loads((DATA / "v0016_keys.json").read_text(encoding="utf-8"))
TENANTS = (HOME, "acme", "beta", "诊所")
PRIMARY = (
    "stream.positions", "stream.state", "trust.erasures", "trust.erasure_findings", "trust.data_keys", "audit.chains",
    "audit.accesses", "audit.subjects", "auth.keys", "ops.live_views", "ops.generations",
)  # fmt: skip
VIEWS = tuple(
    f"views_g{n}.{name}"
    for n in (1, 2)
    for name in ("turns", "memories", "decisions", "sessions", "checkpoints", "progress", "archive")
)
MASTERS = partial(LocalMasterKeys.of_environment, "ab" * 32)


def spec(name: str, column: str, kind: str) -> TableSpec:
    return TableSpec.model_validate(
        {"name": name, "namespace": name, "key": f"{name[0]}_{{id}}", "unique": False,
         "columns": [{"name": column, "type": kind}]}
    )  # fmt: skip


PLANS, VISITS = spec("plans", "goal", "string"), spec("visits", "rooms", "integer")
OWN = spec("visits", "rooms", "string")
"""The profile of acme has a column of another type."""
SPECS = Specs(lambda tenant: (PLANS, OWN if tenant == "acme" else VISITS), lambda: (HOME, "acme"))
"""As the worker has them: of tenants without a profile of their own nothing is known before."""


@pytest.fixture(scope="module")
def upgraded(addresses: Addresses) -> Iterator[tuple[str, Mapping[str, list[dict[str, Any]]]]]:
    """A database to copy from, and its rows as they were before the upgrade."""
    with psycopg.connect(addresses.postgres, autocommit=True) as server, ExitStack() as stack:
        dsn = stack.enter_context(database(server, addresses.postgres, ""))
        fill(dsn)
        with psycopg.connect(dsn) as conn:
            assert version(conn) == "0016"
            before = {place: _rows(conn, place) for place in (*PRIMARY, *VIEWS)}
        upgrade(dsn)
        yield dsn, before


@pytest.fixture
def dsn(addresses: Addresses, upgraded: tuple[str, Any]) -> Iterator[str]:
    template = str(psycopg.conninfo.conninfo_to_dict(upgraded[0])["dbname"])
    with psycopg.connect(addresses.postgres, autocommit=True) as server, ExitStack() as stack:
        yield stack.enter_context(database(server, addresses.postgres, f" TEMPLATE {template}"))


def _rows(conn: psycopg.Connection[Any], place: str) -> list[dict[str, Any]]:
    found = conn.execute(f"SELECT to_jsonb(t) FROM {place} t ORDER BY t::text".encode()).fetchall()  # noqa: S608
    return [row for (row,) in found]


def _column(conn: psycopg.Connection[Any], name: str, column: str) -> list[Any]:
    query = sql.SQL("SELECT {} FROM views_g1.{} ORDER BY 1").format(sql.Identifier(column), sql.Identifier(name))
    return [row[0] for row in conn.execute(query)]


@asynccontextmanager
async def views(dsn: str, codec: Codec | None = None) -> AsyncIterator[Database]:
    """As the query service reads."""
    pool = postgres_connections.pool(
        dsn, min_size=1, max_size=2, options={"application_name": "query"}, reconnect_timeout=5.0
    )
    await pool.open(wait=True)
    try:
        yield Database(pool, 0.0, PATIENCE, codec, key_threads=KeyThreads(PATIENCE))
    finally:
        await pool.close()


def ensured(dsn: str, *numbers: int) -> PostgresSink:
    sink = PostgresSink(dsn, numbers or (1, 2), tables=SPECS)
    sink.ensure()
    return sink


def of_tenant(tenant: str) -> TenantScope:
    return TenantScope(tenant, "test", frozenset(Permission))


def test_n1_every_row_is_as_it_was(dsn: str, upgraded: tuple[str, Mapping[str, list[dict[str, Any]]]]) -> None:
    """Beside columns that are new."""
    upgrade(dsn)  # once more, as every process does
    with psycopg.connect(dsn) as conn:
        assert version(conn) == newest()
        for place, rows in upgraded[1].items():
            known = set(rows[0]) if rows else set()
            assert [{n: v for n, v in r.items() if n in known} for r in _rows(conn, place)] == rows, place
    assert len(upgraded[1]["views_g1.memories"]) == 38
    assert all(upgraded[1][place] for place in PRIMARY)


_SCANS = "SELECT idx_scan FROM pg_stat_user_indexes WHERE schemaname = 'views_g1' AND indexrelname = 'memories_also'"
_MORE = """
INSERT INTO views_g1.memories SELECT (jsonb_populate_record(m, jsonb_build_object('record_id', n, 'also', ARRAY[n]))).*
FROM views_g1.memories m, unnest(%s::text[]) n WHERE record_id = 'acme-bob-fact'
"""
_SHAPE = {
    "relations and columns": """
        SELECT n.nspname, c.relname, c.relkind, c.relrowsecurity, a.attname, format_type(a.atttypid, a.atttypmod),
          a.attnotnull, pg_get_expr(d.adbin, d.adrelid)
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
        WHERE c.relkind IN ('r', 'v', 'p') AND n.nspname = ANY(%s)""",
    "indexes": "SELECT schemaname, indexname, indexdef FROM pg_indexes WHERE schemaname = ANY(%s)",
    "constraints": """
        SELECT n.nspname, c.relname, pg_get_constraintdef(k.oid) FROM pg_constraint k
        JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = ANY(%s)""",
    "views": "SELECT schemaname, viewname, definition FROM pg_views WHERE schemaname = ANY(%s)",
    "policies": """
        SELECT schemaname, tablename, policyname, roles, cmd, qual FROM pg_policies WHERE schemaname = ANY(%s)""",
    "functions": """
        SELECT n.nspname, p.proname, p.prosrc FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
        WHERE n.nspname = ANY(%s)""",
    "triggers": """
        SELECT n.nspname, c.relname, pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace WHERE NOT t.tgisinternal AND n.nspname = ANY(%s)""",
    "grants": """
        SELECT table_schema, table_name, privilege_type FROM information_schema.role_table_grants
        WHERE grantee = 'memstream_reader' AND table_schema = ANY(%s)""",
}
_SCHEMAS = ["stream", "ops", "trust", "audit", "auth", "views_g1"]


def _shape(dsn: str) -> dict[str, set[str]]:
    """But for structured tables, which the sink makes."""
    with psycopg.connect(dsn) as conn:
        found = {what: {repr(r) for r in conn.execute(query.encode(), (_SCHEMAS,))} for what, query in _SHAPE.items()}
    return {what: {line for line in lines if "visits" not in line} for what, lines in found.items()}


def test_n1_an_upgraded_database_is_made_like_a_new_one(dsn: str, addresses: Addresses) -> None:
    """A file in schemas/sql says what a new one gets, a migration what an old one does: they may part."""
    with psycopg.connect(addresses.postgres, autocommit=True) as server, ExitStack() as stack:
        new = stack.enter_context(database(server, addresses.postgres, ""))
        upgrade(new)
        want = _shape(new)
    have = _shape(dsn)
    assert {what: (have[what] - want[what], want[what] - have[what]) for what in want} == {
        what: (set(), set()) for what in want
    }


def test_c2_each_tenant_has_its_rows_in_tables_of_its_own_from_the_first_start(dsn: str) -> None:
    """Also those without a profile of their own, before their next row."""
    with closing(ensured(dsn)) as sink, psycopg.connect(dsn, autocommit=True) as conn:
        for tenant in TENANTS:
            goals = [f"{who} of {tenant} runs" for who in ("ann", "bob")]
            assert _column(conn, relation(tenant, "plans"), "goal") == goals
        assert _column(conn, relation("beta", "visits"), "rooms") == [20, 21]
        assert _column(conn, "acme/visits", "rooms") == [None, None], "a number is no text"
        assert conn.execute("SELECT * FROM public.my_visits ORDER BY rooms").fetchall() == [(HOME, 0), (HOME, 1)]
        sink.write(batch(*(_plan(tenant, "cid", "swims") for tenant in TENANTS)))
        assert [_column(conn, relation(t, "plans"), "goal")[-1] for t in TENANTS] == ["swims"] * 4


def _plan(tenant: str, who: str, goal: str) -> MemoryUpdate:
    return memory(
        7, tenant=tenant, owner_id=who, user_id=who, kind="table", category="plans", key="p_7", field=None,
        record_id=f"{tenant}-{who}", sealed=MemoryBody(text="", value={"goal": goal}),
    )  # fmt: skip


def test_c7_the_wall_locks_no_table_in_a_tenants_space_and_opens_none(dsn: str) -> None:
    """All of them in one transaction took more locks than a server has."""
    ensured(dsn).close()
    with psycopg.connect(dsn) as conn:
        wall(conn)
        locked = "SELECT 1 FROM pg_locks l JOIN pg_class c ON c.oid = l.relation WHERE strpos(c.relname, '/') > 0"
        assert conn.execute(locked).fetchall() == []
        may = "SELECT has_table_privilege('memstream_reader', %s, 'SELECT')"
        found = [conn.execute(may, (f'views_g1."{name}"',)).fetchone() for name in ("acme/plans", "memories")]
    assert found == [(False,), (True,)]


async def test_c2_c7_reads_of_tables_find_the_rows_of_the_tenant_alone(dsn: str) -> None:
    ensured(dsn).close()
    async with views(dsn) as db:
        for tenant in TENANTS:
            found = await structured.rows(db, of_tenant(tenant).user("ann"), "plans", NOW, 10)
            assert [r["value"] for r in found] == [{"goal": f"ann of {tenant} runs"}]
            row = await structured.row(db, of_tenant(tenant).user("bob"), "visits", "v_2", NOW)
            assert row is not None
            assert row["record_id"] == f"{tenant}-bob-visits-2"


async def test_c7_an_id_that_was_told_is_found_by_an_index_and_by_its_tenant_alone(dsn: str) -> None:
    """Behind the policy of the reading role Postgres uses no index by an array: each look read the whole table."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        for number in (1, 2):
            conn.execute(
                f"UPDATE views_g{number}.memories SET also = ARRAY['told', 'told-' || tenant] "  # noqa: S608
                "WHERE record_id = tenant || '-ann-fact'".encode()
            )
        conn.execute(_MORE, ([f"more-{n}" for n in range(3_000)],))
        conn.execute("ANALYZE views_g1.memories")
    with psycopg.connect(dsn) as conn:  # what a connection counts is seen once it is over
        before = conn.execute(_SCANS).fetchall()
    async with views(dsn) as db:
        for tenant in ("acme", "beta"):
            ann, bob = (of_tenant(tenant).user(who) for who in ("ann", "bob"))
            for entry in ("told", f"told-{tenant}"):
                assert await memories.resolve_alias(db, of_tenant(tenant), entry) == f"{tenant}-ann-fact"
                assert [await memories.found(db, who, entry) for who in (ann, bob)] == [True, False]
            assert [await memories.found(db, who, f"{tenant}-ann-fact") for who in (ann, bob)] == [True, False]
        assert await memories.resolve_alias(db, of_tenant("beta"), "told-acme") is None
        assert not await memories.found(db, of_tenant("beta").user("ann"), "told-acme")
    with psycopg.connect(dsn) as conn:
        assert conn.execute(_SCANS).fetchall() > before
        may = "SELECT has_function_privilege(%s, 'views_g2.led_to(text)', 'EXECUTE')"
        assert conn.execute(may, ("memstream_reader",)).fetchone() == (True,)
        assert conn.execute("SELECT proacl::text ~ '[{,]=X' FROM pg_proc WHERE proname = 'led_to'").fetchall() == [
            (False,), (False,)
        ]  # fmt: skip


def test_c9_an_erasure_takes_the_user_out_of_every_generation_and_table_of_the_tenant(dsn: str) -> None:
    e = Erasure(tenant="beta", erasure_id="e1", scope="user", user_id="ann", accepted_at=NOW + timedelta(days=1))
    with closing(ensured(dsn)), psycopg.connect(dsn, autocommit=True) as conn:
        for generation in (1, 2):
            for topic in (topics.HISTORY, topics.SESSION_STATE, topics.DECISIONS, topics.UPDATES):
                erase(conn, generation, e.model_copy(update={"stage": "gate"}), topic.name, 0)
            held = {
                name
                for name, owner in (("turns", "user_id"), ("memories", "owner_id"), ("decisions", "owner_id"),
                                    ("sessions", "user_id"), ("checkpoints", "user_id"), ("archive", "owner_id"),
                                    ('"beta/plans"', "user_id"), ('"beta/visits"', "user_id"))
                if conn.execute(
                    f"SELECT 1 FROM views_g{generation}.{name} WHERE tenant = 'beta' AND {owner} = 'ann'".encode()  # noqa: S608
                ).fetchone()
            }  # fmt: skip
            assert held == set()
        assert _column(conn, "beta/plans", "goal") == ["bob of beta runs"]
        for tenant in (HOME, "acme", "诊所"):
            assert len(_column(conn, relation(tenant, "plans"), "goal")) == 2


def test_n1_a_generation_of_before_is_dropped_and_the_live_one_stays(dsn: str) -> None:
    ensured(dsn).close()
    with psycopg.connect(dsn, autocommit=True) as conn:
        assert generations(conn) == [1, 2]
        drop_generation(conn, 2)
        assert generations(conn) == [1]
        assert len(_column(conn, "memories", "record_id")) == 38
        with pytest.raises(ValueError, match="live"):
            drop_generation(conn, 1)
        assert create_generation(conn, 3)
    ensured(dsn, 1, 3).close()


async def test_c7_keys_open_what_they_opened(dsn: str) -> None:
    """What could write documents then, when `write` was enough, still can; a key of one user could by mistake."""
    async with views(dsn) as db:
        book = KeyBook(db, lambda: NOW, 0.0, PATIENCE)
        found = {name: await book.scope(key) for name, key in KEYS.items()}
    whole = {Permission.READ, Permission.WRITE}
    assert {name: None if s is None else (s.tenant, set(s.permissions), s.users) for name, s in found.items()} == {
        "whole": ("acme", whole | {Permission.DOCUMENTS}, None), "bound": ("acme", whole, frozenset({"ann"})),
        "reads": ("beta", {Permission.READ}, None), "revoked": None,
    }  # fmt: skip


async def test_c7_n6_data_keys_open_what_they_sealed_and_destroyed_ones_stay_destroyed(dsn: str) -> None:
    with closing(Keyring(dsn, MASTERS())) as ring:
        async with views(dsn, Codec(AesCipher(ring))) as db:
            [fact] = await memories.by_record(db, of_tenant("acme"), "acme-eve-fact")
        assert fact["text"] == "eve takes insulin"
        with psycopg.connect(dsn) as conn:
            assert count_older(conn) == 2, "of each generation one, as that release sealed it"
            row = conn.execute("SELECT originals FROM views_g1.turns WHERE turn_id = 'turn-acme-eve'").fetchone()
        assert row is not None
        [kept] = [Originals.model_validate(o) for o in row[0]]
        taken = Original("PHONE_NUMBER", "<PHONE_NUMBER:1>", "13812345678")
        assert Vault(ring).open(user("acme", "eve"), "turn-acme-eve", kept) == [taken]
        with pytest.raises(KeyDestroyed):
            ring.key(user("beta", "fay").key, 1)
        assert ring.destroy_tenant("beta") == 2
        assert ring.key_exists(user("acme", "eve").key, 1)


def test_c10_the_access_log_verifies(dsn: str) -> None:
    found = audit.verify(dsn, b"k" * 32)
    assert (found.entries, found.faults) == (3, [])
