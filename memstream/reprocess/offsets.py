"""How far a generation's writer is from the end of its topics."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from confluent_kafka import Consumer, KafkaException, TopicPartition

from memstream.reprocess.errors import BrokerAwayError
from schemas.storage.connections import Bootstrap, librdkafka

T = TypeVar("T")
Place = tuple[str, int]
RATE_SECONDS = 20.0


class GroupOffsets:
    """What a group has committed, beside starts and ends. Commits nothing and joins nothing."""

    def __init__(self, bootstrap: Bootstrap, group: str, topics: Sequence[str], partitions: int) -> None:
        self._places = [TopicPartition(t, p) for t in topics for p in range(partitions)]
        self._consumer = Consumer(
            {
                **librdkafka(bootstrap), "group.id": group, "enable.auto.commit": False,
                "client.id": "memstream-rebuild", "log_level": 3,
            }
        )  # fmt: skip

    def bounds(self) -> dict[Place, tuple[int, int]]:
        """Place -> start and end."""

        def read() -> dict[Place, tuple[int, int]]:
            return {(p.topic, p.partition): self._consumer.get_watermark_offsets(p, 10) for p in self._places}

        return _asked(read)

    def committed(self) -> dict[Place, int]:
        """A place that was never committed is missing."""
        found = _asked(lambda: self._consumer.committed(self._places, 10))
        return {(p.topic, p.partition): p.offset for p in found if p.offset >= 0}

    def left(self, until: Mapping[Place, tuple[int, int]]) -> int:
        """Records below these ends that are not committed."""
        return left_of(until, self.committed())

    def close(self) -> None:
        self._consumer.close()


def left_of(until: Mapping[Place, tuple[int, int]], committed: Mapping[Place, int]) -> int:
    """`until`: place -> start and end."""
    return sum(max(0, end - max(start, committed.get(place, 0))) for place, (start, end) in until.items())


def _asked(call: Callable[[], T]) -> T:
    try:
        return call()
    except KafkaException as exc:
        raise BrokerAwayError(f"the brokers do not answer ({exc.args[0].name()}): check MEMSTREAM_KAFKA") from None


class Eta:
    """Seconds left, from how many records were left when."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def update(self, at: float, left: int) -> float | None:
        """`at` in seconds of any clock that does not go back. None while nothing can be told."""
        self._seen.append((at, left))
        while len(self._seen) > 2 and at - self._seen[1][0] >= RATE_SECONDS:
            self._seen.popleft()
        then, had = self._seen[0]
        if left == 0:
            return 0.0
        done = had - left
        return None if done <= 0 or at <= then else left * (at - then) / done
