"""How much memory this process holds, how much it may, and how it is refused more."""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Iterator
from pathlib import Path

_STATM, _MEMINFO = Path("/proc/self/statm"), Path("/proc/meminfo")
_RESIDENT, _DATA = 1, 5
_GROUP = Path("/sys/fs/cgroup")
_LIMITS = (_GROUP / "memory.max", _GROUP / "memory/memory.limit_in_bytes")
_USED = (_GROUP / "memory.current", _GROUP / "memory/memory.usage_in_bytes")
_STAT = (_GROUP / "memory.stat", _GROUP / "memory/memory.stat")
"""Control groups: version 2, then 1."""
_GIVEN_BACK = frozenset({"active_file", "inactive_file"})
"""Of what a group uses: the kernel takes it back before it ends a process."""
_NONE = 1 << 60
"""What version 1 of control groups says where there is no limit is about 2**63."""
_NEARLY = 16 * 1024**2
_LEFT = 0.9
"""Of the room there is: so that it is the process that is refused, and not the kernel that ends it."""


class ProcessMemory:
    """Of this process, in bytes. `allowed`: what its container may hold, None where that is not known."""

    _before: tuple[int, int] | None = None
    """The limits that a bound stands for."""

    def __init__(self) -> None:
        self.allowed = allowed_bytes()

    def held(self) -> int:
        return resident_bytes()

    @property
    def in_force(self) -> bool:
        """Whether `bounded` bounds now."""
        return self._before is not None

    def at_the_bound(self) -> bool:
        """Whether next to nothing is left of it."""
        return self.in_force and resource.getrlimit(resource.RLIMIT_DATA)[0] - _of_process(_DATA) < _NEARLY

    @contextlib.contextmanager
    def bounded(self, most: int, least: int) -> Iterator[bool]:
        """Within it the process gets `most` more, or nine tenths of the room that there is, and `least` in any case
        (virtual bytes, private and to be written to). The kernel refuses what is beyond, at each call and whatever
        holds the interpreter: Python raises MemoryError then, a library may do otherwise or abort. Yields whether it is
        this bound that is in force. Not for two at once."""
        if self.in_force:
            yield True
            return
        room = room_bytes()
        more = most if room is None else max(least, min(most, int(room * _LEFT)))
        before = soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        limit = _of_process(_DATA) + more
        closer = [n for n in (soft, hard) if n != resource.RLIM_INFINITY and n <= limit]
        if closer or limit <= more:
            yield False  # it is refused earlier already, or the system does not say what the process has
            return
        if not _set_limit(limit, hard):
            yield False
            return
        self._before = before
        try:
            yield True
        finally:
            self.lift()

    def lift(self) -> None:
        """The bound is over, whether or not what it was for is."""
        before, self._before = self._before, None
        if before is not None:
            resource.setrlimit(resource.RLIMIT_DATA, before)


def _set_limit(soft: int, hard: int) -> bool:
    """Whether it is set: a sandbox may not allow it, and a suspect is worked on all the same."""
    try:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
    except (OSError, ValueError):
        return False
    return True


def resident_bytes() -> int:
    """0 where the system does not say."""
    return _of_process(_RESIDENT)


def allowed_bytes(files: tuple[Path, ...] = _LIMITS) -> int | None:
    """Of the container; None without one, or without a limit."""
    found = _number(files)
    return found if found is not None and 0 < found < _NONE else None


def room_bytes(
    limits: tuple[Path, ...] = _LIMITS, used: tuple[Path, ...] = _USED, stat: tuple[Path, ...] = _STAT,
    machine: Path = _MEMINFO,
) -> int | None:  # fmt: skip
    """How much more container and machine have, whoever takes it; None where neither says."""
    rooms = []
    allowed, holds = allowed_bytes(limits), _number(used)
    if allowed is not None and holds is not None:
        rooms.append(max(0, allowed - holds + sum(n for name, n in _table(stat).items() if name in _GIVEN_BACK)))
    available = _table((machine,)).get("MemAvailable")
    if available is not None:
        rooms.append(available * 1024)
    return min(rooms, default=None)


def _of_process(field: int) -> int:
    try:
        return int(_STATM.read_bytes().split()[field]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _number(files: tuple[Path, ...]) -> int | None:
    """Of the first that there is and that holds one ("max" is none)."""
    for file in files:
        with contextlib.suppress(OSError, ValueError):
            return int(file.read_text())
    return None


def _table(files: tuple[Path, ...]) -> dict[str, int]:
    """Names and numbers, a line each, of the first file that there is."""
    for file in files:
        with contextlib.suppress(OSError):
            words = [line.replace(":", " ").split() for line in file.read_text().splitlines()]
            return {w[0]: int(w[1]) for w in words if len(w) > 1 and w[1].isdigit()}
    return {}
