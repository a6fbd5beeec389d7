"""The page's service without servers, in the states that operators meet: empty, busy, a store down, dead letters."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
from fastapi import FastAPI
from psycopg_pool import AsyncConnectionPool
from redis.asyncio import Redis

from inference.tokens import token_counter
from memstream.workers.models import default_embedder, default_models
from processors.ports import ProfileBook
from processors.screen.callers import CallersScreen
from query.app import create_app
from query.config import QueryConfig
from query.deadletters.index import LetterIndex
from query.deps import Deps
from query.pipeline.groups import GROUPS
from query.pipeline.lag import GroupLag
from query.pipeline.state import Pipeline
from query.streams import Read
from schemas.heartbeat import FRESHNESS_BUCKETS, FreshnessStats, Heartbeat, StageStats
from schemas.log import owner, topics
from schemas.profile.model import Profile
from schemas.reading_stats import KEPT_DAYS, ReadingStats, in_buckets
from tests.unit.query.memory_log import MemoryLog

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
_RATES = {
    "screen": 41.2, "extract": 41.0, "gate": 48.7, "session": 41.1, "project": 6.3, "chunk": 0.0, "jobs": 0.4,
    "sink-postgres": 138.0, "sink-milvus": 61.0, "sink-redis": 44.0,
}  # fmt: skip
_OUTCOMES = {
    "confidence": {"kept": 1240, "observed": 310}, "dedupe": {"skipped": 420, "merged": 96, "superseding": 61},
    "pii": {"masked": 188, "refused": 12}, "retention": {"retired": 9},
}  # fmt: skip


def picture(state: str) -> Pipeline:
    stores: dict[str, str | None] = {"kafka": None, "postgres": None, "redis": None, "milvus": None}
    if state == "empty":
        return Pipeline(NOW, [_group(g.name, g.kind, g.topics) for g in _groups()], stores, {}, {}, {})
    groups = [_group(g.name, g.kind, g.topics, _RATES.get(g.name, 0.0), 3, 0.2) for g in _groups()]
    if state == "down":
        stores["milvus"] = "unreachable"
        groups = [
            _group(g.name, g.kind, g.topics, 0.0, 8_432, 74.0, 74.0) if g.name == "sink-milvus" else g for g in groups
        ]
    letters = {("screen", "invalid"): 3, ("sink-milvus", "sink_failed"): 1} if state == "letters" else {}
    return Pipeline(NOW, groups, stores, _beats(), _OUTCOMES, letters)


def _groups() -> Any:
    return GROUPS


def _group(
    name: str, kind: str, names: tuple[str, ...], rate: float = 0.0, lag: int = 0, age: float = 0.0, still: float = 0.0
) -> GroupLag:
    return GroupLag(name, kind, names, lag, age, still, rate + 0.4 if rate else 0.0, rate)


def _beats() -> dict[str, tuple[datetime, Heartbeat]]:
    fresh = {"postgres": 0.09, "redis": 0.07, "milvus": 0.34}
    out = {}
    for name, stages in (
        ("worker-screen-1", ("screen",)), ("worker-memory", ("extract", "gate", "session", "project", "chunk")),
        ("worker-jobs", ("jobs",)), ("sink-postgres", ("sink-postgres",)), ("sink-milvus", ("sink-milvus",)),
        ("sink-redis", ("sink-redis",)),
    ):  # fmt: skip
        store = name.removeprefix("sink-")
        stats = {f"{store}:{topics.UPDATES.name}": _fresh(fresh[store])} if store in fresh else {}
        beat = Heartbeat(
            started_at=(NOW - timedelta(hours=5)).isoformat(), stages={s: _stage(s) for s in stages}, freshness=stats,
            recent=stats, rss_bytes=312_000_000, cpu_seconds=841.0,
            reading_days=_reading_days() if "gate" in stages else {},
        )  # fmt: skip
        out[name] = (NOW - timedelta(seconds=1), beat)
    return out


def _reading_days() -> dict[str, tuple[ReadingStats, ...]]:
    """A week, and two days on which more English references are lost."""
    days: dict[str, tuple[ReadingStats, ...]] = {}
    for ago in range(KEPT_DAYS):
        lost = 260 if ago < 2 else 120
        days[(NOW - timedelta(days=ago)).date().isoformat()] = (
            _read("en", 900, {"kept": 310, "observed": 95, "refused": 9}, {"person": lost, "thing": 60}),
            _read("zh", 620, {"kept": 240, "observed": 41, "refused": 5}, {"person": 80, "place": 20}),
        )
    return days


def _read(language: Any, turns: int, outcomes: Any, lost: Any) -> ReadingStats:
    return ReadingStats(
        language=language, profile="general", reader="rules", version=5, turns=turns, outcomes=outcomes, lost=lost,
        readings=in_buckets([0.72] * 200), reading_total=144.0,
    )  # fmt: skip


def _stage(name: str) -> StageStats:
    words = {"handled": 90_000}
    if name == "jobs":
        words = {
            "model_calls": 812, "prompt_tokens": 1_204_000, "completion_tokens": 88_400, "cost_micros": 2_310_000,
            "away": 4, "malformed_not_of_the_form": 7, "gave_up_away": 3,
            "checkpoint_done": 38, "checkpoint_extractive": 2,
        }  # fmt: skip
    if name == "sink-milvus":
        words = {"rows": 80_000, "retry": 31}
    return StageStats(records=90_000, batches=4_100, outcomes=words, seconds={"compute": 310.0})


def _fresh(p99: float) -> FreshnessStats:
    buckets = [0] * (len(FRESHNESS_BUCKETS) + 1)
    for i, bound in enumerate(FRESHNESS_BUCKETS):
        if bound >= p99:
            buckets[i] = 30
            buckets[max(0, i - 3)] += 970
            break
    return FreshnessStats(count=1000, total_seconds=60.0, buckets=tuple(buckets))


class Letters:
    """Dead letters as a topic to read."""

    def __init__(self, count: int) -> None:
        self.records = [self._letter(n) for n in range(count)]

    def bounds(self, topic: str) -> dict[int, tuple[int, int]]:
        return {0: (0, len(self.records))}

    def read(self, topic: str, starts: Any, ends: Any) -> list[Read]:
        return self.records[starts[0] : ends[0]]

    def _letter(self, n: int) -> Read:
        step, reason, text = (
            ("screen", "invalid", "occurred_at: expected a time in RFC 3339, such as 2026-11-21T08:00:00Z"),
            ("sink-milvus", "sink_failed", "milvus raised ValueError"),
            ("screen", "wrong_partition", "partition: this owner's records belong to 3"),
        )[n % 3]
        headers = [
            ("step", step.encode()), ("reason", reason.encode()), ("message", text.encode()), ("attempts", b"1"),
            ("source_topic", topics.TURNS.name.encode()), ("source_partition", b"0"),
            ("source_offset", str(100 + n).encode()), ("owner", owner.user("default", "u").key.encode()),
        ]  # fmt: skip
        value = orjson.dumps({"type": "turn", "user_id": "u", "sealed": {"content": "text of a user"}})
        return Read(0, n, value, headers, int((NOW - timedelta(minutes=3 * n + 1)).timestamp() * 1000))


class Rows:
    """Postgres' answers of the page."""

    def __init__(self, state: str) -> None:
        self._state = state

    def last_generation(self, store: str) -> int:
        return 1

    async def of_tenant(self, scope: Any, statement: Any, **values: Any) -> list[dict[str, Any]]:
        full = self._state != "empty"
        if "checkpoints" in statement.text:
            return [{"day": 38 * full, "hour": 4 * full, "extractive": 2 * full}]
        if "count(*)" in statement.text:
            return [{"total": 214 * full, "active": 31 * full, "summarised": 12 * full, "most_tokens": 11_480 * full}]
        return [
            {"session_id": f"chat-2026-11-21-{n:04d}", "status": "open",
             "mode": "SUMMARY_N" if n % 3 else "FULL_HISTORY", "turn_count": 12 + n,
             "segment_tokens": 2_100 * n + 340, "updated_at": NOW - timedelta(minutes=n)}
            for n in range(6 * full)
        ]  # fmt: skip

    async def of_owner(self, scope: Any, statement: Any, **values: Any) -> list[dict[str, Any]]:
        if scope.owner.id != "ana" or values.get("before"):
            return []
        texts = (
            ("kept", "confidence", "explicit", "fact", "Lives in Bristol.", 1.0),
            ("superseding", "dedupe", "newer_value", "fact", "Lives in Bristol now, and no more in Leeds.", None),
            ("masked", "pii", "phone_number", "turn", "", None),
            ("observed", "confidence", "inferred", "preference", "喜欢喝茶，不喜欢咖啡。", 0.6),
            ("skipped", "dedupe", "same_value", "fact", "Works as a nurse.", 0.97),
            ("refused", "feedback", "rejected_before", "fact", "Is called <b>Anna</b>.", None),
        )
        return [
            {"at": NOW - timedelta(minutes=7 * n), "outcome": o, "gate": g, "rule": r, "score": s, "kind": k,
             "field": "location" if k == "fact" else None, "text": t, "value": None, "record_id": "4f1c22aa" * 4,
             "version": 1, "turn_id": f"t{n}", "decision_id": f"d{n}"}
            for n, (o, g, r, k, t, s) in enumerate(texts)
        ]  # fmt: skip


def service(state: str) -> FastAPI:
    """The app of `create_app` on a picture that stands still. `state`: empty, busy, down, letters, or young (busy for
    two minutes)."""
    profile = Profile(name="test", version=1)
    deps = Deps(
        pool=AsyncConnectionPool("postgresql://127.0.0.1:1/none", open=False), redis=Redis(host="127.0.0.1", port=1),
        log=MemoryLog(), embedder=default_embedder(), counter=token_counter, profile=profile,
        screen=CallersScreen(default_models(b"unit-test-hash-key-of-32-bytes!!"), ProfileBook(profile)),
        clock=lambda: NOW,
    )  # fmt: skip
    return dress(create_app(QueryConfig(), deps), state)


def dress(app: FastAPI, state: str) -> FastAPI:
    app.state.db = Rows(state)
    app.state.topics = Letters(12 if state == "letters" else 0)
    app.state.letters = LetterIndex(app.state.topics)
    app.state.letters.refresh()
    monitor = app.state.monitor
    monitor.current = picture(state)
    if state != "empty":
        _fill(monitor, 12 if state == "young" else 360)
    return app


def _fill(monitor: Any, samples: int) -> None:
    """An hour that looks like one, or the last samples of it."""
    for n in range(360 - samples, 360):
        wave = 1 + 0.4 * math.sin(n / 40) + 0.1 * math.sin(n * 1.7)
        p = monitor.current
        at = NOW - timedelta(seconds=10 * (360 - n))
        groups = [_group(g.name, g.kind, g.topics, g.rate * wave, g.lag, g.lag_seconds * wave) for g in p.groups]
        monitor.history.add(Pipeline(at, groups, p.stores, p.heartbeats, p.outcomes, p.dead_letters))
    minutes = {}
    for n in range(60):
        wave = 1 + 0.5 * math.sin(n / 7)
        minutes[NOW - timedelta(minutes=n)] = {
            (gate, word): int(count / 60 * wave) for gate, counts in _OUTCOMES.items() for word, count in counts.items()
        }
    monitor.minutes.put(NOW - timedelta(hours=2), minutes, NOW)
