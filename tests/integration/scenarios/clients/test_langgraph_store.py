"""The behaviour of LangGraph's own store tests, shown by ours, synchronous and asynchronous (C1)."""

from __future__ import annotations

import asyncio
import inspect
from datetime import datetime
from typing import Any
from uuid import uuid4

import pytest
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)

from memstream.client import Memstream
from memstream.langgraph import MemstreamStore
from tests.integration.scenario import World
from tests.patience import eventually

pytestmark = pytest.mark.integration


class Calls:
    """One way of calling a store: its methods, or those with an `a` in front."""

    def __init__(self, store: MemstreamStore, asynchronous: bool) -> None:
        self._store, self._asynchronous = store, asynchronous

    def __getattr__(self, name: str) -> Any:
        async def call(*args: Any, **kwargs: Any) -> Any:
            if self._asynchronous:
                return await getattr(self._store, f"a{name}")(*args, **kwargs)
            return await asyncio.to_thread(getattr(self._store, name), *args, **kwargs)

        return call

    async def put_all(self, root: str, items: dict[tuple[str, ...], dict[str, dict[str, Any]]]) -> None:
        ops = [PutOp((root, *ns), key, value) for ns, held in items.items() for key, value in held.items()]
        await self.batch(ops)


@pytest.fixture(params=["sync", "async"])
async def store(memory: Memstream, request: pytest.FixtureRequest) -> Calls:
    return Calls(MemstreamStore(memory), request.param == "async")


@pytest.fixture
def root() -> str:
    """A first label of the test's own: the service is shared."""
    return f"lg{uuid4().hex[:10]}"


def keys(found: list[Any]) -> list[str]:
    return [i.key for i in found]


async def test_c1_a_put_is_read_by_the_next_get_replaced_and_deleted(store: Calls, root: str) -> None:
    ns = (root, "documents")
    await store.put(ns, "doc1", {"title": "测试 Test", "content": "Hello, World!"})
    item = await store.get(ns, "doc1")
    assert isinstance(item, Item)
    assert (item.namespace, item.key, item.value) == (ns, "doc1", {"title": "测试 Test", "content": "Hello, World!"})
    await store.put(ns, "doc1", {"title": "Updated"})
    again = await store.get(ns, "doc1")
    assert again.value == {"title": "Updated"}
    assert again.updated_at > item.updated_at
    assert again.created_at == item.created_at
    assert await store.get((root, "other"), "doc1") is None
    await store.delete(ns, "doc1")
    assert await store.get(ns, "doc1") is None


async def test_c1_a_batch_answers_in_order_and_its_last_put_wins(store: Calls, root: str) -> None:
    await store.put_all(root, {("foo",): {"key1": {"data": "value1"}}, ("bar",): {"key2": {"data": "value2"}}})
    results = await store.batch(
        [
            GetOp((root, "foo"), "key1"),
            PutOp((root, "bar"), "key2", {"data": "old"}),
            SearchOp((root,), filter={"data": "value1"}),
            ListNamespacesOp((MatchCondition("prefix", (root,)),)),
            GetOp((root,), "key3"),
            PutOp((root, "bar"), "key2", {"data": "new"}),
            PutOp((root, "bar"), "none", None),
        ]
    )
    assert results[0].value == {"data": "value1"}
    assert keys(results[2]) == ["key1"]
    assert results[3] == [(root, "bar"), (root, "foo")]
    assert [results[n] for n in (1, 4, 5, 6)] == [None] * 4
    assert (await store.get((root, "bar"), "key2")).value == {"data": "new"}


async def test_c1_search_filters_pages_and_stays_below_the_prefix(store: Calls, root: str) -> None:
    docs = {"doc1": {"author": "Alice", "n": 1, "tags": ["x"]}, "doc2": {"author": "Bob", "n": 2, "tags": []}}
    await store.put_all(root, {("docs",): docs, ("images",): {"img1": {"author": "Alice", "n": 3}}})
    assert len(await store.search((root,))) == 3
    assert {i.namespace for i in await store.search((root, "docs"))} == {(root, "docs")}
    assert set(keys(await store.search((root,), filter={"author": "Alice"}))) == {"doc1", "img1"}
    assert keys(await store.search((root,), filter={"tags": ["x"]})) == ["doc1"]
    first, rest = await store.search((root,), limit=2), await store.search((root,), limit=2, offset=2)
    assert (len(first), len(rest)) == (2, 1)
    assert len({*keys(first), *keys(rest)}) == 3
    assert all(i.score is None for i in first)
    assert await store.search((root, "nothing")) == []


async def test_c1_numbers_are_compared_as_numbers(store: Calls, root: str) -> None:
    scores = {f"k{s}": {"score": s, "name": chr(97 + int(s))} for s in (2, 9, 9.5, 10, 11)}
    await store.put_all(root, {("scores",): scores})

    async def found(**condition: Any) -> list[float]:
        return sorted(i.value["score"] for i in await store.search((root, "scores"), filter={"score": condition}))

    assert await found(**{"$gte": 10}) == [10, 11]
    assert await found(**{"$gt": 9}) == [9.5, 10, 11]
    assert await found(**{"$lt": 10}) == [2, 9, 9.5]
    assert await found(**{"$lte": 9, "$ne": 2}) == [9]
    assert await found(**{"$eq": 11}) == [11]
    by_name = await store.search((root, "scores"), filter={"name": {"$gt": "j"}})
    assert {i.value["score"] for i in by_name} == {10, 11}


async def test_c1_namespaces_are_listed_by_prefix_suffix_wildcard_and_depth(store: Calls, root: str) -> None:
    named = [("a", "b", "c"), ("a", "b", "d", "e"), ("a", "b", "d", "i"), ("a", "b", "f"), ("a", "c", "f"), ("b", "f")]
    await store.put_all(root, {ns: {"k": {"data": "x"}} for ns in named})

    async def listed(**how: Any) -> list[tuple[str, ...]]:
        return [ns[1:] for ns in await store.list_namespaces(**{"prefix": (root,), **how})]

    assert await listed() == sorted(named)
    assert await listed(suffix=("f",)) == [("a", "b", "f"), ("a", "c", "f"), ("b", "f")]
    assert await listed(prefix=(root, "a"), suffix=("f",)) == [("a", "b", "f"), ("a", "c", "f")]
    assert await listed(prefix=(root, "a", "*", "f")) == [("a", "b", "f"), ("a", "c", "f")]
    assert await listed(prefix=(root, "a", "b"), max_depth=4) == [("a", "b", "c"), ("a", "b", "d"), ("a", "b", "f")]
    assert await listed(limit=2) == sorted(named)[:2]
    assert await listed(limit=2, offset=2) == sorted(named)[2:4]
    assert await listed(prefix=(root, "nonexistent")) == []
    bare: Any = "fc"
    assert await store.batch([ListNamespacesOp((MatchCondition("suffix", bare),))]) == [[]], "a text is its letters"


@pytest.mark.parametrize("namespace", [(), ("the", "thing.about"), ("some", "fun", ""), ("langgraph", "foo")])
async def test_bad_namespaces_are_refused_as_langgraph_refuses_them(store: Calls, namespace: tuple[str, ...]) -> None:
    with pytest.raises(InvalidNamespaceError):
        await store.put(namespace, "foo", {"a": "b"})


@pytest.mark.parametrize("label", ["foo.bar", "", 1, "foo\x00"])
async def test_a_batch_with_a_bad_namespace_is_refused_before_anything_of_it_is_sent(
    store: Calls, root: str, label: Any
) -> None:
    """Operations that are given to `batch` itself, as LangGraph's own stores over a database treat them."""
    bad = (root, label)
    for op in (
        GetOp(bad, "k"), PutOp(bad, "k", {"a": 1}), PutOp(bad, "k", None), SearchOp(bad),
        ListNamespacesOp((MatchCondition("prefix", bad),)), ListNamespacesOp((MatchCondition("suffix", bad),)),
    ):  # fmt: skip
        with pytest.raises(InvalidNamespaceError):
            await store.batch([PutOp((root, "valid"), "k", {}), op])
    assert await store.get((root, "valid"), "k") is None


async def test_c1_items_are_found_by_meaning_in_both_languages(store: Calls, root: str) -> None:
    texts = {"1": "血压偏高,需要少吃盐", "2": "The cat sleeps on the sofa", "3": "我喜欢爬山", "4": "A flight to Oslo"}
    await store.put_all(root, {("user",): {k: {"text": t} for k, t in texts.items()}})
    for query, key in (("高血压饮食", "1"), ("a pet at home", "2"), ("登山 徒步", "3"), ("a trip to Norway", "4")):
        found = await store.search((root, "user"), query=query)
        assert (query, found[0].key) == (query, key)
        assert found[0].score > found[1].score


async def test_c1_an_update_moves_the_score_and_what_is_not_indexed_is_last(store: Calls, root: str) -> None:
    ns = (root, "test")
    texts = {"doc1": "zany zebra Xerxes", "doc2": "something about dogs", "doc3": "text about birds"}
    await store.put_all(root, {("test",): {k: {"text": t} for k, t in texts.items()}})
    before = await store.search(ns, query="Zany Xerxes")
    assert before[0].key == "doc1"
    await store.put(ns, "doc1", {"text": "new text about dogs"})
    after = {i.key: i.score for i in await store.search(ns, query="Zany Xerxes")}
    assert after["doc1"] < before[0].score
    await store.put(ns, "doc4", {"text": "new text about dogs"}, index=False)
    found = await store.search(ns, query="new text about dogs")
    assert found[0].key == "doc1"
    assert (found[-1].key, found[-1].score) == ("doc4", None)
    assert "doc4" not in keys(await store.search(ns, query="new text about dogs", limit=3))


async def test_c1_a_query_and_a_filter_together(store: Calls, root: str) -> None:
    docs = {
        "doc1": {"text": "red apple", "color": "red", "score": 4.5},
        "doc2": {"text": "red car", "color": "red", "score": 3.0},
        "doc3": {"text": "green apple", "color": "green", "score": 4.0},
        "doc4": {"text": "blue car", "color": "blue", "score": 3.5},
    }
    await store.put_all(root, {("test",): docs})
    assert keys(await store.search((root,), query="apple", filter={"color": "red"})) == ["doc1", "doc2"]
    assert keys(await store.search((root,), query="car", filter={"color": "red"})) == ["doc2", "doc1"]
    found = await store.search((root,), query="blue", filter={"score": {"$gt": 3.2}})
    assert (len(found), found[0].key) == (3, "doc4")
    both = await store.search((root,), query="apple", filter={"score": {"$gte": 4.0}, "color": "green"})
    assert keys(both) == ["doc3"]


async def test_c1_index_names_the_fields_that_are_searched(store: Calls, root: str) -> None:
    ns = (root, "test")
    await store.put(ns, "doc3", {"a": "astronomy", "b": "cooking", "c": "tax law"}, index=["a", "b"])
    await store.put(ns, "doc4", {"a": "gardening", "d": {"e": ["football"]}}, index=["d.e[*]"])
    assert (await store.search(ns, query="astronomy"))[0].key == "doc3"
    assert (await store.search(ns, query="football"))[0].key == "doc4"
    seen = await store.search(ns, query="astronomy")
    unseen = await store.search(ns, query="tax law")
    assert {i.key: i.score for i in unseen}["doc3"] < seen[0].score


@pytest.mark.parametrize("query", ["", None, "test " * 100, "test!@#$%^&*()"])
async def test_c1_any_query_is_answered(store: Calls, root: str, query: str | None) -> None:
    await store.put((root, "test"), "doc1", {"text": "test document"})
    assert keys(await store.search((root, "test"), query=query)) == ["doc1"]


def ends(running: World, namespace: tuple[str, ...], key: str) -> datetime:
    """When an item's time is over."""
    [(at,)] = running.sql(
        "SELECT expires_at FROM {v}.memories WHERE kind = 'item' AND namespace = %s AND key = %s AND NOT deleted",
        list(namespace), key,
    )  # fmt: skip
    assert isinstance(at, datetime)
    return at


async def test_c1_reading_renews_a_time_to_live_unless_told_otherwise(
    store: Calls, running: World, root: str
) -> None:
    """Told by the time at which each ends, which no slow machine moves: nothing waits for a time to run out but one
    that is over as soon as it is written."""
    ns = (root, "ttl")
    await store.put(ns, "kept", {"a": "x"}, ttl=60)
    await store.put(ns, "left", {"a": "x"}, ttl=60)
    await store.put(ns, "brief", {"a": "x"}, ttl=0.001)
    assert await store.get(ns, "left", refresh_ttl=False) is not None  # and with it both are there
    before = {key: ends(running, ns, key) for key in ("kept", "left")}

    async def renewed() -> bool:
        assert await store.get(ns, "kept") is not None
        return ends(running, ns, "kept") > before["kept"]

    await eventually("a longer life of what was read", renewed)
    assert ends(running, ns, "left") == before["left"]

    async def over() -> bool:
        return await store.get(ns, "brief") is None

    await eventually("the end of what is over", over)
    assert set(keys(await store.search(ns))) == {"kept", "left"}


async def test_many_puts_at_once_are_one_write(memory: Memstream, root: str) -> None:
    store = MemstreamStore(memory)
    await asyncio.gather(*(store.aput((root, "many"), f"k{n}", {"n": n}) for n in range(20)))
    await store.abatch([PutOp((root, "many"), f"b{n}", {"n": n}) for n in range(520)])
    assert len(await store.asearch((root, "many"), limit=1_000)) == 540


def test_the_store_has_every_method_of_langgraphs() -> None:
    assert not inspect.isabstract(MemstreamStore)
    assert MemstreamStore.supports_ttl
