"""What a rebuild asks of the servers: the generations, how far their writers are, the log to compare with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import psycopg

from memstream.keyring.wiring import sealing_of
from memstream.reprocess.compare import Side
from memstream.reprocess.fold import LogSide
from memstream.reprocess.offsets import GroupOffsets, Place
from memstream.reprocess.stores import Store
from memstream.settings import Settings
from memstream.workers.writers import left_alone
from schemas.storage import generations
from schemas.storage.generations import Generation
from schemas.storage.layouts import sink_group

Connection = psycopg.Connection[Any]


class Generations(Protocol):
    """As `schemas.storage.generations`, over one connection."""

    def drive(self, name: str) -> bool: ...

    def live(self, store: str) -> Generation: ...

    def begin(self, store: str, embedder: str) -> Generation: ...

    def settle(self, store: str, number: int, report: dict[str, Any]) -> None: ...

    def switch(self, to: dict[str, int]) -> None: ...

    def mark(self, store: str, number: int, state: Literal["dropping", "dropped"]) -> None: ...

    def left_alone(self, store: str, number: int) -> bool:
        """Whether nobody writes the generation (any more)."""
        ...


class Offsets(Protocol):
    """How far the writer of a generation is. Every method raises BrokerAwayError."""

    def bounds(self) -> dict[Place, tuple[int, int]]:
        """Place -> start and end."""
        ...

    def left(self, until: Mapping[Place, tuple[int, int]]) -> int:
        """Records below these ends that are not committed."""
        ...

    def close(self) -> None: ...


class Yardstick(Side, Protocol):
    """The log as a side of a comparison."""

    def advance(self) -> None:
        """Read to the ends as they are now."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Reached:
    """`offsets`: of the writer of a generation. `log`: of the store's topics, unread."""

    generations: Generations
    offsets: Callable[[int], Offsets]
    log: Callable[[], Yardstick]


class StoredGenerations:
    """Those of Postgres. What is driven is driven until the connection closes."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def drive(self, name: str) -> bool:
        return generations.drive(self._conn, name)

    def live(self, store: str) -> Generation:
        return generations.live(self._conn, store)

    def begin(self, store: str, embedder: str) -> Generation:
        return generations.begin(self._conn, store, embedder)

    def settle(self, store: str, number: int, report: dict[str, Any]) -> None:
        generations.settle(self._conn, store, number, report)

    def switch(self, to: dict[str, int]) -> None:
        generations.switch(self._conn, to)

    def mark(self, store: str, number: int, state: Literal["dropping", "dropped"]) -> None:
        generations.mark(self._conn, store, number, state)

    def left_alone(self, store: str, number: int) -> bool:
        return left_alone(self._conn, store, number)


class SealedLog:
    """The log side, with the keys that open its values for as long as it is open."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self._sealing = sealing_of(settings)
        self._side = LogSide(
            settings.brokers, store.topics, settings.partitions, store.fold(), self._sealing.codec
        )  # fmt: skip
        self.buckets, self.rows, self.advance = self._side.buckets, self._side.rows, self._side.advance

    def close(self) -> None:
        self._side.close()
        self._sealing.close()


def of_servers(settings: Settings, store: Store, conn: Connection) -> Reached:
    s = settings
    return Reached(
        StoredGenerations(conn),
        lambda number: GroupOffsets(s.brokers, sink_group(store.name, number), store.topics, s.partitions),
        lambda: SealedLog(s, store),
    )
