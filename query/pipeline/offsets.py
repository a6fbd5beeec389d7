"""Offsets from the brokers: ends of topics, what groups have committed, and who reads which partition.

By kafka-python: librdkafka's admin client (2.16) dies of a segmentation fault when a group's coordinator is not there
yet, because its answer handler asks for a consumer group that an admin client does not have.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from kafka import TopicPartition
from kafka.errors import KafkaError

from messaging.admin import KafkaAdmin
from query.pipeline.groups import Group
from schemas.storage.connections import Bootstrap

Place = tuple[str, int]
"""Topic and partition."""
_LATEST, _EARLIEST = -1, -2
"""The protocol's words for the end and the start of a partition (ListOffsets)."""


class BrokersAwayError(Exception):
    """The brokers did not answer in time."""


@dataclass(frozen=True, slots=True)
class Offsets:
    """`committed` by group id; a partition that a group never committed is missing there. `assigned`: by group id, the
    partitions that a member has been given. `epochs`: the leader epoch of each partition, where the broker says it."""

    starts: Mapping[Place, int]
    ends: Mapping[Place, int]
    committed: Mapping[str, Mapping[Place, int]]
    assigned: Mapping[str, Collection[Place]]
    epochs: Mapping[Place, int] = field(default_factory=dict)


class OffsetReader:
    """Blocking, one call after the other. Connects when first asked, and again after a failure."""

    def __init__(self, bootstrap: Bootstrap, partitions: int, timeout: float = 5.0) -> None:
        self._bootstrap, self._partitions, self._timeout = bootstrap, partitions, timeout
        self._admin: Any = None
        self._one_at_a_time = threading.RLock()

    def read(self, groups: Iterable[Group], more: Iterable[str] = ()) -> Offsets:
        """Offsets of all groups and of their topics, and of `more` topics. Raises BrokersAwayError."""
        with self._one_at_a_time:
            return self._read(tuple(groups), more)

    def _read(self, groups: tuple[Group, ...], more: Iterable[str]) -> Offsets:
        names = {t for g in groups for t in g.topics} | set(more)
        places = [TopicPartition(t, p) for t in sorted(names) for p in range(self._partitions)]
        try:
            admin = self._connected()
            # Committed first: an end that is read later is never below it.
            committed = admin.list_group_offsets({g.group_id: None for g in groups})
            members = admin.describe_groups([g.group_id for g in groups]) if groups else {}
            starts = admin.list_partition_offsets(dict.fromkeys(places, _EARLIEST))
            ends = admin.list_partition_offsets(dict.fromkeys(places, _LATEST))
        except (KafkaError, OSError, TimeoutError):
            self.close()
            raise BrokersAwayError from None
        return Offsets(
            _plain(starts), _plain(ends), {group: _plain(offsets) for group, offsets in committed.items()},
            {group: assigned(partitions) for group, partitions in members.items()}, _epochs(ends),
        )  # fmt: skip

    def ends(self, places: Iterable[Place]) -> dict[Place, int]:
        """Where the next record of each partition comes. Raises BrokersAwayError."""
        return _plain(self._latest(places))

    def epochs(self, places: Iterable[Place]) -> dict[Place, int]:
        """The leader epoch of each partition. Raises BrokersAwayError."""
        return _epochs(self._latest(places))

    def epoch_ends(self, epochs: Mapping[Place, int]) -> dict[Place, int]:
        """Where that leader epoch of each partition ended, as the log has it now: -1 for one that it knows nothing of,
        the end of the log for the present one. Raises BrokersAwayError."""
        asked = {TopicPartition(*place): epoch for place, epoch in epochs.items()}
        found = self._asked(lambda admin: admin.epoch_ends(asked))
        return {(tp.topic, tp.partition): end for tp, end in found.items()}

    def _latest(self, places: Iterable[Place]) -> Mapping[Any, Any]:
        asked = {TopicPartition(topic, number): _LATEST for topic, number in places}
        return self._asked(lambda admin: admin.list_partition_offsets(asked))

    def _asked(self, question: Callable[[Any], Mapping[Any, Any]]) -> Mapping[Any, Any]:
        with self._one_at_a_time:
            try:
                return question(self._connected())
            except (KafkaError, OSError, TimeoutError):
                self.close()
                raise BrokersAwayError from None

    def close(self) -> None:
        with self._one_at_a_time:
            admin, self._admin = self._admin, None
            if admin is not None:
                with suppress(KafkaError, OSError):  # it is being thrown away
                    admin.close()

    def _connected(self) -> Any:
        if self._admin is None:
            milliseconds = int(self._timeout * 1000)
            self._admin = KafkaAdmin(
                self._bootstrap,
                "memstream-lag",
                request_timeout_ms=milliseconds,
                bootstrap_timeout_ms=milliseconds,
            )
        return self._admin


def assigned(group: Mapping[str, Any]) -> frozenset[Place]:
    """Partitions that the members of a group have, of what the brokers tell of it; none while it shares them out."""
    given = [m["member_assignment"] for m in group.get("members", ())]
    parts = [p for a in given if isinstance(a, Mapping) for p in a.get("assigned_partitions", ())]
    return frozenset((p["topic"], number) for p in parts for number in p["partitions"])


def _plain(found: Mapping[Any, Any]) -> dict[Place, int]:
    return {(tp.topic, tp.partition): at.offset for tp, at in found.items() if at.offset >= 0}


def _epochs(found: Mapping[Any, Any]) -> dict[Place, int]:
    return {(tp.topic, tp.partition): at.leader_epoch for tp, at in found.items() if at.leader_epoch is not None}
