"""Erasures in a world: what Postgres has of them, what the sinks note there, and the real eraser over all of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from memstream.erasure.eraser import Eraser, EraserConfig, Reached, follow
from schemas.events.erasure import Erasure
from sinks.protocol import Transient
from tests.simulation.acts import SINKS
from tests.simulation.blocking import block_on
from tests.simulation.erasing import NoKeys, SimTopics
from tests.simulation.history import Watched
from tests.simulation.loop import Process
from tests.simulation.net import AwayError
from tests.simulation.producer import SimProducer
from tests.simulation.register import MemoryRegister, SimRegister
from tests.simulation.sink_consumer import SimClock

if TYPE_CHECKING:
    from tests.simulation.world import World

_SIGNING = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
_ANSWER_SECONDS = 5.0


class Trust:
    """`asked`: erasures that were acknowledged."""

    def __init__(self, world: World, clock: SimClock) -> None:
        self._world = world
        self.register = MemoryRegister(clock.now, world.state.data, self._generations)
        self.asked: list[str] = []
        self.asking = False
        """The eraser waits for an answer of Postgres."""

    def _generations(self) -> list[tuple[str, int]]:
        return [(store, number) for store, number, _ in self._world.views.written()]

    def requested(self, e: Erasure) -> None:
        """The service has taken it: the access log says so."""
        self.register.requests[e.erasure_id] = {"seq": len(self.register.requests)}

    def open(self) -> list[str]:
        """Erasures that were acknowledged and are not done."""
        entries = self.register.entries
        return [name for name in self.asked if name not in entries or entries[name].state != "done"]

    def cuts(self) -> dict[str, datetime]:
        """User -> when what is done was asked for last."""
        out: dict[str, datetime] = {}
        for e in (entry.under_way.erasure for entry in self.register.entries.values()):
            name = e.user_id or ""
            out[name] = max(e.accepted_at, out.get(name, e.accepted_at))
        return out

    def note(self, store: str, e: Erasure, place: str, counts: Mapping[str, int]) -> None:
        """Of Postgres within its transaction, of the others by a call to it. Raises Transient."""
        if store == "postgres":
            self.register.begin(e)
            self.register.found(e, place, counts)
            if e.found:
                self.register.found(e, f"state/{e.stage}/{place.rpartition('/')[2]}", e.found)
            return

        def noted() -> None:
            self.register.begin(e)
            self.register.found(e, place, counts)

        try:
            self._ask(noted, True)
        except AwayError as exc:
            raise Transient(str(exc)) from None

    def follow(self, process: Process, clock: SimClock, partitions: int) -> None:
        """The eraser's process. Blocks for ever."""
        w, stop, watched = self._world, threading.Event(), Watched(self._world.history, process.name)

        def passed(point: str) -> None:
            if point == "idle":
                w.history.at[process.name, "eraser"] = point
            else:
                watched.hit("eraser", point)

        register = SimRegister(self.register, self._asked, passed)
        producer = partial(SimProducer, w.net, w.broker, w.random, clock.now_ms, 30.0)
        reached = Reached(
            register=lambda: nullcontext(register),
            topics=SimTopics(w.net, w.broker, w.loop, producer, passed),
            keys=NoKeys(),
            codec=w.codec,
            signing=_SIGNING,
            now=clock.now,
            event_id=lambda: f"{w.random.getrandbits(64):x}",
        )
        eraser = Eraser(reached, EraserConfig(frozenset(SINKS), partitions))
        follow(eraser, stop, lambda seconds: clock.wait(stop, seconds))

    def _asked(self, work: Callable[[], Any], writes: bool) -> Any:
        self.asking = True
        try:
            return self._ask(work, writes)
        finally:
            self.asking = False

    def _ask(self, work: Callable[[], Any], writes: bool) -> Any:
        """From blocking code, what Postgres answers. Raises AwayError."""
        server = self._world.stores["postgres"]

        def answer() -> Any:
            if writes and server.weather.refuses:
                raise AwayError("ReadOnlySqlTransaction")
            return work()

        return block_on(self._world.net.call(server, answer, _ANSWER_SECONDS), self._world.loop)
