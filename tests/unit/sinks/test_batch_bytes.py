"""What a sink takes in one batch is bounded in bytes as in records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from sinks.kafka import KafkaConsumer, KafkaSettings

TOPIC = "memory.updates"


@dataclass
class Raw:
    """A record of librdkafka's, as far as it is read."""

    number: int
    size: int
    place: int = 0
    leader: int | None = None

    def error(self) -> None:
        return None

    def topic(self) -> str:
        return TOPIC

    def partition(self) -> int:
        return self.place

    def offset(self) -> int:
        return self.number

    def leader_epoch(self) -> int | None:
        return self.leader

    def key(self) -> bytes:
        return b""

    def value(self) -> bytes:
        return b"x" * self.size

    def headers(self) -> list[tuple[str, bytes]]:
        return []

    def timestamp(self) -> tuple[int, int]:
        return (1, 0)


@dataclass
class Librdkafka:
    """Gives what waits; `before` is called ahead of each call of `consume`, as a rebalance is."""

    waiting: list[Raw]
    before: Callable[[], None] = lambda: None
    asked: list[int] = field(default_factory=list)

    def poll(self, timeout: float) -> Raw | None:
        return self.waiting.pop(0) if self.waiting else None

    def consume(self, count: int, timeout: float) -> list[Raw]:
        self.before()
        self.asked.append(count)
        taken, self.waiting = self.waiting[:count], self.waiting[count:]
        return taken

    def incremental_unassign(self, partitions: Any) -> None: ...

    def close(self) -> None: ...


def consumer(fake: Librdkafka, most: int) -> KafkaConsumer:
    made = KafkaConsumer(KafkaSettings("127.0.0.1:1", "g", batch_bytes=most))
    made._consumer.close()
    made._consumer = cast(Any, fake)
    return made


def test_a_batch_ends_where_it_has_its_bytes() -> None:
    fake = Librdkafka([Raw(n, 1_000) for n in range(200)])
    taken = consumer(fake, 20_000).poll(500, 0.1)
    assert 20 <= len(taken) <= 20 + 16
    assert len(fake.waiting) == 200 - len(taken)


@pytest.mark.parametrize("limit", [1, 17, 40])
def test_a_batch_ends_where_it_has_its_records(limit: int) -> None:
    fake = Librdkafka([Raw(n, 10) for n in range(100)])
    taken = consumer(fake, 20_000).poll(limit, 0.1)
    assert [m.offset for m in taken] == list(range(limit))


def test_what_moved_away_while_more_was_waited_for_is_left_out() -> None:
    fake = Librdkafka([Raw(n, 10, n % 2) for n in range(40)])
    made = consumer(fake, 20_000)

    def revoke() -> None:
        if len(fake.asked) == 2:
            fake.waiting = [r for r in fake.waiting if r.place]
            made._on_revoke(cast(Any, fake), [cast(Any, _Part(TOPIC, 0))])

    fake.before = revoke
    taken = made.poll(500, 0.1)
    assert {m.partition for m in taken} == {1}
    assert [m.offset for m in taken] == list(range(1, 40, 2))


@dataclass
class _Part:
    topic: str
    partition: int
