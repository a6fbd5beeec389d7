"""What a sink waits for, said in its log: a store that is away for longer than a moment is an operator's business."""

from __future__ import annotations

import logging
from collections.abc import Callable

log = logging.getLogger(__name__)
TELL_AFTER = 5.0
TELL_EVERY = 60.0
"""Seconds of waiting before the first line, and between the next ones."""


class Wait:
    """An operation that is tried again and again. `error`: names and codes, as Transient holds them, no content."""

    def __init__(self, sink: str, operation: str, monotonic: Callable[[], float]) -> None:
        self._about = {"sink": sink, "operation": operation}
        self._monotonic = monotonic
        self._began: float | None = None
        self._reported_at: float | None = None

    def failed(self, error: str) -> None:
        now = self._monotonic()
        if self._began is None:
            self._began = now
        if self.seconds >= TELL_AFTER and (self._reported_at is None or now - self._reported_at >= TELL_EVERY):
            self._reported_at = now
            log.warning("waits", extra={**self._about, "seconds": round(self.seconds), "error": error})

    @property
    def seconds(self) -> float:
        """Since it failed first."""
        return 0.0 if self._began is None else self._monotonic() - self._began

    def ended(self) -> None:
        """However it ended. Silent where nothing was said before."""
        if self._reported_at is not None:
            log.warning("waits no more", extra={**self._about, "seconds": round(self.seconds)})
        self._began = self._reported_at = None
