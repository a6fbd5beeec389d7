"""Record by record: a step decides on it, or it becomes a dead letter."""

from __future__ import annotations

import logging
from collections import deque
from functools import partial

from processors.step import Counted, Reject, Step
from schemas.events.envelope import Tick
from schemas.security.sealing import KeysAway
from streams.batch import Batch, Item
from streams.batch_frame import MAX_OUTPUT_BYTES, BatchFrame, OutputTooLargeError
from streams.ports import Inline
from streams.state.cache import NotRead, RecordState
from streams.state.loading import Reading
from streams.state.protocol import OutboxRow, StoreAway
from streams.suspects import HELD, held_text
from streams.watch import Watch

log = logging.getLogger(__name__)


class Deciding:
    """Of one step. `seal` runs what encodes values."""

    def __init__(self, step: Step, frame: BatchFrame, reading: Reading, seal: Inline, watch: Watch) -> None:
        self._step, self._frame, self._reading, self._seal, self._watch = step, frame, reading, seal, watch

    async def decide(self, b: Batch) -> None:
        """Record by record; where one needs more state than its reads named, that is loaded and it is decided anew."""
        left = deque(b.items)
        while left:
            missing: NotRead | None = await self._seal(partial(self._decided_until, b, left))
            if missing is not None:
                await self._reading.fill(b, missing.reads)

    def _decided_until(self, b: Batch, left: deque[Item]) -> NotRead | None:
        """Takes from `left` what is decided; returned is what the next one lacks."""
        while left:
            item = left[0]
            try:
                rows = self._decided(b, item)
            except NotRead as exc:
                return exc
            self._frame.ended(b, item, rows)
            if isinstance(item.record.event, Tick):
                b.swept(item.record.event.now)
            left.popleft()
        return None

    def _decided(self, b: Batch, item: Item) -> list[OutboxRow]:
        """One record: its state changes and outputs (returned) are kept together, or it becomes a dead letter and
        leaves none. Raises NotRead, and has changed nothing then."""
        name = self._step.name
        if item.record.redelivered and (item.held or item.failed is not None):
            return []  # it was worked on the first time
        if item.held:
            self._frame.dead_letter(b, item.message, HELD, held_text(name))
            return []
        if item.failed is not None:
            self._frame.dead_letter(b, item.message, "step_failed", f"{name} raised {item.failed}")
            return []
        state = RecordState(b.part.cache)
        try:
            with self._watch.over(name, (item.message,), item.alone):
                outs = list(self._step.handle(item.record, item.prepared, state))
                reject = next((o for o in outs if isinstance(o, Reject)), None)
                rows = [] if reject else self._frame.rows(b, item, outs)
        except NotRead:
            state.drop()
            raise
        except (StoreAway, KeysAway):
            raise  # the record is sound: it waits for a store, a model that others use, the keyring
        except OutputTooLargeError:
            reject = Reject("too_large", f"value: what becomes of it is larger than {MAX_OUTPUT_BYTES} bytes")
        except Exception as exc:  # a step's bug costs one record, said so, never the stream
            log.exception("step %s raised: one record becomes a dead letter", name)
            reject = Reject("step_failed", f"{name} raised {type(exc).__name__}")
        if reject is not None and item.record.redelivered:
            state.drop()
            return []
        if reject is not None:
            state.drop()
            self._frame.dead_letter(b, item.message, reject.reason, reject.message)
            return []
        b.writes.update(state.keep())
        b.outbox.extend(rows)
        if not item.record.redelivered:
            b.count("handled")
            b.readings += [o.stats for o in outs if isinstance(o, Counted)]
        return rows
