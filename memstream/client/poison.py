"""Which message of a batch the service fails on: the batch is tried whole, then in halves, then the one alone.

An outage fails everything and passes; this is for what is answered with an error whenever one message is among what
is sent, however long one waits. The number of tries is bounded, and with it the time that others wait behind it.
"""

from __future__ import annotations


class Isolation:
    """Counts failures and says how many messages go together; it never sees the messages."""

    def __init__(self, tries: int) -> None:
        self._tries, self._suspects = max(1, tries), 0
        self.failures = 0
        """Since anything was taken, or since fewer go together: what the pause before the next try grows by."""

    def width(self, most: int) -> int:
        """How many of the first messages go in the next call: half of those known to hold the one."""
        return min(most, max(1, self._suspects // 2)) if self._suspects else most

    def failed(self, together: int) -> bool:
        """The service failed on the first `together` messages; whether the first of them is what it fails on."""
        self.failures += 1
        if together <= 1:
            if self.failures < self._tries:
                return False
            self._suspects = self.failures = 0
            return True
        if self._suspects or self.failures >= self._tries:
            self._suspects, self.failures = together, 0
        return False

    def done(self, first: int) -> None:
        """The first messages have left the buffer, taken or refused."""
        self.failures = 0
        self._suspects = max(0, self._suspects - first)
