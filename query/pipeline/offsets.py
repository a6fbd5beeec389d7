"""Offsets from the brokers: ends of topics, and what groups have committed."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined]  # exported, not listed

from query.pipeline.groups import Group

log = logging.getLogger(__name__)
_LATEST: Any = OffsetSpec.latest()  # type: ignore[no-untyped-call]
_EARLIEST: Any = OffsetSpec.earliest()  # type: ignore[no-untyped-call]
Place = tuple[str, int]
"""Topic and partition."""


class BrokersAwayError(Exception):
    """The brokers did not answer in time."""


@dataclass(frozen=True, slots=True)
class Offsets:
    """`committed` by group id; a partition that a group never committed is missing there."""

    starts: Mapping[Place, int]
    ends: Mapping[Place, int]
    committed: Mapping[str, Mapping[Place, int]]


class OffsetReader:
    """Blocking; call it from a thread."""

    def __init__(self, bootstrap: str, partitions: int, timeout: float = 5.0) -> None:
        self._admin = AdminClient(
            {"bootstrap.servers": bootstrap, "client.id": "memstream-lag", "log_level": 3}, logger=log
        )
        self._partitions, self._timeout = partitions, timeout

    def read(self, groups: Iterable[Group], more: Iterable[str] = ()) -> Offsets:
        """Offsets of all groups and of their topics, and of `more` topics. Raises BrokersAwayError."""
        groups = tuple(groups)
        names = {t for g in groups for t in g.topics} | set(more)
        places = [TopicPartition(t, p) for t in sorted(names) for p in range(self._partitions)]
        try:
            committed = {g.group_id: self._admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(g.group_id)])
                         for g in groups}  # fmt: skip
            ends = self._admin.list_offsets(dict.fromkeys(places, _LATEST), request_timeout=self._timeout)
            starts = self._admin.list_offsets(dict.fromkeys(places, _EARLIEST), request_timeout=self._timeout)
            return Offsets(
                self._results(starts),
                self._results(ends),
                {group: self._committed(futures) for group, futures in committed.items()},
            )
        except (KafkaException, TimeoutError):
            raise BrokersAwayError from None

    def _results(self, futures: Mapping[TopicPartition, Any]) -> dict[Place, int]:
        return {(tp.topic, tp.partition): future.result(self._timeout).offset for tp, future in futures.items()}

    def _committed(self, futures: Mapping[str, Any]) -> dict[Place, int]:
        found: dict[Place, int] = {}
        for future in futures.values():
            for tp in future.result(self._timeout).topic_partitions or ():
                if tp.offset >= 0:
                    found[tp.topic, tp.partition] = tp.offset
        return found
