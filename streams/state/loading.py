"""What state a batch needs, and its way into the cache: the rows that a step names, and those it asks for later."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from processors.step import Reads, Step
from streams.batch import Batch, Item, guarded
from streams.state.cache import NotRead, RecordState
from streams.state.protocol import StateStore
from streams.watch import Watch


class Reading:
    """Loads for one step."""

    def __init__(self, step: Step, store: StateStore, watch: Watch) -> None:
        self._step, self._store, self._watch = step, store, watch

    async def load(self, batches: Sequence[Batch]) -> None:
        await self._load_all(batches, self._required_reads(batches, self._reads))
        await self._load_all(batches, self._required_reads(batches, self._then_reads))

    async def fill(self, batch: Batch, reads: Reads) -> None:
        """What a step asked for and had not named."""
        await self._load_all([batch], {batch.partition: [reads]})

    def _required_reads(self, batches: Sequence[Batch], ask: Callable[[Batch], set[Reads]]) -> dict[int, set[Reads]]:
        """By partition."""
        with self._watch.over_all(self._step.name, batches):
            return {b.partition: ask(b) for b in batches}

    def _reads(self, b: Batch) -> set[Reads]:
        reads: set[Reads] = set()
        guarded(b.items, lambda i: reads.update(self._step.reads(i.record, i.prepared)), self._watch.refused)
        return reads

    def _then_reads(self, b: Batch) -> set[Reads]:
        reads: set[Reads] = set()
        state = b.part.cache

        def ask(i: Item) -> None:
            try:
                reads.update(self._step.then_reads(i.record, i.prepared, RecordState(state)))
            except NotRead as exc:  # what depends on it is loaded when it is asked for
                reads.add(exc.reads)

        guarded(b.items, ask, self._watch.refused)
        return reads

    async def _load_all(self, batches: Sequence[Batch], reads: Mapping[int, Iterable[Reads]]) -> None:
        """What is not cached, of all partitions at once."""
        wanted = {
            b.partition: missing
            for b in batches
            if (missing := b.part.cache.missing(sorted(reads[b.partition], key=lambda x: (x.owner, x.keys or ()))))
        }
        if not wanted:
            return
        with self._watch.over_all(self._step.name, batches, waits=True):
            rows = await self._store.load(self._step.name, wanted)
            for b in batches:
                if b.partition in wanted:
                    b.part.cache.fill(wanted[b.partition], rows[b.partition], b.sweep)
