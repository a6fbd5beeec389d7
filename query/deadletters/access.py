"""Reading topics by offset, as dead letters need it. Blocking; used in threads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from query.streams import Read, TopicReader, window
from schemas.storage.connections import Bootstrap

Bounds = Mapping[int, tuple[int, int]]
"""Partition -> first offset and end."""


class TopicAccess(Protocol):
    """Every method raises TopicAwayError when the brokers do not answer in time."""

    def bounds(self, topic: str) -> Bounds: ...

    def read(self, topic: str, starts: Mapping[int, int], ends: Mapping[int, int]) -> list[Read]:
        """Records of [start, end) of each partition, in order in each: all that the log has, never fewer."""
        ...


class KafkaAccess:
    """Over consumers without a group, one a call: nothing is committed and nobody is disturbed."""

    def __init__(self, bootstrap: Bootstrap, partitions: int, seconds: float = 3.0) -> None:
        self._bootstrap, self._partitions, self._seconds = bootstrap, partitions, seconds

    def bounds(self, topic: str) -> Bounds:
        reader = TopicReader(self._bootstrap, topic, self._partitions)
        try:
            return reader.bounds()
        finally:
            reader.close()

    def read(self, topic: str, starts: Mapping[int, int], ends: Mapping[int, int]) -> list[Read]:
        reader = TopicReader(self._bootstrap, topic, self._partitions, ends=True)
        try:
            return window(reader, ends, starts, self._seconds)
        finally:
            reader.close()
