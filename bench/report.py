"""The benchmark's table in docs/benchmarks.md, between its markers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"
START, END = "<!-- bench:start -->", "<!-- bench:end -->"


def write(result: dict[str, Any]) -> None:
    """Replace what stands between the markers. Raises ValueError when the page has none."""
    text = PAGE.read_text(encoding="utf-8")
    if START not in text or END not in text:
        raise ValueError(f"{PAGE.name} has no bench markers")
    head, rest = text.split(START, 1)
    _, tail = rest.split(END, 1)
    PAGE.write_text(f"{head}{START}\n{table(result)}\n{END}{tail}", encoding="utf-8")


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
