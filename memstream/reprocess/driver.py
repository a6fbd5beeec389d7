"""One rebuild from its row to its switch (N1). Killed anywhere, the same command goes on where it was."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from memstream.reprocess.compare import Comparison, GenerationSide, RevisionSide, behind, compare
from memstream.reprocess.errors import RebuildError
from memstream.reprocess.offsets import Eta
from memstream.reprocess.ports import Reached
from memstream.reprocess.stores import Store
from schemas.storage.generations import Generation
from sinks.postgres.contents import VECTORS, PostgresContents

LOOK_SECONDS = 0.5
READERS_SECONDS = 5.0
"""Readers look once a second which generation is read; what they began on the one before comes to its end."""
NEAR = 200
"""Records from the end at which a generation counts as caught up: the rest is what comes meanwhile."""


class Progress(Protocol):
    """Hears how it goes."""

    def step(self, store: str, what: str) -> None:
        """A new phase began."""
        ...

    def left(self, store: str, total: int, left: int, seconds: float | None) -> None:
        """Records of the topics, those still to be read, and how long that may take."""
        ...

    def full(self, store: str) -> None:
        """All of them have been read: also those that came while the others were."""
        ...


@dataclass(frozen=True, slots=True)
class Options:
    """`repair`: the live generation is damaged, so the log is the yardstick. `switch`, `drop_old`: what follows a
    comparison that agrees. `stall_seconds`: how long a writer may stand still before that is an error."""

    repair: bool = False
    switch: bool = True
    drop_old: bool = False
    stall_seconds: float = 180.0


@dataclass(slots=True)
class Outcome:
    """What became of one store."""

    store: str
    live_before: int
    generation: int
    comparison: Comparison
    carried: Mapping[str, int] = field(default_factory=dict)
    switched: bool = False
    dropped: bool = False

    def as_json(self) -> dict[str, Any]:
        return {
            "store": self.store, "live_before": self.live_before, "generation": self.generation,
            "switched": self.switched, "dropped_old": self.dropped, "carried_over": dict(self.carried),
            "comparison": self.comparison.as_json(),
        }  # fmt: skip


class Rebuild:
    """One store. `now` counts seconds, `sleep` waits."""

    def __init__(
        self, reached: Reached, store: Store, progress: Progress, options: Options,
        now: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep,
    ) -> None:  # fmt: skip
        self._reached, self._store, self._progress, self._options = reached, store, progress, options
        self._generations = reached.generations
        self._now, self._sleep = now, sleep

    def run(self, embedder: str | None = None) -> Outcome:
        """Raises RebuildError, GenerationError, Transient, BrokerAwayError. `embedder`: None keeps the live one's."""
        name, generations = self._store.name, self._generations
        if not generations.drive(f"rebuild/{name}"):
            raise RebuildError(f"another command is rebuilding {name} in this stack: let it finish, or end it first")
        live = generations.live(name)
        new = generations.begin(name, live.embedder if embedder is None else embedder)
        self._progress.step(name, f"building generation {new.number} beside {live.number}")
        if isinstance(self._store.contents, PostgresContents):
            self._store.contents.make(new.number)
            # A model gives a text other last digits in other company: even one model's vectors are not compared.
            self._store.contents.ignore(VECTORS if live.embedder or new.embedder else ())
        self._until_near(new)
        carried = self._carry(live, new)
        comparison = self._compared(live, new)
        self._progress.full(name)
        generations.settle(name, new.number, comparison.as_json())
        out = Outcome(name, live.number, new.number, comparison, carried)
        if comparison.agrees and self._options.switch:
            generations.switch({name: new.number})
            out.switched = True
            self._progress.step(name, f"generation {new.number} is read from now on")
            if self._options.drop_old:
                self.drop(live.number)
                out.dropped = True
        return out

    def drop(self, number: int) -> None:
        """End its writer, then remove its data. Raises GenerationError for the live one, RebuildError when its writer
        does not end."""
        name, generations = self._store.name, self._generations
        generations.mark(name, number, "dropping")
        self._progress.step(name, f"dropping generation {number}")
        deadline = self._now() + self._options.stall_seconds
        while not generations.left_alone(name, number):
            if self._now() > deadline:
                raise RebuildError(
                    f"the writer of generation {number} of {name} does not end: see the log of sink-{name}, then run "
                    f"`memstream rebuild drop {name}` again"
                )
            self._sleep(LOOK_SECONDS)
        self._sleep(READERS_SECONDS)
        self._store.contents.drop(number)
        generations.mark(name, number, "dropped")

    def _until_near(self, new: Generation) -> None:
        offsets = self._reached.offsets(new.number)
        eta, best, since = Eta(), None, self._now()
        try:
            while True:
                bounds = offsets.bounds()
                total, left = sum(end - start for start, end in bounds.values()), offsets.left(bounds)
                now = self._now()
                self._progress.left(self._store.name, total, left, eta.update(now, left))
                if left <= NEAR:
                    return
                if best is None or left < best:
                    best, since = left, now
                self._stalled(now - since, new.number)
                self._sleep(LOOK_SECONDS)
        finally:
            offsets.close()

    def _caught_up(self, numbers: tuple[int, ...]) -> None:
        """Until these generations have committed everything that is in the log now."""
        for number in numbers:
            offsets = self._reached.offsets(number)
            try:
                bounds, since, best = offsets.bounds(), self._now(), None
                while left := offsets.left(bounds):
                    if best is None or left < best:
                        best, since = left, self._now()
                    self._stalled(self._now() - since, number)
                    self._sleep(LOOK_SECONDS)
            finally:
                offsets.close()

    def _stalled(self, seconds: float, number: int) -> None:
        name = self._store.name
        if seconds > self._options.stall_seconds:
            raise RebuildError(
                f"the writer of generation {number} of {name} stands still: is `memstream sink {name}` running, and "
                f"does the store answer? Run the same command again to go on; where the live {name} is damaged, "
                "with --repair"
            )

    def _carry(self, live: Generation, new: Generation) -> Mapping[str, int]:
        if not isinstance(self._store.contents, PostgresContents):
            return {}
        return self._store.contents.carry(live.number, new.number)

    def _compared(self, live: Generation, new: Generation) -> Comparison:
        contents, name = self._store.contents, self._store.name
        if self._options.repair:
            return self._beside_the_log(new)
        self._progress.step(name, f"comparing generations {live.number} and {new.number}")
        both = (live.number, new.number)
        self._caught_up(both)
        found = compare(
            GenerationSide(contents, live.number), GenerationSide(contents, new.number), lambda: self._caught_up(both)
        )
        reached = contents.progress(live.number)
        late = behind(reached, lambda: contents.progress(new.number), lambda: self._caught_up((new.number,)))
        if late:
            raise RebuildError(f"{len(late)} markers of {name} are behind the live ones: run the same command again")
        return found

    def _beside_the_log(self, new: Generation) -> Comparison:
        name = self._store.name
        self._progress.step(name, f"comparing generation {new.number} with the log")
        log = self._reached.log()

        def on() -> None:
            log.advance()
            self._caught_up((new.number,))

        try:
            on()
            return compare(log, RevisionSide(self._store.contents, new.number), on)
        finally:
            log.close()
