"""The buffer: order, batches, bounds, patience, refusals."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from memstream.client import (
    BufferFullError,
    BufferLimits,
    ClosedError,
    DeliveryError,
    InvalidError,
    MemstreamError,
    ServerError,
    SetAsideError,
    UnavailableError,
)
from memstream.client.buffer import Buffer, Delivered, backoff
from memstream.client.messages import Item, item_of
from tests.unit.client.scripted import ScriptedTransport, turn


def items(n: int) -> list[Item]:
    return [item_of(turn(i), "default") for i in range(n)]


def buffer(transport: ScriptedTransport, **limits: float) -> Buffer:
    given = BufferLimits(**{"linger_seconds": 0, "block_seconds": 0, **limits})  # type: ignore[arg-type]
    return Buffer(transport, given, pause=lambda _: 0)


async def test_messages_go_in_order_in_batches() -> None:
    way = ScriptedTransport()
    b = buffer(way, batch=3)
    for i in items(7):
        await b.put(i)
    await b.flush(5)
    assert [x for batch in way.batches for x in batch] == [f"t{n}" for n in range(7)]
    assert max(len(batch) for batch in way.batches) <= 3
    assert len(b) == 0


async def test_a_full_buffer_pushes_back_and_takes_again_when_the_log_does() -> None:
    way = ScriptedTransport()
    way.gate.clear()
    b = buffer(way, items=2)
    first, second, third = items(3)
    await b.put(first)
    await b.put(second)
    with pytest.raises(BufferFullError, match="2 messages wait"):
        await b.put(third)
    way.gate.set()
    await b.flush(5)
    await b.put(third)
    await b.close(5)
    assert [x for batch in way.batches for x in batch] == ["t0", "t1", "t2"]


async def test_send_waits_for_room() -> None:
    way = ScriptedTransport()
    way.gate.clear()
    b = buffer(way, items=1, block_seconds=30)
    first, second = items(2)
    await b.put(first)
    waiting = asyncio.create_task(b.put(second))
    await asyncio.sleep(0)
    assert not waiting.done()
    way.gate.set()
    await waiting
    await b.close(5)


async def test_text_is_bounded_too_but_one_large_message_passes() -> None:
    way = ScriptedTransport()
    way.gate.clear()
    b = buffer(way, size=1_000)
    await b.put(item_of(turn(0, content="长" * 5_000), "default"))
    with pytest.raises(BufferFullError):
        await b.put(item_of(turn(1), "default"))
    way.gate.set()
    await b.close(5)


async def test_what_the_log_did_not_take_is_sent_again_in_order() -> None:
    way = ScriptedTransport(
        lambda _: Delivered(), lambda _: Delivered(frozenset({"t0"})), lambda _: Delivered(frozenset({"t2"}))
    )
    b = buffer(way, batch=10)
    for i in items(3):
        await b.put(i)
    await b.flush(5)
    assert way.batches[-1] == ["t1"]
    assert way.batches[-2] == ["t1", "t2"]


async def test_refusals_are_told_once_with_their_reason() -> None:
    no = InvalidError("turns.0.content: too long")
    result: list[str] = []
    way = ScriptedTransport(lambda batch: Delivered(frozenset({"t1"}), {"t0": no}))
    b = Buffer(way, BufferLimits(linger_seconds=0.01), lambda item, error: result.append(item.id), pause=lambda _: 0)
    for i in items(2):
        await b.put(i)
    with pytest.raises(DeliveryError, match="1 refused") as caught:
        await b.flush(5)
    assert [(r.id, r.error) for r in caught.value.refused] == [("t0", no)]
    assert result == ["t0"]
    await b.flush(5)


async def test_flush_says_what_still_waits_and_keeps_it() -> None:
    way = ScriptedTransport()
    way.gate.clear()
    b = buffer(way)
    await b.put(items(1)[0])
    with pytest.raises(DeliveryError, match="1 still waiting"):
        await b.flush(0)
    way.gate.set()
    await b.close(5)
    assert way.batches == [["t0"]]


async def test_nothing_is_taken_after_close() -> None:
    b = buffer(ScriptedTransport())
    await b.close(1)
    with pytest.raises(ClosedError):
        await b.put(items(1)[0])


async def test_a_transport_that_raises_costs_no_message() -> None:
    def unforeseen(_: object) -> Delivered:
        raise RuntimeError("a parser fell over the private words")

    def foreseen(_: object) -> Delivered:
        raise UnavailableError("away")

    way = ScriptedTransport(unforeseen, foreseen)
    b = buffer(way)
    await b.put(items(1)[0])
    await b.flush(5)
    await b.put(items(2)[1])
    await b.close(5)
    assert way.batches == [["t0"], ["t0"], ["t0"], ["t1"]]


async def test_a_flush_says_why_messages_wait() -> None:
    way = ScriptedTransport(*[lambda _: Delivered(reason=UnavailableError("HTTP 502"))] * 3)
    b = Buffer(way, BufferLimits(linger_seconds=0), pause=lambda attempt: 0 if attempt < 3 else 60)
    await b.put(items(1)[0])
    with pytest.raises(DeliveryError, match=r"1 still waiting for the log \(HTTP 502\)"):
        await b.flush(0.2)
    with pytest.raises(DeliveryError):
        await b.close(0)


async def test_a_callers_function_that_raises_stops_nobody() -> None:
    def falls(_: Item, error: MemstreamError) -> None:
        raise RuntimeError(str(error))

    way = ScriptedTransport(lambda _: Delivered(frozenset({"t1"}), {"t0": InvalidError("no")}))
    b = Buffer(way, BufferLimits(linger_seconds=0.01), falls, pause=lambda _: 0)
    for i in items(2):
        await b.put(i)
    with pytest.raises(DeliveryError, match="1 refused"):
        await b.flush(5)
    await b.put(items(3)[2])
    await b.close(5)
    assert way.batches == [["t0", "t1"], ["t2"]]


def test_pauses_grow_to_a_bound() -> None:
    assert all(0 <= backoff(n) <= 10 for n in (1, 5, 50, 5_000))


def failing_on(*poison: str, mended: list[bool] | None = None) -> ScriptedTransport:
    """A service that answers 500 to every call that holds one of these."""

    class Service(ScriptedTransport):
        async def deliver(self, items: Sequence[Item]) -> Delivered:
            self.batches.append([i.id for i in items])
            if not mended and any(i.id in poison for i in items):
                return Delivered(reason=ServerError("HTTP 500", again=True, status=500), failing=len(items))
            return Delivered(frozenset(i.ref for i in items))

    return Service()


def taken(way: ScriptedTransport, *poison: str) -> list[str]:
    return [x for batch in way.batches if not set(batch) & set(poison) for x in batch]


@pytest.mark.parametrize("poison", [["t0"], ["t6"], ["t19"], ["t3", "t4"], ["t0", "t10", "t19"], ["t2", "t3", "t12"]])
async def test_a_message_that_the_service_fails_on_is_set_aside_and_all_around_it_goes_on(poison: list[str]) -> None:
    way = failing_on(*poison)
    result: list[tuple[str, MemstreamError]] = []
    limits = BufferLimits(linger_seconds=0.01, batch=8, failing_tries=3)
    b = Buffer(way, limits, lambda item, error: result.append((item.id, error)), pause=lambda _: 0)
    for i in items(20):
        await b.put(i)
    with pytest.raises(DeliveryError, match=f"{len(poison)} set aside") as caught:
        await b.flush(5)
    assert taken(way, *poison) == [f"t{n}" for n in range(20) if f"t{n}" not in poison]
    assert [r.id for r in caught.value.aside] == poison == [i.id for i in b.aside]
    assert [(i, type(e), getattr(e, "id", ""), getattr(e, "status", 0)) for i, e in result] == [
        (name, SetAsideError, name, 500) for name in poison
    ]
    for name in poison:
        assert way.batches.count([name]) >= 3
    assert len(way.batches) <= 20 + len(poison) * (3 + 3 + 4)  # tries together, tries alone, halves
    await b.flush(5)


async def test_a_message_set_aside_is_kept_and_can_be_sent_again() -> None:
    mended: list[bool] = []
    way = failing_on("t1", mended=mended)
    b = buffer(way, failing_tries=2)
    for i in items(3):
        await b.put(i)
    with pytest.raises(DeliveryError):
        await b.flush(5)
    mended.append(True)
    assert await b.retry_aside() == 1
    await b.close(5)
    assert way.batches[-1] == ["t1"]
    assert b.aside == ()


async def test_what_is_still_set_aside_at_the_end_is_said_again() -> None:
    b = buffer(failing_on("t0"), failing_tries=1)
    await b.put(items(1)[0])
    with pytest.raises(DeliveryError):
        await b.flush(5)
    with pytest.raises(DeliveryError, match=r"1 set aside \(first: t0: the service fails on it: HTTP 500\)"):
        await b.close(5)


async def test_what_is_set_aside_counts_against_the_bound_until_it_is_taken() -> None:
    way = failing_on("t0", "t1")
    b = buffer(way, items=2, failing_tries=1)
    first, second, third = items(3)
    await b.put(first)
    await b.put(second)
    with pytest.raises(DeliveryError, match="2 set aside"):
        await b.flush(5)
    with pytest.raises(BufferFullError, match="2 are set aside"):
        await b.put(third)
    assert [i.id for i in await b.take_aside()] == ["t0", "t1"]
    await b.put(third)
    await b.close(5)
    assert way.batches[-1] == ["t2"]


async def test_an_outage_is_waited_for_without_a_count() -> None:
    away = [lambda _: Delivered(reason=UnavailableError("HTTP 503"))] * 500
    way = ScriptedTransport(*away)
    b = buffer(way, failing_tries=2)
    for i in items(2):
        await b.put(i)
    await b.flush(5)
    assert len(way.batches) == 501
    assert b.aside == ()


async def test_a_failure_that_passes_sets_nothing_aside() -> None:
    failed = [lambda batch: Delivered(reason=ServerError("HTTP 500", status=500), failing=len(batch))] * 3
    way = ScriptedTransport(*failed)
    b = buffer(way, failing_tries=4)
    for i in items(5):
        await b.put(i)
    await b.close(5)
    assert b.aside == ()
