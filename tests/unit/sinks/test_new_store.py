"""What follows from the declaration of a store (D9)."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from memstream.settings import Settings
from memstream.stack import Addresses
from memstream.stack.up import children
from query.pipeline.groups import GROUPS
from schemas import migrations
from schemas.components.builtin import SINKS
from schemas.storage.layouts import sink_group
from sinks.milvus.sink import MilvusSink
from sinks.postgres.sink import PostgresSink
from sinks.redis.sink import RedisSink


def test_d9_a_store_is_fed_watched_and_run_by_its_line() -> None:
    groups = {g.name: g for g in GROUPS if g.kind == "sink"}
    assert groups.keys() == {f"sink-{store}" for store in SINKS}
    for store, sink in SINKS.items():
        assert groups[f"sink-{store}"].topics == sink.feed.topics
        assert groups[f"sink-{store}"].group_id == sink_group(store, 1)
    run = {c.argv[-1] for c in children(Settings(), Addresses(), 8900) if "sink" in c.argv}
    assert run == set(SINKS)


def test_d9_a_sink_reads_what_its_line_says() -> None:
    assert {"postgres": PostgresSink.topics, "milvus": MilvusSink.topics, "redis": RedisSink.topics} == {
        store: sink.feed.topics for store, sink in SINKS.items()
    }


class Database:
    """`ops.generations` and `ops.live_views`, as far as they are asked here."""

    def __init__(self, generations: list[tuple[str, int]]) -> None:
        self.generations, self.live = generations, dict(generations)

    def transaction(self) -> Any:
        return nullcontext()

    def execute(self, query: str, given: tuple[str] | None = None) -> list[tuple[str]]:
        if given is None:
            return [(store,) for store, _ in self.generations]
        if "ops.generations" in query:
            self.generations.append((given[0], 1))
        else:
            self.live.setdefault(given[0], 1)
        return []


def test_d9_a_new_store_gets_its_first_generation_once() -> None:
    """And none that has one: where the row of what is read was taken away, nobody may guess."""
    database: Any = Database([("postgres", 3), ("milvus", 1), ("redis", 2)])
    del database.live["redis"]
    assert migrations.add_stores(database, [*SINKS, "graph"]) == ["graph"]
    assert migrations.add_stores(database, [*SINKS, "graph"]) == []
    assert database.generations == [("postgres", 3), ("milvus", 1), ("redis", 2), ("graph", 1)]
    assert database.live == {"postgres": 3, "milvus": 1, "graph": 1}
