"""A stop while a library waits for a broker that does not answer (N2)."""

from __future__ import annotations

import threading
import time

import pytest

from memstream.patience import patiently


def test_n2_a_call_that_does_not_come_back_is_left_after_the_stop_and_not_before() -> None:
    stopping, forever, codes = threading.Event(), threading.Event(), list[int]()
    began = time.monotonic()
    threading.Timer(0.7, stopping.set).start()
    patiently(lambda: forever.wait() and None, stopping, 0.2, codes.append)
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
