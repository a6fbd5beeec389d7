"""Memory of each process while a round runs: is it flat?"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import mean

import psutil

KB_A_MB = 1024
_CURVE = 30
"""Points of a life that a report keeps."""


@dataclass(frozen=True, slots=True)
class Use:
    """Megabytes of a process with its children, pages that they share counted once: mean of the second and of the last
    quarter of its samples in one life, and the most. `own_*`: without the files that are mapped and what is shared by
    design (the indexes of a broker's segments, the buffers of Postgres). `curve`: the life in means of equal parts."""

    early: float
    late: float
    most: float
    own_early: float
    own_late: float
    samples: int
    curve: tuple[float, ...] = ()

    @property
    def growth(self) -> float:
        return self.late / self.early if self.early else 1.0

    def text(self) -> str:
        own = f"{self.own_early:.0f} -> {self.own_late:.0f} of its own"
        return f"{self.early:.0f} -> {self.late:.0f} MB (at most {self.most:.0f}; {own}), {self.samples} samples"


@dataclass(slots=True)
class Sampler:
    """Looks every `gap` seconds from a thread of its own. `pids`: name -> process now."""

    pids: Callable[[], dict[str, int]]
    gap: float = 5.0
    _lives: dict[tuple[str, int], list[tuple[float, float]]] = field(default_factory=dict)
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
                both, own = zip(*seen, strict=True)
                out[name] = Use(
                    *_quarters(both), max(both), *_quarters(own), samples=len(seen), curve=tuple(_thinned(both))
                )  # fmt: skip
        return dict(sorted(out.items()))

    def _run(self) -> None:
        while not self._stop.wait(self.gap):
            began = time.monotonic()
            for name, pid in self.pids().items():
                try:
                    process = psutil.Process(pid)
                    looks = [_look(p.pid) for p in (process, *process.children(recursive=True))]
                except (psutil.Error, OSError, KeyError):  # between two lives
                    continue
                self._lives.setdefault((name, pid), []).append((sum(x[0] for x in looks), sum(x[1] for x in looks)))
            if time.monotonic() - began > self.gap:
                continue


def _look(pid: int) -> tuple[float, float]:
    """Megabytes by proportional set size (Postgres' backends share its buffers, and would count them each), and what
    of them is neither file nor shared memory. Raises OSError."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as lines:
        found = {name: int(rest.split()[0]) for name, _, rest in (x.partition(":") for x in lines) if "kB" in rest}
    return found["Pss"] / KB_A_MB, found["Pss_Anon"] / KB_A_MB


def _quarters(seen: Sequence[float]) -> tuple[float, float]:
    quarter = len(seen) // 4
    return mean(seen[quarter : 2 * quarter]), mean(seen[-quarter:])


def _thinned(seen: Sequence[float]) -> Iterator[float]:
    parts = min(_CURVE, len(seen))
    for n in range(parts):
        yield round(mean(seen[n * len(seen) // parts : (n + 1) * len(seen) // parts]), 1)
