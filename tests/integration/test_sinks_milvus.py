"""The Milvus sink on a real server: the contract of all, and what is its own."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from pymilvus import MilvusClient

from memstream.stack import Addresses
from query.milvus import Milvus
from schemas.events.memory import MemoryBody, MemoryUpdate
from schemas.events.turns import ScreenedBody, ScreenedTurn
from schemas.log.codec import Event
from schemas.storage.connections import milvus_options
from schemas.storage.layouts import MilvusLayout
from sinks.milvus.rows import NUMBER_FIELDS, TEXT_FIELDS, key
from sinks.milvus.sink import MilvusSink
from sinks.protocol import Item, Permanent, SinkBatch, Tombstone, Transient
from tests.patience import PATIENCE
from tests.unit.sinks import events
from tests.unit.sinks.contract import MARK, SinkContract, Store
from tests.unit.sinks.events import NOW, batch, embedding, memory, message, session, turn

pytestmark = pytest.mark.integration

FIELDS = ["pk", "terms", *TEXT_FIELDS, *NUMBER_FIELDS]


def terms_of(text: str) -> tuple[str, ...]:
    return (text.replace(" ", "_"),)


class MilvusStore:
    """Collections of its own."""

    def __init__(self, addresses: Addresses, make: Callable[..., Event] = memory) -> None:
        self.uri = addresses.milvus
        self.layout = MilvusLayout(random.randrange(1_000, 10**9))
        self.client: Any = MilvusClient(**milvus_options(self.uri), timeout=PATIENCE)
        self._make = make
        self._open: list[MilvusSink] = []

    def sink(self) -> MilvusSink:
        sink = MilvusSink(self.uri, [self.layout.generation], timeout=PATIENCE)
        self._open.append(sink)
        sink.ensure()
        return sink

    def record(self, n: int, revision: int, text: str, **changes: Any) -> Event:
        """The text travels as its only term: Milvus holds no text."""
        body: Any = ScreenedBody(content="x", terms=terms_of(text), embedding=embedding(n))
        if self._make is memory:
            body = MemoryBody(text="x", terms=terms_of(text), embedding=embedding(n))
        return self._make(n, revision, **{"sealed": body, **changes})

    def read(self, record: Event) -> tuple[int, str] | None:
        assert isinstance(record, ScreenedTurn | MemoryUpdate)
        found = self.rows(key(record), self.collection(record))
        assert len(found) <= 1, "one row a record"
        return (found[0]["revision"], found[0]["terms"].replace("_", " ")) if found else None

    def collection(self, record: Event) -> str:
        return self.layout.turns if isinstance(record, ScreenedTurn) else self.layout.memories

    def rows(self, pk: str, collection: str) -> list[dict[str, Any]]:
        # Never "*": the embedded server fails on vectors while a collection is empty.
        fields = ["pk", "next_offset"] if collection.startswith("memstream_progress") else FIELDS
        return list(self.client.query(collection, filter=f'pk == "{pk}"', output_fields=fields))

    def search(self, collection: str, field: str, query: Any, owner: str) -> list[str]:
        found = self.client.search(
            collection, data=[query], anns_field=field, limit=5, output_fields=["id"],
            filter=f"tenant == {MilvusLayout.literal('t1')} and owner_id == {MilvusLayout.literal(owner)}",
        )  # fmt: skip
        return [hit["entity"]["id"] for hit in found[0]]

    def close(self) -> None:
        for sink in self._open:
            sink.close()
        for name in (self.layout.turns, self.layout.memories, self.layout.progress):
            self.client.drop_collection(name)
        self.client.close()


class TestMilvusSink(SinkContract):
    @pytest.fixture(params=["turn", "memory"])
    def store(self, request: pytest.FixtureRequest, addresses: Addresses) -> Iterator[Store]:
        store = MilvusStore(addresses, getattr(events, request.param))
        yield store
        store.close()


@pytest.fixture
def store(addresses: Addresses) -> Iterator[MilvusStore]:
    store = MilvusStore(addresses)
    yield store
    store.close()


def test_found_by_meaning_and_by_terms_in_both_languages(store: MilvusStore) -> None:
    """A1: dense and BM25 over the application's own terms, within a tenant and an owner."""
    sink = store.sink()
    bodies = {
        1: MemoryBody(text="x", terms=("move", "lisbon"), embedding=embedding(1)),
        2: MemoryBody(text="x", terms=("搬到", "里斯本"), embedding=embedding(2)),
        3: MemoryBody(text="x", terms=(), embedding=embedding(3)),
    }
    sink.write(batch(*(memory(n, sealed=b) for n, b in bodies.items()), memory(9, tenant="t2", sealed=bodies[1])))
    assert store.search(store.layout.memories, "sparse", "里斯本", "u1") == ["record-2"]
    assert store.search(store.layout.memories, "sparse", "lisbon", "u1") == ["record-1"]
    query = np.frombuffer(embedding(3), dtype="<f2").astype(np.float32).tolist()
    assert store.search(store.layout.memories, "dense", query, "u1")[0] == "record-3"
    assert len(store.search(store.layout.memories, "dense", query, "u1")) == 3, "the other tenant's stays out"


def test_a_search_before_the_first_row_finds_nothing(store: MilvusStore) -> None:
    """A1: the embedded server fails such a search by terms; nobody's answer is called degraded for it."""
    store.sink()
    milvus = Milvus(store.uri, PATIENCE)
    answer = milvus.call(
        "search", store.layout.memories, data=["lisbon"], anns_field="sparse", search_params={"metric_type": "BM25"},
        filter=f"tenant == {MilvusLayout.literal('t1')}", output_fields=["id"], limit=5,
    )  # fmt: skip
    assert answer == [[]]
    assert not milvus.circuit.is_open
    milvus.close()


def test_fields_of_a_row(store: MilvusStore) -> None:
    m = memory(1, 3, category="家", scope="p1", episode_type="decision", expires_at=NOW + timedelta(days=1))
    store.sink().write(batch(m, turn(1)))
    (row,) = store.rows(key(m), store.layout.memories)
    expected = {
        "id": "record-1", "tenant": "t1", "owner_kind": "user", "owner_id": "u1", "user_id": "u1", "session_id": "",
        "project_id": "", "kind": "fact", "state": "active", "scope": "p1", "category": "家",
        "episode_type": "decision", "version": 0, "revision": 3, "terms": "move lisbon",
        "occurred_at": int(NOW.timestamp() * 1000), "accepted_at": int(NOW.timestamp() * 1000),
        "expires_at": int(NOW.timestamp() * 1000) + 86_400_000,
    }  # fmt: skip
    assert {name: row[name] for name in expected} == expected
    (row,) = store.rows(key(turn(1)), store.layout.turns)
    assert (row["id"], row["kind"], row["role"], row["session_id"]) == ("turn-1", "turn", "user", "s1")


@pytest.mark.parametrize(
    "change", [{"state": "superseded"}, {"state": "observed"}, {"op": "delete", "state": "deleted"}]
)
def test_only_what_is_current_is_held(store: MilvusStore, change: dict[str, Any]) -> None:
    sink = store.sink()
    sink.write(batch(memory(1, 1)))
    sink.write(batch(memory(1, 2, **change)))
    assert store.read(memory(1)) is None
    assert sink.write(batch(memory(1, 1))) == 1, "what was removed is not brought back by what it removed"
    assert store.read(memory(1)) is None
    sink.write(batch(memory(1, 3)))
    assert store.read(memory(1)) is not None


def test_record_without_embedding_is_not_held(store: MilvusStore) -> None:
    sink = store.sink()
    sink.write(batch(memory(1, sealed=MemoryBody(text="x")), session(1)))
    assert store.read(memory(1)) is None


def test_versions_have_keys_of_their_own(store: MilvusStore) -> None:
    """N8: the superseded version leaves, the current one stays."""
    sink = store.sink()
    sink.write(batch(memory(1, 1, version=1)))
    sink.write(batch(memory(1, 2, version=1, state="superseded"), memory(1, 1, version=2)))
    assert store.read(memory(1, version=1)) is None
    assert store.read(memory(1, version=2)) is not None


def test_tombstone_removes_the_row(store: MilvusStore) -> None:
    sink = store.sink()
    m = memory(1)
    sink.write(batch(m))
    sink.write(SinkBatch([Item(Tombstone("memory.updates.v1", m.owner, m.row_key), message(m))]))
    assert store.read(m) is None


def test_ids_of_any_kind(store: MilvusStore) -> None:
    """The caller's strings: quotes, backslashes, Chinese, the longest."""
    sink = store.sink()
    odd = ['a"b', "a'b", "a\\b", "a\\", "用户 😀", "x" * 256, "\U00020000" * 256, "' or 1 == 1 or '"]
    turns = [turn(n, user_id=u, turn_id=u) for n, u in enumerate(odd)]
    assert sink.write(batch(*turns)) == 0
    assert [store.rows(key(t), store.layout.turns)[0]["id"] for t in turns] == odd
    for n, user in enumerate(odd):
        query = np.frombuffer(embedding(n), dtype="<f2").astype(np.float32).tolist()
        assert store.search(store.layout.turns, "dense", query, user) == [user]


def test_long_terms_are_cut_to_what_fits(store: MilvusStore) -> None:
    sink = store.sink()
    m = memory(1, sealed=MemoryBody(text="x", terms=("里斯本",) * 20_000, embedding=embedding(1)))
    assert sink.write(batch(m)) == 0
    assert store.search(store.layout.memories, "sparse", "里斯本", "u1") == ["record-1"]


@pytest.mark.parametrize("vector", [b"\x00" * 10, np.full(512, np.nan, np.float16).tobytes()])
def test_vector_that_does_not_fit_is_permanent(store: MilvusStore, vector: bytes) -> None:
    """Another model's, or none at all."""
    sink = store.sink()
    with pytest.raises(Permanent):
        sink.write(batch(memory(1, sealed=MemoryBody(text="x", embedding=vector))))


def test_ticks_sweep_turns_whose_time_is_over(store: MilvusStore) -> None:
    sink = store.sink()
    over, stays = turn(1, expires_at=NOW), turn(2, expires_at=NOW + timedelta(seconds=1))
    sink.write(batch(over, stays, sweep=NOW))
    assert store.rows(key(over), store.layout.turns) == []
    assert store.read(stays) is not None


def test_both_generations_are_written(store: MilvusStore) -> None:
    """N1."""
    other = MilvusLayout(store.layout.generation + 1)
    sink = MilvusSink(store.uri, [store.layout.generation, other.generation], timeout=PATIENCE)
    sink.ensure()
    sink.write(batch(memory(1), progress={MARK: 4}))
    assert store.read(memory(1)) is not None
    assert len(store.rows(key(memory(1)), other.memories)) == 1
    assert len(store.rows(MilvusLayout.mark(*MARK), other.progress)) == 1
    sink.close()
    for name in (other.turns, other.memories, other.progress):
        store.client.drop_collection(name)


def test_server_away_is_transient() -> None:
    with pytest.raises(Transient):
        MilvusSink("http://127.0.0.1:1", timeout=1.0).ensure()


def test_filter_values_with_control_characters_are_refused() -> None:
    with pytest.raises(ValueError, match="control"):
        MilvusLayout.literal("a\nb")
