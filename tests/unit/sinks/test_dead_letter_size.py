"""A dead letter as large as what a topic takes leaves the producer: else its worker ends each time it meets it (N2)."""

from __future__ import annotations

import pytest

from schemas.log import topics
from sinks.kafka import KafkaDeadLetters, KafkaSettings
from sinks.protocol import Message, Undelivered


@pytest.mark.parametrize("size", [1_200_000, topics.UPDATES.max_bytes])
def test_n2_a_large_record_is_refused_by_no_bound_of_the_producer(size: int) -> None:
    letters = KafkaDeadLetters(KafkaSettings("127.0.0.1:1", "g", delivery_timeout=0.1))
    record = Message(topics.UPDATES.name, 0, 5, b"k", b"x" * size, [], 0)
    with pytest.raises(Undelivered):  # nobody answers there
        letters.deliver(record, [("step", b"sink-postgres")])
