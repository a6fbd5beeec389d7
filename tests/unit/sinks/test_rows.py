"""Rows of the stores, without the stores: every column is filled, and shapes that callers read."""

from __future__ import annotations

from datetime import timedelta
from importlib.resources import files

import numpy as np
import orjson
import pytest

from schemas.events.hot_memory import HotRow, hot_memory
from schemas.events.session_value import history_list, session_value, value_of_row
from schemas.events.sessions import SessionBody, WindowMessage
from schemas.security import sealed_rows
from schemas.storage.layouts import MilvusLayout
from sinks.milvus.rows import NUMBER_FIELDS, TEXT_FIELDS, cut, is_held, key
from sinks.milvus.rows import row as milvus_row
from sinks.postgres.rows import row as postgres_row
from sinks.postgres.tables import TABLES, Table
from tests.unit.sinks.events import NOW, TEXTS, checkpoint, decision, embedding, hot, memory, session, turn


@pytest.mark.parametrize("event", [turn(), memory(), decision(), session(), checkpoint()])
def test_every_column_is_filled(event: object) -> None:
    found = postgres_row(event)  # type: ignore[arg-type]
    assert found is not None
    table, row = found
    assert {*row, *sealed_rows.COLUMNS} == {name for name, _ in table.columns}
    orjson.dumps(row)


@pytest.mark.parametrize("table", TABLES, ids=lambda t: t.name)
def test_columns_are_those_of_the_migration(table: Table) -> None:
    """schemas/sql/views.sql and the sink cannot drift apart."""
    sql = files("schemas").joinpath("sql", "views.sql").read_text()
    body = sql.split(f"CREATE TABLE {{schema}}.{table.name} (", 1)[1].split("PRIMARY KEY", 1)[0]
    lines = [line.strip().split() for line in body.splitlines() if line.strip() and not line.strip().startswith("--")]
    assert {name: kind.split("(")[0] for name, kind in table.columns} == {
        line[0]: ("double precision" if line[1] == "double" else line[1].rstrip(",").split("(")[0]) for line in lines
    }


def test_deletion_carries_no_content() -> None:
    """Even when the event still does."""
    found = postgres_row(memory(op="delete", state="deleted", text=TEXTS[1]))
    assert found is not None
    text = orjson.dumps(found[1]).decode()
    assert "Lisbon" not in text
    assert TEXTS[1] not in text


def test_milvus_row_has_every_field() -> None:
    for event in (turn(1), memory(1)):
        row = milvus_row(event, 512)
        assert set(row) == {"pk", "terms", "dense", *TEXT_FIELDS, *NUMBER_FIELDS}
        assert np.allclose(row["dense"], np.frombuffer(embedding(1), "<f2").astype(np.float32))


def test_milvus_keys_tell_records_apart() -> None:
    """No separator can be imitated by a part."""
    assert MilvusLayout.key("a", "b/c") != MilvusLayout.key("a/b", "c")
    assert key(memory(1, version=1)) != key(memory(1, version=2))
    assert key(turn(1)) != key(turn(1, user_id="u2"))


@pytest.mark.parametrize("state", ["observed", "superseded", "refused", "archived", "deleted"])
def test_only_active_memories_are_searchable(state: str) -> None:
    assert is_held(memory(1))
    assert not is_held(memory(1, state=state))


def test_text_is_cut_at_a_character() -> None:
    assert cut("里斯本", 7) == "里斯"
    assert cut("abc", 3) == "abc"


def test_session_value_is_the_same_from_a_record_and_from_a_row() -> None:
    """E1, E6: Redis and Postgres serve the same JSON."""
    found = postgres_row(session(1, checkpoint_message_id="m1"))
    assert found is not None
    row = orjson.loads(orjson.dumps(found[1])) | {"updated_at": NOW}
    assert value_of_row(row) == session_value(session(1, checkpoint_message_id="m1"))


def test_session_without_anything_has_the_seeds_shape() -> None:
    """E1: every key is there, empty; what the caller wrote stands over it."""
    value = session_value(session(1, sealed=SessionBody(user_snapshot={"name": "安"}), current_agent_key=None))
    assert set(value) >= {"meta", "flow_context", "message_context", "global_state", "user_snapshot"}
    assert set(value["global_state"]) == {"shared", "entities", "agent_slots", "current_intent", "pending_action"}
    assert set(value["user_snapshot"]) == {
        "user_id", "name", "allergies", "history", "surgery_history", "preferences",
    }  # fmt: skip
    assert (value["user_snapshot"]["user_id"], value["user_snapshot"]["name"]) == ("u1", "安")
    assert value["message_context"]["cached_checkpoint"] == ""


def test_history_is_newest_first_and_bounded() -> None:
    """D6."""
    window = tuple(
        WindowMessage(role="user", content=str(i), timestamp=NOW + timedelta(seconds=i), turn_id=str(i))
        for i in range(25)
    )
    contents = [m["content"] for m in history_list(session(1, sealed=SessionBody(window=window)))]
    assert contents == [str(i) for i in range(24, 4, -1)]
    assert history_list(session(1, sealed=SessionBody())) == []


def test_hot_memory_groups_and_orders() -> None:
    """A3: priority first, then the newest; what is not active or of no known type is left out."""
    rows = []
    for event in (
        hot(1, priority=1), hot(2, priority=9), hot(3, priority=1, known_at=NOW + timedelta(hours=1)),
        hot(4, category="status"), hot(5, state="deleted", op="delete"), hot(6, category="other"),
    ):  # fmt: skip
        found = postgres_row(event)
        assert found is not None
        rows.append(HotRow.of_row(found[1]))
    value = hot_memory(rows)
    assert {name: [r["key"] for r in group] for name, group in value.items()} == {
        "meta": [], "status": ["k4"], "decisions": ["k2", "k3", "k1"], "preferences": [],
    }  # fmt: skip
