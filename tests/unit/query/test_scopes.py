"""What the cache of scopes does with a source that needs no server."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from query.errors import store_down
from query.search.scopes import ScopeCache, TooLargeError
from query.views.db import Row
from query.views.documents import Mark

NOW = datetime(2026, 11, 2, tzinfo=UTC)
DIMENSIONS = 4


class Model:
    model_id, dimensions = "m", DIMENSIONS

    def embed(self, texts: Sequence[str]) -> Any:
        return np.zeros((len(texts), DIMENSIONS), dtype=np.float32)


class Source:
    """Memories of one scope, and what was asked of them."""

    def __init__(self, count: int, revision: int = 1) -> None:
        self.revision = {f"r{n}/1": revision for n in range(count)}
        self.asked: list[str] = []

    async def whole(self, most: int) -> tuple[Mark, list[list[Row]]] | None:
        self.asked.append("whole")
        return None if len(self.revision) > most else (self._now(), [[], self._rows(self.revision)])

    async def mark(self) -> Mark:
        self.asked.append("mark")
        return self._now()

    async def turn_revisions(self) -> dict[str, int]:
        return {}

    async def memory_revisions(self) -> dict[str, int]:
        self.asked.append("revisions")
        return dict(self.revision)

    async def memory_rows(self, keys: Sequence[str]) -> list[Row]:
        self.asked.append(f"rows {len(keys)}")
        return self._rows(keys)

    turn_rows = memory_rows

    def _now(self) -> Mark:
        return Mark((0, 0), (len(self.revision), sum(self.revision.values())))

    def _rows(self, keys: Any) -> list[Row]:
        return [
            {
                "record_id": key.split("/")[0], "version": 1, "revision": self.revision[key], "kind": "fact",
                "text": f"about {key}", "value": None, "terms": [key], "embedding": b"", "model_id": "",
                "occurred_at": NOW, "last_accessed_at": NOW, "importance": 0.5, "fingerprint": self.revision[key],
            }
            for key in keys
        ]  # fmt: skip


async def here(call: Callable[[], Any]) -> Any:
    return call()


def cache(most: int = 100_000, bound: int = 5_000) -> ScopeCache:
    return ScopeCache(here, most, bound)


async def get(held: ScopeCache, name: str, source: Source) -> Any:
    return await held.get((1, "t", "user", name), source, Model())  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


async def test_a_small_scope_comes_with_its_fingerprint_and_then_only_what_changed() -> None:
    held, source = cache(), Source(3)
    first = await get(held, "ann", source)
    assert source.asked == ["whole"]
    assert set(first.rows) == {"m:r0/1", "m:r1/1", "m:r2/1"}
    await get(held, "ann", source)
    source.revision["r1/1"] = 2
    await get(held, "ann", source)
    assert source.asked == ["whole", "mark", "mark", "revisions", "rows 1"]
    assert first.rows["m:r1/1"]["revision"] == 2
    assert held.size == (1, 3)


async def test_a_larger_scope_is_read_piece_by_piece_and_one_beyond_the_bound_not_at_all() -> None:
    held, source = cache(), Source(4_500)
    await get(held, "bob", source)
    assert source.asked == ["whole", "mark", "revisions", "rows 2000", "rows 2000", "rows 500"]
    tight = cache(bound=10)
    with pytest.raises(TooLargeError):
        await get(tight, "bob", Source(11))
    assert tight.large == {(1, "t", "user", "bob")}


async def test_what_is_held_is_kept_from_the_collector_and_freed_without_it() -> None:
    """A collection that walks over all held documents stops every thread meanwhile."""
    held = cache(most=1_000)
    before = gc.get_freeze_count()
    scope = weakref.ref((await get(held, "ann", Source(600))).index)
    assert gc.get_freeze_count() - before > 600
    gc.disable()
    try:
        await get(held, "bob", Source(700))
        assert held.size == (1, 700)
        assert scope() is None, "evicted, and gone by its last reference"
    finally:
        gc.enable()


@pytest.mark.slow
@pytest.mark.parametrize("warm", [False, True])
async def test_a_loading_that_fails_when_its_caller_has_given_up_is_not_logged(warm: bool) -> None:
    fails, unheard = asyncio.Event(), list[dict[str, Any]]()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unheard.append(context))

    class Stalled(Source):
        async def whole(self, most: int) -> tuple[Mark, list[list[Row]]] | None:
            if not warm:
                await self._fail()
            return await super().whole(most)

        async def memory_revisions(self) -> dict[str, int]:
            await self._fail()
            return {}

        async def _fail(self) -> None:
            await fails.wait()
            raise store_down("postgres")

    held, source = cache(), Stalled(2)
    if warm:
        await get(held, "ann", source)
        source.revision = dict.fromkeys(source.revision, 2)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await get(held, "ann", source)
    fails.set()
    await asyncio.sleep(0)
    held._held.clear()
    for _ in range(3):
        await asyncio.sleep(0)
        gc.collect()
    assert unheard == []


async def test_ids_that_nobody_has_leave_nothing_behind() -> None:
    held = cache()
    for n in range(50):
        assert (await get(held, f"nobody-{n}", Source(0))).rows == {}
    assert held.size == (0, 0)


async def test_many_small_scopes_are_bounded_by_their_number_too() -> None:
    held = cache(most=100)
    for n in range(30):
        await get(held, f"user-{n}", Source(1))
    scopes, documents = held.size
    assert documents == scopes
    assert 1 <= scopes * 11 <= 100
