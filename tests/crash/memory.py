"""Memory of each process while a round runs: is it flat?"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import mean

import psutil

MB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Use:
    """Megabytes of a process with its children, pages that they share counted once: mean of the second and of the last
    quarter of its samples in one life, and the most."""

    early: float
    late: float
    most: float
    samples: int

    @property
    def growth(self) -> float:
        return self.late / self.early if self.early else 1.0

    def text(self) -> str:
        return f"{self.early:.0f} -> {self.late:.0f} MB (at most {self.most:.0f}), {self.samples} samples"


@dataclass(slots=True)
class Sampler:
    """Looks every `gap` seconds from a thread of its own. `pids`: name -> process now."""

    pids: Callable[[], dict[str, int]]
    gap: float = 5.0
    _lives: dict[tuple[str, int], list[float]] = field(default_factory=dict)
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="memory")
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def uses(self) -> dict[str, Use]:
        """Of each name its longest life; none of a life of fewer than eight samples."""
        out: dict[str, Use] = {}
        for (name, _), seen in sorted(self._lives.items(), key=lambda item: len(item[1])):
            quarter = len(seen) // 4
            if quarter >= 2:
                early, late = mean(seen[quarter : 2 * quarter]), mean(seen[-quarter:])
                out[name] = Use(early / MB, late / MB, max(seen) / MB, len(seen))
        return dict(sorted(out.items()))

    def _run(self) -> None:
        while not self._stop.wait(self.gap):
            began = time.monotonic()
            for name, pid in self.pids().items():
                try:
                    process = psutil.Process(pid)
                    used = sum(_own(p) for p in (process, *process.children(recursive=True)))
                except psutil.Error:  # between two lives
                    continue
                self._lives.setdefault((name, pid), []).append(float(used))
            if time.monotonic() - began > self.gap:
                continue


def _own(process: psutil.Process) -> int:
    """Bytes by proportional set size: Postgres' backends share its buffers, and would count them each."""
    return int(process.memory_full_info().pss)
