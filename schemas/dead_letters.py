"""Headers of a dead letter, the same from every step, sink and job: what failed, why, and where it came from."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Protocol

from schemas.base import EARLIEST
from schemas.codec import Headers, header

_KEPT = ("traceparent", "owner", "ce_type")


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
        ("failed_at", kafka_time(m.timestamp_ms).isoformat().encode()),
        *((k, v) for k, v in m.headers if k in _KEPT),
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
