"""The only Faust code: one app and consumer group a step (FACTS say which of Faust's ways lose data)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import faust
from faust.types import TP
from yarl import URL

from schemas.log.batch_window import Pace
from schemas.log.topics import Cleanup
from schemas.security.sealing import KeysAway
from schemas.storage.connections import Bootstrap, Brokers, brokers_of
from streams.faults import Faults, Point
from streams.faust.intake import Fetched, Intake, Transport
from streams.runner import StepRunner
from streams.state.protocol import StaleOwner, StoreAway
from streams.topology import group_of

log = logging.getLogger(__name__)
DIED = 70
"""Exit status of a worker that could not go on: its supervisor starts it again (EX_SOFTWARE)."""
SESSION_TIMEOUT = 10.0
"""Seconds after which the broker gives a silent worker's partitions to others."""
_STALE_TRIES = 4
_AWAY_SECONDS = (0.2, 0.5, 1.0, 2.0, 5.0)


@dataclass(frozen=True, slots=True)
class AppConfig:
    """`instance`: static group membership, so that a restarted worker gets its partitions back at once.
    `shortest_seconds`, `longest_seconds`: how long a batch gathers. `settle_seconds`: how long a rebalance waits for
    the batch in hand."""

    bootstrap: Bootstrap
    instance: str = ""
    session_timeout_seconds: float = SESSION_TIMEOUT
    commit_interval_seconds: float = 0.5
    batch: int = 64
    shortest_seconds: float = 0.02
    longest_seconds: float = 0.06
    settle_seconds: float = 5.0


def _urls(bootstrap: Bootstrap) -> list[str]:
    return [f"kafka://{server}" for server in brokers_of(bootstrap).servers.split(",")]


def _credentials(b: Brokers) -> Any:
    """TLS and SASL as Faust takes them."""
    context = b.ssl_context() if b.tls else None
    if b.mechanism:
        return faust.SASLCredentials(username=b.user, password=b.password, ssl_context=context, mechanism=b.mechanism)
    return None if context is None else faust.SSLCredentials(context)


class _App(faust.App):  # type: ignore[misc]
    """Without tables nothing of Faust's is kept on disk: no empty folders where a worker happens to be started."""

    def _create_directories(self) -> None:
        pass


def build_app(runner: StepRunner, config: AppConfig, faults: Faults, die: Callable[[], None] | None = None) -> Any:
    """An app that feeds batches to the runner and lets be committed what is stored and delivered.

    An exception never leaves the loop: a worker that cannot go on dies uncommitted.
    """
    step = runner.step
    options: dict[str, Any] = {"consumer_group_instance_id": config.instance} if config.instance else {}
    app = _App(
        group_of(step.name),
        broker=_urls(config.bootstrap),
        store="memory://",
        web_enabled=False,
        topic_disable_leader=True,
        topic_allow_declare=False,
        consumer_auto_offset_reset="earliest",
        broker_commit_interval=config.commit_interval_seconds,
        broker_session_timeout=config.session_timeout_seconds,
        broker_heartbeat_interval=config.session_timeout_seconds / 4,
        broker_max_poll_records=2 * config.batch,
        stream_wait_empty=False,
        broker_credentials=_credentials(brokers_of(config.bootstrap)),
        **options,
    )
    intake = Intake(config.batch, Pace(config.longest_seconds, config.shortest_seconds))
    app.transport = Transport([URL(u) for u in _urls(config.bootstrap)], app, intake)
    topic = app.topic(
        step.source.name, key_type=bytes, value_type=bytes, key_serializer="raw", value_serializer="raw",
        allow_empty=True, partitions=None,
    )  # fmt: skip

    busy, moving = asyncio.Lock(), asyncio.Event()

    @app.on_partitions_revoked.connect  # type: ignore[untyped-decorator]
    async def revoked(sender: Any, partitions: set[TP], **_: Any) -> None:
        # The broker gives partitions away when this returns: what is in hand is delivered before, so that nothing of
        # it lands behind what their next owner sends.
        moving.set()
        gone = [tp.partition for tp in partitions]
        with contextlib.suppress(TimeoutError, StoreAway):
            async with asyncio.timeout(config.settle_seconds), busy:
                await runner.leave(gone)
        runner.forget(gone)

    @app.on_partitions_assigned.connect  # type: ignore[untyped-decorator]
    async def assigned(sender: Any, partitions: set[TP], **_: Any) -> None:
        moving.clear()

    @app.agent(topic, name=f"memstream.{step.name}")  # type: ignore[untyped-decorator]
    async def run(stream: Any) -> None:
        app.topics.add(topic)  # what the stream would do if it were iterated: the consumer subscribes to it
        async for fetched in intake.batches():
            try:
                async with busy:
                    if not moving.is_set():
                        await _batch(app, runner, fetched, intake, faults)
            except Exception as exc:
                log.critical("step %s cannot go on", step.name, extra={"error": type(exc).__name__}, exc_info=True)
                (die or _die)()

    return app


async def _batch(app: Any, runner: StepRunner, fetched: Sequence[Fetched], intake: Intake, faults: Faults) -> None:
    """Take a batch through; partitions that another worker took over are let go and the rest is tried again. A store
    that is away is waited for: positions are read again, so what was stored after all is not done twice."""
    left, stale, away = list(fetched), 0, 0
    while True:
        left = _current(app, left)
        try:
            left = await _without_gaps(app, runner, left, intake)
            await runner.process([f.message for f in left], lambda: [f.message for f in intake.ahead()])
            break
        except StaleOwner as exc:
            # A worker on its way out may have stored one more batch after these partitions came here.
            stale += 1
            if stale == _STALE_TRIES:
                raise
            log.info("partitions %s: the stored offset has moved on", sorted(exc.partitions))
        except (StoreAway, KeysAway) as exc:
            delay = _AWAY_SECONDS[min(away, len(_AWAY_SECONDS) - 1)]
            away += 1
            log.warning("state store away, again in %.1f s", delay, extra={"step": runner.step.name, "error": str(exc)})
            await asyncio.sleep(delay)
        runner.forget()
    for f in left:
        tp = TP(f.message.topic, f.message.partition)
        intake.done[tp] = max(intake.done.get(tp, 0), f.message.offset + 1)
    faults.hit(runner.step.name, Point.AFTER_COMMIT)


def _current(app: Any, fetched: Sequence[Fetched]) -> list[Fetched]:
    """Without what was fetched before the last rebalance: the consumer starts again at its commits, here or
    elsewhere, so these come once more to whom they belong."""
    assigned = {tp.partition for tp in app.consumer.assignment()}
    generation = app.consumer_generation_id
    return [f for f in fetched if f.generation == generation and f.message.partition in assigned]


async def _without_gaps(app: Any, runner: StepRunner, fetched: list[Fetched], intake: Intake) -> list[Fetched]:
    """Never step over records. Where the consumer stands beyond the stored offset (a commit that ran ahead of a lost
    transaction cannot happen, a reset by hand can), go back, once: when the same record comes first again, there is
    none before it but what no consumer sees (a transactional producer's markers). That is stepped over, at once where
    it lies within what was read on, and so is what retention took."""
    if runner.step.source.cleanup is not Cleanup.DELETE:
        return fetched
    went_back = intake.went_back
    gone_back: set[int] = set()
    for partition, (stored, first) in (await _gaps(runner, fetched)).items():
        tp = TP(runner.step.source.name, partition)
        if intake.nothing_between(tp, stored, first):
            continue
        before = went_back.get(tp, (stored, first + 1))
        # What was on its way here when the consumer was moved stands behind that record, never on it.
        least = before[1] if before[0] == stored else first + 1
        if first == least or (await app.consumer.earliest_offsets(tp))[tp] > stored:
            continue
        log.info("step %s: partition %d goes back to its stored offset", runner.step.name, partition)
        await app.consumer.seek(tp, stored)
        intake.drop([tp])
        went_back[tp] = stored, min(first, least)
        gone_back.add(partition)
    return [f for f in fetched if f.message.partition not in gone_back]


async def _gaps(runner: StepRunner, fetched: Sequence[Fetched]) -> dict[int, tuple[int, int]]:
    """Partition -> its stored offset and the first one fetched that is not below it, where these are not the same. All
    are read before a consumer is moved: a store that is away leaves nothing half done."""
    offsets: dict[int, list[int]] = {}
    for f in fetched:
        offsets.setdefault(f.message.partition, []).append(f.message.offset)
    out = {}
    for partition, found in offsets.items():
        stored = await runner.stored_offset(partition)
        if stored is not None and (first := min((o for o in found if o >= stored), default=stored)) > stored:
            out[partition] = stored, first
    return out


def _die() -> None:
    logging.shutdown()
    os._exit(DIED)
