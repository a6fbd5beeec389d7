"""The clock of the machine; tests bring their own."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime


def utc_now() -> datetime:
    return datetime.now(UTC)


class SystemClock:
    def now(self) -> datetime:
        return utc_now()

    def monotonic(self) -> float:
        return time.monotonic()

    def wait(self, stop: threading.Event, seconds: float) -> bool:
        return stop.wait(seconds)
