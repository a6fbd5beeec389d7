"""The pipeline at one moment, and whether it is well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from query.pipeline.lag import GroupLag
from query.pipeline.log_losses import LostRecords
from schemas.heartbeat import FreshnessStats, Heartbeat, quantile

HEARTBEAT_SECONDS = 60.0
"""A process that has said nothing for this long is left out."""


class Stopped(NamedTuple):
    """A step is stopped before a record of its topic, which hung or crashed so many times (the first of them perhaps
    beside others)."""

    step: str
    partition: int
    offset: int
    times: int


@dataclass(frozen=True, slots=True)
class Pipeline:
    """`stores`: name -> reason why it does not answer, None where it does; the brokers are one of them.
    `dead_letters`: open ones by (step, reason), None until they were read; `erasures`: how many are not done, and the
    age of the oldest in seconds. `stopped`: where a step goes no further. `lost`: what logs have lost since the service
    was started."""

    at: datetime
    groups: Sequence[GroupLag] = ()
    stores: Mapping[str, str | None] = field(default_factory=dict)
    heartbeats: Mapping[str, tuple[datetime, Heartbeat]] = field(default_factory=dict)
    outcomes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    dead_letters: Mapping[tuple[str, str], int] | None = None
    erasures: tuple[int, float] | None = None
    stopped: Sequence[Stopped] = ()
    lost: Sequence[LostRecords] = ()


def reasons(pipeline: Pipeline, stalled_seconds: float, behind_seconds: float) -> list[str]:
    """Why the service is not ready: a port that is closed, a stage that stands still or was never seen to have all of
    its partitions, a step that stops before a record which hangs it, a sink that falls behind, a log that lost
    records."""
    out = [f"{name}: {reason}" for name, reason in sorted(pipeline.stores.items()) if reason is not None]
    out += [
        f"{s.step}: stopped before offset {s.offset} of partition {s.partition}, which hung {s.times} times"
        for s in pipeline.stopped
    ]
    out += [f"{lost}; stop all processes and producers and run `memstream recover`" for lost in pipeline.lost]
    for g in pipeline.groups:
        if g.kind == "worker":
            continue  # model work waits for its endpoint, and nothing that is read waits for model work
        if g.unread and g.unread_seconds > stalled_seconds:
            out.append(f"{g.name}: {g.unread} partitions have no reader")
        elif g.lag > 0 and g.still_seconds > stalled_seconds:
            out.append(f"{g.name}: stands still for {g.still_seconds:.0f} s with {g.lag} records waiting")
        elif g.kind == "sink" and g.lag_seconds > behind_seconds:
            out.append(f"{g.name}: {g.lag_seconds:.0f} s behind ({g.lag} records)")
    return out


def state_of(g: GroupLag, stalled_seconds: float, behind_seconds: float) -> str:
    """One word for a stage."""
    if g.unread and g.unread_seconds > stalled_seconds:
        return "standing still"
    if g.lag > 0 and g.still_seconds > stalled_seconds:
        return "standing still"
    if g.lag_seconds > behind_seconds:
        return "behind"
    return "working" if g.lag > 0 else "idle"


def as_json(pipeline: Pipeline, stalled_seconds: float, behind_seconds: float) -> dict[str, Any]:
    """The answer of GET /v1/pipeline."""
    why = reasons(pipeline, stalled_seconds, behind_seconds)
    return {
        "at": pipeline.at,
        "ready": not why,
        "reasons": why,
        "stages": [
            {
                "name": g.name,
                "kind": g.kind,
                "topics": g.topics,
                "lag": g.lag,
                "unread": g.unread,
                "lag_seconds": round(g.lag_seconds, 3),
                "rate": round(g.rate, 3),
                "rate_in": round(g.rate_in, 3),
                "state": state_of(g, stalled_seconds, behind_seconds),
            }
            for g in pipeline.groups
        ],
        "stores": {name: {"up": why is None, "reason": why} for name, why in sorted(pipeline.stores.items())},
        "freshness": freshness(pipeline),
        "gate_outcomes": {gate: dict(sorted(o.items())) for gate, o in sorted(pipeline.outcomes.items())},
        "dead_letters": _dead_letters(pipeline),
        "erasures_pending": None if pipeline.erasures is None else pipeline.erasures[0],
        "processes": [_process(name, at, beat) for name, (at, beat) in sorted(pipeline.heartbeats.items())],
    }


def _dead_letters(pipeline: Pipeline) -> dict[str, Any]:
    found = pipeline.dead_letters
    if found is None:
        return {"count": None, "reasons": []}
    rows = sorted(found.items(), key=lambda row: (-row[1], row[0]))
    reasons = [{"step": step, "reason": reason, "count": n} for (step, reason), n in rows]
    return {"count": sum(found.values()), "reasons": reasons}


def freshness(pipeline: Pipeline) -> dict[str, dict[str, Any]]:
    """Seconds from acceptance to readable (N3), a store and a `store:topic`; of the last minute where it had any."""
    beats = [beat for _, beat in pipeline.heartbeats.values()]
    out: dict[str, dict[str, Any]] = {}
    names = {name for beat in beats for name in beat.freshness}
    for name in sorted(names | {n.split(":", 1)[0] for n in names}):
        recent = merged(beats, name, recent=True)
        shown = recent if recent.count else merged(beats, name, recent=False)
        out[name] = {
            "count": merged(beats, name, recent=False).count,
            "recent": recent.count,
            "p50_seconds": quantile(shown.buckets, 0.5, shown.max_seconds),
            "p99_seconds": quantile(shown.buckets, 0.99, shown.max_seconds),
        }
    return out


def merged(beats: Sequence[Heartbeat], name: str, *, recent: bool) -> FreshnessStats:
    """The histograms of one `store:topic`, or of a store's topics together."""
    parts = [
        stats
        for beat in beats
        for key, stats in (beat.recent if recent else beat.freshness).items()
        if key == name or key.startswith(f"{name}:")
    ]
    if not parts:
        return FreshnessStats()
    longest = [p.max_seconds for p in parts if p.count]
    return FreshnessStats(
        count=sum(p.count for p in parts),
        total_seconds=sum(p.total_seconds for p in parts),
        max_seconds=None if None in longest else max((s for s in longest if s is not None), default=None),
        buckets=tuple(sum(column) for column in zip(*(p.buckets for p in parts), strict=True)),
    )


def _process(name: str, at: datetime, beat: Heartbeat) -> dict[str, Any]:
    return {
        "name": name,
        "heard_at": at,
        "started_at": beat.started_at,
        "rss_bytes": beat.rss_bytes,
        "cpu_seconds": beat.cpu_seconds,
        "stages": {stage: stats.model_dump() for stage, stats in sorted(beat.stages.items())},
    }
