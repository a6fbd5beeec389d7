"""What Postgres refuses of a tenant's table is left out: no view of anybody waits for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import pytest
from psycopg import errors

from schemas.events.memory import MemoryUpdate
from schemas.migrations import sql_text
from schemas.profile.checks import RESERVED_TABLES
from schemas.profile.model import TableSpec
from schemas.storage.relations import HOME, foreign, relation
from sinks.postgres.structured import Specs, StructuredTables
from tests.unit.sinks.events import memory

PLAN = TableSpec.model_validate(
    {"name": "plans", "namespace": "plans", "key": "p_{id}", "unique": False,
     "columns": [{"name": "goal", "type": "string"}]},
)  # fmt: skip
INDEX = PLAN.model_copy(update={"name": "turns_session"})


class Connection:
    """Postgres as far as savepoints go: what is refused within one is undone with it, and refused outside of one ends
    the whole transaction."""

    def __init__(
        self, refuses: Callable[[str, Any], bool], rows: Sequence[tuple[str, str]] = (), tables: Sequence[str] = ()
    ) -> None:
        """`rows`: tenants and tables that `memories` has rows of. `tables`: relations that stand."""
        self._refuses, self._rows, self._tables = refuses, rows, tables
        self.kept: list[tuple[str, Any]] = []
        self._depth = 0

    @contextmanager
    def transaction(self) -> Iterator[None]:
        before = len(self.kept)
        self._depth += 1
        try:
            yield
        except errors.Error:
            del self.kept[before:]
            raise
        finally:
            self._depth -= 1

    def execute(self, query: str, params: Any = None) -> Any:
        if self._refuses(query, params):
            assert self._depth, "the caller's transaction is over"
            raise errors.WrongObjectType
        if "pg_tables" in query:
            return [(name,) for name in self._tables]
        if "RECURSIVE" in query:
            return self._rows
        self.kept.append((query, params))
        return [("goal", "text")] if "information_schema" in query else []

    def removed(self, name: str) -> list[Any]:
        """Whose, and which records were taken out of a table."""
        return [p for q, p in self.kept if q.startswith(f'DELETE FROM v."{name}"') and "record_id" in q]  # noqa: S608

    def rows(self, name: str) -> list[str]:
        """Records that were written into a table, beside what filled it."""
        found = [p[2] for q, p in self.kept if f'INSERT INTO v."{name}"' in q and len(p) == 3]
        return [record for records in found for record in records]


def row(name: str, table: str = "plans", tenant: str = HOME, **over: Any) -> MemoryUpdate:
    return memory(record_id=name, kind="table", category=table, tenant=tenant, **over)


def specs(*tables: TableSpec, **others: Sequence[TableSpec]) -> Specs:
    """Tables of every tenant but `others`."""
    return Specs(lambda tenant: others.get(tenant, tables), lambda: (HOME, *others))


def results_of(caplog: pytest.LogCaptureFixture) -> list[tuple[Any, ...]]:
    return [(vars(r)["table"], vars(r).get("rows")) for r in caplog.records if r.levelname == "ERROR"]


def test_c2_a_table_named_like_an_index_holds_up_nobody(caplog: pytest.LogCaptureFixture) -> None:
    """It was waited for, for ever, with every view of every tenant behind it."""
    conn = Connection(lambda query, _: query.startswith('ALTER TABLE v."turns_session"'))
    tables = StructuredTables(specs(INDEX, PLAN))
    for name in ("a", "b"):
        tables.write(cast(Any, conn), "v", [row(name), row("x", "turns_session")])
    assert conn.rows("plans") == ["a", "b"]
    assert not conn.rows("turns_session")
    assert results_of(caplog) == [("turns_session", None)], "said once"


@pytest.mark.parametrize("name", ["user_preferences", "memories_tables"])
def test_c2_nothing_is_done_to_a_relation_of_ours_for_a_table_of_its_name(
    caplog: pytest.LogCaptureFixture, name: str
) -> None:
    """A profile may be in force from before the name was ours. Rows of a view are deleted from its table."""
    conn = Connection(lambda *_: False)
    tables = StructuredTables(specs(PLAN.model_copy(update={"name": name})))
    tables.ensure(cast(Any, conn), "v")
    tables.write(cast(Any, conn), "v", [row("a", name), row("b", name, op="delete", state="deleted")])
    assert [q for q, _ in conn.kept if f'v."{name}"' in q] == []
    assert results_of(caplog) == [(name, None)], "said once"
    tables.write(cast(Any, conn), "v", [row("c", name, "acme")])
    assert conn.rows(f"acme/{name}") == ["c"], "it has a space of its own"


def test_c2_a_name_of_a_tenant_meets_none_of_ours_or_of_anothers() -> None:
    """Two tenants' tables of one name were one relation: who made it first decided its types and what is unique."""
    conn = Connection(lambda query, _: query.startswith('ALTER TABLE v."turns_session"'))
    tables = StructuredTables(specs(PLAN, acme=(INDEX, PLAN)))
    tables.write(cast(Any, conn), "v", [
        row("a"), row("b", tenant="acme"), row("c", "turns_session", "acme"), row("d", tenant="beta"),
    ])  # fmt: skip
    found = {name: conn.rows(name) for name in ("plans", "acme/plans", "acme/turns_session", "beta/plans")}
    assert found == {"plans": ["a"], "acme/plans": ["b"], "acme/turns_session": ["c"], "beta/plans": ["d"]}
    indexes = [q for q, _ in conn.kept if "CREATE INDEX" in q]
    assert sum('"acme/plans_user" ON v."acme/plans"' in q for q in indexes) == 1
    fills = [p for q, p in conn.kept if q.startswith("INSERT") and len(p) == 2]
    assert ("beta", "plans") in fills, "with what the tenant has already"


def test_m3_a_row_that_an_index_refuses_is_left_out_alone(caplog: pytest.LogCaptureFixture) -> None:
    conn = Connection(lambda query, params: "INSERT" in query and len(params) == 3 and "bad" in params[2])
    tables = StructuredTables(specs(PLAN))
    tables.write(cast(Any, conn), "v", [row("a"), row("bad"), row("b")])
    assert conn.rows("plans") == ["a", "b"]
    assert results_of(caplog) == [("plans", 1)]
    assert ("default", ["bad"]) in conn.removed("plans"), "what stood of it is not what the row is now"


def test_c2_rows_that_are_deleted_go_from_a_table_that_is_left_out_or_no_longer_in_the_profile() -> None:
    """They were in the relation for ever: nothing that was written to it named them any more."""
    refusing = Connection(lambda query, _: query.startswith("ALTER TABLE"))
    removed = row("a", op="delete", state="deleted"), row("b", op="delete", state="deleted")
    StructuredTables(specs(PLAN)).write(cast(Any, refusing), "v", removed)
    dropped = Connection(lambda *_: False)
    StructuredTables(specs()).write(cast(Any, dropped), "v", removed)
    for conn in (refusing, dropped):
        assert conn.removed("plans") == [("default", ["a", "b"])]
    for name in ("memories", 'x" WHERE true; --'):
        StructuredTables(specs()).write(cast(Any, dropped), "v", [row("a", name)])
    assert len([q for q, _ in dropped.kept if q.startswith("DELETE")]) == 1, "a record's name is any text"


def test_a_table_is_made_again_where_the_transaction_that_made_it_was_undone() -> None:
    conn = Connection(lambda *_: False)
    tables = StructuredTables(specs(PLAN))
    tables.ensure(cast(Any, conn), "v")
    made = len(conn.kept)
    tables.ensure(cast(Any, conn), "v")
    assert len(conn.kept) == made
    tables.forget()
    tables.ensure(cast(Any, conn), "v")
    assert len(conn.kept) == 2 * made


def test_c2_rows_that_an_older_sink_left_in_the_home_tenants_table_go() -> None:
    """It went on, between the migration and its end, with the one table of all tenants."""
    conn = Connection(lambda *_: False)
    StructuredTables(specs(PLAN)).ensure(cast(Any, conn), "v")
    assert ('DELETE FROM v."plans" WHERE tenant <> %s', (HOME,)) in conn.kept


def test_c2_tenants_that_have_rows_and_no_table_get_it_at_a_start() -> None:
    """Of those with no profile of their own nothing was made before their next row: an upgrade had dropped theirs."""
    conn = Connection(
        lambda *_: False, rows=[("acme", "plans"), ("acme", "turns_session"), ("beta", "plans"), (HOME, "plans")],
        tables=["beta/plans"],
    )  # fmt: skip
    tables = StructuredTables(Specs(lambda tenant: (PLAN,), lambda: (HOME,)))
    tables.ensure(cast(Any, conn), "v")
    made = [q.split('"')[1] for q, _ in conn.kept if q.startswith("CREATE TABLE")]
    assert made == ["plans", "acme/plans"]
    assert [p for q, p in conn.kept if q.startswith("INSERT")] == [(HOME, "plans"), ("acme", "plans")], "and filled"


def test_tables_are_written_in_one_order_by_every_writer() -> None:
    """Two that locked them in the order of their batches waited for each other."""
    rows = [row("1", tenant="b"), row("2", tenant="a"), row("3")]
    orders = []
    for batch in (rows, rows[::-1]):
        conn = Connection(lambda *_: False)
        StructuredTables(specs(PLAN)).write(cast(Any, conn), "v", batch)
        orders.append([p[0] for q, p in conn.kept if "INSERT" in q and len(p) == 3])
    assert orders == [["a", "b", HOME]] * 2


def test_c2_spaces_of_tenants_are_apart_and_fit() -> None:
    tenants = ["acme", "Acme", "acme/x", "acme%2Fx", "诊所", "a" * 21, "a" * 22, "a" * 200]
    names = ["plans", "p" * 55 + "a", "p" * 55 + "b", "plans_user"]
    found = [relation(t, n) for t in (HOME, *tenants) for n in names]
    assert len(set(found)) == len(found)
    assert all(len(f.encode()) <= 63 and '"' not in f and "%" not in f for f in found)
    assert [relation(t, "plans") for t in (HOME, "acme")] == ["plans", "acme/plans"]
    for tenant in tenants:
        assert [foreign(tenant, relation(t, "plans")) for t in (tenant, HOME)] == [False, False]
        assert all(foreign(tenant, relation(t, "plans")) for t in tenants if t != tenant)
    assert foreign(HOME, "acme/plans")


def test_c2_every_relation_of_a_generation_is_reserved() -> None:
    text = "".join(sql_text(name) for name in ("views", "archive", "messages", "seeds"))
    kind = r"(TABLE|VIEW|INDEX)(?: IF NOT EXISTS)?(?: ONLY)? (?:\{schema\}\.)?(\w+)"
    found = re.findall(rf"CREATE (?:OR REPLACE )?(?:UNIQUE )?{kind}", text)
    assert len(found) > 20
    names = {name for _, name in found} | {f"{name}_pkey" for what, name in found if what == "TABLE"}
    assert names <= RESERVED_TABLES
