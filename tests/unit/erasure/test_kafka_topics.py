"""What librdkafka says of records that were not taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from memstream.erasure import kafka
from memstream.erasure.kafka import KafkaTopics
from memstream.erasure.ports import Away, Outgoing

SENT = [Outgoing("t", 0, b"a", None, []), Outgoing("t", 0, b"b", None, [])]


class Producer:
    """`errors`: of each record, None where it is acknowledged; `left`: so many never are."""

    def __init__(self, errors: list[KafkaError | None], left: int = 0, full: int = 0) -> None:
        self._errors, self._left, self._full = errors, left, full
        self._told: list[tuple[Callable[[Any, Any], None], KafkaError | None]] = []
        self.polls = 0

    def produce(self, *args: Any, headers: object) -> None:
        if self._full:
            self._full -= 1
            raise BufferError
        self._told.append((args[4], self._errors.pop(0)))

    def poll(self, seconds: float) -> None:
        self.polls += seconds > 0

    def flush(self, seconds: float) -> int:
        for entry, error in self._told[self._left :]:
            entry(error, None)
        return self._left


def _written(monkeypatch: pytest.MonkeyPatch, producer: Producer) -> None:
    monkeypatch.setattr(kafka, "Producer", lambda settings: producer)
    KafkaTopics("localhost:1").write(SENT)


def test_what_all_acknowledge_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    producer = Producer([None, None], full=1)
    _written(monkeypatch, producer)
    assert producer.polls == 1, "its queue was full"


@pytest.mark.parametrize("code", [KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError._FATAL])
def test_n6_a_record_that_is_refused_is_away_though_nothing_is_left(code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A flush counts what it still waits for, and a refused record is waited for no more: it passed for delivered."""
    with pytest.raises(Away, match=KafkaError(code).name()):
        _written(monkeypatch, Producer([None, KafkaError(code)]))


def test_what_is_not_acknowledged_in_time_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Away, match="_TIMED_OUT: 1"):
        _written(monkeypatch, Producer([None, None], left=1))


def test_a_client_that_cannot_be_made_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(settings: object) -> Producer:
        raise KafkaException(KafkaError(KafkaError._INVALID_ARG))

    monkeypatch.setattr(kafka, "Producer", broken)
    with pytest.raises(Away, match="_INVALID_ARG"):
        KafkaTopics("localhost:1").write(SENT)
