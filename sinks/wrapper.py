"""What every sink around another hands on as it is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sinks.protocol import Mark, Sink, SinkBatch


class SinkWrapper:
    """`sink` as it is; a subclass overrides what it does otherwise."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    @property
    def name(self) -> str:
        return self._sink.name

    @property
    def topics(self) -> Sequence[str]:
        return self._sink.topics

    def ensure(self) -> None:
        self._sink.ensure()

    def write(self, batch: SinkBatch) -> int:
        return self._sink.write(batch)

    def progress(self) -> dict[Mark, int]:
        return self._sink.progress()

    def written_at(self) -> datetime | None:
        return self._sink.written_at()

    def idle(self, now: datetime) -> None:
        self._sink.idle(now)

    def close(self) -> None:
        self._sink.close()
