"""Memories for the read benchmark, put straight on memory.updates: the views are filled as the gate would fill them,
without the screening, extraction and gating that the write benchmark measures."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from confluent_kafka import Producer

from inference.embedding import UniversalSentenceEncoder
from inference.terms import terms
from processors.ports import vectors
from schemas.events.envelope import SourceTurn
from schemas.events.memory import CandidateKind, MemoryBody, MemoryUpdate, Reason, StatementMemory
from schemas.log import topics
from schemas.log.codec import Codec
from schemas.log.ids import content_hash, record_id
from schemas.log.owner import OwnerKind, partition, user
from schemas.log.topics import EMBEDDED_PARTITIONS

KINDS: tuple[CandidateKind, ...] = ("fact", "fact", "preference", "episode")
KEPT = Reason(outcome="kept", gate="extraction", rule="bench")


@dataclass(frozen=True, slots=True)
class Statement:
    """A text with what is computed once of it."""

    text: str
    terms: tuple[str, ...]
    embedding: bytes


def pool(texts: Sequence[str]) -> tuple[list[Statement], str]:
    """Each text embedded once, and the model's id."""
    encoder = UniversalSentenceEncoder()
    embedded: list[bytes] = []
    for i in range(0, len(texts), 64):
        embedded += vectors(encoder, list(texts[i : i + 64]))
    made = [Statement(t, tuple(terms(t)), e) for t, e in zip(texts, embedded, strict=True)]
    return made, encoder.model_id


def names(users: int) -> list[str]:
    return [f"reader-{n}" for n in range(users)]


def memories(
    users: Sequence[str], ordinals: range, statements: Sequence[Statement], model_id: str
) -> Iterator[MemoryUpdate]:
    """One memory a user and ordinal; a user's texts differ from each other, users share texts."""
    now = datetime.now(UTC)
    for place, name in enumerate(users):
        first = random.Random(place).randrange(len(statements))
        for n in ordinals:
            s, kind = statements[(first + n) % len(statements)], KINDS[n % len(KINDS)]
            owner = user("default", name)
            when = now - timedelta(hours=n, seconds=place)
            source = SourceTurn(
                turn_id=f"{name}-{n}",
                session_id=f"{name}-s{n // 10}",
                occurred_at=when,
                content_hash=content_hash(s.text),
            )
            bitemporal = kind != "episode"
            yield StatementMemory(
                tenant="default", owner_kind=OwnerKind.USER, owner_id=name, user_id=name,
                record_id=record_id(owner, kind, source.turn_id), version=1 if bitemporal else 0, revision=1,
                kind=kind, state="active", reason=KEPT, sources=(source,), session_id=source.session_id,
                occurred_at=when, valid_from=when if bitemporal else None, known_at=now, last_accessed_at=when,
                model_id=model_id, sealed=MemoryBody(text=s.text, terms=s.terms, embedding=s.embedding),
            )  # fmt: skip


def send(kafka: str, records: Iterator[MemoryUpdate]) -> int:
    """Onto memory.updates, acknowledged; how many. Raises RuntimeError when the broker refuses one."""
    producer = Producer({"bootstrap.servers": kafka, "linger.ms": 20, "compression.type": "lz4", "acks": "all"})
    codec, count = Codec(), 0
    failed: list[str] = []

    def report(error: Any, _: Any) -> None:
        if error is not None:
            failed.append(error.name())

    for record in records:
        encoded = codec.encode(record, "memstream/bench", f"{record.row_key}/1")
        while True:
            try:
                producer.produce(
                    topics.UPDATES.name, encoded.value, encoded.key, partition(record.owner, EMBEDDED_PARTITIONS),
                    report, headers=list(encoded.headers),
                )  # fmt: skip
                break
            except BufferError:
                producer.poll(0.1)
        producer.poll(0)
        count += 1
    producer.flush(60)
    if failed:
        raise RuntimeError(f"the broker refused {len(failed)} records: {failed[0]}")
    return count
