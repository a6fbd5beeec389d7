"""The background look at brokers and stores, every two seconds."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from pydantic import ValidationError
from redis.exceptions import RedisError

from query.circuit import Circuit
from query.config import QueryConfig
from query.deadletters.index import Filters, LetterIndex
from query.deps import Deps
from query.errors import ProblemError
from query.log_epochs import LogEpochs, LostOffsets
from query.ops.history import History, Minutes
from query.pipeline.groups import live_groups
from query.pipeline.lag import GroupLag, LagTracker
from query.pipeline.log_losses import LogLosses
from query.pipeline.offsets import BrokersAwayError, OffsetReader, Offsets
from query.pipeline.state import HEARTBEAT_SECONDS, Pipeline
from query.streams import TopicAwayError
from query.views import dashboard, ops
from query.views.db import Database
from schemas.heartbeat import Heartbeat
from schemas.log import topics

log = logging.getLogger(__name__)
PING_SECONDS = 3.0
AWAY = "unreachable"
MISSED = 2
"""Looks in a row without an answer before a store counts as away: one may be a busy machine."""
SLOW_EVERY = 5
"""Counts over tables are read on every fifth look."""


class Monitor:
    """Holds the last picture. `start` and `stop` belong to the service's life."""

    def __init__(
        self,
        config: QueryConfig,
        deps: Deps,
        db: Database,
        ping_milvus: Callable[[], None],
        letters: LetterIndex,
        redis_circuit: Circuit,
        epochs: LogEpochs,
    ) -> None:
        self._config, self._deps, self._db, self._letters = config, deps, db, letters
        self._epochs = epochs
        self.history, self.minutes = History(), Minutes()
        self._counted: datetime | None = None
        self._letters_end = -1
        self._letters_open: dict[tuple[str, str], int] = {}
        self._ping_milvus, self._redis_circuit = ping_milvus, redis_circuit
        self._reader = OffsetReader(config.kafka, config.partitions) if config.kafka else None
        self._tracker, self._losses = LagTracker(), LogLosses()
        self._noted: Sequence[LostOffsets] = ()
        self._looks = 0
        self._missed: dict[str, int] = {}
        self._met: set[str] = set()
        self._task: asyncio.Task[None] | None = None
        self.current: Pipeline | None = None
        """None until the first look."""

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._reader is not None:
            await asyncio.to_thread(self._reader.close)

    async def _run(self) -> None:
        while True:
            started = time.monotonic()
            try:
                await self.look()
            except Exception as exc:  # noqa: BLE001 - said so
                # The next look may succeed; the age of the picture tells readiness that this one did not.
                log.error("looking at the pipeline failed", extra={"error": type(exc).__name__})
            await asyncio.sleep(max(0.1, self._config.poll_seconds - (time.monotonic() - started)))

    async def look(self) -> Pipeline:
        """Ask everything once, side by side."""
        kafka, postgres, redis, milvus = await asyncio.gather(
            self._offsets(), self._postgres(), self._redis(), self._milvus()
        )
        offsets, groups = kafka
        old = self.current
        self._noted = (postgres or {}).get("losses", self._noted)
        seen = (LostOffsets((x.topic, x.partition), x.end, x.seen) for x in self._losses.found.values())
        self._epochs.know_losses([*self._noted, *seen])
        letters = await self._dead_letters(offsets)
        self._looks += 1
        now: datetime = self._deps.clock()
        answered = {"kafka": offsets is not None, "postgres": postgres is not None, "redis": redis, "milvus": milvus}
        self._missed = {name: 0 if ok else self._missed.get(name, 0) + 1 for name, ok in answered.items()}
        self._met |= {name for name, ok in answered.items() if ok}
        self.current = Pipeline(
            at=now,
            groups=groups,
            stores={name: self._why(name, n) for name, n in self._missed.items()},
            heartbeats=(postgres or {}).get("heartbeats", {}),
            outcomes=(postgres or {}).get("outcomes", old.outcomes if old else {}),
            erasures=(postgres or {}).get("erasures", old.erasures if old else None),
            lost=tuple(sorted(self._losses.found.values())),
            stopped=(postgres or {}).get("stopped", old.stopped if old else ()),
            dead_letters=letters if letters is not None else (old.dead_letters if old else None),
        )
        self.history.add(self.current)
        return self.current

    def _why(self, name: str, missed: int) -> str | None:
        if missed >= MISSED:
            return AWAY
        if missed and name not in self._met:
            return "no answer yet"
        reserve = self._config.milvus_reserve
        return reserve.missing() if reserve is not None and name == "milvus" else None

    async def _offsets(self) -> tuple[Offsets | None, list[GroupLag]]:
        if self._reader is None:
            return None, []
        watched = live_groups(self._db.last_generation)
        try:
            offsets = await asyncio.to_thread(self._reader.read, watched, (topics.DEAD_LETTERS.name,))
            await asyncio.to_thread(self._losses.look, offsets, self._reader.epoch_ends)
        except BrokersAwayError:
            self._epochs.looked(None)
            # The last lag stands still from here on; its age says so.
            old = self.current
            return None, [replace(g, rate=0.0, rate_in=0.0) for g in old.groups] if old else []
        self._epochs.looked(offsets.epochs)
        return offsets, self._tracker.update(time.monotonic(), offsets, watched)

    async def _dead_letters(self, offsets: Offsets | None) -> dict[tuple[str, str], int] | None:
        """Open letters by (step, reason); read again when their topic has grown. None while the brokers are away."""
        if offsets is None:
            return None
        end = sum(n for place, n in offsets.ends.items() if place[0] == topics.DEAD_LETTERS.name)
        if end != self._letters_end:
            try:
                await asyncio.to_thread(self._letters.refresh)
            except TopicAwayError:
                return None
            self._letters_open = dict(self._letters.counts(self._letters.select(Filters())))
            self._letters_end = end
        return self._letters_open

    async def _postgres(self) -> dict[str, Any] | None:
        try:
            await self._db.ping()  # what is read now, kept fresh also where nobody reads (N1)
            beats = await ops.heartbeats(self._db, HEARTBEAT_SECONDS)
            out: dict[str, Any] = {"heartbeats": _valid(beats)}
            if self._looks % SLOW_EVERY == 0:
                out["outcomes"] = await self._outcomes()
                out["erasures"] = await ops.erasures_pending(self._db)
                out["stopped"] = await ops.stopped(self._db)
                out["losses"] = await ops.losses(self._db)
        except ProblemError:
            return None
        return out

    async def _outcomes(self) -> dict[str, dict[str, int]]:
        """Of the last hour: all of it once, then what is new and the minutes before it again."""
        now = self._deps.clock()
        back = timedelta(minutes=Minutes.KEPT if self._counted is None else Minutes.AGAIN)
        since = (now - back).replace(second=0, microsecond=0)
        if self._counted is not None:
            since = min(since, self._counted.replace(second=0, microsecond=0))
        self.minutes.put(since, await dashboard.gate_minutes(self._db, since), now)
        self._counted = now
        return self.minutes.outcomes()

    async def _redis(self) -> bool:
        try:
            async with asyncio.timeout(PING_SECONDS):
                client: Any = self._deps.redis
                await client.ping()
        except (RedisError, OSError, TimeoutError):
            self._redis_circuit.failed()
            return False
        self._redis_circuit.succeeded()
        return True

    async def _milvus(self) -> bool:
        try:
            async with asyncio.timeout(PING_SECONDS):
                await asyncio.to_thread(self._ping_milvus)
        except (OSError, TimeoutError):
            return False
        return True


def _valid(rows: dict[str, tuple[datetime, Any]]) -> dict[str, tuple[datetime, Heartbeat]]:
    """Processes of another version may say what we do not know; they are left out, not fatal."""
    out = {}
    for name, (at, stats) in rows.items():
        try:
            out[name] = (at, Heartbeat.model_validate(stats))
        except ValidationError:
            log.warning("heartbeat not understood", extra={"of": name})
    return out
