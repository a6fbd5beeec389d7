"""`memstream up`: servers that are not given, then workers, sinks and the query service, under one supervisor."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Sequence

import httpx
import psycopg

from memstream import connections, recovery, topics
from memstream.connect import origin, verification
from memstream.settings import Settings
from memstream.stack import Addresses, ChildSpec, EmbeddedStack, milvus
from memstream.stack.ports import pick
from memstream.stack.spec import Probe
from schemas import migrations
from schemas.components.builtin import MEMORY
from schemas.components.installed import Components, components
from schemas.storage import postgres_connections

_ASK_EVERY = 0.2
"""Seconds between two looks at the heartbeats while children start."""
Report = Callable[[str, str], None]
NICE = {
    "sink-postgres": 11, "sink-redis": 11, "worker-screen": 12, "worker-memory": 13, "sink-milvus": milvus.NICE,
    "timer": 13, "worker-jobs": 15, "worker-audit": 15, "eraser": 15, "worker-": 15, "sink-": 15,
}  # fmt: skip
"""What stands behind where cores are short: somebody waits for the service, Postgres and the broker; then every turn
for screen and for what is written in Postgres and Redis; the longest wait is best where the most time is allowed. The
first are far ahead of the rest: a process with two threads at work has half of its share on each core where Linux
shares time between sessions."""


def given(settings: Settings) -> Addresses:
    return Addresses(
        kafka=settings.kafka,
        postgres=settings.postgres.get_secret_value(),
        redis=settings.redis.get_secret_value(),
        milvus=settings.milvus,
    )


def children(
    settings: Settings, a: Addresses, port: int, servers: Sequence[str] = (), found: Components | None = None
) -> list[ChildSpec]:
    """The processes of a running memstream. Each gets its addresses by the environment, as it would in a cluster.
    `servers`: those of the same supervisor, which stop last: a worker that stops still commits what it has done.
    `found`: the steps and sinks to run; without, all that there are. Raises ComponentError."""
    env = {
        "MEMSTREAM_KAFKA": a.kafka,
        "MEMSTREAM_POSTGRES": a.postgres,
        "MEMSTREAM_REDIS": a.redis,
        "MEMSTREAM_MILVUS": a.milvus,
        "MEMSTREAM_DATA_DIR": str(settings.data_dir.resolve()),
        "MEMSTREAM_PORT": str(port),
        # Models run on one thread a process: two would fight for the same cores.
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        # glibc gives each of a dozen threads a heap of its own, which keeps what it was once given.
        "MALLOC_ARENA_MAX": "2",
    }
    if milvus.NAME in servers:
        env["MEMSTREAM_MILVUS_FOLDER"] = str((settings.data_dir / milvus.NAME).resolve())

    def child(name: str, *argv: str, ready: Probe | None = None) -> ChildSpec:
        return ChildSpec(
            name=name,
            argv=(sys.executable, "-m", "memstream", *argv),
            env={**env, "MEMSTREAM_INSTANCE": name},
            start_timeout=180.0,
            stop_timeout=20.0,
            ready=ready,
            nice=next((n for prefix, n in NICE.items() if settings.nice and name.startswith(prefix)), 0),
            depends_on=tuple(servers),
        )

    beats = _Heartbeats(a.postgres)
    found = found or components()
    return [
        *(child(name, "worker", *steps, ready=beats.of(name)) for name, steps in _workers(settings, found)),
        child("worker-jobs", "worker", "jobs", ready=beats.of("worker-jobs")),
        child("worker-audit", "worker", "audit", ready=beats.of("worker-audit")),
        child("timer", "worker", "timer"),
        child("eraser", "worker", "eraser"),
        *(child(f"sink-{n}", "sink", n, ready=beats.of(f"sink-{n}")) for n in found.sinks),
        child("query", "serve", ready=_answers(settings, port)),
    ]


def _workers(settings: Settings, found: Components) -> list[tuple[str, list[str]]]:
    """Worker processes with the steps that each runs."""
    together: dict[str, list[str]] = {}
    for name, step in found.steps.items():
        together.setdefault(step.runs_in, []).append(name)
    counts = {MEMORY: settings.memory_workers}
    out = [(f"worker-screen-{n}", together["screen"]) for n in range(1, settings.screen_workers + 1)]
    for process, steps in together.items():
        count = counts.get(process, 1)
        if process != "screen":
            names = [f"worker-{process}"] if count == 1 else [f"worker-{process}-{n}" for n in range(1, count + 1)]
            out += [(name, steps) for name in names]
    return out


class _Heartbeats:
    """Who has sent a heartbeat: asked of Postgres once for all children that wait, not by each of them."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._alone = asyncio.Lock()
        self._checked_at = -_ASK_EVERY
        self._seen: set[tuple[str, int]] = set()

    def of(self, process: str) -> Probe:
        """Ready when the process has sent a heartbeat: it does so once its models are loaded and its apps run."""

        async def probe(pid: int) -> bool:
            async with self._alone:
                if time.monotonic() - self._checked_at >= _ASK_EVERY:
                    self._seen = await self._ask()
                    self._checked_at = time.monotonic()
                return (process, pid) in self._seen

        return probe

    async def _ask(self) -> set[tuple[str, int]]:
        try:
            async with await postgres_connections.connect_async(self._dsn, connect_timeout=2) as conn:
                cur = await conn.execute("SELECT process, (stats->>'pid')::int FROM ops.heartbeats")
                return {(process, pid) for process, pid in await cur.fetchall()}
        except psycopg.Error:
            return set()


def _answers(settings: Settings, port: int) -> Probe:
    """Whether the door is open and says that it lives."""
    url = f"{origin(settings, port)}/livez"

    async def probe(pid: int) -> bool:
        try:
            # An HTTP client reads every authority of the system: too much to ask with, ten times a second.
            _, writer = await asyncio.open_connection(settings.host, port)
            writer.close()
            async with httpx.AsyncClient(timeout=2, verify=verification(settings)) as client:
                return (await client.get(url)).status_code == 200
        except (OSError, httpx.HTTPError):
            return False

    return probe


async def start(stack: EmbeddedStack, settings: Settings, report: Report) -> str:
    """Bring everything up on a fresh or existing data folder; returns the address of the query service."""
    a = await stack.start()
    brokers = connections.brokers(a.kafka, settings)
    states, _ = await asyncio.gather(
        asyncio.to_thread(topics.apply, brokers, settings.partitions, settings.replication),
        asyncio.to_thread(migrations.upgrade, a.postgres),
    )
    for state in states:
        if state.action != "ok":
            report(state.name, f"{state.action} {state.detail}".strip())
    # Nothing reads or writes yet: a log that a power cut shortened is filled up before its offsets are used again.
    for lost in await asyncio.to_thread(recovery.recover, brokers, a.postgres, settings.partitions):
        report(lost.topic, f"records lost: {lost}")
    port = pick((settings.port,))
    servers = [child.name for child in stack.supervisor.status()]
    stack.add(*children(settings, a, port, servers))
    await stack.supervisor.start_all()
    url = origin(settings, port)
    folder = stack.supervisor.folder
    folder.state.addresses["query"] = url
    folder.save()
    return url


def single_threaded() -> None:
    """For this process: models on one thread, unless the operator says otherwise."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
