"""How long a thread has waited for a core: what it computes on is no slower for that."""

from __future__ import annotations


def starved_seconds(thread: int) -> float:
    """Of a thread of this process (the kernel's number), since it began: ready to run, and not running. 0 where the
    system does not say, or the thread has ended."""
    try:
        with open(f"/proc/self/task/{thread}/schedstat", "rb") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0
