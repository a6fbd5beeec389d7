"""The loop that runs every step: failures cost one record, redeliveries nothing, progress tells the truth (N2, N3)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import orjson
import pytest

from processors.step import Reads, Record, StateSpace
from schemas import topics
from schemas.codec import Codec, Headers, header
from schemas.envelope import Tick
from schemas.owner import partition, user
from schemas.progress import load_progress
from schemas.sessions import SessionState
from streams.driver import MemoryLog, TopologyDriver, inline
from streams.runtime import Message, RunnerConfig, StepRunner
from streams.state import OutboxRow, StaleOwner, StoreAway
from streams.state_memory import MemoryStateStore
from tests.unit.streams.toy import START, Counter, turn

P = partition(user("acme", "ann"), 8)


def driver(batch: int = 64, coalesce: bool = False) -> TopologyDriver:
    return TopologyDriver([Counter(coalesce)], START, batch=batch, upstream={"up", "other"})


async def say(d: TopologyDriver, *contents: str, user: str = "ann") -> None:
    for content in contents:
        d.pipe(topics.TURNS, turn(content, user))
    await d.run()


def revisions(d: TopologyDriver) -> list[int]:
    return [e.revision for e in d.read(topics.SESSION_STATE) if isinstance(e, SessionState)]


def reasons(d: TopologyDriver) -> list[tuple[str, str]]:
    def text(m: Message, name: str) -> str:
        return (header(m.headers, name) or b"").decode()

    return [(text(m, "reason"), text(m, "message")) for m in d.dead_letters()]


# -- failures ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [1, 3, 64])
@pytest.mark.parametrize("bad", ["raise", "poison", "unreadable", "unnameable", "reject", "huge"])
async def test_n2_a_failing_record_is_a_dead_letter_alone_and_leaves_no_state(bad: str, batch: int) -> None:
    d = driver(batch)
    await say(d, "one", f"{bad} secret words", "two", "three")
    assert revisions(d) == [1, 2, 3]
    [letter] = d.dead_letters()
    assert letter.partition == P
    original = d.log.partitions[topics.TURNS.name, P][1]
    assert letter.value == original.value
    assert letter.key == original.key
    assert header(letter.headers, "step") == b"counter"
    assert header(letter.headers, "source_topic") == topics.TURNS.name.encode()
    assert header(letter.headers, "source_partition") == str(P).encode()
    assert header(letter.headers, "source_offset") == b"1"
    assert header(letter.headers, "attempts") == b"1"
    [(reason, message)] = reasons(d)
    assert reason == {"reject": "refused_word", "huge": "too_large"}.get(bad, "step_failed")
    assert "secret" not in message
    assert "xxx" not in message


@pytest.mark.parametrize("batch", [1, 64])
async def test_a_rolled_back_record_leaves_derived_indexes_in_step_with_the_rows(batch: int) -> None:
    d = driver(batch)
    await say(d, "one", "raise", "two", "reject", "three")
    values = [e for e in d.read(topics.SESSION_STATE) if isinstance(e, SessionState)]
    assert [v.sealed.anchors["indexed"] for v in values] == [1, 2, 3]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (b"{not json", "malformed_json"),
        (b"\xff\xfe", "malformed_json"),
        (b"[]", "malformed_json"),
        (None, "null_value"),
        (b"{}", "invalid"),
        (orjson.dumps({"type": "turn", "schema_version": 2}), "schema_version"),
        (orjson.dumps({"type": "screened_turn", "tenant": "t"}), "invalid"),
        (b'{"type":"turn","tenant":"t","sealed":{"content":"x","metadata":{"a":' + b"[" * 900 + b"]" * 900 + b"}}}",
         "invalid"),
    ],
)  # fmt: skip
async def test_n2_what_is_no_event_of_the_topic_is_a_dead_letter(value: bytes | None, reason: str) -> None:
    d = driver()
    d.pipe_raw(topics.TURNS, P, value)
    await say(d, "one")
    assert [r for r, _ in reasons(d)] == [reason]
    assert d.dead_letters()[0].value == value
    assert revisions(d) == [1]


async def test_a_record_in_the_partition_of_another_owner_is_a_dead_letter() -> None:
    d = driver()
    d.pipe_raw(topics.TURNS, (P + 1) % 8, Codec().value(turn("one")))
    await d.run()
    assert [r for r, _ in reasons(d)] == ["wrong_partition"]


@pytest.mark.parametrize(
    "headers",
    [
        [("src", b"nonsense")],
        [("src", b"step/0:x:secret")],
        [("src", b"\xff\xff")],
        [("src", b"up\x00/0:1:1")],
        [("src", b"up/0:1_0:1")],
        [("src", b"up/0:1:1\n")],
        [("src", b"up/0:" + b"9" * 19 + b":1")],
        [("src", b"screen/3:900:0")],  # no step that writes this topic
        [("src", b"up/0:1:1"), ("progress", b'{"root\\u0000/3": 5}')],
        [("src", b"up/0:1:1"), ("progress", b'{"root/\xd9\xa3": 5}')],
        [("src", b"up/0:1:1"), ("progress", b"secret")],
        [("src", b"up/0:1:1"), ("progress", b'{"a": "secret"}')],
        [("src", b"up/0:1:1"), ("progress", b'{"a": -5}')],
        [("src", b"up/0:1:1"), ("reach", b"secret")],
        [("src", b"up/0:1:1"), ("reach", b'{"a": 1}')],
        [("src", b"up/0:1:1"), ("reach", b"[-1]")],
        [("replay_for", b"secret")],
        [("replay_for", b"gate"), ("replay_of", b"secret")],
    ],
)
async def test_broken_headers_are_a_dead_letter_that_does_not_repeat_them(headers: Headers) -> None:
    d = driver()
    d.pipe_raw(topics.TURNS, P, Codec().value(turn("one")), headers)
    await say(d, "two")
    [(reason, message)] = reasons(d)
    assert reason == "headers"
    assert "secret" not in message
    assert revisions(d) == [1]


@pytest.mark.parametrize("attempts", [b"x", b"-3", b"9" * 5000, b""])
async def test_an_odd_attempts_header_does_not_stop_the_step(attempts: bytes) -> None:
    d = driver()
    d.pipe_raw(topics.TURNS, P, b"{", [("attempts", attempts)])
    await d.run()
    assert header(d.dead_letters()[0].headers, "attempts") == b"1"


async def test_attempts_count_up_over_replays() -> None:
    d = driver()
    d.pipe_raw(topics.TURNS, P, b"{", [("attempts", b"2")])
    await d.run()
    assert header(d.dead_letters()[0].headers, "attempts") == b"3"


@pytest.mark.parametrize("stamp", [-1, 0, -(10**15), 10**15, 2**62])
async def test_a_timestamp_that_is_no_date_is_a_dead_letter(stamp: int) -> None:
    d = driver()
    log = d.log.partitions[topics.TURNS.name, P]
    log.append(Message(topics.TURNS.name, P, 0, None, Codec().value(turn("one")), [], stamp))
    await say(d, "two")
    assert [r for r, _ in reasons(d)] == ["timestamp"]
    assert revisions(d) == [1]


async def test_a_step_that_prepares_too_few_is_contained() -> None:
    class Short(Counter):
        def prepare(self, records: Sequence[Record]) -> Sequence[Any]:
            return [None] * (len(records) - 1)

    d = TopologyDriver([Short()], START)
    await say(d, "one", "two")
    assert [r for r, _ in reasons(d)] == ["step_failed", "step_failed"]


# -- redeliveries -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [1, 2, 64])
async def test_n2_a_redelivered_offset_sends_its_outbox_again_and_recomputes_nothing(batch: int) -> None:
    d = driver(batch)
    await say(d, "one", "two", "raise", "three")
    rows = dict(d.store.rows[("counter", P)]) if isinstance(d.store, MemoryStateStore) else {}
    before = list(d.log.partitions[topics.SESSION_STATE.name, P])
    d.restart(rewind=10)
    await d.run()
    again = d.log.partitions[topics.SESSION_STATE.name, P][len(before) :]
    assert [(m.key, m.value, m.headers) for m in again] == [
        (m.key, m.value, m.headers) for m in before[len(before) - len(again) :]
    ], "only the last outbox goes out again, byte for byte"
    assert isinstance(d.store, MemoryStateStore)
    assert dict(d.store.rows[("counter", P)]) == rows
    await say(d, "four")
    assert revisions(d)[-1] == 4


async def test_n2_what_an_upstream_step_redelivers_is_dropped_by_its_source() -> None:
    d = driver(batch=64)
    value = Codec().value(turn("one"))
    for source in ("up/0:5:0", "up/0:5:1", "up/0:5:0", "up/0:5:1", "up/0:6:0", "other/0:5:0", "up/0:4:9"):
        d.pipe_raw(topics.TURNS, P, value, [("src", source.encode())])
    await d.run()
    assert revisions(d) == [1, 2, 3, 4]  # up 5:0, up 5:1, up 6:0, other 5:0
    d.restart()
    d.pipe_raw(topics.TURNS, P, value, [("src", b"up/0:6:0")])
    await d.run()
    assert max(revisions(d)) == 4


async def test_n2_a_malformed_record_of_an_upstream_step_is_one_dead_letter_however_often_it_comes() -> None:
    d = driver()
    for _ in range(3):
        d.pipe_raw(topics.TURNS, P, b"{", [("src", b"up/0:5:0")])
    await d.run()
    assert len(d.dead_letters()) == 1


async def test_duplicate_headers_count_by_the_last() -> None:
    d = driver()
    value = Codec().value(turn("one"))
    d.pipe_raw(topics.TURNS, P, value, [("src", b"up/0:9:9"), ("src", b"up/0:1:1")])
    d.pipe_raw(topics.TURNS, P, value, [("src", b"up/0:2:0")])
    await d.run()
    assert revisions(d) == [1, 2]


async def test_n2_a_stale_owner_writes_nothing() -> None:
    store, log = MemoryStateStore(), MemoryLog(lambda: START)
    one, two = (StepRunner(Counter(), store, log, Codec(), RunnerConfig(8), compute=inline) for _ in range(2))
    feed = [_message(i, f"t{i}") for i in range(4)]
    await one.process(feed[:1])
    await two.process(feed[:2])  # took over: skips the first, takes the second
    with pytest.raises(StaleOwner) as stale:
        await one.process(feed[1:3])
    assert stale.value.partitions == {P}
    assert store.rows["counter", P][user("acme", "ann").key]["count"] == b"2"
    one.forget()
    await one.process(feed[1:4])
    assert store.rows["counter", P][user("acme", "ann").key]["count"] == b"4"


async def test_a_batch_ends_as_it_began_when_its_partition_is_forgotten_meanwhile() -> None:
    class Revoking(MemoryStateStore):
        runner: StepRunner | None = None

        async def commit(self, commits: Any) -> None:
            await super().commit(commits)
            if self.runner is not None:
                self.runner.forget([P])

    store = Revoking()
    store.runner = StepRunner(Counter(), store, MemoryLog(lambda: START), Codec(), RunnerConfig(8), compute=inline)
    for i in range(3):
        await store.runner.process([_message(i, f"t{i}")])
    assert store.rows["counter", P][user("acme", "ann").key]["count"] == b"3"


class Watched(Counter):
    """Says when it prepares, beside what its producer says."""

    def __init__(self, said: list[str]) -> None:
        super().__init__()
        self._said = said

    def prepare(self, records: Sequence[Record]) -> Sequence[Any]:
        self._said.append(f"prepare {records[0].offset}")
        return super().prepare(records)


class Completing(Counter):
    """Looks at the state of before the batch, in one call; one record it cannot complete."""

    completes = True

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[list[Any]] = []

    def complete(
        self, records: Sequence[Record], prepared: Sequence[Any], states: Sequence[StateSpace]
    ) -> Sequence[Any]:
        self.seen.append([s.of(user("acme", "ann").key).get("count") for s in states])
        if any(r.offset == 2 for r in records):
            raise ValueError("poison")
        return prepared


async def test_a_step_completes_a_batch_with_the_state_before_it_and_poison_fails_alone() -> None:
    step, store = Completing(), MemoryStateStore()
    log = MemoryLog(lambda: START)
    runner = StepRunner(step, store, log, Codec(), RunnerConfig(8), compute=inline)
    await runner.process([_message(i, f"t{i}") for i in range(2)])
    assert step.seen == [[None, None]]
    await runner.process([_message(i, f"t{i}") for i in range(2, 4)])
    assert step.seen[1:] == [[2, 2], [2], [2]], "together, then each alone"
    assert store.rows["counter", P][user("acme", "ann").key]["count"] == b"3"
    assert [m for (topic, _), share in log.partitions.items() if topic == topics.DEAD_LETTERS.name for m in share]


class Asking(Completing):
    """Names none of its reads."""

    def reads(self, record: Record, prepared: Any) -> tuple[Reads, ...]:
        return ()

    def then_reads(self, record: Record, prepared: Any, state: StateSpace) -> tuple[Reads, ...]:
        return (Reads(user("acme", str(state.of(user("acme", "bob").key).get("count"))).key),)


async def test_n2_rows_that_no_read_named_are_loaded_when_they_are_asked_for() -> None:
    store = MemoryStateStore()
    store.rows["counter", P][user("acme", "ann").key] = {"count": b"1", "turn/000001": b'"before"'}
    log = MemoryLog(lambda: START)
    step = Asking()
    runner = StepRunner(step, store, log, Codec(), RunnerConfig(8), compute=inline)
    await runner.process([_message(i, f"t{i}") for i in range(2)])
    assert step.seen == [[1], [1]], "asked together, then one by one"
    assert store.rows["counter", P][user("acme", "ann").key]["count"] == b"3"
    values = [orjson.loads(m.value or b"") for m in log.partitions[topics.SESSION_STATE.name, P]]
    assert [v["sealed"]["anchors"]["indexed"] for v in values if "sealed" in v] == [2, 3]
    assert not any(log.partitions[topics.DEAD_LETTERS.name, p] for p in range(8))


async def test_n2_a_store_that_is_away_costs_no_record_that_asked_for_more() -> None:
    class Away(MemoryStateStore):
        """Answers no load but the first."""

        loads = 0

        async def load(self, step: str, wanted: Any) -> Any:
            self.loads += 1
            if self.loads == 2:
                raise StoreAway("no answer")
            return await super().load(step, wanted)

    store, log = Away(), MemoryLog(lambda: START)
    runner = StepRunner(Asking(), store, log, Codec(), RunnerConfig(8), compute=inline)
    feed = [_message(i, f"t{i}") for i in range(2)]
    with pytest.raises(StoreAway):
        await runner.process(feed)
    runner.forget()
    await runner.process(feed)
    assert store.rows["counter", P][user("acme", "ann").key]["count"] == b"2"
    assert not any(log.partitions[topics.DEAD_LETTERS.name, p] for p in range(8))


class SlowLog(MemoryLog):
    """Lets others run before it has delivered."""

    def __init__(self, said: list[str]) -> None:
        super().__init__(lambda: START)
        self._said = said

    async def deliver(self, rows: Sequence[OutboxRow]) -> None:
        await asyncio.sleep(0)
        self._said.append(f"delivered {rows[0].offset}")
        await super().deliver(rows)


async def test_the_next_batch_is_prepared_while_one_is_delivered_and_only_once() -> None:
    said: list[str] = []
    store = MemoryStateStore()
    runner = StepRunner(Watched(said), store, SlowLog(said), Codec(), RunnerConfig(8), compute=inline)
    feed = [_message(i, f"t{i}") for i in range(3)]
    await runner.process(feed[:1], lambda: feed[1:2])
    await runner.process(feed[1:2], lambda: feed[2:])
    await runner.process(feed[2:])
    order = ["prepare 0", "prepare 1", "delivered 0", "prepare 2", "delivered 1", "delivered 2"]
    assert said == order
    assert store.rows["counter", P][user("acme", "ann").key]["count"] == b"3"


async def test_what_was_prepared_for_other_records_or_before_a_move_is_prepared_again() -> None:
    said: list[str] = []
    store = MemoryStateStore()
    runner = StepRunner(Watched(said), store, MemoryLog(lambda: START), Codec(), RunnerConfig(8), compute=inline)
    feed = [_message(i, f"t{i}") for i in range(5)]
    await runner.process(feed[:1], lambda: feed[1:3])
    await runner.process(feed[1:2], lambda: feed[2:4])  # fewer came through than were named
    runner.forget([P])
    await runner.process(feed[2:4], lambda: feed[4:])
    assert [s for s in said if s != "prepare 4"] == ["prepare 0", "prepare 1", "prepare 1", "prepare 2", "prepare 2"]
    assert store.rows["counter", P][user("acme", "ann").key]["count"] == b"4"


async def test_n2_what_was_prepared_behind_a_batch_that_failed_starts_from_what_is_stored() -> None:
    store, log = MemoryStateStore(), MemoryLog(lambda: START)
    one, two = (StepRunner(Counter(), store, log, Codec(), RunnerConfig(8), compute=inline) for _ in range(2))
    feed = [_message(i, f"t{i}") for i in range(4)]
    await one.process(feed[:1])
    await two.process(feed[:3])
    with pytest.raises(StaleOwner):
        await one.process(feed[1:2], lambda: feed[2:4])
    one.forget()
    await one.process(feed[2:4])  # the first of these is another worker's by now
    assert store.rows["counter", P][user("acme", "ann").key]["count"] == b"4"


def _message(offset: int, content: str) -> Message:
    return Message(topics.TURNS.name, P, offset, None, Codec().value(turn(content)), [], int(START.timestamp() * 1000))


# -- progress, markers, coalescing ------------------------------------------------------------------------------


def progress_of(m: Message) -> dict[str, int]:
    return load_progress(header(m.headers, "progress"))


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
            owner.put("fading", 1, START + timedelta(hours=1))
            owner.put("lasting", 1)
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
