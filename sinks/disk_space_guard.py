"""A sink that writes only while its store's disk has room."""

from __future__ import annotations

from schemas.storage.disk import Reserve
from sinks.protocol import Sink, SinkBatch, Transient
from sinks.wrapper import SinkWrapper


class WithRoom(SinkWrapper):
    """Embedded Milvus says that rows are stored which it could not write: none are given to it before that. The log
    keeps them; the worker waits as it does for a store that is away."""

    def __init__(self, sink: Sink, reserve: Reserve) -> None:
        super().__init__(sink)
        self._reserve = reserve

    def write(self, batch: SinkBatch) -> int:
        """Raises Transient also while the disk is nearly full."""
        if (missing := self._reserve.missing()) is not None:
            raise Transient(missing)
        return self._sink.write(batch)
