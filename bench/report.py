"""The benchmarks' tables in docs/benchmarks.md, each between its markers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"


def write(made: str, name: str = "bench") -> None:
    """Replace what stands between the markers of that name. Raises ValueError when the page has none."""
    start, end = f"<!-- {name}:start -->", f"<!-- {name}:end -->"
    text = PAGE.read_text(encoding="utf-8")
    if start not in text or end not in text:
        raise ValueError(f"{PAGE.name} has no {name} markers")
    head, rest = text.split(start, 1)
    _, tail = rest.split(end, 1)
    PAGE.write_text(f"{head}{start}\n{made}\n{end}{tail}", encoding="utf-8")


def table(r: dict[str, Any]) -> str:
    p = r["pipeline"]
    bare = r["bare_turns_per_second"]
    lines = [
        f"Measured {r['at']}, {r['machine']['cores']} cores, Python {r['machine']['python']}; {p['source']}; "
        f"{p['turns']} turns as a backlog, then Poisson arrivals at {p['freshness']['load_turns_per_second']:.0f} "
        f"turns/s ({p['freshness']['turns']} turns).",
        "",
        "| figure | value |",
        "|---|---|",
        f"| bare loop, before and after | {bare[0]:.0f} and {bare[1]:.0f} turns/s |",
        f"| pipeline, all gates, all stores | {p['turns_per_second']:.0f} turns/s |",
        f"| ratio | {r['ratio']:.2f} |",
        "",
        "| store and topic | readable after, p50 | p99 | records |",
        "|---|---|---|---|",
    ]
    for name, f in sorted(p["freshness"]["stores"].items()):
        if f["count"]:
            lines.append(f"| {name} | {f['p50_s'] * 1000:.0f} ms | {f['p99_s'] * 1000:.0f} ms | {f['count']} |")
    lines += ["", "| process | CPU ms a turn | memory, MB |", "|---|---|---|"]
    for name, ms in sorted(p["cpu_ms_per_turn"].items(), key=lambda kv: -kv[1]):
        lines.append(f"| {name} | {ms:.2f} | {p['rss_bytes'].get(name, 0) / 1e6:.0f} |")
    lines += ["", "| stage | records a batch | wall ms a record, by phase |", "|---|---|---|"]
    for name, s in sorted(p["stages"].items()):
        phases = ", ".join(f"{k} {v:.2f}" for k, v in s["ms"].items())
        lines.append(f"| {name} | {s['records_per_batch']:.0f} | {phases} |")
    return "\n".join(lines)


def reads_table(r: dict[str, Any]) -> str:
    cost = r["cost"]
    lines = [
        f"Measured {r['at']}; {r['source']}; {r['memories']:,} memories of {r['users']:,} users; {r['rate']:g} "
        f"requests a second (Poisson) for {r['seconds']:g} s each, users drawn evenly, while turns come in at a "
        f"quarter of the peak ({r['reads'][0]['ingesting_turns_per_second']:.0f} a second).",
        "",
        "| request | which | requests | p50 | p95 | p99 |",
        "|---|---|---|---|---|---|",
    ]
    for read in r["reads"]:
        for name in ("all", "first_of_a_user", "later"):
            q = read[name]
            if q["requests"]:
                times = " | ".join(f"{q[p]:.0f} ms" for p in ("p50_ms", "p95_ms", "p99_ms"))
                lines.append(f"| {read['path']} | {name.replace('_', ' ')} | {q['requests']} | {times} |")
    lines += [
        "",
        "| memories | turns/s | CPU ms a turn |",
        "|---|---|---|",
        f"| {r['few']:,} | {cost['small']['turns_per_second']:.0f} | {cost['small']['cpu_ms_per_turn']:.2f} |",
        f"| {r['memories']:,} | {cost['large']['turns_per_second']:.0f} | {cost['large']['cpu_ms_per_turn']:.2f} |",
        "",
        f"Cost of a turn with many memories against few: {r['cost_ratio']:.2f}.",
    ]
    return "\n".join(lines)
