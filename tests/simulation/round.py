"""One round: calls and faults together, then calm, then the check."""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from query.writing.publish import Entry
from schemas.events.memory import MemoryUpdate
from schemas.storage.layouts import sink_group
from streams.topology import Parts
from tests.crash.oracle import source_topic
from tests.simulation import models
from tests.simulation.check import differences
from tests.simulation.erased import Erased
from tests.simulation.load import Call
from tests.simulation.loop import StandstillError
from tests.simulation.nemesis import Nemesis
from tests.simulation.net import AwayError
from tests.simulation.plan import Plan
from tests.simulation.readers import Readers
from tests.simulation.rebuilding import writer_of
from tests.simulation.service import Accepted, Make
from tests.simulation.sinks import topics_of
from tests.simulation.table import Cell
from tests.simulation.world import START, World, WorldConfig

REST_SECONDS = 3600.0
"""Virtual seconds within which all must have come to rest once the faults are over."""
_TURNS = ("turn", "again")


@dataclass(slots=True)
class Result:
    """`failures`: lines; empty for a round as it must be. `seconds` of virtual time."""

    plan: Plan
    failures: list[str] = field(default_factory=list)
    history: list[str] = field(default_factory=list)
    digest: str = ""
    checked: Counter[str] = field(default_factory=Counter)
    met: Counter[Cell] = field(default_factory=Counter)
    """How often a fault struck a stage while what was open."""
    lost: list[str] = field(default_factory=list)
    """What a power cut took of what had been acknowledged, as recovery said it."""
    outputs_lost: int = 0
    """Records that topics of steps have lost."""
    seconds: float = 0.0
    steps: int = 0
    fresh: Counter[tuple[str, bool]] = field(default_factory=Counter)
    """(read, whether it was said to be fresh)."""


def run(plan: Plan, parts: Parts) -> Result:
    """Never raises for what the system under test does: that is a failure of the round."""
    erases = any(c.what == "erase" for c in plan.calls)
    world = World(WorldConfig(plan.seed, plan.durable, erases=erases), parts)
    result = Result(plan)
    try:
        with _uncollected():
            _run(plan, world, parts, result)
    finally:
        world.loop.close()
    return result


@contextmanager
def _uncollected() -> Iterator[None]:
    """The garbage of a round is collected behind it: when the collector comes by itself is the process's, not the
    seed's, and what it finds (an exception that nobody asked for) would be a failure in one process and none in the
    next."""
    before = gc.isenabled()
    gc.disable()
    gc.collect(0)  # of those before
    try:
        yield
    finally:
        if before:
            gc.enable()


def _run(plan: Plan, world: World, parts: Parts, result: Result) -> None:
    nemesis, readers, erased = Nemesis(world), Readers(world), Erased(world)
    world.start_all()

    async def everything() -> None:
        await asyncio.gather(_calls(world, plan.calls, readers), nemesis.run(list(plan.acts)))
        await readers.done()

    try:
        world.loop.run_until_complete(everything(), within=REST_SECONDS)
        world.calm = True
        world.loop.run_until_complete(_rest(world), within=REST_SECONDS)
    except StandstillError as exc:
        result.failures += [f"no end: {exc}", *(f"no end: {line}" for line in _behind(world))]
    else:
        readers.turns |= nemesis.outside
        d = differences(world, readers, parts)
        result.failures += d.lines()
        result.checked = d.checked
        result.failures += readers.unhonoured()
        left = erased.at_rest(readers.said)
        result.failures += left.lines()
        result.checked += left.checked
        result.checked["rebuilds"] += len(world.outcomes)
        result.failures += [
            f"rebuild: {store} does not agree with what is read: {o.comparison.different}"
            for store, o in world.outcomes.items() if not o.comparison.agrees
        ]  # fmt: skip
    gc.collect(0)  # all that is new: the collector has stood still
    result.failures += [f"nobody caught {e}" for e in world.loop.errors]
    result.history, result.digest = world.history.lines, world.history.digest()
    result.met, result.lost = world.history.met, nemesis.lost
    result.outputs_lost = nemesis.outputs_lost
    result.seconds, result.steps, result.fresh = world.loop.time(), world.loop.turns, readers.answers


async def _calls(world: World, calls: Sequence[Call], readers: Readers) -> None:
    """One after the other, each repeated until it is acknowledged. Of what comes at once, some turns go in one call."""
    for together in _in_calls(calls):
        await asyncio.sleep(together[0].pause)
        chosen = _memory(world, together[0])
        if together[0].entry(START, chosen) is None:
            continue
        made = partial(_entries, together, chosen)
        accepted = await _until_accepted(world, made)
        for call, written in zip(together, accepted.written, strict=True):
            at = f"{written.partition}:{written.offset}"
            world.history.note("caller", f"{call.number} {call.what} of {call.user} is at {at}")
            readers.accepted(call, written, accepted.token)


def _in_calls(calls: Sequence[Call]) -> Iterator[list[Call]]:
    together: list[Call] = []
    for call in calls:
        joins = call.what in _TURNS and not call.pause and call.target % 2 == 0
        if together and not (joins and together[-1].what in _TURNS):
            yield together
            together = []
        together.append(call)
    if together:
        yield together


def _entries(calls: Sequence[Call], memory: str | None, at: datetime) -> list[Entry]:
    return [entry for call in calls if (entry := call.entry(at, memory)) is not None]


async def _until_accepted(world: World, make: Make) -> Accepted:
    while True:
        try:
            return await world.service.post(make)
        except AwayError:
            await asyncio.sleep(0.25)


def _memory(world: World, call: Call) -> str | None:
    """One of the memories that Postgres shows of the user now."""
    found = sorted(
        e.record_id
        for e in world.views.read("postgres").rows.values()
        if isinstance(e, MemoryUpdate) and e.owner_id == call.user and e.op == "upsert"
    )
    return found[call.target % len(found)] if found else None


def _behind(world: World) -> list[str]:
    """Readers that have not read all there is."""
    out = []
    stored = world.state.data.next_offsets()
    for place, log in world.broker.everything().items():
        last = next((s.offset + 1 for s in reversed(log.records) if s.record.visible), 0)
        for step in models.STEPS:
            if source_topic(step).name == place[0] and stored.get((step, place[1]), 0) < last:
                out.append(f"{step} is at {stored.get((step, place[1]))} of {last} in {place[0]}/{place[1]}")
        for sink, number, _ in world.views.written():
            if place[0] in {t.name for t in topics_of(sink)}:
                done = world.broker.committed(sink_group(sink, number)).get(place, 0)
                if done < last:
                    out.append(f"{writer_of(sink, number)} has committed {done} of {last} in {place[0]}/{place[1]}")
    entries = world.trust.register.entries
    waited = {e: entries[e].under_way.step if e in entries else "not begun" for e in world.trust.open()}
    return out + [f"erasure {e} is not done: {step}" for e, step in waited.items()]


async def _rest(world: World) -> None:
    """Returns when nothing is left to read, twice in a row."""
    calm = 0
    while calm < 2:
        calm = 0 if _behind(world) else calm + 1
        await asyncio.sleep(1.0)
