"""Tiny children for the supervisor's tests, and a record of what it reports."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memstream.stack import Backoff, ChildSpec
from tests.patience import PATIENCE

#: Writes its pid when it runs, and waits to be killed.
FOREVER = "import os,signal,sys; open(sys.argv[1],'a').write(f'{os.getpid()}\\n'); signal.pause()"
QUICK = Backoff(initial=0.01, factor=1.0, maximum=0.01)


@dataclass
class Report:
    """The supervisor's progress, which tests wait on instead of sleeping."""

    seen: list[tuple[str, str]] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def __call__(self, name: str, phase: str) -> None:
        self.seen.append((name, phase))
        self.news.set()

    async def until(self, name: str, phase: str, times: int = 1) -> None:
        async with asyncio.timeout(PATIENCE):
            while self.seen.count((name, phase)) < times:
                self.news.clear()
                await self.news.wait()


def python(name: str, code: str, *args: str, **more: object) -> ChildSpec:
    """A child that runs Python code without site packages."""
    options: dict[str, object] = {"backoff": QUICK, "stop_timeout": 5.0, "start_timeout": 20.0} | more
    return ChildSpec(name=name, argv=(sys.executable, "-I", "-S", "-c", code, *args), **options)  # type: ignore[arg-type]


def forever(name: str, folder: Path, **more: object) -> ChildSpec:
    """A child that lives until it is killed; ready once it has written its pid to `folder`/NAME.pids."""
    pids = folder / f"{name}.pids"

    async def ready(pid: int) -> bool:
        return pids.exists() and str(pid) in pids.read_text().split()

    return python(name, FOREVER, str(pids), ready=ready, **more)


@pytest.fixture
def report() -> Report:
    """A fresh record."""
    return Report()


@pytest.fixture
def stranger() -> Iterator["subprocess.Popen[bytes]"]:
    """A process that is no child of a supervisor."""
    process = subprocess.Popen([sys.executable, "-I", "-S", "-c", "import signal; signal.pause()"])
    yield process
    process.kill()
    process.wait()
