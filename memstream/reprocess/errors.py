"""What a rebuild says when it cannot go on."""

from __future__ import annotations


class RebuildError(RuntimeError):
    """The message says what to do."""


class BrokerAwayError(RuntimeError):
    """The brokers did not answer; the message names the setting."""
