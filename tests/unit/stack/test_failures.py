"""Known errors of a process are told as one line with the remedy."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError, KafkaException

from memstream.cli.app import failure
from schemas.security.sealing import KeysAway


@pytest.mark.parametrize(
    ("code", "remedy"),
    [
        (KafkaError.FENCED_INSTANCE_ID, "MEMSTREAM_INSTANCE"),
        (KafkaError._TRANSPORT, "MEMSTREAM_KAFKA"),
        (KafkaError._ALL_BROKERS_DOWN, "MEMSTREAM_KAFKA"),
    ],
)
def test_n2_what_the_broker_refuses_names_the_setting(code: int, remedy: str) -> None:
    message = failure(KafkaException(KafkaError(code)))
    assert message is not None
    assert remedy in message[0]
    assert message[1] == 3


def test_a_missing_master_key_is_told_in_a_line() -> None:
    """The leak probe ended with a traceback: what it cannot open it must not pass over."""
    message = failure(KeysAway("no master key f19dee6063f0"))
    assert message is not None
    assert "no master key f19dee6063f0" in message[0]
    assert message[1] == 3


def test_what_nobody_foresaw_is_no_known_failure() -> None:
    assert failure(RuntimeError("x")) is None
