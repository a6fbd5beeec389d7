"""What every `query.producer.Log` must do, in memory and over a broker."""

from __future__ import annotations

import pytest

from query.producer import Log, Outgoing, QueueFullError
from schemas.log import topics

TOPIC = topics.ACCESSES.name


def record(n: int, partition: int = 0) -> Outgoing:
    return Outgoing(TOPIC, partition, b"k", f"value {n}".encode(), [("h", b"1")])


class LogContract:
    """Subclasses give a fixture `log` with a capacity of 100 records or more."""

    async def test_offsets_of_a_partition_follow_the_order_of_sending(self, log: Log) -> None:
        offsets = await log.send([record(i) for i in range(5)])
        first = offsets[0]
        assert first is not None
        assert offsets == list(range(first, first + 5))
        assert await log.send([record(9)]) == [first + 5]

    async def test_partitions_are_taken_as_given(self, log: Log) -> None:
        (before,) = await log.send([record(0, partition=1)])
        assert before is not None
        await log.send([record(1, partition=2)])
        assert await log.send([record(2, partition=1)]) == [before + 1]

    async def test_nothing_is_sent_of_what_is_too_much(self, log: Log) -> None:
        (before,) = await log.send([record(0, partition=3)])
        with pytest.raises(QueueFullError):
            await log.send([record(i, partition=3) for i in range(20_000)])
        (after,) = await log.send([record(1, partition=3)])
        assert before is not None
        assert after == before + 1

    async def test_nothing_to_send(self, log: Log) -> None:
        assert await log.send([]) == []
