"""A stop while a library waits for a broker that does not answer (N2)."""

from __future__ import annotations

import threading
import time

import pytest

from memstream.workers.shutdown import STUCK_STATUS, patiently
from sinks.kafka import KafkaConsumer, KafkaSettings
from sinks.protocol import Stuck


def test_n2_a_call_that_does_not_come_back_is_left_after_the_stop_and_not_before() -> None:
    stopping, forever, codes = threading.Event(), threading.Event(), list[int]()
    began = time.monotonic()
    threading.Timer(0.7, stopping.set).start()

    def call() -> None:
        forever.wait()

    patiently(call, stopping, 0.2, codes.append)
    forever.set()
    assert codes == [0]
    assert time.monotonic() - began >= 0.9


def test_n2_a_call_that_ends_in_time_is_not_left_and_what_it_raises_is_raised() -> None:
    stopping, codes = threading.Event(), list[int]()
    stopping.set()
    patiently(lambda: None, stopping, 5.0, codes.append)

    def fail() -> None:
        raise LookupError("too far behind")

    with pytest.raises(LookupError, match="too far behind"):
        patiently(fail, stopping, 5.0, codes.append)
    assert codes == []


def test_n2_a_commit_that_is_never_answered_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """librdkafka waits for it without a bound."""
    forever, codes = threading.Event(), list[int]()

    class Silent:
        def __init__(self, *_: object, **__: object) -> None: ...

        def commit(self, **_: object) -> None:
            forever.wait()

    monkeypatch.setattr("sinks.kafka._Consumer", Silent)
    consumer = KafkaConsumer(KafkaSettings("127.0.0.1:1", "g", commit_timeout=0.2))
    with pytest.raises(Stuck, match=r"no answer to a commit for 0\.2 s"):
        consumer.commit({("t", 0): 1})
    patiently(lambda: consumer.commit({("t", 0): 1}), threading.Event(), 5.0, codes.append)
    forever.set()
    assert codes == [STUCK_STATUS]


def test_n2_a_loop_that_does_not_come_round_is_left_and_says_where_it_stands(
    capfd: pytest.CaptureFixture[str],
) -> None:
    forever, codes, began = threading.Event(), list[int](), time.monotonic()

    def waits_for_a_store_that_is_gone() -> None:
        forever.wait()

    patiently(
        waits_for_a_store_that_is_gone, threading.Event(), 5.0, codes.append, moved_at=lambda: began, still=0.3
    )
    forever.set()
    assert codes == [STUCK_STATUS]
    assert "waits_for_a_store_that_is_gone" in capfd.readouterr().err
