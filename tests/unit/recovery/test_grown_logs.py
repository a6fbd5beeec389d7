"""What is sent again behind a log that has grown over a loss, and who reads it once more."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException
from kafka import TopicPartition
from kafka.errors import NoError, UnknownMemberIdError
from kafka.structs import OffsetAndMetadata

from memstream import grown_logs
from memstream.grown_logs import RecoveryError, rewind, send_again
from messaging import admin
from query.pipeline.groups import GROUPS
from query.streams import Read
from schemas.log import topics

HISTORY = topics.HISTORY.name


class Sends:
    """A producer's part; `refuses`: the commit is not taken."""

    def __init__(self, refuses: bool = False) -> None:
        self.calls: list[Any] = []
        self._refuses = refuses

    def __len__(self) -> int:
        return 0

    def init_transactions(self, seconds: float) -> None:
        self.calls.append("init")

    def begin_transaction(self) -> None:
        self.calls.append("begin")

    def produce(
        self, topic: str, value: bytes | None, key: bytes | None, partition: int, *, headers: Any, timestamp: int
    ) -> None:
        self.calls.append((topic, partition, key, value, headers, timestamp))

    def poll(self, seconds: float) -> None: ...

    def commit_transaction(self, seconds: float) -> None:
        if self._refuses:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT))
        self.calls.append("commit")


class Access:
    """A log with a record at every second offset."""

    def __init__(self, *given: object) -> None: ...

    def read(self, topic: str, starts: Mapping[int, int], ends: Mapping[int, int]) -> list[Read]:
        [(p, start)], end = starts.items(), ends[next(iter(ends))]
        return [Read(p, n, b"v%d" % n, [("h", b"%d" % n)], 1000 + n, b"k") for n in range(start, end) if n % 2 == 0]


def test_c1_records_are_sent_again_in_their_order_with_all_that_they_had_in_one_transaction(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sends = Sends()
    monkeypatch.setattr(grown_logs, "Producer", lambda settings: sends)
    monkeypatch.setattr(grown_logs, "KafkaAccess", Access)
    monkeypatch.setattr(grown_logs, "_TOGETHER", 3)
    assert send_again("none:1", 8, (HISTORY, 2), 5, 11) == 3
    sent = [(HISTORY, 2, b"k", b"v%d" % n, [("h", b"%d" % n)], 1000 + n) for n in (6, 8, 10)]
    assert sends.calls == ["init", "begin", *sent, "commit"]


def test_c1_what_is_not_taken_as_a_whole_is_no_recovery(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grown_logs, "Producer", lambda settings: Sends(refuses=True))
    monkeypatch.setattr(grown_logs, "KafkaAccess", Access)
    with pytest.raises(RecoveryError, match=HISTORY):
        send_again("none:1", 8, (HISTORY, 2), 5, 11)


@pytest.mark.parametrize("at_work", [False, True])
def test_c1_sinks_that_had_read_further_go_back_and_steps_do_not(
    monkeypatch: pytest.MonkeyPatch, at_work: bool
) -> None:
    place, other = TopicPartition(HISTORY, 2), TopicPartition(HISTORY, 3)
    committed = {
        "memstream-sink-postgres": {place: SimpleNamespace(offset=9), other: SimpleNamespace(offset=9)},
        "memstream-sink-milvus": {place: SimpleNamespace(offset=5)},
    }
    moved: dict[str, Any] = {}

    class Admin:
        def __init__(self, *given: object) -> None: ...

        def list_group_offsets(self, groups: Mapping[str, None]) -> Mapping[str, Any]:
            names = {g.group_id for g in GROUPS if g.kind != "step" and HISTORY in g.topics}
            assert set(groups) == names
            return committed

        def alter_group_offsets(self, group: str, offsets: Mapping[Any, Any]) -> Mapping[Any, Any]:
            moved[group] = offsets
            return dict.fromkeys(offsets, UnknownMemberIdError if at_work else NoError)

        def close(self) -> None: ...

    monkeypatch.setattr(admin, "KafkaAdmin", Admin)
    monkeypatch.setattr(grown_logs, "MEMBERS_SECONDS", 0.0)
    if at_work:
        with pytest.raises(RecoveryError, match="memstream-sink-postgres is at work"):
            rewind("none:1", GROUPS, (HISTORY, 2), 5)
    else:
        rewind("none:1", GROUPS, (HISTORY, 2), 5)
    assert moved == {"memstream-sink-postgres": {place: OffsetAndMetadata(5, "", -1)}}
