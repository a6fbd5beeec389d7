"""Logs that have lost what was read of them: found, filled up and reported.

A power cut takes from a broker what it acknowledged out of its page cache. Steps keep their position in Postgres and
sinks commit theirs to the group: both then take the records that come next for redeliveries, and skip as many as were
lost. Recovery occupies the lost offsets with an aborted transaction, which no reader of committed records sees, so that
no offset is ever used for two records. What a client's producer wrote there meanwhile is found by the leader epochs
that steps store with their positions, and written once more behind them. It runs before anything of ours writes: at
each start of the embedded stack, and by `memstream recover` where the brokers are given.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

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

from memstream.grown_logs import ReadUnder, RecoveryError, cuts, rewind, send_again, settle, stored_leaders
from memstream.workers.preflight import PreflightError
from query.pipeline.groups import GROUPS, Group, live_groups
from schemas.log.leaders import Place
from schemas.storage import generations, postgres_connections
from schemas.storage.connections import Bootstrap, librdkafka

if TYPE_CHECKING:
    from query.pipeline.offsets import OffsetReader

log = logging.getLogger(__name__)
_SECONDS = 60.0
"""Bound of each call to the brokers."""
MARKER_SECONDS = 30.0
"""How long the end of an aborted transaction is waited for."""
_REMEDY = "stop all processes and producers and run `memstream recover --yes`"
_KEY = b"filler"
"""Compacted topics refuse records without a key; an aborted record is never compacted against others."""


class ShortLogError(PreflightError):
    """A log is shorter than what was read of it: what is written to it now would be skipped."""


@dataclass(frozen=True, slots=True, order=True)
class ShortLog:
    """A partition of which what was read ends at `end`, below `reached`, the largest position of its readers.
    `written`: offsets that were used since, from `end` on: of what lies there readers skip what is below `reached`."""

    topic: str
    partition: int
    end: int
    reached: int
    written: int = 0

    @property
    def lost(self) -> int:
        """Records that were read and are no longer in the log. What nobody had read is not known."""
        return self.reached - self.end

    @property
    def missing(self) -> int:
        """Offsets below `reached` that no record has."""
        return max(0, self.lost - self.written)

    def __str__(self) -> str:
        place = f"{self.topic}/{self.partition}"
        if self.written:
            return (
                f"{place} lost {self.lost} records from offset {self.end} on that were read, and has grown to "
                f"{self.end + self.written} since"
            )
        return f"{place} ends at {self.end} and was read to {self.reached}: {self.lost} lost"


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
    """Compares the end of every topic with the stored positions of the steps and the committed offsets of all groups,
    and where former leaders ended with what steps had read under them. Servers that are away, or not quite there after
    a start, are waited for, a minute at most.

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
            under = stored_leaders(conn, _sources(groups))
    except psycopg.errors.UndefinedTable:
        stored = {}
    except psycopg.Error as exc:
        raise PreflightError(f"Postgres does not answer ({type(exc).__name__}): check MEMSTREAM_POSTGRES") from None
    if not stored:
        return Comparison()  # no step ever ran, and there may be no group yet
    with closing(OffsetReader(bootstrap, partitions, timeout=10.0)) as reader:
        try:
            found = reader.read(groups)
            cut = cuts(under, _epoch_ends(reader, under))
        except BrokersAwayError:
            raise PreflightError("the brokers do not answer: check MEMSTREAM_KAFKA") from None
    short = compare(found.ends, found.committed.values(), stored, groups, cut)
    return Comparison(short, *still_to_read(found.starts, found.ends, stored, groups))


def _sources(groups: Iterable[Group]) -> dict[str, str]:
    """Step -> the topic that it reads."""
    return {g.name: g.topics[0] for g in groups if g.kind == "step"}


def _epoch_ends(reader: OffsetReader, read: Iterable[ReadUnder]) -> dict[tuple[Place, int], int]:
    """Where those leaders ended. One of each partition is asked for at once. Raises BrokersAwayError."""
    left: dict[Place, list[int]] = {}
    for place, epoch in sorted({(r.place, r.epoch) for r in read}):
        left.setdefault(place, []).append(epoch)
    out: dict[tuple[Place, int], int] = {}
    while left:
        asked = {place: epochs.pop() for place, epochs in left.items()}
        ends = reader.epoch_ends(asked)
        out |= {(place, epoch): ends[place] for place, epoch in asked.items() if place in ends}
        left = {place: epochs for place, epochs in left.items() if epochs}
    return out


def compare(
    ends: Mapping[Place, int],
    committed: Iterable[Mapping[Place, int]],
    stored: Mapping[tuple[str, int], int],
    groups: Sequence[Group] = GROUPS,
    cut: Mapping[Place, tuple[int, int]] = {},
) -> list[ShortLog]:
    """`stored`: next offset by step and partition of the topic that the step reads. `cut`: see `cuts`."""
    source = _sources(groups)
    reached: dict[Place, int] = {}
    for offsets in (*committed, {(source[s], p): n for (s, p), n in stored.items() if s in source}):
        for place, offset in offsets.items():
            reached[place] = max(offset, reached.get(place, 0))
    short = {place: (end, offset) for place, offset in reached.items() if (end := ends.get(place, offset)) < offset}
    grown = {
        place: (end, max(offset, short.get(place, (0, 0))[1])) for place, (end, offset) in cut.items() if place in ends
    }
    return sorted(
        ShortLog(*place, end, offset, max(0, ends[place] - end)) for place, (end, offset) in {**short, **grown}.items()
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
            for _ in range(max(1, short.missing - 1)):  # the marker of the abort takes an offset, too
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
            "INSERT INTO ops.log_losses (topic, partition, first_offset, next_offset, lost) "
            "VALUES (%s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
            [(s.topic, s.partition, s.end, max(s.reached, s.end + s.written), s.lost) for s in logs],
        )


def recover(bootstrap: Bootstrap, dsn: str, partitions: int) -> list[ShortLog]:
    """Finds, notes and fills up, and sends again what was written over a loss; returns what was short. Nothing of ours
    may write or read the log meanwhile.

    Raises PreflightError, RecoveryError."""
    logs = short_logs(bootstrap, dsn, partitions)
    for short in logs:
        log.critical("records were lost: %s", short)
    if logs:
        remember(dsn, [short for short in logs if not short.written])
        fill(bootstrap, [short for short in logs if short.missing])
        mend(bootstrap, dsn, partitions, logs)
        if left := _still_short(bootstrap, dsn, partitions):
            raise RecoveryError(f"{left[0]}; a reader or a writer is at work")
    return logs


def mend(bootstrap: Bootstrap, dsn: str, partitions: int, logs: Sequence[ShortLog]) -> None:
    """Sends again what lies where readers had passed, notes those losses, and moves the readers. Safe to repeat after
    an interruption: what is sent twice has the ids that it had. Raises RecoveryError, PreflightError."""
    with postgres_connections.connect(dsn) as conn:
        groups = live_groups(lambda store: generations.live(conn, store).number)
    for short in logs:
        place = short.topic, short.partition
        steps = [step for step, topic in _sources(groups).items() if topic == short.topic]
        if not short.written:
            settle(dsn, steps, place, short.end, None)
            continue
        # A client may write meanwhile: that is behind it, and is read.
        behind = max(_end(bootstrap, partitions, place), short.reached)
        remember(dsn, [replace(short, written=behind - short.end)])
        rewind(bootstrap, groups, place, short.end)  # first: it refuses where somebody is at work
        count = send_again(bootstrap, partitions, place, short.end, behind)
        log.warning("%s/%d: %s records that came since are sent again", *place, count)
        settle(dsn, steps, place, short.end, behind)


def _end(bootstrap: Bootstrap, partitions: int, place: Place) -> int:
    from query.pipeline.offsets import BrokersAwayError, OffsetReader  # kafka-python is heavy to load

    with closing(OffsetReader(bootstrap, partitions, timeout=10.0)) as reader:
        try:
            return reader.ends([place])[place]
        except BrokersAwayError:
            raise PreflightError("the brokers do not answer: check MEMSTREAM_KAFKA") from None


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
