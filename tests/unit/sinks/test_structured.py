"""What Postgres refuses of a tenant's table is left out: no view of anybody waits for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest
from psycopg import errors

from schemas.events.memory import MemoryUpdate
from schemas.migrations import sql_text
from schemas.profile.checks import RESERVED_TABLES
from schemas.profile.model import TableSpec
from sinks.postgres.structured import StructuredTables
from tests.unit.sinks.events import memory

PLAN = TableSpec.model_validate(
    {"name": "plans", "namespace": "plans", "key": "p_{id}", "unique": False,
     "columns": [{"name": "goal", "type": "string"}]},
)  # fmt: skip
INDEX = PLAN.model_copy(update={"name": "turns_session"})


class Connection:
    """Postgres as far as savepoints go: what is refused within one is undone with it, and refused outside of one ends
    the whole transaction."""

    def __init__(self, refuses: Callable[[str, Any], bool]) -> None:
        self._refuses = refuses
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
        self.kept.append((query, params))
        return [("goal", "text")] if "information_schema" in query else []

    def rows(self, name: str) -> list[str]:
        """Records that were written into a table, beside what filled it."""
        found = [p[2] for q, p in self.kept if f'INSERT INTO v."{name}"' in q and len(p) == 3]
        return [record for records in found for record in records]


def row(name: str, table: str = "plans") -> MemoryUpdate:
    return memory(record_id=name, kind="table", category=table)


def told(caplog: pytest.LogCaptureFixture) -> list[tuple[Any, ...]]:
    return [(vars(r)["table"], vars(r).get("rows")) for r in caplog.records if r.levelname == "ERROR"]


def test_c2_a_table_named_like_an_index_holds_up_nobody(caplog: pytest.LogCaptureFixture) -> None:
    """It was waited for, for ever, with every view of every tenant behind it."""
    conn = Connection(lambda query, _: query.startswith('ALTER TABLE v."turns_session"'))
    tables = StructuredTables(lambda: (INDEX, PLAN))
    for name in ("a", "b"):
        tables.write(cast(Any, conn), "v", [row(name), row("x", "turns_session")])
    assert conn.rows("plans") == ["a", "b"]
    assert not conn.rows("turns_session")
    assert told(caplog) == [("turns_session", None)], "said once"


def test_m3_a_row_that_a_foreign_index_refuses_is_left_out_alone(caplog: pytest.LogCaptureFixture) -> None:
    conn = Connection(lambda query, params: "INSERT" in query and len(params) == 3 and "bad" in params[2])
    tables = StructuredTables(lambda: (PLAN,))
    tables.write(cast(Any, conn), "v", [row("a"), row("bad"), row("b")])
    assert conn.rows("plans") == ["a", "b"]
    assert told(caplog) == [("plans", 1)]


def test_a_table_is_made_again_where_the_transaction_that_made_it_was_undone() -> None:
    conn = Connection(lambda *_: False)
    tables = StructuredTables(lambda: (PLAN,))
    tables.ensure(cast(Any, conn), "v")
    made = len(conn.kept)
    tables.ensure(cast(Any, conn), "v")
    assert len(conn.kept) == made
    tables.forget()
    tables.ensure(cast(Any, conn), "v")
    assert len(conn.kept) == 2 * made


def test_c2_every_relation_of_a_generation_is_reserved() -> None:
    text = "".join(sql_text(name) for name in ("views", "archive", "messages", "seeds"))
    kind = r"(TABLE|VIEW|INDEX)(?: IF NOT EXISTS)?(?: ONLY)? (?:\{schema\}\.)?(\w+)"
    found = re.findall(rf"CREATE (?:OR REPLACE )?(?:UNIQUE )?{kind}", text)
    assert len(found) > 20
    names = {name for _, name in found} | {f"{name}_pkey" for what, name in found if what == "TABLE"}
    assert names <= RESERVED_TABLES
