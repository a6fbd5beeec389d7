"""What a worker does between the consumer group and its step: batches in, commits out, partitions that come and go."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

from aiokafka.errors import KafkaError
from faust.types import TP

from schemas.log.topics import Cleanup
from schemas.security.sealing import KeysAway
from streams.faults import Faults, Point
from streams.faust.intake import Fetched, Intake
from streams.ports import LogAway
from streams.runner import StepRunner
from streams.state.protocol import StaleOwner, StoreAway

log = logging.getLogger(__name__)
_STALE_TRIES = 4
_MOVING_SECONDS = 1.0
_AWAY_SECONDS = (0.2, 0.5, 1.0, 2.0, 5.0)
_ANSWER_SECONDS = 20.0


class GroupConsumer(Protocol):
    """The part of a group's consumer that the loop uses."""

    def assignment(self) -> Collection[TP]: ...

    async def earliest_offsets(self, *partitions: TP) -> dict[TP, int]: ...

    async def seek(self, partition: TP, offset: int) -> None: ...


class StepLoop:
    """Feeds batches to the runner and lets be committed what is stored and delivered. `app` has a `consumer`
    (GroupConsumer) and a `consumer_generation_id`: Faust's has both. `settle_seconds`: how long a rebalance waits for
    the batch in hand. `die` ends the process."""

    def __init__(
        self, app: Any, runner: StepRunner, intake: Intake, faults: Faults, settle_seconds: float,
        die: Callable[[], None],
    ) -> None:  # fmt: skip
        self._app, self._runner, self._intake, self._faults = app, runner, intake, faults
        self._settle_seconds, self._die = settle_seconds, die
        self._busy, self._moving = asyncio.Lock(), asyncio.Event()

    async def revoked(self, partitions: Collection[int]) -> None:
        """The broker gives partitions away when this returns: what is in hand is delivered before, so that nothing of
        it lands behind what their next owner sends."""
        self._moving.set()
        revoked = list(partitions)
        with contextlib.suppress(TimeoutError, StoreAway):
            async with asyncio.timeout(self._settle_seconds), self._busy:
                await self._runner.leave(revoked)
        self._runner.forget(revoked)

    def assigned(self) -> None:
        self._moving.clear()

    async def run(self) -> None:
        """For ever. An exception never leaves the loop: a worker that cannot go on dies uncommitted."""
        async for fetched in self._intake.batches():
            try:
                async with self._busy:
                    if self._moving.is_set():
                        _postpone_due(self._intake)
                    else:
                        await _seek_due(self._app, self._runner, self._intake)
                        await _batch(self._app, self._runner, fetched, self._intake, self._faults)
            except Exception as exc:
                name = self._runner.step.name
                log.critical("step %s cannot go on", name, extra={"error": type(exc).__name__}, exc_info=True)
                self._die()


async def _batch(app: Any, runner: StepRunner, fetched: Sequence[Fetched], intake: Intake, faults: Faults) -> None:
    """Take a batch through; partitions that another worker took over are let go and the rest is tried again. A store
    that is away is waited for: positions are read again, so what was stored after all is not done twice."""
    left, stale, away = list(fetched), 0, 0
    begun = intake.begun
    while True:
        left = _current(app, left)
        try:
            left = await _without_gaps(app, runner, left, intake)
            left = await _hold_back(runner, left, intake)
            await runner.process([f.message for f in left], lambda: [f.message for f in intake.ahead()])
            break
        except StaleOwner as exc:
            # A worker on its way out may have stored one more batch after these partitions came here.
            stale += 1
            if stale == _STALE_TRIES:
                raise
            log.info("partitions %s: the stored offset has moved on", sorted(exc.partitions))
        except (StoreAway, KeysAway, LogAway) as exc:
            delay = _AWAY_SECONDS[min(away, len(_AWAY_SECONDS) - 1)]
            away += 1
            what = "log" if isinstance(exc, LogAway) else "state store"
            log.warning("%s away, again in %.1f s", what, delay, extra={"step": runner.step.name, "error": str(exc)})
            await asyncio.sleep(delay)
        runner.forget()
    for f in left:
        tp = TP(f.message.topic, f.message.partition)
        intake.done[tp] = max(intake.done.get(tp, 0), f.message.offset + 1)
        intake.sought.discard(tp)
        begun.add(tp)
    faults.hit(runner.step.name, Point.AFTER_COMMIT)


def _postpone_due(intake: Intake) -> None:
    """In a rebalance no consumer is moved."""
    for tp, offset in intake.due().items():
        intake.hold(tp, offset, _MOVING_SECONDS)


async def _seek_due(app: Any, runner: StepRunner, intake: Intake) -> None:
    """Read again what was held back and is due. What is noted of it is read again, too: an operator may have given it
    up meanwhile."""
    for tp, offset in intake.due().items():
        if tp in app.consumer.assignment():
            runner.forget([tp.partition])
            if not await _moved(app, tp, offset):
                intake.hold(tp, offset, _MOVING_SECONDS)
                continue
        intake.release(tp)


async def _hold_back(runner: StepRunner, fetched: list[Fetched], intake: Intake) -> list[Fetched]:
    """Hold back, from there on, each partition where the step stops for a while; the others go on."""
    ends: dict[int, int] = {}
    for stop in await runner.stops([f.message for f in fetched]):
        intake.hold(TP(runner.step.source.name, stop.partition), stop.offset, stop.seconds)
        ends[stop.partition] = stop.offset
    return [f for f in fetched if f.message.offset < ends.get(f.message.partition, f.message.offset + 1)]


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
    it lies within what was read on. Where retention took what comes next, go back to what it left. In a compacted
    topic, which has many gaps, only where the consumer has just come to: at its commits, which are ahead where Postgres
    was put back from a backup, and behind a record that it went back for, which what was on its way then must not
    overtake."""
    requested = fetched
    if runner.step.source.cleanup is not Cleanup.DELETE:
        requested = [f for f in fetched if _just_come(intake, TP(f.message.topic, f.message.partition))]
    went_back = intake.went_back
    back = await _back_to(app, runner, await _gaps(app, runner, requested), intake)
    # Nothing was moved so far: where the log is away, all of this is tried again with the same records.
    for tp, (begin, first) in back.items():
        log.info("step %s: partition %d goes back to its stored offset", runner.step.name, tp.partition)
        if await _moved(app, tp, begin):
            intake.drop([tp])
            went_back[tp] = begin, first
    return [f for f in fetched if TP(f.message.topic, f.message.partition) not in back]


async def _back_to(
    app: Any, runner: StepRunner, gaps: Mapping[int, tuple[int, int]], intake: Intake
) -> dict[TP, tuple[int, int]]:
    """Partition -> the offset that its consumer is to go back to, and the first record that stood behind it: the
    stored offset, or where the log begins, if retention took what was stored last."""
    back = {}
    for partition, (stored, first) in gaps.items():
        tp = TP(runner.step.source.name, partition)
        if intake.nothing_between(tp, stored, first) or _least(intake, tp, stored, first) == first:
            continue
        earliest = await _earliest(app, tp)
        begin = max(stored, earliest)
        least = _least(intake, tp, begin, first)
        if begin < first != least:
            back[tp] = begin, min(first, least)
        else:
            log.error(
                "step %s: partition %d: records %d to %d are no longer in the log, and were never read",
                runner.step.name, partition, stored, earliest - 1,
            )  # fmt: skip
    return back


def _least(intake: Intake, tp: TP, begin: int, first: int) -> int:
    """The first record that stood behind an offset when the consumer went back there. What was on its way here when it
    was moved stands behind that record, never on it. Another than `first` where it never went."""
    before = intake.went_back.get(tp)
    return before[1] if before is not None and before[0] == begin else first + 1


async def _moved(app: Any, tp: TP, offset: int) -> bool:
    """Whether the consumer went there: the partition may have left meanwhile."""
    try:
        await app.consumer.seek(tp, offset)
    except KafkaError as exc:
        log.info("partition %d cannot be moved: %s", tp.partition, type(exc).__name__)
        return False
    return True


async def _earliest(app: Any, tp: TP) -> int:
    """Where the log of a partition begins. Raises LogAway."""
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            return int((await app.consumer.earliest_offsets(tp))[tp])
    except (KafkaError, TimeoutError, KeyError) as exc:
        raise LogAway(f"where {tp.topic}/{tp.partition} begins: {type(exc).__name__}") from None


def _just_come(intake: Intake, tp: TP) -> bool:
    return tp in intake.sought or tp not in intake.begun


async def _gaps(app: Any, runner: StepRunner, fetched: Sequence[Fetched]) -> dict[int, tuple[int, int]]:
    """Partition -> its stored offset and the first one fetched that is not below it, where these are not the same.
    Where none is stored, the step begins with what the log has. All are read before a consumer is moved: a store that
    is away leaves nothing half done. Raises StoreAway, LogAway."""
    offsets: dict[int, list[int]] = {}
    for f in fetched:
        offsets.setdefault(f.message.partition, []).append(f.message.offset)
    out = {}
    for partition, found in offsets.items():
        stored = await runner.stored_offset(partition)
        if stored is None and min(found) > 0:
            stored = await _earliest(app, TP(runner.step.source.name, partition))
        if stored is not None and (first := min((o for o in found if o >= stored), default=stored)) > stored:
            out[partition] = stored, first
    return out
