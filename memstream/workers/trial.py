"""A suspect record, tried in a process of its own: the step as the worker has it, over the state as it stands, with
nothing stored or sent."""

from __future__ import annotations

import asyncio
import faulthandler
import logging
import multiprocessing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection

from memstream.keyring.wiring import sealing_of
from memstream.profiles import ProfileFollower
from memstream.settings import Settings
from memstream.workers.models import recognise
from memstream.workers.parts import parts_of
from memstream.workers.steps import step_of
from processors.step import Reads
from schemas.security.sealing import KeysAway
from schemas.storage import postgres_connections
from streams.batch import Message
from streams.runner import RunnerConfig, StepRunner, in_thread
from streams.state.postgres import PostgresStateStore
from streams.state.protocol import OutboxRow, PartitionCommit, Position, Rows, StateStore, StoreAway
from streams.topology import TOPOLOGY

log = logging.getLogger(__name__)
START_SECONDS = 300.0
"""For a child to load models and profiles: no part of the record's time."""
READY, ENDED, AWAY = "ready", "ended", "away"
_Child = Callable[[str, Message, Connection], None]


class ChildTrial:
    """`limit`: seconds that the record has. `child` runs in the new process (picklable): it sends READY, then ENDED,
    or AWAY where a store did not answer."""

    def __init__(self, limit: float, child: _Child, start_seconds: float = START_SECONDS) -> None:
        self._limit, self._child, self._start_seconds = limit, child, start_seconds

    async def __call__(self, step: str, message: Message) -> bool:
        """Whether the step came to an end with the record. Raises StoreAway where that cannot be told now."""
        return await asyncio.to_thread(self._run, step, message)

    def _run(self, step: str, message: Message) -> bool:
        context = multiprocessing.get_context("spawn")  # a fork would have the locks of threads that it lacks
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=self._child, args=(step, message, theirs), name=f"trial-{step}", daemon=True)
        process.start()
        theirs.close()
        ready = False
        try:
            if _heard(ours, self._start_seconds) != READY:
                raise StoreAway("a suspect record cannot be tried")
            ready = True
            word = _heard(ours, self._limit)
            if word == AWAY:
                raise StoreAway("a suspect record cannot be tried")
            return word == ENDED
        except EOFError:  # it ended otherwise: of the record, or before it began
            if not ready:
                raise StoreAway("a suspect record cannot be tried") from None
            return False
        finally:
            ours.close()
            process.kill()
            process.join()


def _heard(pipe: Connection, seconds: float) -> str | None:
    """None when the time is over. Raises EOFError when the other end is gone."""
    return str(pipe.recv()) if pipe.poll(seconds) else None


def trial_of(settings: Settings) -> ChildTrial:
    return ChildTrial(settings.record_seconds, partial(_try_record, settings))


class StateAsItIs:
    """A `StateStore` that is only read."""

    def __init__(self, inner: StateStore) -> None:
        self._inner = inner

    async def position(self, step: str, partition: int) -> tuple[Position, list[OutboxRow]]:
        return (await self._inner.position(step, partition))[0], []

    async def load(self, step: str, wanted: Mapping[int, Sequence[Reads]]) -> dict[int, Rows]:
        return await self._inner.load(step, wanted)

    async def commit(self, commits: Sequence[PartitionCommit]) -> None:
        """Nothing is stored."""

    async def settled(self, step: str, offsets: Mapping[int, int]) -> None:
        """Nothing was delivered."""


class Unsent:
    async def deliver(self, rows: Sequence[OutboxRow]) -> None:
        """Nothing is sent."""


def _try_record(settings: Settings, step: str, message: Message, pipe: Connection) -> None:
    """In the child. It ends itself where its parent ended before it."""
    faulthandler.dump_traceback_later(START_SECONDS + 2 * settings.record_seconds, exit=True)
    try:
        asyncio.run(_tried(settings, step, message, pipe))
    except (StoreAway, KeysAway) as exc:
        log.warning("a suspect record cannot be tried", extra={"error": str(exc)})
        pipe.send(AWAY)


async def _tried(settings: Settings, name: str, message: Message, pipe: Connection) -> None:
    parts = parts_of(settings)
    if name == "screen":
        recognise(parts.models.analyzer)
    profiles = ProfileFollower(parts.book.default).start(settings.brokers)
    sealing, spec = sealing_of(settings), TOPOLOGY[name]
    parts = replace(parts, models=replace(parts.models, keeper=sealing.vault))
    async with postgres_connections.pool(settings.postgres.get_secret_value(), min_size=1, max_size=1) as pool:
        store = StateAsItIs(sealing.state(PostgresStateStore(pool)))
        config = RunnerConfig(settings.partitions, spec.cache_bytes // settings.partitions)
        step = step_of(name, parts, profiles)
        runner = StepRunner(step, store, Unsent(), sealing.codec, config, seal=in_thread)
        await runner.stored_offset(message.partition)  # what may be away is asked before the record's time begins
        pipe.send(READY)
        await runner.process([message])
    pipe.send(ENDED)
