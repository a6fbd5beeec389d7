"""The stores as sinks meet them: late, away, refusing, or written though the answer was lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from schemas.events.erasure import Erasure
from schemas.log.topics import Topic
from sinks.memory import MemorySink
from sinks.protocol import SinkBatch, Transient
from sinks.wrapper import SinkWrapper
from tests.crash.log import SINK_TOPICS
from tests.simulation.erasing import RecordedFindings
from tests.simulation.net import Server

TRANSACTIONAL = frozenset({"postgres"})
"""Stores that write a batch whole or not at all; of the others a part may stand when the process ends."""


def topics_of(store: str) -> tuple[Topic, ...]:
    return SINK_TOPICS[store]


Note = Callable[[Erasure, str, Mapping[str, int]], None]
"""Note in Postgres what an erasure removed where."""


class StormySink(SinkWrapper):
    """A store behind a network. `sink` holds what is stored, and outlives the process. `wait` blocks. `findings`: what
    the sink has removed for erasures, which goes to `note`: at once where the store has transactions, else by a call of
    its own, which may raise Transient."""

    def __init__(
        self, sink: MemorySink, server: Server, random: Random, wait: Callable[[float], None],
        findings: RecordedFindings | None = None, note: Note | None = None,
    ) -> None:  # fmt: skip
        super().__init__(sink)
        self.writing = False
        self._erasure_log, self._note = findings, note
        self._server, self._random, self._wait = server, random, wait

    def ensure(self) -> None:
        self._pass()
        super().ensure()

    def write(self, batch: SinkBatch) -> int:
        """Raises Transient; what was sent may stand nonetheless, whole or (where the store has no transactions) in
        part."""
        life = self._server.life
        self._pass()
        self.writing = True
        try:
            return self._written(batch, life)
        finally:
            self.writing = False

    def _written(self, batch: SinkBatch, life: int) -> int:
        weather, refused = self._server.weather, 0
        if self._server.name.removeprefix("store-") not in TRANSACTIONAL and len(batch.items) > 1:
            half = self._random.randint(1, len(batch.items) - 1)
            refused = self._stored(SinkBatch(batch.items[:half]))
            self._wait(self._random.uniform(0.0, 0.005))
            if not self._server.up or self._server.life != life:
                raise Transient("connection closed")
            batch = SinkBatch(batch.items[half:], batch.progress, batch.sweep)
        refused += self._stored(batch)
        self._wait(self._random.uniform(0.0002, 0.005) + self._random.random() * weather.slow)
        if not self._server.up or self._server.life != life or self._random.random() < weather.lost:
            raise Transient("no answer")
        return refused

    def _stored(self, batch: SinkBatch) -> int:
        """What is removed for an erasure is noted before the progress that it completes."""
        erases = self._erasure_log is not None and any(isinstance(i.event, Erasure) for i in batch.items)
        refused = super().write(SinkBatch(batch.items) if erases else batch)
        if erases and self._erasure_log is not None and self._note is not None:
            for erasure, place, counts in self._erasure_log.taken():
                self._note(erasure, place, counts)
            super().write(SinkBatch((), batch.progress, batch.sweep))
        return refused

    def _pass(self) -> None:
        """The way there."""
        weather = self._server.weather
        self._wait(self._random.uniform(0.0002, 0.005) + self._random.random() * weather.slow)
        if not self._server.up or self._random.random() < weather.dropped:
            raise Transient("away")
        if weather.refuses:
            raise Transient("read-only")
