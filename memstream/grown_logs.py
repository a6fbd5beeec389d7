"""Logs that have grown over what they lost: what came since lies at offsets that readers had passed, so it is written
once more behind them, and their positions are moved there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any, NamedTuple

import psycopg
from confluent_kafka import KafkaException, Producer
from tenacity import Retrying, retry_if_result, stop_after_delay, wait_fixed

from query.deadletters.access import KafkaAccess
from query.pipeline.groups import Group
from query.streams import Read, TopicAwayError
from schemas.log.leaders import Place
from schemas.log.topics import MAX_MESSAGE_BYTES
from schemas.storage import postgres_connections
from schemas.storage.connections import Bootstrap, librdkafka

_SECONDS = 60.0
MEMBERS_SECONDS = 60.0
"""Longer than a process that has ended is a member of its group."""
_TOGETHER = 2_000
"""Offsets that are read at once."""
_LEADERS = """
SELECT step, partition, leader_epoch, leader_offset FROM stream.positions
WHERE leader_epoch IS NOT NULL AND leader_offset IS NOT NULL
UNION ALL SELECT step, partition, epoch, next_offset FROM stream.former_leaders
"""
_MOVE = """
UPDATE stream.positions SET next_offset = %(behind)s, leader_epoch = NULL, leader_offset = NULL,
    no_erasure_at = CASE WHEN no_erasure_at = next_offset THEN %(behind)s END
WHERE step = ANY(%(steps)s) AND partition = %(partition)s AND next_offset > %(end)s
"""
_FORGET = """
UPDATE stream.positions SET leader_epoch = NULL, leader_offset = NULL
WHERE step = ANY(%(steps)s) AND partition = %(partition)s AND leader_offset > %(end)s
"""
_FORGET_FORMER = """
DELETE FROM stream.former_leaders
WHERE step = ANY(%(steps)s) AND partition = %(partition)s AND next_offset > %(end)s
"""


class RecoveryError(RuntimeError):
    """The log could not be filled up; nothing may be written to it before it is."""


class ReadUnder(NamedTuple):
    """A partition was read up to `offset` (the next one), and the record before that was written under the leader
    `epoch`: a log that has it still says that this leader ended there or behind it."""

    place: Place
    epoch: int
    offset: int


def stored_leaders(conn: psycopg.Connection[Any], source: dict[str, str]) -> list[ReadUnder]:
    """What the steps had read under which leaders; nothing in a schema of before. `source`: step -> the topic that it
    reads. Raises psycopg.Error."""
    try:
        rows = conn.execute(_LEADERS).fetchall()
    except (psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn):
        return []
    return [ReadUnder((source[s], p), epoch, offset) for s, p, epoch, offset in rows if s in source]


def cuts(read: Iterable[ReadUnder], ends: dict[tuple[Place, int], int]) -> dict[Place, tuple[int, int]]:
    """Of partitions that lost what was read of them: where that ends now, and how far it was read. `ends`: where the
    leader epochs of partitions ended, as the log has it now; -1 where it knows nothing of them (a topic that was made
    anew, brokers that were put back): what was read under the leaders that it knows is there."""
    found: dict[Place, tuple[int, int]] = {}
    sound: dict[Place, int] = {}
    known = [(r, end) for r in read if (end := ends.get((r.place, r.epoch))) is not None]
    for r, end in known:
        if end >= r.offset:
            sound[r.place] = max(r.offset, sound.get(r.place, 0))
    for r, end in known:
        if end < r.offset:
            first = end if end >= 0 else min(sound.get(r.place, 0), r.offset)
            before = found.get(r.place, (r.offset, 0))
            found[r.place] = min(first, before[0]), max(r.offset, before[1])
    return found


def send_again(bootstrap: Bootstrap, partitions: int, place: Place, first: int, end: int) -> int:
    """Writes the records from `first` to `end` behind the log once more, all or none; returns how many. Raises
    RecoveryError."""
    topic, partition = place
    producer = Producer(
        {
            **librdkafka(bootstrap), "transactional.id": f"memstream-recover-{topic}-{partition}",
            "message.max.bytes": MAX_MESSAGE_BYTES, "transaction.timeout.ms": 600_000, "log_level": 0,
        }
    )  # fmt: skip
    count = 0
    try:
        producer.init_transactions(_SECONDS)
        producer.begin_transaction()
        # Under the times that they had: an erasure takes what came before it.
        for r in _read(KafkaAccess(bootstrap, partitions), place, first, end):
            producer.produce(
                topic, r.value, r.key, partition, headers=list(r.headers), timestamp=max(r.timestamp_ms, 0)
            )
            producer.poll(0)
            count += 1
            if len(producer) >= _TOGETHER and producer.flush(_SECONDS):
                raise RecoveryError(f"{topic}/{partition}: the broker does not take records")
        producer.commit_transaction(_SECONDS)
    except (KafkaException, BufferError, TopicAwayError) as exc:
        raise RecoveryError(f"{topic}/{partition}: {type(exc).__name__}") from None
    return count


def _read(access: KafkaAccess, place: Place, first: int, end: int) -> Iterator[Read]:
    topic, partition = place
    for start in range(first, end, _TOGETHER):
        yield from access.read(topic, {partition: start}, {partition: min(start + _TOGETHER, end)})


def settle(dsn: str, steps: list[str], place: Place, end: int, behind: int | None) -> None:
    """What the log lost from `end` on is known and done with. `behind`: steps that had read there go on at this offset,
    None: where they are. Raises psycopg.Error."""
    given = {"steps": steps, "partition": place[1], "end": end, "behind": behind}
    with postgres_connections.connect(dsn) as conn:
        conn.execute(_FORGET if behind is None else _MOVE, given)
        conn.execute(_FORGET_FORMER, given)


def _refused(done: dict[Any, Any]) -> bool:
    return any(error.errno for error in done.values())


def rewind(bootstrap: Bootstrap, groups: Iterable[Group], place: Place, first: int) -> None:
    """Sinks and workers that had committed more than `first` read from there once more: what they have had they refuse
    or do again. Raises RecoveryError, also where one of them is at work."""
    from kafka import TopicPartition  # kafka-python is heavy to load
    from kafka.errors import KafkaError
    from kafka.structs import OffsetAndMetadata

    from messaging.admin import KafkaAdmin

    partition = TopicPartition(*place)
    tries = Retrying(
        retry=retry_if_result(_refused), wait=wait_fixed(1.0), stop=stop_after_delay(MEMBERS_SECONDS),
        retry_error_callback=lambda last: last.outcome.result() if last.outcome is not None else {},
    )  # fmt: skip
    others = [g.group_id for g in groups if g.kind != "step" and place[0] in g.topics]
    try:
        with closing(KafkaAdmin(bootstrap, "memstream-recover")) as admin:
            committed = admin.list_group_offsets(dict.fromkeys(others)) if others else {}
            for group, offsets in committed.items():
                if partition in offsets and offsets[partition].offset > first:
                    back = {partition: OffsetAndMetadata(first, "", -1)}
                    done = tries(admin.alter_group_offsets, group, back)
                    if _refused(done):
                        raise RecoveryError(f"{group} is at work: stop all processes")
    except (KafkaError, OSError, TimeoutError) as exc:
        raise RecoveryError(f"{place[0]}/{place[1]}: {type(exc).__name__}") from None
