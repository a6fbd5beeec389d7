"""Read your own write (N3): wait until the views that a read uses have what its token names."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from fastapi import Depends, Request

from query.errors import ProblemError, invalid, store_down
from query.log_epochs import LogEpochs
from query.metrics import Metrics
from query.milvus import Milvus, MilvusAwayError
from query.views.db import Database, SystemStatement
from schemas.log import topics
from schemas.log.progress import FreshnessToken, Written, root_partition
from schemas.storage.layouts import STAGE_OF_VIEW, MilvusLayout

log = logging.getLogger(__name__)
WAIT_FOR, WAIT_MS = "Memstream-Wait-For", "Memstream-Wait-Ms"
POLL_SECONDS = 0.004

Place: TypeAlias = tuple[str, int, str]
"""(stage, partition, root partition) of the progress tables."""
Needs: TypeAlias = Mapping[Place, int]
"""What must have been emitted: the first offset above the write."""
Numbers: TypeAlias = Mapping[str, int]
"""Store -> the generation of its views that is read."""
Lost: TypeAlias = Callable[[FreshnessToken], Awaitable[bool]]
"""Whether the log has lost a write of the token: `LogEpochs.lost`."""

_ROOTS_OF_VIEW = {
    "turns": (topics.TURNS.name,),
    "memories": (topics.TURNS.name, topics.LEDGER.name),
    "outcomes": (topics.TURNS.name, topics.LEDGER.name),
    "sessions": (topics.TURNS.name,),
    "projects": (topics.PROJECT_EVENTS.name,),
    "knowledge": (topics.DOCUMENTS.name,),
}


def needs_of(token: FreshnessToken, views: Iterable[str]) -> dict[Place, int]:
    """What the views must have; a write that a view's stage never reads does not hold it up."""
    needs: dict[Place, int] = {}
    for view in views:
        for write in token.writes:
            for partition in _partitions(view, write):
                place = (STAGE_OF_VIEW[view], partition, root_partition(write.topic, write.partition))
                needs[place] = max(needs.get(place, 0), write.offset + 1)
    return needs


def _partitions(view: str, write: Written) -> tuple[int, ...]:
    if write.topic in _ROOTS_OF_VIEW[view]:
        return (write.partition,)
    if view == "projects" and write.topic in (topics.TURNS.name, topics.LEDGER.name):
        return write.project_partitions
    return ()


class ProgressWatch:
    """Many waiting reads, one query every few milliseconds."""

    def __init__(
        self, fetch: Callable[[list[Place]], Awaitable[Mapping[Place, int]]], poll_seconds: float = POLL_SECONDS
    ) -> None:
        self._fetch, self._poll_seconds = fetch, poll_seconds
        self._waiting: dict[asyncio.Future[bool], Needs] = {}
        self._task: asyncio.Task[None] | None = None

    async def wait(self, needs: Needs, seconds: float) -> bool:
        """True once everything needed is there, False when the time is over or the store does not answer."""
        if not needs:
            return True
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting[done] = needs
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._poll())
        try:
            return await asyncio.wait_for(done, max(seconds, 0.0) + self._poll_seconds)
        except TimeoutError:
            return False
        finally:
            self._waiting.pop(done, None)

    async def _poll(self) -> None:
        while self._waiting:
            places = sorted({place for needs in self._waiting.values() for place in needs})
            try:
                progress = await self._fetch(places)
            except Exception as exc:  # it ends the waits of this look, and none to come
                if not isinstance(exc, ProblemError):
                    log.exception("the progress of the stores could not be read")
                for done in self._waiting:
                    if not done.done():
                        done.set_result(False)
                return
            for done, needs in self._waiting.items():
                if not done.done() and all(progress.get(p, 0) >= offset for p, offset in needs.items()):
                    done.set_result(True)
            await asyncio.sleep(self._poll_seconds)


_PROGRESS = SystemStatement(
    """SELECT p.stage, p.partition, p.root, p.next_offset FROM {v}.progress p
    JOIN unnest(%(stages)s::text[], %(partitions)s::integer[], %(roots)s::text[]) AS asked(stage, partition, root)
      USING (stage, partition, root)""",
    shared=True,
)


def postgres_watch(db: Database) -> ProgressWatch:
    async def fetch(places: list[Place]) -> Mapping[Place, int]:
        stages, partitions, roots = (list(column) for column in zip(*places, strict=True))
        rows = await db.of_system(_PROGRESS, stages=stages, partitions=partitions, roots=roots)
        return {(r["stage"], r["partition"], r["root"]): r["next_offset"] for r in rows}

    return ProgressWatch(fetch)


def milvus_watch(db: Database, milvus: Milvus) -> ProgressWatch:
    async def fetch(places: list[Place]) -> Mapping[Place, int]:
        layout = MilvusLayout(await db.generation("milvus"))
        marks = {MilvusLayout.mark(*place): place for place in places}
        try:
            rows = await asyncio.to_thread(
                milvus.call, "get", layout.progress, list(marks), output_fields=["pk", "next_offset"],
                consistency_level="Strong",
            )  # fmt: skip
        except MilvusAwayError:
            raise store_down("milvus") from None
        return {marks[r["pk"]]: int(r["next_offset"]) for r in rows}

    return ProgressWatch(fetch, POLL_SECONDS * 5)


async def arrived(
    token: FreshnessToken, views: Sequence[str], watch: ProgressWatch, seconds: float, lost: Lost,
    live: Callable[[], Numbers],
) -> tuple[bool, Numbers]:  # fmt: skip
    """Whether the views have what the token names, by then, and the generations that they were looked at in.

    What the log has lost never arrives (C1): others have its offsets, so that the progress alone would say that it did.
    Where other generations are read from meanwhile, the wait begins again: their views may be behind (N1)."""
    loop, needs = asyncio.get_running_loop(), needs_of(token, views)
    until = loop.time() + seconds
    while True:
        numbers = live()
        fresh = not await lost(token) and await watch.wait(needs, until - loop.time()) and not await lost(token)
        if not fresh or live() == numbers:
            return fresh, numbers


@dataclass(slots=True)
class Fresh:
    """What one request asked to wait for."""

    token: FreshnessToken | None
    seconds: float
    watches: Mapping[str, ProgressWatch]
    epochs: LogEpochs
    request: Request

    async def wait(self, *views: str, store: str = "postgres") -> bool:
        """Wait for the views in a store; the answer's header says whether they are fresh."""
        fresh = True
        if self.token is not None:
            started = asyncio.get_running_loop().time()
            state, watch = self.request.state, self.watches[store]
            fresh, numbers = await arrived(self.token, views, watch, self.seconds, self.epochs.lost, self._live)
            if getattr(state, "moved", None) is None:  # of several waits the first
                state.moved = lambda: self._live() != numbers
            took = asyncio.get_running_loop().time() - started
            self.seconds -= took
            metrics: Metrics = self.request.app.state.metrics
            metrics.fresh_wait.observe(took)
            if not fresh:
                metrics.stale.inc()
        self._say(fresh)
        return fresh

    def _live(self) -> Numbers:
        db: Database = self.request.app.state.db
        return db.last_live().numbers

    def degraded(self, stores: Iterable[Mapping[str, str]]) -> None:
        """Stores that the answer needed did not serve: whatever was awaited, the answer may lack it."""
        metrics: Metrics = self.request.app.state.metrics
        for store in stores:
            metrics.degraded.labels(store["store"], store["reason"]).inc()
        if self.token is not None:
            self._say(False)

    def _say(self, fresh: bool) -> None:
        before = getattr(self.request.state, "fresh", "true")
        self.request.state.fresh = "true" if fresh and before == "true" else "false"


async def freshness_of(request: Request) -> Fresh:
    config, state = request.app.state.config, request.app.state
    raw = request.headers.get(WAIT_FOR, "").strip()
    wait = request.headers.get(WAIT_MS, "").strip()
    if wait and not (wait.isascii() and wait.isdigit() and len(wait) <= 9 and int(wait) <= config.max_wait_ms):
        raise invalid(WAIT_MS, f"expected whole milliseconds from 0 to {config.max_wait_ms}")
    token = None
    if raw:
        try:
            token = FreshnessToken.parse(raw)
            if any(not 0 <= p < config.partitions for w in token.writes for p in (w.partition, *w.project_partitions)):
                raise ValueError
        except (ValueError, RecursionError):
            raise invalid(WAIT_FOR, "expected the freshness_token that a write returned") from None
    request.state.fresh = "true"
    return Fresh(token, int(wait or config.wait_ms) / 1000, state.watches, state.epochs, request)


Freshness = Annotated[Fresh, Depends(freshness_of)]
