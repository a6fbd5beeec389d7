"""C7: a sealed part opens in its own row alone, in Postgres and in what Redis holds."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import orjson
import pytest

from memstream.keyring.cipher import AesCipher
from query.reading import cache, session_store
from query.reading import hot as hot_reading
from query.views import documents, items, memories, retention, sessions, turns
from query.views import hot as hot_view
from query.views.db import StatementError, TenantStatement
from query.views.sealed import PLACE, opened, sealed_columns
from schemas.events.hot_memory import HotRow, hot_memory
from schemas.events.memory import Decision, MemoryBody, MemoryUpdate
from schemas.events.session_value import session_value
from schemas.log.codec import Codec
from schemas.log.owner import project, user
from schemas.security.scope import Permission, TenantScope
from schemas.storage.layouts import RedisLayout
from sinks.redis.session import session_args
from tests.unit.sinks.events import checkpoint, decision, hot, memory, session, turn
from tests.unit.sinks.test_sealed_rows import KEYS, STATEMENT, context, item, read_as, stored
from tests.unit.test_keyring import MemoryKeys

OTHER = "an old address"
SCOPE = TenantScope("t1", "local", frozenset(Permission))
PAIRS: list[tuple[Any, Any]] = [
    (turn(1, text=STATEMENT), turn(2, text=OTHER)),
    (turn(1, text=STATEMENT), turn(1, text=OTHER, revision=2)),
    (memory(1, text=STATEMENT), memory(2, text=OTHER)),
    (memory(1, text=STATEMENT), memory(1, text=OTHER, version=1)),
    (memory(1, text=STATEMENT), memory(1, text=OTHER, revision=2)),
    (decision(1), decision(2)),
    (session(1, text=STATEMENT), session(2, text=OTHER)),
    (checkpoint(1), checkpoint(2)),
    (hot(1, text=STATEMENT), hot(2, text=OTHER)),
]


@pytest.fixture
def keys() -> MemoryKeys:
    return MemoryKeys()


async def read(keys: MemoryKeys, *rows: dict[str, Any]) -> list[dict[str, Any]]:
    return await opened(Codec(AesCipher(keys)), [dict(row) for row in rows], KEYS)


@pytest.mark.parametrize(("one", "other"), PAIRS)
async def test_c7_rows_of_one_owner_that_swapped_their_texts_are_left_out(
    keys: MemoryKeys, caplog: pytest.LogCaptureFixture, one: Any, other: Any
) -> None:
    mine, theirs = (stored(e, item(keys, e).sealed) for e in (one, other))
    assert len(await read(keys, mine, theirs)) == 2
    swapped = [{**mine, "sealed": theirs["sealed"]}, {**theirs, "sealed": mine["sealed"]}]
    assert await read(keys, *swapped, mine) == await read(keys, mine)
    (records,) = [r for r in caplog.records if "do not open" in r.message]
    assert records.n == 2  # type: ignore[attr-defined]
    assert mine["sealed"]["ct"] not in caplog.text


async def test_c7_a_row_that_was_given_to_another_owner_does_not_open_there(keys: MemoryKeys) -> None:
    """`sealed_for` may say what it likes: the row's own owner is in its place."""
    owners = (memory(1), "owner_id"), (turn(1), "user_id"), (memory(1), "tenant"), (session(1), "user_id")
    for event, column in owners:
        row = stored(event, item(keys, event).sealed)
        assert await read(keys, row)
        assert await read(keys, read_as(type(event), {**row, column: "u2"})) == []


async def test_c7_a_turn_does_not_open_in_another_session(keys: MemoryKeys) -> None:
    row = stored(turn(1), item(keys, turn(1)).sealed)
    assert await read(keys, read_as(type(turn(1)), {**row, "session_id": "s2"})) == []


async def test_c7_a_row_without_its_place_does_not_open(keys: MemoryKeys) -> None:
    row = stored(memory(1), item(keys, memory(1)).sealed)
    assert await read(keys, {**row, PLACE: None}) == []


async def test_c7_rows_that_are_bound_to_their_owner_alone_open_without_a_place(keys: MemoryKeys) -> None:
    raw = Codec(AesCipher(keys, "owner")).value(memory(1, text=STATEMENT))
    row = {**stored(memory(1), item(keys, memory(1)).sealed), "sealed": orjson.loads(raw)["sealed"], PLACE: None}
    assert [r["text"] for r in await read(keys, row)] == [STATEMENT]


def test_the_statement_tells_the_place_by_the_rows_columns() -> None:
    assert sealed_columns(Decision, "d") == (
        "d.sealed, d.sealed_for, CASE WHEN d.sealed IS NOT NULL THEN ARRAY['decision', d.tenant::text, "
        "d.owner_kind::text, d.owner_id::text, d.decision_id::text, d.revision::text] END AS sealed_place"
    )
    for text in (documents.TURN_COLUMNS, documents.MEMORY_COLUMNS, memories.COLUMNS, items._COLUMNS, turns._COLUMNS,
                 turns._TENANT_BY_KEYS.text, sessions._GET.text, retention._ARCHIVED.text, hot_view._ROWS.text):
        assert text.count("sealed_for") == text.count(f"AS {PLACE}") == 1


def test_a_statement_that_reads_sealed_text_without_its_place_cannot_be_written() -> None:
    with pytest.raises(StatementError, match="tell its place"):
        TenantStatement("SELECT text, sealed, sealed_for FROM {v}.memories WHERE tenant = %(tenant)s")


def question_of(keys: MemoryKeys, monkeypatch: pytest.MonkeyPatch, held: dict[str, bytes]) -> Any:
    """A request's context over a Redis that holds this."""

    async def answer(_: Any, *names: str) -> list[bytes | None]:
        return [held.get(name) for name in names]

    monkeypatch.setattr(cache, "read", answer)
    monkeypatch.setattr(cache, "layout", lambda _: RedisLayout(1))
    timed = SimpleNamespace(labels=lambda _: SimpleNamespace(time=nullcontext))
    return SimpleNamespace(**vars(context(keys)), metrics=SimpleNamespace(session_seconds=timed))


async def test_c7_a_session_in_redis_opens_under_its_own_key_alone(
    keys: MemoryKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout, scope = RedisLayout(1), SCOPE.user("u1")
    states = [session(n, n + 1, text=text) for n, text in enumerate((STATEMENT, OTHER))]
    values = [session_args(s, timedelta(minutes=30), item(keys, s).sealed)[3] for s in states]
    held = {layout.session(user("t1", "u1"), s.session_id): v for s, v in zip(states, values, strict=True)}
    held |= {layout.revision(user("t1", "u1"), s.session_id): b"%d" % s.revision for s in states}
    ctx = question_of(keys, monkeypatch, held)
    for s in states:
        assert await session_store._cached(ctx, scope, s.session_id) == (s.revision, session_value(s))
    held[layout.session(user("t1", "u1"), "s0")] = values[1]
    assert await session_store._cached(ctx, scope, "s0") is None, "the whole value of another session"
    one, other = map(orjson.loads, values)
    held[layout.session(user("t1", "u1"), "s0")] = orjson.dumps({**one, "sealed": other["sealed"]})
    assert await session_store._cached(ctx, scope, "s0") is None


async def test_c7_hot_memory_in_redis_opens_in_its_own_entry_alone(
    keys: MemoryKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [hot(1, text=STATEMENT, user_id="u7"), hot(2, text=OTHER, user_id="u7"),
            hot(3, text=OTHER, user_id="u7", state="observed", conflicts_with=("hot-1",))]  # fmt: skip
    rows = [stored(e, item(keys, e).sealed) | {"known_at": e.known_at, "key": None} for e in texts]
    snapshot: Any = orjson.loads(orjson.dumps(hot_memory(HotRow.of_row(r) for r in rows)))
    layout, held = RedisLayout(1), dict[str, bytes]()
    ctx = question_of(keys, monkeypatch, held)

    async def shown(project_id: str = "p1") -> list[tuple[str, Any, Any]]:
        owner = project("t1", project_id)
        held[layout.hot_memory(owner, project_id)] = orjson.dumps(snapshot)
        found: Any = await hot_reading._snapshot(ctx, SCOPE.project(project_id))
        return sorted((e["id"], e["value"], e.get("proposal", {}).get("value")) for e in found["decisions"])

    assert await shown() == [("hot-1", STATEMENT, OTHER), ("hot-2", OTHER, None)]
    assert await shown("p2") == [], "another project of the same user"
    entries = {e["id"]: e for e in snapshot["decisions"]}
    one, other = entries["hot-1"], entries["hot-2"]
    one["sealed"], other["sealed"] = other["sealed"], one["sealed"]
    assert await shown() == []
    one["sealed"], other["sealed"] = other["sealed"], one["sealed"]
    one["proposal"]["sealed"] = other["sealed"]
    assert await shown() == [("hot-1", STATEMENT, None), ("hot-2", OTHER, None)]


async def test_n6_every_kind_of_row_of_a_view_opens_by_what_the_row_says(keys: MemoryKeys) -> None:
    """What the leak probe makes of a row as JSON, without knowing its table."""
    from memstream.erasure.probe import _place_of

    body = MemoryBody(value=STATEMENT)
    for event in (turn(1), memory(1), decision(1), session(1), checkpoint(1), hot(1, sealed=body, user_id="u7")):
        row = stored(event, item(keys, event).sealed)
        owner = event.sealed_for
        assert _place_of(row, owner) == tuple(row[PLACE]), type(event).__name__
    entry = {"id": "hot-1", "revision": 1, "sealed": {}, "sealed_for": "t1/user/u7"}
    assert _place_of(entry, project("t1", "p1")) == tuple(read_as(MemoryUpdate, stored(hot(1), {"ct": ""}))[PLACE])
