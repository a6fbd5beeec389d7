"""The pipeline under load: throughput into all stores, freshness at a fraction of peak, CPU and memory a process."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self

import aiohttp
import orjson
import psutil
import psycopg

from memstream.stack import EmbeddedStack
from query.pipeline.groups import Group
from query.pipeline.offsets import OffsetReader
from schemas.heartbeat import quantile
from schemas.log.progress import FreshnessToken
from schemas.log.topics import EMBEDDED_PARTITIONS

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Usage:
    """CPU seconds and resident bytes of the children, by name."""

    cpu: dict[str, float]
    rss: dict[str, int]


def usage(stack: EmbeddedStack) -> Usage:
    cpu: dict[str, float] = {}
    rss: dict[str, int] = {}
    for child in stack.supervisor.status():
        if child.pid is None:
            continue
        p = psutil.Process(child.pid)
        cpu[child.name], rss[child.name] = 0.0, 0
        for q in [p, *p.children(recursive=True)]:
            with suppress(psutil.NoSuchProcess):  # Postgres' helpers come and go
                times, memory = q.cpu_times(), q.memory_info()
                cpu[child.name] += times.user + times.system
                rss[child.name] += memory.rss
    return Usage(cpu, rss)


class Load:
    """Talks to the service as cheaply as a client can: it shares the cores of what it measures."""

    def __init__(self, url: str) -> None:
        # The service closes what is idle for five seconds; a call must not meet that.
        connector = aiohttp.TCPConnector(keepalive_timeout=3)
        self._http = aiohttp.ClientSession(url, timeout=aiohttp.ClientTimeout(total=120), connector=connector)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.close()

    async def post(self, path: str, body: Row) -> Row:
        """Raises aiohttp.ClientResponseError for an answer that is an error."""
        headers = {"Content-Type": "application/json"}
        async with self._http.post(path, data=orjson.dumps(body), headers=headers, raise_for_status=True) as answer:
            found: Row = orjson.loads(await answer.read())
            return found

    async def send(self, turns: Sequence[Row]) -> FreshnessToken:
        answer = await self.post("/v1/turns", {"turns": list(turns)})
        return FreshnessToken.parse(answer["freshness_token"])

    async def backlog(self, turns: Sequence[Row]) -> FreshnessToken:
        """Everything at once, 500 a call."""
        token = FreshnessToken(writes=())
        for i in range(0, len(turns), 500):
            token = token.merged(await self.send(turns[i : i + 500]))
        return token

    async def poisson(self, turns: Sequence[Row], rate: float, seed: int) -> FreshnessToken:
        """One turn a call, exponential gaps; late calls are not made up for by skipping (open loop)."""
        rng = random.Random(seed)
        token = FreshnessToken(writes=())
        due = time.monotonic()
        tasks: list[asyncio.Task[FreshnessToken]] = []
        for turn in turns:
            due += rng.expovariate(rate)
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            tasks.append(asyncio.create_task(self.send([turn])))
        for done in await asyncio.gather(*tasks):
            token = token.merged(done)
        return token


async def readable(dsn: str, token: FreshnessToken, stages: Sequence[str], within: float = 900) -> None:
    """Wait until Postgres says that each stage has passed the token."""
    deadline = time.monotonic() + within
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as conn:
        while time.monotonic() < deadline:
            cur = await conn.execute("SELECT stage, root, max(next_offset) FROM views_g1.progress GROUP BY 1, 2")
            have = {(s, r): n for s, r, n in await cur.fetchall()}
            if all(have.get((s, f"{w.topic}/{w.partition}"), -1) > w.offset for s in stages for w in token.writes):
                return
            await asyncio.sleep(0.05)
    raise TimeoutError(f"not readable within {within:.0f} s")


async def drained(kafka: str, groups: Sequence[Group], within: float = 900) -> None:
    """Wait until the groups have read all that is there."""
    reader = OffsetReader(kafka, EMBEDDED_PARTITIONS)
    deadline = time.monotonic() + within
    try:
        while time.monotonic() < deadline:
            offsets = await asyncio.to_thread(reader.read, groups)
            behind = sum(
                max(0, offsets.ends[place] - offsets.committed.get(g.group_id, {}).get(place, 0))
                for g in groups
                for place in offsets.ends
                if place[0] in g.topics
            )
            if behind == 0:
                return
            await asyncio.sleep(0.1)
    finally:
        reader.close()
    raise TimeoutError(f"not drained within {within:.0f} s")


def freshness(dsn: str, before: dict[str, Any]) -> dict[str, dict[str, float | None]]:
    """p50 and p99 a store and topic of what became readable since `before` (heartbeats)."""
    out: dict[str, dict[str, float | None]] = {}
    for name, stats in heartbeats(dsn).items():
        for key, now in stats["freshness"].items():
            old = before.get(name, {}).get("freshness", {}).get(key)
            buckets = [a - b for a, b in zip(now["buckets"], old["buckets"], strict=True)] if old else now["buckets"]
            p50, p99 = (quantile(buckets, q, now.get("max_seconds")) for q in (0.5, 0.99))
            out[key] = {"count": sum(buckets), "p50_s": p50, "p99_s": p99}
    return out


def heartbeats(dsn: str) -> dict[str, Any]:
    with psycopg.connect(dsn) as conn:
        return {r[0]: r[1] for r in conn.execute("SELECT process, stats FROM ops.heartbeats").fetchall()}
