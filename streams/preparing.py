"""A batch on its way through the models of its step, before anything is decided."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from processors.step import Step
from schemas.security.sealing import KeysAway
from streams.batch import Batch, Item
from streams.ports import Inline
from streams.rounds import slices
from streams.state.cache import NotRead, RecordState
from streams.state.loading import Reading
from streams.state.protocol import StoreAway
from streams.watch import Watch

log = logging.getLogger(__name__)


class Preparing:
    """Of one step. `compute` runs models."""

    def __init__(self, step: Step, reading: Reading, compute: Inline, watch: Watch) -> None:
        self._step, self._reading, self._compute, self._watch = step, reading, compute, watch

    async def prepare(self, batches: Sequence[Batch]) -> None:
        """Models over all of them."""
        await self._isolated([i for b in batches for i in b.items if not i.held], self._prepare_together)

    async def _prepare_together(self, items: Sequence[Item]) -> None:
        records = [i.record for i in items]
        _prepared(items, await self._computed(items, lambda: self._step.prepare(records)))

    async def complete(self, batches: Sequence[Batch]) -> None:
        """Models again, where what they have to do depends on the state."""
        if not self._step.completes:
            return
        owns = {id(i): b for b in batches for i in b.items}

        async def once(items: Sequence[Item]) -> None:
            records, prepared = [i.record for i in items], [i.prepared for i in items]
            states = [RecordState(owns[id(i)].part.cache) for i in items]
            done = await self._computed(items, lambda: self._step.complete(records, prepared, states))
            _prepared(items, done)

        async def together(items: Sequence[Item]) -> None:
            """Of several, what one has not read yet fails them: one by one they are asked again, and it is read."""
            while True:
                try:
                    return await once(items)
                except NotRead as exc:
                    if len(items) > 1:
                        raise
                    await self._reading.fill(owns[id(items[0])], exc.reads)

        await self._isolated([i for b in batches for i in b.items if i.failed is None and not i.held], together)

    async def _computed(self, items: Sequence[Item], call: Callable[[], Sequence[Any]]) -> Sequence[Any]:
        """Watched from where it runs: it may wait for the models of another step before."""
        messages, alone = [i.message for i in items], any(i.alone for i in items)

        def watched() -> Sequence[Any]:
            with self._watch.over(self._step.name, messages, alone):
                return call()

        done: Sequence[Any] = await self._compute(watched)
        return done

    async def _isolated(self, items: list[Item], together: Callable[[Sequence[Item]], Awaitable[None]]) -> None:
        for part in slices(items):
            await self._isolated_slice(part, together)

    async def _isolated_slice(self, items: list[Item], together: Callable[[Sequence[Item]], Awaitable[None]]) -> None:
        """All at once; when that fails, record by record, so that one poison record fails alone."""
        try:
            await together(items)
        except (StoreAway, KeysAway):
            raise  # the records are sound: they wait for it
        except Exception:  # noqa: BLE001 - isolated below, each failure becomes a dead letter
            for item in items:
                try:
                    await together([item])
                except (StoreAway, KeysAway):
                    raise
                except Exception as exc:
                    log.exception("step %s raised: one record becomes a dead letter", self._step.name)
                    item.failed = type(exc).__name__


def _prepared(items: Sequence[Item], done: Sequence[Any]) -> None:
    for item, prepared in zip(items, done, strict=True):
        item.prepared = prepared
