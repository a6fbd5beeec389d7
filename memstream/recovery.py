"""Logs that are shorter than what was read of them: found, filled up and reported.

A power cut takes from a broker what it acknowledged out of its page cache. Steps keep their position in Postgres and
sinks commit theirs to the group: both then take the records that come next for redeliveries, and skip as many as were
lost. Recovery occupies the lost offsets with an aborted transaction, which no reader of committed records sees, so that
no offset is ever used for two records. It runs before anything writes: at each start of the embedded stack, and by
`memstream recover` where the brokers are given.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

import psycopg
from confluent_kafka import KafkaException, Producer
from tenacity import (
    Retrying,
    retry_if_exception_type,
    retry_if_result,
    stop_after_delay,
    wait_exponential,
    wait_fixed,
)

from memstream.workers.preflight import PreflightError
from query.pipeline.groups import GROUPS, Group, live_groups
from schemas.storage import generations, postgres_connections
from schemas.storage.connections import Bootstrap, librdkafka

log = logging.getLogger(__name__)
_SECONDS = 60.0
"""Bound of each call to the brokers."""
MARKER_SECONDS = 30.0
"""How long the end of an aborted transaction is waited for."""
Place = tuple[str, int]
"""Topic and partition."""
_REMEDY = "stop all processes and producers and run `memstream recover --yes`"
_KEY = b"filler"
"""Compacted topics refuse records without a key; an aborted record is never compacted against others."""


class ShortLogError(PreflightError):
    """A log is shorter than what was read of it: what is written to it now would be skipped."""


class RecoveryError(RuntimeError):
    """The log could not be filled up; nothing may be written to it before it is."""


@dataclass(frozen=True, slots=True, order=True)
class ShortLog:
    """A partition whose end (the next free offset) lies below `reached`, the largest position of its readers."""

    topic: str
    partition: int
    end: int
    reached: int

    @property
    def lost(self) -> int:
        """Records that were read and are no longer in the log. What nobody had read is not known."""
        return self.reached - self.end

    def __str__(self) -> str:
        return f"{self.topic}/{self.partition} ends at {self.end} and was read to {self.reached}: {self.lost} lost"


@dataclass(frozen=True, slots=True, order=True)
class Unreadable:
    """A partition that begins behind what a step has read of it: Postgres is older than the log keeps its records."""

    topic: str
    partition: int
    step: str
    start: int
    reached: int

    @property
    def lost(self) -> int:
        """Offsets that the step never reads."""
        return self.start - self.reached

    def __str__(self) -> str:
        return (
            f"{self.topic}/{self.partition} begins at {self.start} and {self.step} read it to {self.reached}:"
            f" {self.lost} never read"
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """The logs and what was read of them. `unread`: records that the steps have still to read. Where logs are short,
    Kafka is older than Postgres; where some are unreadable, Postgres is older than Kafka, by more than it keeps."""

    short: Sequence[ShortLog] = ()
    unreadable: Sequence[Unreadable] = ()
    unread: int = 0


def compared(bootstrap: Bootstrap, dsn: str, partitions: int) -> Comparison:
    """Looks once; changes nothing. Raises PreflightError."""
    return _comparison(bootstrap, dsn, partitions)


def short_logs(bootstrap: Bootstrap, dsn: str, partitions: int) -> list[ShortLog]:
    """Compares the end of every topic with the stored positions of the steps and the committed offsets of all groups.
    Servers that are away, or not quite there after a start, are waited for, a minute at most.

    Raises PreflightError where the brokers or Postgres do not answer."""
    attempts = Retrying(
        retry=retry_if_exception_type(PreflightError),
        wait=wait_exponential(multiplier=0.2, max=2),
        stop=stop_after_delay(_SECONDS),
        reraise=True,
    )
    return attempts(_short_logs, bootstrap, dsn, partitions)


def _short_logs(bootstrap: Bootstrap, dsn: str, partitions: int) -> list[ShortLog]:
    return list(_comparison(bootstrap, dsn, partitions).short)


def _comparison(bootstrap: Bootstrap, dsn: str, partitions: int) -> Comparison:
    from query.pipeline.offsets import BrokersAwayError, OffsetReader  # kafka-python is heavy to load

    try:
        with postgres_connections.connect(dsn) as conn:
            stored = {
                (str(step), int(partition)): int(offset)
                for step, partition, offset in conn.execute("SELECT step, partition, next_offset FROM stream.positions")
            }
            groups = live_groups(lambda store: generations.live(conn, store).number)
    except psycopg.errors.UndefinedTable:
        stored = {}
    except psycopg.Error as exc:
        raise PreflightError(f"Postgres does not answer ({type(exc).__name__}): check MEMSTREAM_POSTGRES") from None
    if not stored:
        return Comparison()  # no step ever ran, and there may be no group yet
    with closing(OffsetReader(bootstrap, partitions, timeout=10.0)) as reader:
        try:
            found = reader.read(groups)
        except BrokersAwayError:
            raise PreflightError("the brokers do not answer: check MEMSTREAM_KAFKA") from None
    short = compare(found.ends, found.committed.values(), stored, groups)
    return Comparison(short, *still_to_read(found.starts, found.ends, stored, groups))


def compare(
    ends: Mapping[Place, int],
    committed: Iterable[Mapping[Place, int]],
    stored: Mapping[tuple[str, int], int],
    groups: Sequence[Group] = GROUPS,
) -> list[ShortLog]:
    """`stored`: next offset by step and partition of the topic that the step reads."""
    source = {g.name: g.topics[0] for g in groups if g.kind == "step"}
    reached: dict[Place, int] = {}
    for offsets in (*committed, {(source[s], p): n for (s, p), n in stored.items() if s in source}):
        for place, offset in offsets.items():
            reached[place] = max(offset, reached.get(place, 0))
    return sorted(
        ShortLog(topic, partition, ends[topic, partition], offset)
        for (topic, partition), offset in reached.items()
        if ends.get((topic, partition), offset) < offset
    )


def still_to_read(
    starts: Mapping[Place, int],
    ends: Mapping[Place, int],
    stored: Mapping[tuple[str, int], int],
    groups: Sequence[Group] = GROUPS,
) -> tuple[list[Unreadable], int]:
    """What steps can read no more of their topics, and how many records they have still to read."""
    source = {g.name: g.topics[0] for g in groups if g.kind == "step"}
    places = [(source[step], p, step, reached) for (step, p), reached in stored.items() if step in source]
    unreadable = [
        Unreadable(topic, p, step, start, reached)
        for topic, p, step, reached in places
        if (start := starts.get((topic, p), 0)) > reached
    ]
    return sorted(unreadable), sum(
        max(0, ends.get((topic, p), 0) - max(reached, starts.get((topic, p), 0))) for topic, p, _, reached in places
    )


def fill(bootstrap: Bootstrap, logs: Sequence[ShortLog]) -> None:
    """Occupies the lost offsets of each partition. Safe to repeat after an interruption, with what is short then.

    Raises RecoveryError."""
    for short in logs:
        producer = Producer(
            {
                **librdkafka(bootstrap), "transactional.id": f"memstream-recover-{short.topic}-{short.partition}",
                "log_level": 0,
            }
        )  # fmt: skip
        try:
            producer.init_transactions(_SECONDS)
            producer.begin_transaction()
            for _ in range(max(1, short.lost - 1)):  # the marker of the abort takes an offset, too
                producer.produce(short.topic, key=_KEY, value=b"", partition=short.partition)
                producer.poll(0)
            if producer.flush(_SECONDS):
                raise RecoveryError(f"{short.topic}/{short.partition}: the broker does not take records")
            producer.abort_transaction(_SECONDS)
        except (KafkaException, BufferError) as exc:
            raise RecoveryError(f"{short.topic}/{short.partition}: {type(exc).__name__}") from None


def remember(dsn: str, logs: Sequence[ShortLog]) -> None:
    """Notes the losses in Postgres, where `memstream check` reads them. Raises psycopg.Error."""
    with postgres_connections.connect(dsn) as conn:
        conn.cursor().executemany(
            "INSERT INTO ops.log_losses (topic, partition, first_offset, next_offset) VALUES (%s, %s, %s, %s) "
            "ON CONFLICT DO NOTHING",
            [(short.topic, short.partition, short.end, short.reached) for short in logs],
        )


def recover(bootstrap: Bootstrap, dsn: str, partitions: int) -> list[ShortLog]:
    """Finds, notes and fills up; returns what was short. Nothing may write or read the log meanwhile.

    Raises PreflightError, RecoveryError."""
    logs = short_logs(bootstrap, dsn, partitions)
    if logs:
        remember(dsn, logs)
        fill(bootstrap, logs)
        if left := _still_short(bootstrap, dsn, partitions):
            raise RecoveryError(f"{left[0]}; a reader or a writer is at work")
    return logs


def _still_short(bootstrap: Bootstrap, dsn: str, partitions: int) -> list[ShortLog]:
    """The coordinator answers an abort before its marker, which takes the last offset, is written."""
    looks = Retrying(
        retry=retry_if_result(bool),
        wait=wait_fixed(0.2),
        stop=stop_after_delay(MARKER_SECONDS),
        retry_error_callback=lambda last: last.outcome.result() if last.outcome is not None else [],
    )
    return looks(short_logs, bootstrap, dsn, partitions)


def require_whole_logs(bootstrap: Bootstrap, dsn: str, partitions: int) -> None:
    """For a process that is about to join the log. Raises ShortLogError, and PreflightError where
    servers stay away."""
    if logs := short_logs(bootstrap, dsn, partitions):
        raise ShortLogError(f"{logs[0]}; {_REMEDY}")


def refuse_short_logs(bootstrap: Bootstrap, dsn: str, partitions: int) -> None:
    """For a service that also starts while servers are away: looks once. Raises ShortLogError."""
    try:
        logs = _short_logs(bootstrap, dsn, partitions)
    except PreflightError as exc:
        log.warning("logs were not compared with their readers: %s", exc)
        return
    if logs:
        raise ShortLogError(f"{logs[0]}; {_REMEDY}")
