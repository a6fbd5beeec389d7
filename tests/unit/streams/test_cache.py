"""The cache between batches changes the work, never the outcome."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest

from processors.step import Reads
from schemas.events.sessions import SessionState
from schemas.log import topics
from streams.driver import TopologyDriver
from streams.runner import RunnerConfig, StepRunner
from streams.state.cache import NotRead, PartitionCache, RecordState
from streams.state.memory import MemoryStateStore
from streams.state.protocol import Rows
from tests.unit.streams.toy import START, Counter, turn

HUGE = 2**40


def loaded(cache: PartitionCache, owner: str, rows: dict[str, bytes], keys: tuple[str, ...] | None = None) -> None:
    read = Reads(owner, keys)
    cache.fill([read], Rows({owner: {k: v for k, v in rows.items() if keys is None or k in keys}}))


def stored(state: RecordState, prefix: str = "") -> dict[str, bytes | None]:
    rows = state.of("o")
    return {key: rows.read(key) for key in rows.keys(prefix)}


def test_point_reads_ask_only_for_what_is_unknown() -> None:
    cache = PartitionCache()
    loaded(cache, "o", {"a": b"1"}, ("a", "gone"))
    assert cache.missing([Reads("o", ("a", "gone"))]) == []
    assert cache.missing([Reads("o", ("a", "b"))]) == [Reads("o", ("b",))]
    assert cache.missing([Reads("o")]) == [Reads("o")]
    loaded(cache, "o", {"a": b"1", "b": b"2"})
    assert cache.missing([Reads("o"), Reads("o", ("z",))]) == []


def test_what_was_changed_here_is_newer_than_what_is_loaded() -> None:
    cache = PartitionCache()
    loaded(cache, "o", {"a": b"1", "b": b"1", "c": b"1"}, ("a", "b"))
    state = RecordState(cache)
    state.of("o").write("a", b"2")
    state.of("o").delete("b")
    state.keep()
    loaded(cache, "o", {"a": b"1", "b": b"1", "c": b"1"})
    assert stored(RecordState(cache)) == {"a": b"2", "c": b"1"}


def test_a_record_sees_its_own_changes_and_others_only_when_kept() -> None:
    cache = PartitionCache()
    loaded(cache, "o", {"a": b"1", "x/1": b"1"})
    one, two = RecordState(cache), RecordState(cache)
    one.of("o").write("x/2", b"2")
    one.of("o").delete("x/1")
    assert stored(one, "x/") == {"x/2": b"2"}
    assert stored(two, "x/") == {"x/1": b"1"}
    one.keep()
    assert stored(two, "x/") == {"x/2": b"2"}


def test_n2_what_was_not_read_is_never_taken_for_absent() -> None:
    cache = PartitionCache()
    loaded(cache, "o", {"a": b"1"}, ("a",))
    rows = RecordState(cache).of("o")
    assert rows.read("a") == b"1"
    with pytest.raises(NotRead) as one:
        rows.read("b")
    assert one.value.reads == Reads("o", ("b",))
    rows.write("b", b"2")
    assert rows.read("b") == b"2", "what the record itself wrote is known"
    with pytest.raises(NotRead) as every:
        rows.keys()
    assert every.value.reads == Reads("o")
    with pytest.raises(NotRead):
        RecordState(PartitionCache()).of("o").read("a")


@pytest.mark.parametrize("keys", [None, ("a", "b", "c")])
def test_n2_what_a_tick_ended_is_gone_also_from_memory(keys: tuple[str, ...] | None) -> None:
    cache, hour = PartitionCache(), timedelta(hours=1)
    rows = Rows({"o": {"a": b"1", "b": b"1"}})
    rows.expiry = {("o", "a"): START, ("o", "b"): START + hour}
    cache.fill([Reads("o", keys)], rows)
    state = RecordState(cache)
    state.of("o").write("c", b"1", START + hour)
    state.keep()
    cache.sweep(START - hour)
    assert [RecordState(cache).of("o").read(k) for k in "abc"] == [b"1", b"1", b"1"]
    cache.sweep(START)
    assert [RecordState(cache).of("o").read(k) for k in "abc"] == [None, b"1", b"1"]
    renewed = RecordState(cache)
    renewed.of("o").write("b", b"2")
    renewed.keep()
    cache.sweep(START + hour)
    assert [RecordState(cache).of("o").read(k) for k in "abc"] == [None, b"2", None]
    cache.fill([Reads("o", ("a", "d"))], Rows({"o": {"a": b"1"}}))
    assert RecordState(cache).of("o").read("a") is None, "the store may still have it"


def test_the_least_recently_used_owner_goes_first() -> None:
    cache = PartitionCache()
    for name in "abc":
        loaded(cache, name, {"k": b"x" * 10_000})
    cache.owner("a")
    cache.shrink(25_000)
    assert [o for o in "abc" if not cache.missing([Reads(o)])] == ["a", "c"]
    cache.shrink(0)
    assert [o for o in "abc" if not cache.missing([Reads(o)])] == ["a"], "the one in use stays"


def test_owners_without_rows_count_too() -> None:
    cache = PartitionCache()
    for i in range(1000):
        loaded(cache, str(i), {})
        loaded(cache, str(i), {}, tuple(f"absent{j}" for j in range(10)))
    cache.shrink(100_000)
    assert sum(not cache.missing([Reads(str(i))]) for i in range(1000)) <= 125


def test_the_total_is_the_sum_of_its_owners_after_any_changes() -> None:
    rng = random.Random(7)
    cache = PartitionCache()
    for hour in range(2_000):
        owner = f"o{rng.randrange(5)}"
        loaded(cache, owner, {f"k{rng.randrange(9)}": b"x" * rng.randrange(99)}, (f"k{rng.randrange(9)}",))
        state = RecordState(cache)
        for _ in range(3):
            rows = state.of(owner)
            key = f"k{rng.randrange(9)}"
            end = START + timedelta(hours=rng.randrange(2_000)) if rng.random() < 0.5 else None
            rows.delete(key) if rng.random() < 0.4 else rows.write(key, b"y" * rng.randrange(99), end)
            if rng.random() < 0.1:
                rows.derived("i", list)
        state.keep() if rng.random() < 0.7 else state.drop()
        if rng.random() < 0.05:
            loaded(cache, owner, {})
        if rng.random() < 0.1:
            cache.sweep(START + timedelta(hours=hour))
        cache.shrink(HUGE if rng.random() < 0.95 else 2_000)
        assert cache._total == sum(o.cost for o in cache._owners.values())


@pytest.mark.parametrize("batch", [1, 3, 64])
async def test_a_cache_of_one_byte_gives_what_an_endless_one_gives(batch: int) -> None:
    def final(cache_bytes: int) -> Any:
        d = TopologyDriver([], START, batch=batch)
        store = MemoryStateStore()
        d.store = store
        d.runners = {
            "counter": StepRunner(
                Counter(), store, d.log, d.codec, RunnerConfig(8, cache_bytes), compute=_inline
            )
        }  # fmt: skip
        return d, store

    outcomes = []
    for cache_bytes in (1, HUGE):
        d, store = final(cache_bytes)
        rng = random.Random(3)
        for i in range(60):
            word = rng.choice(("say", "say", "say", "raise", "reject", "silent"))
            d.pipe(topics.TURNS, turn(f"{word} {i}", user=f"u{rng.randrange(9)}"))
            if rng.random() < 0.3:
                await d.run()
        await d.run()
        values = [e for e in d.read(topics.SESSION_STATE) if isinstance(e, SessionState)]
        outcomes.append((values, {k: {o: dict(r) for o, r in v.items()} for k, v in store.rows.items()}))
    assert outcomes[0] == outcomes[1]


async def _inline(call: Any) -> Any:
    return call()
