"""The only Faust code: one app and consumer group a step (FACTS say which of Faust's ways lose data)."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import faust
from faust.types import TP
from yarl import URL

from schemas.log.batch_window import Pace
from schemas.storage.connections import Bootstrap, Brokers, brokers_of
from streams.faults import Faults
from streams.faust.intake import Intake, Transport
from streams.faust.step_loop import StepLoop
from streams.runner import StepRunner
from streams.topology import group_of

DIED = 70
"""Exit status of a worker that could not go on: its supervisor starts it again (EX_SOFTWARE)."""
SESSION_TIMEOUT = 10.0
"""Seconds after which the broker gives a silent worker's partitions to others."""


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
    """An app that feeds batches to the runner and lets be committed what is stored and delivered."""
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

    loop = StepLoop(app, runner, intake, faults, config.settle_seconds, die or _die)

    @app.on_partitions_revoked.connect  # type: ignore[untyped-decorator]
    async def revoked(sender: Any, partitions: set[TP], **_: Any) -> None:
        await loop.revoked([tp.partition for tp in partitions])

    @app.on_partitions_assigned.connect  # type: ignore[untyped-decorator]
    async def assigned(sender: Any, partitions: set[TP], **_: Any) -> None:
        loop.assigned()

    @app.agent(topic, name=f"memstream.{step.name}")  # type: ignore[untyped-decorator]
    async def run(stream: Any) -> None:
        app.topics.add(topic)  # what the stream would do if it were iterated: the consumer subscribes to it
        await loop.run()

    return app


def _die() -> None:
    logging.shutdown()
    os._exit(DIED)
