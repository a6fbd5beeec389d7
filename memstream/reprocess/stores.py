"""The stores as a rebuild sees them: what each holds, and which topics feed it."""

from __future__ import annotations

from dataclasses import dataclass

from memstream.reprocess.errors import RebuildError
from memstream.reprocess.fold import Fold
from memstream.settings import Settings
from memstream.workers.sink_parts import parts_of
from schemas.components.installed import components
from schemas.storage.layouts import WITH_VECTORS
from sinks.clock import utc_now
from sinks.contents import Contents, Rebuildable
from sinks.held import Reading


@dataclass(frozen=True, slots=True)
class Store:
    """One store. `reading`: how it keeps an event. `by_ticks`: see `sinks.contents.Rebuildable`."""

    name: str
    topics: tuple[str, ...]
    contents: Contents
    reading: Reading
    by_ticks: bool = False

    def fold(self) -> Fold:
        return Fold(self.reading, f"sink-{self.name}", None if self.by_ticks else utc_now, self.contents.part)


def rebuildable() -> tuple[str, ...]:
    """Stores that can be made again, those of installed packages last. Raises ComponentError."""
    return tuple(name for name, sink in components().sinks.items() if sink.contents)


def store(settings: Settings, name: str) -> Store:
    """Raises RebuildError for a name that is no store's, or one's that does not say what it holds, ComponentError."""
    if name not in rebuildable():
        raise RebuildError(f"no store {name!r} that can be rebuilt: expected {', '.join(rebuildable())}")
    declared = components().sinks[name]
    made: Rebuildable = components().loaded(declared, declared.contents)(parts_of(settings))
    return Store(name, declared.feed.topics, made.contents, made.reading, made.by_ticks)


__all__ = ["WITH_VECTORS", "Store", "rebuildable", "store"]
