"""Progress tells the truth; markers, coalescing, sweeps (N3)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from processors.step import Record
from schemas.events.envelope import Tick
from schemas.events.sessions import SessionState
from schemas.log import topics
from schemas.log.codec import Codec, header
from schemas.log.owner import partition, project, user
from streams.driver import TopologyDriver
from streams.state.memory import MemoryStateStore
from tests.unit.streams.bench import P, driver, progress_of, say
from tests.unit.streams.toy import START, Counter, turn


@pytest.mark.parametrize("batch", [1, 2, 3, 64])
async def test_n3_a_row_never_claims_what_later_rows_still_owe(batch: int) -> None:
    """Read any output partition from its start: whatever progress was read so far, everything that comes of inputs
    below it has been read too."""
    d = driver(batch)
    for i in range(12):
        d.pipe(topics.TURNS, turn(f"t{i}", user=f"u{i % 5}", project=("p1", "p2", None)[i % 3]))
        if i % 4 == 0:
            d.tick()
    await d.run()
    outputs = (topics.SESSION_STATE.name, topics.PROJECT_EVENTS.name)
    claims = 0
    for (topic, _), log in d.log.partitions.items():
        reached: dict[str, int] = {}
        for m in log if topic in outputs else []:
            source = header(m.headers, "src")
            if source is None:
                continue
            place, offset, _ = source.decode().rsplit(":", 2)
            root = f"{topics.TURNS.name}/{place.split('/')[1]}"
            assert int(offset) >= reached.get(root, 0), "an output of an input that was claimed to be through"
            claims += bool(progress_of(m))
            reached |= progress_of(m)
    assert claims


@pytest.mark.parametrize("batch", [1, 64])
async def test_n3_every_batch_moves_the_progress_of_its_partition_also_without_output(batch: int) -> None:
    d = driver(batch)
    await say(d, "one", "silent", "raise", "silent again")
    log = d.log.partitions[topics.SESSION_STATE.name, P]
    assert progress_of(log[-1]) == {f"{topics.TURNS.name}/{P}": 4}
    markers = [m for m in log if topics.is_marker(m.key)]
    assert len(markers) == (3 if batch == 1 else 0)


async def test_n3_progress_travels_through_markers_and_dead_letters_of_an_inner_step() -> None:
    d = driver()
    head = [("src", b"up/0:1:0"), ("progress", b'{"root/3": 17}')]
    d.pipe_raw(topics.TURNS, P, b"{broken", head)
    await d.run()
    assert progress_of(d.log.partitions[topics.SESSION_STATE.name, P][-1])["root/3"] == 17


async def test_n3_a_client_cannot_claim_progress() -> None:
    d = driver()
    d.pipe_raw(topics.TURNS, P, Codec().value(turn("one")), [("progress", b'{"root/3": 17}')])
    await d.run()
    assert "root/3" not in progress_of(d.log.partitions[topics.SESSION_STATE.name, P][-1])


@pytest.mark.parametrize("crashes", [0, 1])
async def test_n3_what_came_of_the_middle_of_an_upstream_batch_hears_of_its_end_after_a_crash_too(
    crashes: int,
) -> None:
    class Gate(Counter):
        cross_partition_topics = (topics.PROJECT_EVENTS,)

    d = TopologyDriver([Gate()], START, upstream={"up"})
    d.pipe_raw(topics.TURNS, P, Codec().value(turn("one", project="p1")), [("src", b"up/0:1:0")])
    await d.run()
    for _ in range(crashes):
        d.restart()
    end = [("src", b"up/0:2:0"), ("progress", b'{"root/3": 17}')]
    d.pipe_raw(topics.TURNS, P, Codec().value(turn("two")), end)
    await d.run()
    there = d.log.partitions[topics.PROJECT_EVENTS.name, partition(project("acme", "p1"), 8)]
    assert progress_of(there[-1])["root/3"] == 17


async def test_of_several_whole_values_in_a_batch_the_last_is_sent() -> None:
    d = driver(batch=64, coalesce=True)
    for i in range(4):
        d.pipe(topics.TURNS, turn(f"a{i}", session="s1"))
        d.pipe(topics.TURNS, turn(f"b{i}", session="s2"))
    await d.run()
    values = [e for e in d.read(topics.SESSION_STATE) if isinstance(e, SessionState)]
    assert [(v.session_id, v.revision) for v in values] == [("s1", 7), ("s2", 8)]
    assert progress_of(d.log.partitions[topics.SESSION_STATE.name, P][-1]) == {f"{topics.TURNS.name}/{P}": 8}


async def test_trace_context_travels_on() -> None:
    d = driver()
    d.pipe_raw(topics.TURNS, P, Codec().value(turn("one")), [("traceparent", b"00-abc-def-01")])
    await d.run()
    assert header(d.log.partitions[topics.SESSION_STATE.name, P][0].headers, "traceparent") == b"00-abc-def-01"


async def test_ticks_sweep_rows_that_expired() -> None:
    class Fading(Counter):
        def handle(self, record: Record, prepared: Any, state: Any) -> Any:
            if isinstance(record.event, Tick):
                return []
            owner = state.of(record.event.owner.key)  # type: ignore[union-attr]
            owner.write("fading", b"1", START + timedelta(hours=1))
            owner.write("lasting", b"1")
            return []

    d = TopologyDriver([Fading()], START)
    await say(d, "one")
    d.tick()
    await d.run()
    assert isinstance(d.store, MemoryStateStore)
    rows = d.store.rows["counter", P][user("acme", "ann").key]
    assert set(rows) == {"fading", "lasting"}
    d.advance(timedelta(hours=1))
    d.tick()
    await d.run()
    assert set(rows) == {"lasting"}
