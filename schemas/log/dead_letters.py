"""Headers of a dead letter, the same from every step, sink and job: what failed, why, and where it came from; and of
what operators do with it: the record that goes back, and the mark that says so."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Protocol

from schemas.base import EARLIEST
from schemas.log.codec import DecodeError, Headers, header

_LETTER_ID = re.compile(rb"\d{1,10}:\d{1,19}")
_MILLISECONDS = re.compile(rb"\d{1,15}")
_KEPT = ("traceparent", "tracestate", "owner", "ce_type")
REPLAY_FOR = "replay_for"
"""Header of a replayed record: the one step, sink or job that it is meant for. Every other reader passes it by, for it
has had this record already."""
REPLAY_OF = "replay_of"
"""Header of a replayed record: the dead letter, `partition:offset`."""
SOURCE_TIME = "source_time"
"""Header of a replayed record: Kafka's time of the record that failed first, in milliseconds. The replayed record's own
time is that of the replay: under the source's the topic's retention could take it before its reader comes to it."""
RESOLVES = "resolves"
"""Header of a mark: the offset, in the same partition, of the dead letter that it is about. Marks have no value."""
ACTIONS = ("replaying", "replayed", "dropped")
NOBODY = "nobody"
"""`replay_for` of the null value that takes a replayed record out of a compacted topic again."""


class KafkaRecord(Protocol):
    """A record as it came; its value is the dead letter's value."""

    @property
    def topic(self) -> str: ...
    @property
    def partition(self) -> int: ...
    @property
    def offset(self) -> int: ...
    @property
    def headers(self) -> Headers: ...
    @property
    def timestamp_ms(self) -> int: ...


def dead_letter_headers(m: KafkaRecord, step: str, reason: str, text: str) -> Headers:
    """`reason` is a stable word; `text` names the field and what was expected, never content."""
    return [
        ("step", step.encode()),
        ("reason", reason.encode()),
        ("message", text.encode()),
        ("attempts", str(_attempts(m.headers) + 1).encode()),
        ("source_topic", m.topic.encode()),
        ("source_partition", str(m.partition).encode()),
        ("source_offset", str(m.offset).encode()),
        ("failed_at", kafka_time(source_ms(m.headers, m.timestamp_ms)).isoformat().encode()),
        *((k, v) for k, v in m.headers if k in _KEPT),
    ]


def meant_for_another(headers: Headers, reader: str) -> bool:
    """Whether a record was put back for a reader that is not this one. Raises DecodeError where the header is not
    a replay's: every reader would pass such a record by, and nobody would ever say so."""
    target = header(headers, REPLAY_FOR)
    if target is None:
        return False
    if _LETTER_ID.fullmatch(header(headers, REPLAY_OF) or b"") is None:
        raise DecodeError(
            "headers", f"{REPLAY_FOR}: expected {REPLAY_OF} beside it, the dead letter as partition:offset"
        )
    return target != reader.encode()


def source_ms(headers: Headers, timestamp_ms: int) -> int:
    """When a record came into the log, in milliseconds; of a replayed one, when its source did: acceptance, expiry and
    erasure go by it. `timestamp_ms`: the record's own time. Returns -1, no time, for a header that is none."""
    if header(headers, REPLAY_OF) is None:
        return timestamp_ms
    header_value = header(headers, SOURCE_TIME)
    if header_value is None:  # replayed under the source's own time, as it was done before this header
        return timestamp_ms
    return min(int(header_value), timestamp_ms) if _MILLISECONDS.fullmatch(header_value) else -1


def replay_headers(letter: Headers, letter_id: str, step: str, attempts: int, source_at: datetime) -> Headers:
    """Of the record that goes back to its topic. `source_at`: when the record that failed first came into the log. No
    `src`: it must not pass for a redelivery."""
    return [
        ("ce_specversion", b"1.0"),
        ("ce_id", f"dead-letter/{letter_id}".encode()),
        ("ce_source", b"memstream/replay"),
        ("content-type", b"application/json"),
        (REPLAY_OF, letter_id.encode()),
        (REPLAY_FOR, step.encode()),
        (SOURCE_TIME, str(int(source_at.timestamp() * 1000)).encode()),
        ("attempts", str(attempts).encode()),
        *((k, v) for k, v in letter if k in _KEPT),
    ]


def mark_headers(offset: int, action: str, target: str) -> Headers:
    """`target`: topic/partition:offset where a replay goes; empty for a drop."""
    return [
        (RESOLVES, str(offset).encode()),
        ("action", action.encode()),
        ("target", target.encode()),
    ]


def kafka_time(timestamp_ms: int) -> datetime:
    """Kafka's timestamp is the client's to set, or absent (-1): what is no date is the earliest one."""
    try:
        return max(EARLIEST, datetime.fromtimestamp(timestamp_ms / 1000, UTC))
    except (ValueError, OverflowError, OSError):
        return EARLIEST


def _attempts(headers: Headers) -> int:
    try:
        return max(0, int(header(headers, "attempts") or b"0"))
    except ValueError:
        return 0
