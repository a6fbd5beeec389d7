"""`python -m bench reads`: search and context with many memories while turns come in, and what a turn costs with few
and with many memories. JSON to bench/results/reads.json, a table to docs/benchmarks.md.

The memories are put on memory.updates with their embeddings, so the views hold them and the gate's state does not: what
the gate costs with many is `bench/dedupe_cost.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from bench.load import DATA, turns
from bench.memories import Statement, memories, names, pool, send
from bench.pipeline import Load, drained, readable, usage
from bench.report import reads_table, write
from inference.memory import calm_collector
from memstream.settings import Settings
from memstream.stack import Addresses, EmbeddedStack
from memstream.stack.up import single_threaded, start
from query.pipeline.groups import GROUPS
from schemas.storage.layouts import STAGE_OF_VIEW

RESULTS = Path(__file__).parent / "results" / "reads.json"
STAGES = (STAGE_OF_VIEW["turns"], STAGE_OF_VIEW["memories"], STAGE_OF_VIEW["outcomes"], STAGE_OF_VIEW["sessions"])
SINK_GROUPS = [g for g in GROUPS if g.kind == "sink"]
TEXTS = 4_000
Row = dict[str, Any]


class Bench:
    """One stack, filled in steps."""

    def __init__(self, options: argparse.Namespace, stack: EmbeddedStack, url: str, load: Load) -> None:
        self._options, self._stack, self._url, self._load = options, stack, url, load
        self._dsn, self._kafka = stack.addresses.postgres, stack.addresses.kafka

    async def fill(self, ordinals: range, users: Sequence[str], statements: Sequence[Statement], model_id: str) -> Row:
        """These memories of each user into all stores."""
        began = time.monotonic()
        count = await asyncio.to_thread(send, self._kafka, memories(users, ordinals, statements, model_id))
        await drained(self._kafka, SINK_GROUPS)
        took = time.monotonic() - began
        print(f"filled {count} memories in {took:.0f} s", flush=True)
        return {"memories": count, "seconds": took}

    async def cost(self, prefix: str) -> Row:
        """CPU a turn of every process, turns sent as a backlog."""
        body, _ = turns(self._options.turns, self._options.data, prefix)
        before, began = usage(self._stack), time.monotonic()
        await readable(self._dsn, await self._load.backlog(body), STAGES)
        await drained(self._kafka, SINK_GROUPS)
        took = time.monotonic() - began
        after = usage(self._stack)
        cpu = {n: (after.cpu[n] - before.cpu.get(n, 0.0)) / len(body) * 1000 for n in after.cpu}
        print(f"{prefix}: {len(body) / took:.0f} turns/s, {sum(cpu.values()):.2f} ms of CPU a turn", flush=True)
        return {"turns_per_second": len(body) / took, "cpu_ms_per_turn": sum(cpu.values()), "by_process": cpu}

    async def read(self, path: str, peak: float, users: Sequence[str], questions: Sequence[str], seed: int) -> Row:
        """Requests at a fixed rate (open loop) while turns come in at a quarter of the peak."""
        o = self._options
        fed, _ = turns(int(peak / 4 * o.seconds), o.data, f"fed-{seed}")
        feeding = asyncio.create_task(self._load.poisson(fed, peak / 4, seed))
        draw = random.Random(seed)
        seen: set[str] = set()
        first: list[float] = []
        later: list[float] = []
        slowest: list[tuple[float, float]] = []  # how long, and when: all at one time, or not
        started = time.perf_counter()

        async def one(who: str, question: str) -> None:
            began = time.perf_counter()
            answer = await self._load.post(path, {"query": question, "user_id": who})
            took = time.perf_counter() - began
            (later if who in seen else first).append(took)
            slowest.append((took, began - started))
            seen.add(who)
            if answer["degraded"]:
                raise RuntimeError(f"{path}: degraded by {answer['degraded']}")

        calls = [(draw.choice(users), draw.choice(questions)) for _ in range(int(o.rate * o.seconds))]
        await _paced([partial(one, *c) for c in calls], o.rate, draw)
        await feeding
        figures = {"path": path, "requests": len(calls), "ingesting_turns_per_second": peak / 4}
        figures |= {"all": _quantiles(first + later), "first_of_a_user": _quantiles(first), "later": _quantiles(later)}
        figures["slowest"] = [{"ms": round(t * 1000, 1), "at_s": round(at, 2)} for t, at in sorted(slowest)[:-25:-1]]
        print(f"{path}: {figures['all']}", flush=True)
        return figures


async def _paced(calls: Sequence[Callable[[], Awaitable[None]]], rate: float, draw: random.Random) -> None:
    """Poisson arrivals."""
    due = time.monotonic()
    tasks = []
    for call in calls:
        due += draw.expovariate(rate)
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        tasks.append(asyncio.ensure_future(call()))
    await asyncio.gather(*tasks)


def _quantiles(seconds: Sequence[float]) -> Row:
    ordered = sorted(seconds)
    if not ordered:
        return {"requests": 0}
    at = {f"p{q}_ms": ordered[min(len(ordered) - 1, len(ordered) * q // 100)] * 1000 for q in (50, 95, 99)}
    return {"requests": len(ordered), **{k: round(v, 1) for k, v in at.items()}}


async def run(o: argparse.Namespace) -> Row:
    users = names(o.users)
    body, source = turns(3 * TEXTS, o.data, "pool")
    contents = list(dict.fromkeys(t["content"] for t in body if t["role"] == "user"))
    statements, model_id = pool(contents[:TEXTS])
    questions = contents[TEXTS : TEXTS + 1_000] or contents
    print(f"{len(statements)} texts embedded", flush=True)
    few = max(1, o.few // o.users)
    with tempfile.TemporaryDirectory(prefix="memstream-bench-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        settings = Settings(data_dir=Path(folder), port=0, log_level="WARNING")
        async with EmbeddedStack(settings.data_dir, Addresses(), default_ports={}) as stack:
            url = await start(stack, settings, lambda name, state: None)
            async with Load(url) as load:
                b = Bench(o, stack, url, load)
                await b.cost("warm")
                fills = [await b.fill(range(few), users, statements, model_id)]
                small = await b.cost("small")
                fills.append(await b.fill(range(few, o.memories // o.users), users, statements, model_id))
                large = await b.cost("large")
                peak = large["turns_per_second"]
                calm_collector()  # what it holds by now would stop the clock of a request with each full collection
                reads = [
                    await b.read(p, peak, users, questions, n) for n, p in enumerate(("/v1/search", "/v1/context"))
                ]
                rss = usage(stack).rss
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "source": source,
        "users": o.users,
        "memories": o.memories,
        "few": few * o.users,
        "rate": o.rate,
        "seconds": o.seconds,
        "fills": fills,
        "cost": {"small": small, "large": large},
        "cost_ratio": large["cpu_ms_per_turn"] / small["cpu_ms_per_turn"],
        "reads": reads,
        "rss_bytes": rss,
    }


def main(argv: Sequence[str]) -> None:
    args = argparse.ArgumentParser(prog="python -m bench reads")
    args.add_argument("--memories", type=int, default=100_000, help="in all stores, of all users")
    args.add_argument("--few", type=int, default=1_000, help="memories at the first measurement of a turn's cost")
    args.add_argument("--users", type=int, default=1_000)
    args.add_argument("--turns", type=int, default=2_000, help="backlog of each measurement of a turn's cost")
    args.add_argument("--rate", type=float, default=20.0, help="requests a second")
    args.add_argument("--seconds", type=float, default=60.0, help="of search, then of context")
    args.add_argument("--data", type=Path, default=DATA)
    args.add_argument("--output", type=Path, default=RESULTS)
    options = args.parse_args(argv)
    if options.memories // options.users > TEXTS // 2:
        args.error(f"--memories: at most {TEXTS // 2} a user")
    single_threaded()
    result = asyncio.run(run(options))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=2) + "\n")
    if options.output == RESULTS:  # the page shows what a plain run found
        write(reads_table(result), "reads")
    print(f"cost ratio {result['cost_ratio']:.2f}; written to {options.output}", flush=True)
