"""Generations of the views in a world: which stand, what each holds, and the product's rebuild over all of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from memstream.reprocess.driver import Options, Outcome, Rebuild
from memstream.reprocess.errors import BrokerAwayError
from memstream.reprocess.offsets import Place, left_of
from memstream.reprocess.ports import Reached
from memstream.reprocess.stores import Store
from schemas.log.codec import Headers
from schemas.storage.generations import Generation, GenerationError, State
from schemas.storage.layouts import sink_group
from sinks.collapse import revision
from sinks.contents import Bucket, Digest, Token, digests, hash64, part_of
from sinks.memory import MemorySink
from sinks.protocol import Mark, Message, Transient
from tests.simulation.acts import SINKS
from tests.simulation.blocking import block_on, run_blocking
from tests.simulation.erasing import RecordedFindings
from tests.simulation.loop import Process
from tests.simulation.net import AwayError, Server
from tests.simulation.partition import BrokerError
from tests.simulation.sinks import topics_of

if TYPE_CHECKING:
    from tests.simulation.world import World

T = TypeVar("T")
_ANSWER_SECONDS = 5.0


@dataclass(slots=True)
class View:
    """What a generation of a store holds, and what it has removed until that is noted."""

    sink: MemorySink
    findings: RecordedFindings
    state: State = "standing"


class Views:
    """The rows of `ops`, and the stores' generations. Survives who uses it."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.all: dict[tuple[str, int], View] = {}
        self.live = dict.fromkeys(SINKS, 1)
        self._drivers: dict[str, Process] = {}
        for store in SINKS:
            self._add(store, 1, "standing")

    def read(self, store: str) -> MemorySink:
        """Of the generation that is read now."""
        return self.all[store, self.live[store]].sink

    def written(self) -> Iterator[tuple[str, int, MemorySink]]:
        """All that have a writer."""
        yield from ((store, number, v.sink) for (store, number), v in self.all.items())

    def drive(self, process: Process, name: str) -> bool:
        other = self._drivers.get(name)
        if other is not None and other.alive and other is not process:
            return False
        self._drivers[name] = process
        return True

    def of(self, store: str, number: int) -> Generation:
        return Generation(store, number, self.all[store, number].state, self.live[store] == number)

    def begin(self, store: str) -> Generation:
        """Its writer is started a little later, as by the parent that looks every second."""
        mine = [(number, v.state) for (name, number), v in self.all.items() if name == store]
        number = next((n for n, state in mine if state == "building"), None)
        if number is None:
            number = max(n for n, _ in mine) + 1
            self._add(store, number, "building")
            loop = self._world.loop
            loop.call_later(1.0, self._world.start, writer_of(store, number), context=loop.outside())
        return self.of(store, number)

    def switch(self, to: Mapping[str, int]) -> None:
        for store, number in to.items():
            if (store, number) not in self.all:
                raise GenerationError(f"there is no generation {number} of {store} to switch to")
            self.all[store, number].state = "standing"
            self.live[store] = number

    def _add(self, store: str, number: int, state: State) -> None:
        findings, names = RecordedFindings(), [t.name for t in topics_of(store)]
        self.all[store, number] = View(MemorySink(store, names, self._world.now, findings, number), findings, state)


def writer_of(store: str, number: int) -> str:
    """The process that writes a generation."""
    return f"sink-{store}" if number == 1 else f"sink-{store}-g{number}"


class Rebuilding:
    """One life of the command. It ends by itself, or raises what ends it: the operator runs it again."""

    def __init__(self, world: World, process: Process, store: str) -> None:
        self._world, self._process, self._store = world, process, store

    def run(self, now: Callable[[], float], sleep: Callable[[float], None]) -> Outcome:
        """Blocks. Raises RebuildError, Transient, AwayError."""
        w, name = self._world, self._store
        names = tuple(t.name for t in topics_of(name))
        reached = Reached(
            _Generations(w.views, self._process, self._asked),
            lambda number: _Offsets(w, sink_group(name, number), names),
            _no_log,
        )
        store = Store(name, names, _Contents(w, name), lambda event: None)  # nothing is read of the log
        return Rebuild(reached, store, self, Options(), now, sleep).run()

    # What it says.
    def step(self, store: str, what: str) -> None:
        self._passes(what)

    def left(self, store: str, total: int, left: int, seconds: float | None) -> None:
        """How far it is."""

    def full(self, store: str) -> None:
        """All is read."""

    def _passes(self, what: str) -> None:
        """A point at which it may be struck; no stage of the stream has come anywhere."""
        self._world.history.on_point(self._process.name)
        self._world.history.note(self._process.name, what)

    def _asked(self, what: str, work: Callable[[], T], writes: bool) -> T:
        """Of Postgres. Raises AwayError."""
        w, server = self._world, self._world.stores["postgres"]
        self._passes(what)

        def answer() -> T:
            if writes and server.weather.refuses:
                raise AwayError("ReadOnlySqlTransaction")
            return work()

        found: T = block_on(w.net.call(server, answer, _ANSWER_SECONDS), w.loop)
        return found


class _Generations:
    """One connection: `ask` blocks until Postgres has answered."""

    def __init__(self, views: Views, process: Process, ask: Callable[[str, Callable[[], Any], bool], Any]) -> None:
        self._views, self._process, self._ask = views, process, ask

    def drive(self, name: str) -> bool:
        return bool(self._ask("drives", lambda: self._views.drive(self._process, name), False))

    def live(self, store: str) -> Generation:
        found: Generation = self._ask("live", lambda: self._views.of(store, self._views.live[store]), False)
        return found

    def begin(self, store: str, embedder: str) -> Generation:
        found: Generation = self._ask("begins", lambda: self._views.begin(store), True)
        return found

    def settle(self, store: str, number: int, report: dict[str, Any]) -> None:
        self._ask("settles", lambda: None, True)

    def switch(self, to: dict[str, int]) -> None:
        self._ask("switches", lambda: self._views.switch(to), True)

    def mark(self, store: str, number: int, state: Literal["dropping", "dropped"]) -> None:
        raise NotImplementedError  # nothing is dropped in a round

    def left_alone(self, store: str, number: int) -> bool:
        raise NotImplementedError


class _Offsets:
    """As `GroupOffsets`."""

    def __init__(self, world: World, group: str, names: tuple[str, ...]) -> None:
        self._world, self._group, self._names = world, group, names

    def bounds(self) -> dict[Place, tuple[int, int]]:
        def ask() -> dict[Place, tuple[int, int]]:
            found = self._world.broker.everything()
            return {place: (p.start, p.visible_end) for place, p in found.items() if place[0] in self._names}

        return self._called(ask)

    def left(self, until: Mapping[Place, tuple[int, int]]) -> int:
        return left_of(until, self._called(lambda: self._world.broker.committed(self._group)))

    def close(self) -> None:
        """Nothing is open."""

    def _called(self, ask: Callable[[], T]) -> T:
        w = self._world
        try:
            found: T = block_on(w.net.call(w.broker, ask), w.loop)
        except (AwayError, BrokerError) as exc:
            raise BrokerAwayError(str(exc)) from None
        return found


class _Contents:
    """As `Contents`, of views in memory."""

    def __init__(self, world: World, store: str) -> None:
        self._world, self._store = world, store
        self._server: Server = world.stores[store]

    def buckets(self, generation: int) -> dict[Bucket, Digest]:
        return self._called(lambda: digests((bucket, token) for bucket, _, token in self._tokens(generation)))

    def rows(self, generation: int, bucket: Bucket) -> dict[str, Token]:
        return self._called(lambda: {key: token for found, key, token in self._tokens(generation) if found == bucket})

    def part(self, key: str) -> str:
        return part_of(key)

    def progress(self, generation: int) -> dict[Mark, int]:
        return self._called(lambda: self._world.views.all[self._store, generation].sink.progress())

    def drop(self, generation: int) -> None:
        raise NotImplementedError  # nothing is dropped in a round

    def close(self) -> None:
        """Nothing is open."""

    def _tokens(self, generation: int) -> Iterator[tuple[Bucket, str, Token]]:
        codec = self._world.codec
        for name, row in self._world.views.all[self._store, generation].sink.rows.items():
            key = "/".join(map(str, name[1:]))
            bucket = Bucket(str(name[0]), str(name[1]), part_of(key))
            yield bucket, key, Token(revision(row), hash64(name[0], key, codec.value(row)))

    def _called(self, ask: Callable[[], T]) -> T:
        w = self._world
        try:
            found: T = block_on(w.net.call(self._server, ask, _ANSWER_SECONDS), w.loop)
        except AwayError as exc:
            raise Transient(str(exc)) from None
        return found


class Unsent:
    """Dead letters of a generation that is not read, as `memstream.workers.sink.Unsent`."""

    def deliver(self, message: Message, headers: Headers) -> None:
        """The live one sends the same."""

    def close(self) -> None:
        """Nothing waits."""


def _no_log() -> Any:
    raise NotImplementedError  # --repair is not in a round


async def rebuild(world: World, process: Process, store: str) -> None:
    """One life of the process `rebuild-STORE`."""
    sleep = partial(_sleep, world)
    outcome = await run_blocking(lambda: Rebuilding(world, process, store).run(world.loop.time, sleep))
    world.rebuilt(process, store, outcome)


def _sleep(world: World, seconds: float) -> None:
    block_on(asyncio.sleep(seconds), world.loop)
