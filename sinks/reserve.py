"""A sink that writes only while its store's disk has room."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from schemas.disk import Reserve
from sinks.protocol import Mark, Sink, SinkBatch, Transient


class WithRoom:
    """Embedded Milvus says that rows are stored which it could not write: none are given to it before that. The log
    keeps them; the worker waits as it does for a store that is away."""

    def __init__(self, sink: Sink, reserve: Reserve) -> None:
        self._sink, self._reserve = sink, reserve

    @property
    def name(self) -> str:
        return self._sink.name

    @property
    def topics(self) -> Sequence[str]:
        return self._sink.topics

    def ensure(self) -> None:
        self._sink.ensure()

    def write(self, batch: SinkBatch) -> int:
        """Raises Transient also while the disk is nearly full."""
        if (missing := self._reserve.missing()) is not None:
            raise Transient(missing)
        return self._sink.write(batch)

    def progress(self) -> dict[Mark, int]:
        return self._sink.progress()

    def written_at(self) -> datetime | None:
        return self._sink.written_at()

    def idle(self, now: datetime) -> None:
        self._sink.idle(now)

    def close(self) -> None:
        self._sink.close()
