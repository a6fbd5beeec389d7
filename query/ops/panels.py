"""What the page shows, from the monitor's picture: plain values for the templates. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from query.ops import words
from query.ops.drift import drift
from query.ops.flow import Node, picture
from query.pipeline.lag import GroupLag
from query.pipeline.state import Pipeline, freshness, reasons, state_of
from schemas.components.installed import components

GOOD, WARN, BAD, QUIET = "good", "warn", "bad", "quiet"
_STATES = {"idle": QUIET, "working": GOOD, "behind": WARN, "standing still": BAD}
_TROUBLE = ("retry", "refused", "commit_lost", "away", "dead_letter")
_EXPLAINED = {
    "retry": "the store or broker did not answer at once and was asked again",
    "refused": "a record was not newer than what the store has (a redelivery)",
    "commit_lost": "partitions moved to another worker before the commit",
    "away": "the model's endpoint did not answer",
    "dead_letter": "put among the dead letters",
}


@dataclass(frozen=True, slots=True)
class Bounds:
    """The configured patience, as for readiness."""

    stalled_seconds: float
    behind_seconds: float


def page(p: Pipeline, bounds: Bounds, failures: Mapping[tuple[str, str], int]) -> dict[str, Any]:
    """Everything that comes from one picture. `failures`: (where, what) -> answers that were errors."""
    figures = freshness(p)
    letters = p.dead_letters
    drawn = picture(components())
    return {
        "at": p.at,
        "why": reasons(p, bounds.stalled_seconds, bounds.behind_seconds),
        "nodes": [_node(n, p, figures, bounds) for n in drawn.nodes],
        "edges": drawn.edges({g.name: g.rate for g in p.groups} | _sources(p), _bad(p, bounds)),
        "stores": _stores(p, figures, bounds),
        "tiles": _tiles(p, figures),
        "letters_open": None if letters is None else sum(letters.values()),
        "letter_reasons": sorted((letters or {}).items(), key=lambda row: (-row[1], row[0])),
        "model": model_work(p),
        "errors": top_errors(p, failures),
        "processes": _processes(p),
        "outcomes": outcomes(p),
        "drift": drift(p),
        "words": words,
    }


def _sources(p: Pipeline) -> dict[str, float]:
    by_name = {g.name: g for g in p.groups}
    return {
        source: by_name[stage].rate_in for source, stage in (("turns", "screen"), ("documents", "chunk"))
        if stage in by_name
    }  # fmt: skip


def _bad(p: Pipeline, bounds: Bounds) -> frozenset[str]:
    stores = {f"sink-{name}" for name, why in p.stores.items() if why is not None}
    stuck = {
        g.name for g in p.groups
        if state_of(g, bounds.stalled_seconds, bounds.behind_seconds) in ("standing still", "behind")
    }  # fmt: skip
    return frozenset(stores | stuck)


def _node(n: Node, p: Pipeline, figures: Mapping[str, Any], bounds: Bounds) -> dict[str, Any]:
    out: dict[str, Any] = {"node": n, "tone": QUIET, "state": "", "facts": []}
    group = next((g for g in p.groups if g.name == n.name), None)
    if n.kind == "source":
        rate = _sources(p).get(n.name, 0.0)
        return {**out, "state": "arriving" if rate >= 0.05 else "quiet", "facts": [("in", f"{words.rate(rate)}/s")]}
    if n.kind == "letters":
        count = None if p.dead_letters is None else sum(p.dead_letters.values())
        tone, state = (WARN, "look at them") if count else (QUIET, "none")
        return {**out, "tone": tone, "state": state, "facts": [("open", words.count(count))]}
    if group is None:
        return {**out, "state": "not known"}
    state = state_of(group, bounds.stalled_seconds, bounds.behind_seconds)
    out |= {"state": state, "tone": _STATES[state], "facts": _facts(group)}
    if n.kind == "store":
        store = n.name.removeprefix("sink-")
        why = p.stores.get(store)
        if why is not None:
            out |= {"state": why, "tone": BAD}
        f = figures.get(store)
        if f:
            out["facts"] = [*out["facts"], ("fresh p99", words.duration(f["p99_seconds"]))]
    return out


def _facts(g: GroupLag) -> list[tuple[str, str]]:
    waiting = words.count(g.lag)
    if g.lag and g.lag_seconds >= 1:
        waiting += f" · {words.duration(g.lag_seconds)}"
    return [("rate", f"{words.rate(g.rate)}/s"), ("lag", waiting)]


def _stores(p: Pipeline, figures: Mapping[str, Any], bounds: Bounds) -> list[dict[str, Any]]:
    rows = []
    for name, why in sorted(p.stores.items(), key=lambda row: (row[1] is None, row[0])):
        sink = next((g for g in p.groups if g.name == f"sink-{name}"), None)
        rows.append(
            {
                "name": name.capitalize(),
                "why": why,
                "tone": BAD if why else GOOD,
                "rate": None if sink is None else words.rate(sink.rate),
                "lag": None if sink is None else words.count(sink.lag),
                "behind": None if sink is None else words.duration(sink.lag_seconds),
                "p50": words.duration(figures.get(name, {}).get("p50_seconds")),
                "p99": words.duration(figures.get(name, {}).get("p99_seconds")),
                "recent": figures.get(name, {}).get("recent", 0),
                "retries": _stage_outcomes(p, f"sink-{name}").get("retry", 0),
            }
        )
    return rows


def _tiles(p: Pipeline, figures: Mapping[str, Any]) -> dict[str, Any]:
    behind = max(p.groups, key=lambda g: (g.lag_seconds, g.lag), default=None)
    stores = {n: f for n, f in figures.items() if n in p.stores and f["p99_seconds"] is not None}
    slowest = max(stores, key=lambda n: stores[n]["p99_seconds"], default=None)
    return {
        "rate": words.rate(_sources(p).get("turns", 0.0)),
        "behind": behind if behind and behind.lag else None,
        "slowest": slowest,
        "slowest_recent": bool(slowest and stores[slowest]["recent"]),
        "slowest_p99": words.duration(stores[slowest]["p99_seconds"]) if slowest else "–",
        "slowest_p50": words.duration(stores[slowest]["p50_seconds"]) if slowest else "–",
    }


def outcomes(p: Pipeline) -> dict[str, Any]:
    """Decisions of the hour by outcome and by gate."""
    by_outcome: Counter[str] = Counter()
    rows = []
    for gate, counts in sorted(p.outcomes.items()):
        by_outcome.update(counts)
        rows += [(gate, outcome, n) for outcome, n in sorted(counts.items(), key=lambda x: (-x[1], x[0]))]
    return {"total": sum(by_outcome.values()), "by_outcome": by_outcome.most_common(), "rows": rows}


def model_work(p: Pipeline) -> dict[str, Any]:
    """Since the workers started."""
    n = _stage_outcomes(p, "jobs")
    malformed = sum(v for k, v in n.items() if k.startswith("malformed_"))
    gave_up = sum(v for k, v in n.items() if k.startswith("gave_up_"))
    return {
        "calls": n.get("model_calls", 0), "prompt": n.get("prompt_tokens", 0),
        "completion": n.get("completion_tokens", 0), "cost": n.get("cost_micros", 0) / 1e6,
        "away": n.get("away", 0), "malformed": malformed, "gave_up": gave_up,
        "checkpoints": n.get("checkpoint_done", 0), "checkpoints_failed": n.get("checkpoint_failed", 0),
        "extractive": n.get("checkpoint_extractive", 0),
    }  # fmt: skip


def top_errors(p: Pipeline, failures: Mapping[tuple[str, str], int]) -> list[dict[str, Any]]:
    """Most frequent first: where, what, how often, in words."""
    rows: list[dict[str, Any]] = [
        {"where": stage, "what": word, "count": n, "says": _explained(word)}
        for stage in sorted({s for _, beat in p.heartbeats.values() for s in beat.stages})
        for word, n in _stage_outcomes(p, stage).items()
        if n and (word in _TROUBLE or word.startswith(("malformed_", "gave_up_")))
    ]
    rows += [
        {"where": where, "what": what, "count": n, "says": "an answer of the service that was an error"}
        for (where, what), n in failures.items()
        if n
    ]
    return sorted(rows, key=lambda r: (-r["count"], r["where"], r["what"]))[:8]


def _explained(word: str) -> str:
    if word.startswith("gave_up_"):
        return "a turn or text that a model was asked about in vain; what the rules found stands"
    return _EXPLAINED.get(word, "an answer that was not of the form")


def _stage_outcomes(p: Pipeline, stage: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for _, beat in p.heartbeats.values():
        if stage in beat.stages:
            found.update(beat.stages[stage].outcomes)
    return found


def _processes(p: Pipeline) -> list[dict[str, Any]]:
    return [
        {"name": name, "rss": words.size(beat.rss_bytes), "cpu": words.duration(beat.cpu_seconds),
         "heard": words.ago(at, p.at), "records": words.count(sum(s.records for s in beat.stages.values()))}
        for name, (at, beat) in sorted(p.heartbeats.items())
    ]  # fmt: skip


def session_rows(rows: Iterable[Mapping[str, Any]], now: datetime) -> list[dict[str, Any]]:
    return [{**r, "ago": words.ago(r["updated_at"], now)} for r in rows]
