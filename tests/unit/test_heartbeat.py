"""The thread that sends a process's heartbeat also tidies it."""

from __future__ import annotations

import time
from typing import Any, cast

import pytest

from memstream.workers.observe import HeartbeatSender, ProcessStats


class Rows:
    """A connection that counts what is stored."""

    def __init__(self) -> None:
        self.stored = 0

    def execute(self, *_: object) -> None:
        self.stored += 1


def test_a_process_is_tidied_once_a_minute_not_at_every_beat(monkeypatch: pytest.MonkeyPatch) -> None:
    now, tidied = [1000.0], list[float]()
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    rows = Rows()
    sender = HeartbeatSender("unused", "sink-test", ProcessStats(), tidy=lambda: tidied.append(now[0]))
    for _ in range(100):
        now[0] += 2.0
        sender._beat(cast(Any, rows))
    assert rows.stored == 100
    assert tidied == [1060.0, 1120.0, 1180.0]

