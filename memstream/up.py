"""`memstream up`: servers that are not given, then workers, sinks and the query service, under one supervisor."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Sequence

import httpx
import psycopg

from memstream import connections, topics
from memstream.connect import scheme, verification
from memstream.settings import Settings
from memstream.stack import Addresses, ChildSpec, EmbeddedStack
from memstream.stack.ports import pick
from memstream.stack.spec import Probe
from schemas import migrations
from schemas.stores import STORES

MEMORY_STEPS = ("extract", "gate", "session", "project", "chunk")
"""Steps that share one process: all but screen, which alone can fill a core."""
Report = Callable[[str, str], None]


def given(settings: Settings) -> Addresses:
    return Addresses(
        kafka=settings.kafka,
        postgres=settings.postgres.get_secret_value(),
        redis=settings.redis.get_secret_value(),
        milvus=settings.milvus,
    )


def children(settings: Settings, a: Addresses, port: int, servers: Sequence[str] = ()) -> list[ChildSpec]:
    """The processes of a running memstream. Each gets its addresses by the environment, as it would in a cluster.
    `servers`: those of the same supervisor, which stop last: a worker that stops still commits what it has done."""
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

    def child(name: str, *argv: str, ready: Probe | None = None) -> ChildSpec:
        return ChildSpec(
            name=name,
            argv=(sys.executable, "-m", "memstream", *argv),
            env={**env, "MEMSTREAM_INSTANCE": name},
            start_timeout=180.0,
            stop_timeout=20.0,
            ready=ready,
            depends_on=tuple(servers),
        )

    screens = [f"worker-screen-{n}" for n in range(1, settings.screen_workers + 1)]
    count = settings.memory_workers
    names = ["worker-memory"] if count == 1 else [f"worker-memory-{n}" for n in range(1, count + 1)]
    return [
        *(child(name, "worker", "screen", ready=_beats(a.postgres, name)) for name in screens),
        *(child(name, "worker", *MEMORY_STEPS, ready=_beats(a.postgres, name)) for name in names),
        child("worker-jobs", "worker", "jobs", ready=_beats(a.postgres, "worker-jobs")),
        child("worker-audit", "worker", "audit", ready=_beats(a.postgres, "worker-audit")),
        child("timer", "worker", "timer"),
        child("eraser", "worker", "eraser"),
        *(child(f"sink-{n}", "sink", n, ready=_beats(a.postgres, f"sink-{n}")) for n in STORES),
        child("query", "serve", ready=_answers(settings, f"{scheme(settings)}://{settings.host}:{port}/livez")),
    ]


def _beats(dsn: str, process: str) -> Probe:
    """Ready when the process has sent a heartbeat: it does so once its models are loaded and its apps run."""

    async def probe(pid: int) -> bool:
        try:
            async with await psycopg.AsyncConnection.connect(dsn, connect_timeout=2) as conn:
                cur = await conn.execute(
                    "SELECT 1 FROM ops.heartbeats WHERE process = %s AND (stats->>'pid')::int = %s", (process, pid)
                )
                return await cur.fetchone() is not None
        except psycopg.Error:
            return False

    return probe


def _answers(settings: Settings, url: str) -> Probe:
    async def probe(pid: int) -> bool:
        try:
            async with httpx.AsyncClient(timeout=2, verify=verification(settings)) as client:
                return (await client.get(url)).status_code == 200
        except httpx.HTTPError:
            return False

    return probe


async def start(stack: EmbeddedStack, settings: Settings, report: Report) -> str:
    """Bring everything up on a fresh or existing data folder; returns the address of the query service."""
    a = await stack.start()
    brokers = connections.brokers(a.kafka, settings)
    for state in await asyncio.to_thread(topics.apply, brokers, settings.partitions, settings.replication):
        if state.action != "ok":
            report(state.name, f"{state.action} {state.detail}".strip())
    await asyncio.to_thread(migrations.upgrade, a.postgres)
    port = pick((settings.port,))
    servers = [child.name for child in stack.supervisor.status()]
    stack.add(*children(settings, a, port, servers))
    await stack.supervisor.start_all()
    url = f"{scheme(settings)}://{settings.host}:{port}"
    folder = stack.supervisor.folder
    folder.state.addresses["query"] = url
    folder.save()
    return url


def single_threaded() -> None:
    """For this process: models on one thread, unless the operator says otherwise."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
