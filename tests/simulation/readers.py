"""Callers who read their own writes: the product's wait, over the progress that a store has. What each was shown is
kept, and compared with what its write led to once the round is over (`promises.py`)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from query.freshness import Place, ProgressWatch, arrived, needs_of
from schemas.log.progress import FreshnessToken, Written
from sinks.memory import MemorySink
from tests.simulation.load import Call
from tests.simulation.net import AwayError
from tests.simulation.promises import VIEWS_OF, Rows, Seen
from tests.simulation.world import World

T = TypeVar("T")
_WAIT_SECONDS = 30.0
_POLL_SECONDS = 0.05
_REMEMBERED_SECONDS = 1.0
"""For so long the service remembers which generation is read (`QueryConfig.generation_seconds`)."""
_LAST_WRITES = 3
"""Of a caller's writes its token names so many."""


@dataclass(frozen=True, slots=True)
class Read:
    """A read of the query service: the views that it waits for, in which store."""

    name: str
    store: str
    views: tuple[str, ...]


READS: tuple[Read, ...] = (
    Read("turns", "postgres", ("turns", "outcomes")),
    Read("profile", "postgres", ("memories",)),
    Read("session", "postgres", ("sessions", "turns")),
    Read("project", "postgres", ("projects",)),
    Read("history of a memory", "postgres", ("memories", "outcomes", "projects", "turns")),
    Read("prompt", "postgres", ("turns", "memories", "sessions", "projects")),
    Read("search", "milvus", ("turns", "memories", "projects")),
)
"""As the routes of `query/reading` and `query/prompt` wait; what waits for the chunk step is not here."""
_STAGES_OF = {
    "turns": ("screen",), "memories": ("screen", "extract", "gate"), "outcomes": ("screen", "extract", "gate"),
    "sessions": ("screen", "session"), "projects": ("screen", "extract", "gate", "project"),
}  # fmt: skip
"""Through which a write comes into a view."""


class Readers:
    """`answers`: (read, fresh) of those that have answered."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._watches = {s: ProgressWatch(partial(self._progress, s), _POLL_SECONDS) for s in VIEWS_OF}
        self._tasks: list[asyncio.Task[None]] = []
        self._written: dict[str, list[tuple[Call, Written, str]]] = {}
        self.turns: set[tuple[str, str]] = set()
        self.said: list[tuple[Call, Written]] = []
        """Calls that were acknowledged, in their order."""
        self.answers: Counter[tuple[str, bool]] = Counter()
        self.seen: list[Seen] = []
        self._looked = dict.fromkeys(VIEWS_OF, (-_REMEMBERED_SECONDS, 1))

    def accepted(self, call: Call, written: Written, token: str) -> None:
        """Each write is read again by one kind of read, and many by two."""
        if call.what in ("turn", "again"):
            self.turns.add((call.user, call.turn))
        self.said.append((call, written))
        mine = self._written.setdefault(call.user, [])
        mine.append((call, written, token))
        last = tuple(mine[-_LAST_WRITES:])
        for n in {call.number, call.target} if call.number % 3 else {call.number}:
            self._tasks.append(asyncio.ensure_future(self._read(READS[n % len(READS)], last)))

    async def done(self) -> None:
        await asyncio.gather(*self._tasks)

    def unhonoured(self) -> list[str]:
        """Tokens that are not honoured though everything has come to rest."""
        out = []
        for written in self._written.values():
            for call, _, token in written:
                for store, views in VIEWS_OF.items():
                    progress = _offsets(self._world.views.read(store))
                    needs = needs_of(FreshnessToken.parse(token), views)
                    late = sorted(p for p, n in needs.items() if progress.get(p, 0) < n)
                    if late:
                        out.append(f"token: {call.number} {call.what} is never fresh in {store}: {late[0]}")
        return out

    async def _read(self, read: Read, writes: tuple[tuple[Call, Written, str], ...]) -> None:
        token = FreshnessToken.of(w for _, _, token in writes for w in FreshnessToken.parse(token).writes)
        given, leaders = FreshnessToken.parse(str(token)), self._world.leaders
        named = tuple((call, w) for call, w, _ in writes)
        stages = dict.fromkeys((*(s for v in read.views for s in _STAGES_OF[v]), f"sink-{read.store}"), 1)
        self._world.opened.tokens.update(stages)
        watch = self._watches[read.store]
        fresh, numbers = await arrived(given, read.views, watch, _WAIT_SECONDS, leaders.lost, self._live)
        lost = tuple(call.number for call, w in named if not leaders.hold(call, w))
        self._world.opened.tokens.subtract(stages)
        rows = await self._shown(read.store) if fresh else None
        if self._live() != numbers:  # as the answer's header says it
            rows = None
        self.answers[read.name, rows is not None] += 1
        if rows is not None:
            self.seen.append(Seen(read.name, read.store, read.views, named, rows, lost))

    async def _progress(self, store: str, places: list[Place]) -> Mapping[Place, int]:
        return await self._ask(store, _offsets)

    async def _shown(self, store: str) -> Rows | None:
        """None where the store does not answer: such a read is no fresh one."""
        try:
            return await self._ask(store, lambda view: dict(view.rows))
        except AwayError:
            return None

    def _live(self) -> dict[str, int]:
        """As looked up last."""
        return {store: number for store, (_, number) in self._looked.items()}

    async def _generation(self, store: str) -> int:
        """That is read, as the service remembers it for a second."""
        now = self._world.loop.time()
        at, number = self._looked[store]
        if now - at >= _REMEMBERED_SECONDS:
            views, postgres = self._world.views, self._world.stores["postgres"]
            number = await self._world.net.call(postgres, lambda: views.live[store], within=2.0)
            self._looked[store] = now, number
        return number

    async def _ask(self, store: str, question: Callable[[MemorySink], T]) -> T:
        """Of the store, as it is when the question arrives."""
        number = await self._generation(store)
        view = self._world.views.all[store, number].sink
        found: T = await self._world.net.call(self._world.stores[store], lambda: question(view), within=2.0)
        return found


def _offsets(view: MemorySink) -> dict[Place, int]:
    return {(m.stage, m.partition, m.root): n for m, n in view.progress().items()}
