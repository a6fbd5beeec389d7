"""A whole memstream that can be hurt: servers, workers, sinks and the query service under one supervisor."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient
from pydantic import SecretStr

from memstream import topics as provisioning
from memstream.settings import Settings
from memstream.stack import ChildSpec, StackError, Supervisor, up
from memstream.stack.ports import pick
from schemas import migrations
from schemas.log import topics
from tests.integration.conftest import START, BackgroundStack, started
from tests.patience import PATIENCE

SERVERS = ("kafka", "postgres", "valkey", "milvus")
_DIRTY = "0.01"
"""Segments are cleaned as soon as they can be."""


@dataclass(frozen=True, slots=True)
class Rhythm:
    """Seconds between ticks, and between segments that are rolled, so that compaction is at work within a round. In a
    long one the cleaner reads all that was kept so often: every 4 s it took a third of a core after half an hour."""

    ticks: float = 7.0
    segments: float = 4.0


class CrashStack:
    """Children by name, each with an environment of its own that takes effect at its next start."""

    def __init__(self, background: BackgroundStack, settings: Settings, rhythm: Rhythm) -> None:
        self._background = background
        self.addresses = background.addresses
        self.settings = settings
        self.envs: dict[str, dict[str, str]] = {}
        provisioning.apply(self.addresses.kafka, settings.partitions, 1)
        self._compact(str(int(1000 * rhythm.segments)))
        migrations.upgrade(self.addresses.postgres)
        self.url = f"http://{settings.host}:{settings.port}"
        more = {"screen_workers": settings.screen_workers + 1, "memory_workers": settings.memory_workers + 1}
        for spec in up.children(settings.model_copy(update=more), self.addresses, settings.port):
            self._add(spec)

    @property
    def workers(self) -> list[str]:
        return [n for n in self.running() if n.startswith("worker-")]

    def start(self) -> None:
        """Start all but the further workers; returns when all are ready."""
        later = {self.further("screen"), self.further("memory")}
        names = [s.name for s in self._supervisor.status() if s.name not in later]
        self._background.call(self._supervisor.start(*names), START)

    def running(self) -> list[str]:
        """Names of the children that have a process now."""
        return [s.name for s in self._supervisor.status() if s.pid is not None]

    def pids(self) -> dict[str, int]:
        return {s.name: s.pid for s in self._supervisor.status() if s.pid is not None}

    def restarts(self) -> dict[str, int]:
        return {s.name: s.restarts for s in self._supervisor.status() if s.restarts}

    def pid(self, name: str) -> int | None:
        return next((s.pid for s in self._supervisor.status() if s.name == name), None)

    def kill(self, name: str) -> bool:
        """SIGKILL; the supervisor starts it again. False when it is between two lives."""
        return self._signal(self._supervisor.kill, name)

    def dump(self, name: str) -> bool:
        """End it with the calls that its threads stand in, in its log."""
        return self._signal(lambda n: self._supervisor.kill(n, signal.SIGABRT), name)

    def pause(self, name: str) -> bool:
        return self._signal(self._supervisor.pause, name)

    def resume(self, name: str) -> bool:
        return self._signal(self._supervisor.resume, name)

    def stop(self, name: str) -> None:
        self._background.call(self._supervisor.stop(name))

    def go(self, name: str) -> None:
        """Start a child that was stopped; returns when it is ready."""
        self._background.call(self._supervisor.start(name))

    def wait_ready(self, name: str) -> None:
        self._background.call(self._supervisor.wait_ready(name))

    def further(self, kind: str) -> str:
        """Name of the further worker of a kind (screen, memory): the one more that can join and leave."""
        count = self.settings.screen_workers if kind == "screen" else self.settings.memory_workers
        return f"worker-{kind}-{count + 1}"

    def join(self, kind: str) -> None:
        """The further worker starts; what goes wrong meanwhile is part of the test, so nobody waits for it."""
        self._background.spawn(self._supervisor.start(self.further(kind)))

    def with_fault(self, name: str, fault: str, within: float = PATIENCE) -> bool:
        """Start the child anew so that it kills itself at a fault point; its next life is without. False when it did
        not come up in time."""
        self.envs[name]["MEMSTREAM_FAULT"] = fault
        before = self.pid(name)
        try:
            if before is not None and not self.kill(name):
                return False
            deadline = time.monotonic() + within
            while time.monotonic() < deadline:
                now = self.pid(name)
                if now is not None and now != before:
                    return True
                time.sleep(0.02)
            return False
        finally:
            self.envs[name].pop("MEMSTREAM_FAULT", None)

    def log_tail(self, name: str, lines: int = 30) -> str:
        path = self._supervisor.log_dir / f"{name}.log"
        return "\n".join(path.read_text(errors="replace").splitlines()[-lines:]) if path.is_file() else ""

    @property
    def _supervisor(self) -> Supervisor:
        return self._background.stack.supervisor

    def _signal(self, send: Callable[[str], None], name: str) -> bool:
        async def call() -> bool:
            try:
                send(name)
            except StackError:
                return False
            return True

        return self._background.call(call())

    def _add(self, spec: ChildSpec) -> None:
        env = {
            **spec.env,
            "MEMSTREAM_TICK_SECONDS": str(self.settings.tick_seconds),
            "PYTHONFAULTHANDLER": "1",  # a child that dies by itself says where
        }
        self.envs[spec.name] = env
        self._background.stack.add(replace(spec, env=env))

    def _compact(self, every_ms: str) -> None:
        fields = {"segment.ms": every_ms, "max.compaction.lag.ms": every_ms, "min.cleanable.dirty.ratio": _DIRTY}
        client = KafkaAdminClient(bootstrap_servers=self.addresses.kafka, client_id="crash")
        compacted = [t.name for t in topics.CATALOGUE if t.cleanup is not topics.Cleanup.DELETE]
        try:
            client.alter_configs([ConfigResource(ConfigResourceType.TOPIC, n, configs=fields) for n in compacted])
        finally:
            client.close()


@contextlib.contextmanager
def crash_stack(screens: int, memories: int, rhythm: Rhythm, keep: Path | None = None) -> Iterator[CrashStack]:
    """A fresh stack with that many worker processes of screen and of the steps behind it. `keep`: its folder, left
    behind for a look at logs and data; else a temporary one."""

    def begin(folder: Path, seconds: float) -> contextlib.AbstractContextManager[CrashStack]:
        return _crash_stack(folder, seconds, screens, memories, rhythm)

    if keep is None:
        with started("the crash test's system", begin) as stack:
            yield stack
        return
    keep.mkdir(parents=True, exist_ok=True)
    keep.chmod(0o711)
    with begin(keep, START) as stack:
        yield stack


@contextlib.contextmanager
def _crash_stack(
    folder: Path, seconds: float, screens: int, memories: int, rhythm: Rhythm
) -> Iterator[CrashStack]:
    with BackgroundStack(folder, seconds=seconds, harmed=True) as background:
        a = background.addresses
        settings = Settings(
            kafka=a.kafka, postgres=SecretStr(a.postgres), redis=SecretStr(a.redis), milvus=a.milvus,
            data_dir=folder, port=pick(()), screen_workers=screens, memory_workers=memories,
            tick_seconds=rhythm.ticks, nice=False,
        )  # fmt: skip
        yield CrashStack(background, settings, rhythm)
