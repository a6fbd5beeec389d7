"""A sink of a generation with an embedding model of its own (N1): vectors are made anew before the rows are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from schemas.events.memory import MemoryUpdate
from schemas.events.turns import ScreenedTurn
from schemas.security.sealed_rows import SealedPart
from sinks.protocol import Item, Sink, SinkBatch
from sinks.wrapper import SinkWrapper

Embeddable = ScreenedTurn | MemoryUpdate
AT_ONCE = 64
"""Records whose texts go through the model together."""


class Reembedded(SinkWrapper):
    """`sink` with other vectors. `embed`: records -> unit vectors, float16 bytes, of the model `model_id`. `seal`: the
    sealed part of a record as a store keeps it, None where nothing is sealed."""

    def __init__(
        self, sink: Sink, model_id: str, embed: Callable[[Sequence[Embeddable]], Sequence[bytes]],
        seal: Callable[[Embeddable], SealedPart | None],
    ) -> None:  # fmt: skip
        super().__init__(sink)
        self._model_id, self._embed, self._seal = model_id, embed, seal

    def write(self, batch: SinkBatch) -> int:
        items = list(batch.items)
        found = [
            (n, e) for n, i in enumerate(items)
            if isinstance(e := i.event, ScreenedTurn | MemoryUpdate) and e.sealed.embedding
            and e.model_id != self._model_id
        ]  # fmt: skip
        for start in range(0, len(found), AT_ONCE):
            part = found[start : start + AT_ONCE]
            for (n, e), vector in zip(part, self._embed([e for _, e in part]), strict=True):
                items[n] = self._with(items[n], e, vector)
        return self._sink.write(replace(batch, items=items))

    def _with(self, item: Item, e: Embeddable, vector: bytes) -> Item:
        body = e.sealed.model_copy(update={"embedding": vector})
        new = e.model_copy(update={"sealed": body, "model_id": self._model_id})
        return replace(item, event=new, sealed=None if item.sealed is None else self._seal(new))
