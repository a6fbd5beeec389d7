"""`make bench`: throughput against the bare loop, freshness per store, CPU and memory a process, in one run.

JSON to bench/results/latest.json, a table to docs/benchmarks.md between its markers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

from bench import bare, reads
from bench.load import DATA, turns
from bench.pipeline import Load, drained, freshness, heartbeats, readable, usage
from bench.report import table, write
from memstream.settings import Settings
from memstream.stack import Addresses, EmbeddedStack
from memstream.stack.up import single_threaded, start
from query.pipeline.groups import GROUPS
from schemas.storage.layouts import STAGE_OF_VIEW

RESULTS = Path(__file__).parent / "results" / "latest.json"
STAGES = (STAGE_OF_VIEW["turns"], STAGE_OF_VIEW["memories"], STAGE_OF_VIEW["outcomes"], STAGE_OF_VIEW["sessions"])
SINK_GROUPS = [g for g in GROUPS if g.kind == "sink"]
MODEL_PROCESSES = 2
"""worker-screen-1 and worker-memory hold the models; the bare loop gets as many processes."""


async def pipeline(rows: int, fresh_seconds: float, data: Path) -> dict[str, Any]:
    """Start a fresh stack, send a backlog, then Poisson arrivals at half of the rate reached."""
    with tempfile.TemporaryDirectory(prefix="memstream-bench-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        settings = Settings(data_dir=Path(folder), port=0, log_level="WARNING")
        async with EmbeddedStack(settings.data_dir, Addresses(), default_ports={}) as stack:
            url = await start(stack, settings, lambda name, state: None)
            async with Load(url) as load:
                return await _measured(stack, load, rows, fresh_seconds, data)


async def _measured(stack: EmbeddedStack, load: Load, rows: int, fresh_seconds: float, data: Path) -> dict[str, Any]:
    dsn, kafka = stack.addresses.postgres, stack.addresses.kafka
    warm, _ = turns(500, data, "warm")
    await readable(dsn, await load.backlog(warm), STAGES)
    await drained(kafka, SINK_GROUPS)
    body, source = turns(rows, data)
    before, t0 = usage(stack), time.monotonic()
    token = await load.backlog(body)
    sent = time.monotonic() - t0
    await readable(dsn, token, STAGES)
    await drained(kafka, SINK_GROUPS)
    took = time.monotonic() - t0
    after = usage(stack)
    peak = rows / took
    print(f"pipeline: {peak:.0f} turns/s into all stores ({source})", flush=True)
    cpu = {n: (after.cpu[n] - before.cpu.get(n, 0.0)) / rows * 1000 for n in after.cpu}
    await asyncio.sleep(5)  # heartbeats come every two seconds: the backlog's tail must be in this one
    beats = heartbeats(dsn)
    calm, _ = turns(int(peak / 2 * fresh_seconds), data, "calm")
    t1 = time.monotonic()
    await readable(dsn, await load.poisson(calm, peak / 2, seed=7), STAGES)
    await drained(kafka, SINK_GROUPS)
    seconds = time.monotonic() - t1
    await asyncio.sleep(5)
    return {
        "source": source, "turns": rows, "send_seconds": sent, "seconds": took, "turns_per_second": peak,
        "cpu_ms_per_turn": cpu, "rss_bytes": usage(stack).rss, "stages": _stages(heartbeats(dsn)),
        "freshness": {
            "load_turns_per_second": peak / 2, "turns": len(calm), "seconds": seconds, "stores": freshness(dsn, beats),
        },
    }  # fmt: skip


def _stages(beats: dict[str, Any]) -> dict[str, Any]:
    """Milliseconds a record and phase."""
    out: dict[str, Any] = {}
    for stats in beats.values():
        for name, s in stats["stages"].items():
            n = max(1, s["records"])
            out[name] = {
                "records": s["records"], "records_per_batch": s["records"] / max(1, s["batches"]),
                "ms": {phase: seconds / n * 1000 for phase, seconds in s["seconds"].items()},
            }  # fmt: skip
    return out


def main() -> None:
    """`python -m bench` measures writes, `python -m bench reads` reads."""
    if sys.argv[1:2] == ["reads"]:
        reads.main(sys.argv[2:])
        return
    args = argparse.ArgumentParser(prog="python -m bench")
    args.add_argument("--turns", type=int, default=8_000)
    args.add_argument("--fresh-seconds", type=float, default=60.0)
    args.add_argument("--data", type=Path, default=DATA)
    args.add_argument("--output", type=Path, default=RESULTS)
    options = args.parse_args()
    single_threaded()
    body, _ = turns(options.turns, options.data)
    rate = bare.run(body, MODEL_PROCESSES)
    print(f"bare loop: {rate:.0f} turns/s in {MODEL_PROCESSES} processes", flush=True)
    measured = asyncio.run(pipeline(options.turns, options.fresh_seconds, options.data))
    again = bare.run(body, MODEL_PROCESSES)
    print(f"bare loop, again: {again:.0f} turns/s", flush=True)
    result = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {
            "cores": os.cpu_count(), "memory_bytes": psutil.virtual_memory().total, "python": platform.python_version(),
            "system": f"{platform.system()} {platform.machine()}",
        },
        "bare_turns_per_second": [rate, again],
        "ratio": measured["turns_per_second"] / ((rate + again) / 2),
        "pipeline": measured,
    }  # fmt: skip
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=2) + "\n")
    if options.output == RESULTS:  # the page shows what a plain run found
        write(table(result))
    print(f"ratio {result['ratio']:.2f}; written to {options.output}", flush=True)


if __name__ == "__main__":
    main()
