"""How much memory this process holds, and how much it may: of its container where that is known."""

from __future__ import annotations

import os
from pathlib import Path

_STATM = Path("/proc/self/statm")
_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
_NONE = 1 << 60
"""What version 1 of control groups says where there is no limit is about 2**63."""


def resident_bytes() -> int:
    """0 where the system does not say."""
    try:
        return int(_STATM.read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def allowed_bytes(files: tuple[Path, ...] = _LIMITS) -> int | None:
    """Of the container; None without one, or without a limit."""
    for file in files:
        try:
            found = int(file.read_text())
        except (OSError, ValueError):  # "max"
            continue
        return found if 0 < found < _NONE else None
    return None
