"""C7: text in the stores under its owner's key. What a store is given holds none of it; who has the key reads all."""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import orjson
import pytest

from memstream.keyring.cipher import AesCipher
from query.errors import ProblemError
from query.key_threads import KeyThreads
from query.reading.hot import opened_group
from query.views.sealed import PLACE, opened
from schemas.events.hot_memory import HotRow, hot_memory
from schemas.events.memory import MemoryBody
from schemas.events.session_value import row_of_sealed, session_value, value_of_row
from schemas.events.sessions import SessionState
from schemas.log.codec import Codec, Event
from schemas.log.owner import user
from schemas.log.places import columns_of_place
from schemas.profile.model import Profile
from schemas.security.sealed_rows import by_profile, everything
from schemas.security.sealing import KeysAway
from sinks.decode import decode
from sinks.milvus.rows import row as milvus_row
from sinks.postgres.rows import Row, row_of
from sinks.postgres.rows import row as postgres_row
from sinks.postgres.tables import Table
from sinks.protocol import Item, Message, kept_sealed
from sinks.redis.session import session_args
from tests.unit.sinks.events import checkpoint, decision, hot, memory, session, topic_of, turn
from tests.unit.test_keyring import MemoryKeys

KEYS = KeyThreads(60)
STATEMENT = "紫檀木 zebrawood"
EVENTS: tuple[Event, ...] = (
    turn(1, text=STATEMENT),
    memory(1, text=STATEMENT),
    decision(1),
    session(1, text=STATEMENT),
    checkpoint(1),
    hot(1, text=STATEMENT),
)
TEXT = ("content", "speaker", "metadata", "terms", "embedding", "text", "value", "attributes", "body", "summary")


@pytest.fixture
def keys() -> MemoryKeys:
    return MemoryKeys()


def item(keys: MemoryKeys, event: Event) -> Item:
    """As the worker hands it on."""
    raw = Codec(AesCipher(keys)).value(event)
    message = Message(topic_of(event), 0, 0, b"k", raw, [], 0)
    (found,) = decode(Codec(AesCipher(keys)), [message]).items
    return found


def stored(event: Event, sealed: Any = None) -> dict[str, Any]:
    """A row as Postgres gives it back."""
    return read_as(type(event), of_store(postgres_row(event, sealed)))


def context(keys: MemoryKeys) -> Any:
    """What of a request's context opens rows."""
    return SimpleNamespace(deps=SimpleNamespace(codec=Codec(AesCipher(keys)), key_threads=KEYS))


def read_as(model: Any, row: dict[str, Any]) -> dict[str, Any]:
    """With its place, as statements select it of the row's columns (`sealed_columns`)."""
    kind, *names = columns_of_place(model)
    return {**row, PLACE: [kind, *(str(row[name]) for name in names)] if row["sealed"] else None}


def of_store(found: tuple[Table, Row] | None) -> dict[str, Any]:
    assert found is not None
    row: dict[str, Any] = {name: found[1].get(name) for name, _ in found[0].columns}
    row = {**orjson.loads(orjson.dumps(row))}
    if "embedding" in row:
        row["embedding"] = base64.b64decode(row["embedding"])
    return row


@pytest.mark.parametrize("event", EVENTS, ids=lambda e: type(e).__name__)
async def test_c7_a_sealed_row_holds_no_text_and_opens_to_the_clear_one(keys: MemoryKeys, event: Event) -> None:
    sealed = kept_sealed(item(keys, event), everything)
    row = stored(event, sealed)
    assert set(row["sealed"]) == {"alg", "kid", "ct"}
    assert all(not row[name] for name in TEXT if name in row)
    clear = stored(event)
    (back,) = await opened(Codec(AesCipher(keys)), [row], KEYS)
    assert clear.pop("sealed") is None
    assert clear.pop("sealed_for") is None
    assert clear.pop(PLACE) is None
    for name in TEXT:  # a part that is empty is not in the log
        assert (back.get(name) or None) == (clear.get(name) or None) or name == "body", name
    assert {k: v for k, v in back.items() if k not in TEXT} == {k: v for k, v in clear.items() if k not in TEXT}


async def test_n6_a_row_whose_key_is_gone_reads_as_gone(keys: MemoryKeys) -> None:
    rows = [stored(e, item(keys, e).sealed) for e in (turn(1), turn(2, user_id="u2"))]
    keys.destroy(user("t1", "u1").key)
    (left,) = await opened(Codec(AesCipher(keys)), rows, KEYS)
    assert left["user_id"] == "u2"


async def test_c7_a_row_moved_to_another_owner_does_not_open(keys: MemoryKeys) -> None:
    row = stored(turn(1), item(keys, turn(1)).sealed)
    keys.current(user("t1", "u2").key)
    assert await opened(Codec(AesCipher(keys)), [row | {"sealed_for": "t1/user/u2"}], KEYS) == []


async def test_a_keyring_that_is_away_is_an_outage_and_no_empty_answer(keys: MemoryKeys) -> None:
    class Away(MemoryKeys):
        def key(self, owner: str, generation: int) -> bytes:
            raise KeysAway("away")

    row = stored(turn(1), item(keys, turn(1)).sealed)
    with pytest.raises(ProblemError) as problem:
        await opened(Codec(AesCipher(Away())), [row], KEYS)
    assert problem.value.status == 503


async def test_rows_in_the_clear_pass_as_they_are() -> None:
    row = stored(memory(1))
    (back,) = await opened(Codec(), [dict(row)], KEYS)
    assert back == {k: v for k, v in row.items() if not k.startswith("sealed")}


def test_n1_two_generations_of_one_log_hold_equal_rows(keys: MemoryKeys) -> None:
    """Nothing is sealed a second time, so a rebuild compares sealed rows as it compares others."""
    raw = Codec(AesCipher(keys)).value(memory(1))
    message = Message(topic_of(memory(1)), 0, 0, b"k", raw, [], 0)
    first, second = (decode(Codec(AesCipher(keys)), [message]).items[0] for _ in range(2))
    assert postgres_row(first.event, first.sealed) == postgres_row(second.event, second.sealed)  # type: ignore[arg-type]


def test_a_deletion_keeps_nothing_sealed(keys: MemoryKeys) -> None:
    removed = memory(1, op="delete", state="deleted")
    found = postgres_row(removed, item(keys, removed).sealed)
    assert found is not None
    assert "sealed" not in found[1]


def test_c7_milvus_gets_the_vector_without_the_words() -> None:
    clear, sealed = milvus_row(memory(1), 512), milvus_row(memory(1), 512, sealed=True)
    assert clear["terms"]
    assert sealed["terms"] == ""
    assert sealed.pop("dense").tolist() == clear.pop("dense").tolist()
    assert {k: v for k, v in sealed.items() if k != "terms"} == {k: v for k, v in clear.items() if k != "terms"}


async def test_c7_a_session_in_redis_is_sealed_and_opens_to_the_same_value(keys: MemoryKeys) -> None:
    state = session(1, text=STATEMENT)
    args = session_args(state, timedelta(minutes=30), item(keys, state).sealed)
    assert args[4:] == [0, 0], "the lists of the seed hold text"
    held = args[3]
    assert STATEMENT.encode() not in held
    row = row_of_sealed(orjson.loads(held)) | {"tenant": state.tenant}
    (row,) = await opened(Codec(AesCipher(keys)), [read_as(SessionState, row)], KEYS)
    assert value_of_row(row) == session_value(state)


async def test_c7_hot_memory_in_redis_is_sealed_and_opens_to_the_same_value(keys: MemoryKeys) -> None:
    events = [hot(1, text=STATEMENT), hot(2, text=STATEMENT, user_id="u7")]
    rows = [of_store(row_of(item(keys, e), everything)) | {"known_at": e.known_at} for e in events]
    assert [r["key"] for r in rows] == [None, None], "a decision's key is its text"
    held = orjson.dumps(hot_memory(HotRow.of_row(r) for r in rows))
    assert STATEMENT.encode() not in held
    snapshot = orjson.loads(held)
    back = {name: await opened_group(context(keys), events[0].owner, group) for name, group in snapshot.items()}
    clear = hot_memory(HotRow.of_row(stored(e) | {"known_at": e.known_at}) for e in events)
    assert back == clear


PROFILE: dict[str, Any] = {
    "name": "p", "version": 1,
    "fields": [{"name": "city"}, {"name": "allergies", "sensitive": True}],
    "tables": [
        {"name": "plain", "namespace": "memories", "key": "plain", "unique": True,
         "columns": [{"name": "size", "type": "string"}]},
        {"name": "health", "namespace": "memories", "key": "health", "unique": True,
         "columns": [{"name": "illness", "type": "string", "sensitive": True}]},
    ],
}  # fmt: skip


def policy(seal: str) -> Callable[[Any], bool]:
    profile = Profile.model_validate({**PROFILE, "storage": {"seal": seal}})
    return by_profile(lambda tenant: profile)


@pytest.mark.parametrize(
    ("event", "kept"),
    [
        (memory(1, field="city"), False),
        (memory(1, field="allergies"), True),
        (memory(1, field="city", fields=("city", "allergies")), True),
        (memory(1, field=None), True),
        (memory(1, field="unheard"), True),
        (decision(1, field="city"), False),
        (decision(1, field="allergies"), True),
        (memory(1, kind="table", category="plain", field=None), False),
        (memory(1, kind="table", category="health", field=None), True),
        (memory(1, kind="episode", field="city"), True),
        (memory(1, kind="item", field=None, sealed=MemoryBody(value={"x": 1})), True),
        (turn(1), True),
        (session(1), True),
        (checkpoint(1), True),
        (hot(1), True),
    ],
)
def test_c7_the_profile_chooses_what_stays_readable(event: Event, kept: bool) -> None:
    assert policy("sensitive")(event) is kept
    assert policy("all")(event)
    assert not policy("none")(event)
