"""A failure costs one record, whatever it is and wherever it stands in its batch (N2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
import pytest

from processors.step import Record
from schemas.events.sessions import SessionState
from schemas.log import topics
from schemas.log.codec import Codec, Headers, header
from streams.driver import TopologyDriver
from streams.runner import Message
from tests.unit.streams.bench import P, driver, reasons, revisions, say
from tests.unit.streams.toy import START, Counter, turn


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
