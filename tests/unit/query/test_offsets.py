"""Reading offsets while no broker answers: it is tried again and again, and must leave nothing behind."""

from __future__ import annotations

import gc
import logging
import os
import threading

import pytest

from query.pipeline.groups import GROUPS
from query.pipeline.offsets import BrokersAwayError, OffsetReader


def _held() -> tuple[int, int]:
    gc.collect()  # sockets of refused connections go with their tasks
    return threading.active_count(), len(os.listdir("/proc/self/fd"))


@pytest.mark.slow
@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts descriptors as Linux shows them")
def test_an_outage_of_the_brokers_costs_no_threads_and_no_descriptors(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "kafka")  # a record that is kept keeps its error, and that one its socket
    reader = OffsetReader("127.0.0.1:1", 4, timeout=0.2)

    def ask() -> None:
        with pytest.raises(BrokersAwayError):
            reader.read(GROUPS)

    ask()
    before = _held()
    for _ in range(5):
        ask()
    threads, descriptors = _held()
    assert threads <= before[0]
    assert descriptors < before[1] + 5
