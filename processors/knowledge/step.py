"""chunk: knowledge.documents -> memory.updates. A new version archives the old in one step (D8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import orjson

from processors.future_timestamps import dated_ahead
from processors.knowledge.chunking import Chunk, chunks
from processors.knowledge.rows import (
    ACTIVE,
    CHUNKS,
    FLOOR,
    LEFT,
    VERSIONS,
    ActiveVersion,
    VersionNumbers,
    chunk_name,
)
from processors.memory.emit import because, update
from processors.pii.redacted_values import RedactedValues
from processors.pii.redaction import redact, replaced, strings
from processors.ports import Models, ProfileBook, vectors
from processors.step import Out, OwnerState, PlainStep, Prepared, Reads, Record, StateSpace
from schemas.base import JsonObject
from schemas.events.documents import EVERY_VERSION, Document
from schemas.events.memory import Deletion, DocumentChunk, MemoryBody
from schemas.log import topics
from schemas.log.ids import content_hash, record_id
from schemas.log.owner import OwnerKind

KEPT_VERSIONS = 20
"""Earlier versions of a document whose archived chunks are kept; the one archived longest ago is deleted (state
bound)."""
KEPT_NUMBERS = 1_000
"""Deleted versions whose revision is remembered; those deleted before share one floor (state bound)."""


@dataclass(frozen=True, slots=True)
class Piece:
    chunk: Chunk
    findable: str
    """What its vector and terms are made of."""
    terms: tuple[str, ...]
    embedding: bytes = b""


@dataclass(frozen=True, slots=True)
class Screened:
    """A document behind policy. `digest` names title, metadata and text together."""

    digest: str
    title: str
    metadata: JsonObject
    pieces: tuple[Piece, ...]


class ChunkStep(PlainStep):
    """State: rows.py. The numbers of each version that was ever put stay, so that a deletion reaches all its chunks."""

    name = "chunk"
    source = topics.DOCUMENTS
    outputs = (topics.UPDATES,)
    marks = (topics.UPDATES,)
    completes = True

    def __init__(self, models: Models, book: ProfileBook) -> None:
        self._models = models
        self._book = book

    def prepare(self, records: Sequence[Record]) -> Sequence[Screened | None]:
        return [self._screened(r.event) if isinstance(r.event, Document) else None for r in records]

    def reads(self, record: Record, prepared: Prepared) -> tuple[Reads, ...]:
        return (Reads(record.event.owner.key),) if isinstance(record.event, Document) else ()

    def complete(
        self, records: Sequence[Record], prepared: Sequence[Screened | None], states: Sequence[StateSpace]
    ) -> Sequence[Screened | None]:
        """Vectors. Chunks of the active version are not embedded again: of a new version most are as they were."""
        known: dict[str, bytes] = {}
        for record, clean, state in zip(records, prepared, states, strict=True):
            if isinstance(record.event, Document) and clean is not None and clean.pieces:
                known.update(self._embedded(state.of(record.event.owner.key)))
        wanted = dict.fromkeys(p.findable for clean in prepared if clean is not None for p in clean.pieces)
        new = [text for text in wanted if text not in known]
        known.update(zip(new, vectors(self._models.embedder, new), strict=True))
        return [
            clean and replace(clean, pieces=tuple(replace(p, embedding=known[p.findable]) for p in clean.pieces))
            for clean in prepared
        ]

    def _embedded(self, rows: OwnerState) -> Iterable[tuple[str, bytes]]:
        for _, u in rows.table(CHUNKS).items():
            if u.sealed.embedding and u.model_id == self._models.embedder.model_id:
                yield found_by(u.sealed.attributes.get("hierarchy_info") or {}, u.sealed.text), u.sealed.embedding

    def handle(self, record: Record, prepared: Screened | None, state: StateSpace) -> Iterable[Out]:
        d = record.event
        if not isinstance(d, Document) or prepared is None:
            return []
        if (ahead := dated_ahead(d, record)) is not None:
            return [ahead]
        rows = state.of(d.owner.key)
        at = d.accepted_at or record.timestamp
        if d.op == "delete":
            return self._delete(d, at, rows)
        new_version, active = ActiveVersion(d.version, prepared.digest), rows.single(ACTIVE).get()
        if active == new_version:
            return []
        out: list[Out] = []
        chunks_, versions = rows.table(CHUNKS), rows.table(VERSIONS)
        for name, old in chunks_.items():
            out.append(update(self._archived(old, at, rows)))
            chunks_.delete(name)
        if active is not None:
            numbers = _numbers(rows, active.version)
            versions.put(active.version, VersionNumbers(numbers.revision + 1, numbers.chunks, _next(rows)))
        numbers = _numbers(rows, d.version)
        revision = numbers.revision + 1
        rows.single(ACTIVE).put(new_version)
        versions.put(d.version, VersionNumbers(revision, max(numbers.chunks, len(prepared.pieces))))
        for n, piece in enumerate(prepared.pieces):
            new = self._update(d, n, prepared, piece, at, revision)
            chunks_.put(chunk_name(n), _without_terms(new))
            out.append(update(new))
        return [*out, *self._trimmed(d, at, rows)]

    def _archived(self, old: DocumentChunk, at: datetime, rows: OwnerState) -> DocumentChunk:
        """A chunk that stood until now. It keeps what finds it: a search as of a time before (N8) ranks it beside
        those that stand."""
        revision = _numbers(rows, old.key).revision
        terms = self._models.terms(found_by(old.sealed.attributes.get("hierarchy_info") or {}, old.sealed.text))
        return old.model_copy(
            update={
                "revision": revision + 1,
                "state": "archived",
                "valid_to": at,
                "reason": because("retired", "command", "document"),
                "sealed": old.sealed.model_copy(update={"terms": tuple(terms)}),
            }
        )

    def _trimmed(self, d: Document, at: datetime, rows: OwnerState) -> Iterable[Out]:
        """Of earlier versions beyond the bound the chunks go, the longest archived first; then the numbers."""
        versions = rows.table(VERSIONS)
        archived = [(version, of) for version, of in _earlier(rows, d.version) if of.chunks]
        for version, of in archived[: max(0, len(archived) - KEPT_VERSIONS)]:
            revision = of.revision + 1
            yield from (update(_chunk_deletion(d, version, n, revision, at, "made_room")) for n in range(of.chunks))
            versions.put(version, VersionNumbers(revision, 0, _next(rows)))
        deleted = [(version, of) for version, of in _earlier(rows, d.version) if not of.chunks]
        for version, of in deleted[: max(0, len(deleted) - KEPT_NUMBERS)]:
            rows.single(FLOOR).put(max(of.revision, rows.single(FLOOR).get() or 0))
            versions.delete(version)

    def _delete(self, d: Document, at: datetime, rows: OwnerState) -> list[Out]:
        """Every chunk of the version, or of every version, gets a marker without content. Behind the active version
        none stands: an earlier one comes back only when it is put again."""
        every, active = d.version == EVERY_VERSION, rows.single(ACTIVE).get()
        out: list[Out] = []
        versions = rows.table(VERSIONS)
        for version, of in versions.items():
            if not of.chunks or not (every or version == d.version):
                continue
            revision = of.revision + 1
            out += [update(_chunk_deletion(d, version, n, revision, at)) for n in range(of.chunks)]
            versions.put(version, VersionNumbers(revision, 0, _next(rows)))
        if every or (active is not None and active.version == d.version):
            for name in rows.table(CHUNKS).names():
                rows.table(CHUNKS).delete(name)
            rows.single(ACTIVE).delete()
        return out

    def _screened(self, d: Document) -> Screened:
        """PII first: title and metadata too, before anything is split or embedded."""
        if d.op == "delete":
            return Screened("", "", {}, ())
        others = list(dict.fromkeys(strings([d.sealed.title, d.sealed.metadata])))
        texts = [d.sealed.markdown, *others]
        redacted = redact(self._models, self._book, [d.tenant] * len(texts), texts)
        redacted_values = RedactedValues.of(redacted)
        found = [redacted_values.text(r.text) for r in redacted]
        plain = dict(zip(others, found[1:], strict=True))
        pieces = chunks(found[0], self._models.counter(self._book.of(d.tenant).encoding).count)
        embeddable = [found_by(c.headings, c.text) for c in pieces]
        digest = content_hash(
            orjson.dumps([d.sealed.title, d.sealed.metadata, d.sealed.markdown], option=orjson.OPT_SORT_KEYS).decode()
        )
        return Screened(
            digest,
            replaced(d.sealed.title, plain, redacted_values),
            replaced(d.sealed.metadata, plain, redacted_values),
            tuple(Piece(c, t, tuple(self._models.terms(t))) for c, t in zip(pieces, embeddable, strict=True)),
        )

    def _update(self, d: Document, n: int, clean: Screened, piece: Piece, at: datetime, revision: int) -> DocumentChunk:
        profile = self._book.of(d.tenant)
        attributes = {
            "document_id": d.document_id, "document_version": d.version, "title": clean.title, "ordinal": n,
            "hierarchy_info": piece.chunk.headings, "source_metadata": {**clean.metadata, "title": clean.title},
        }  # fmt: skip
        return DocumentChunk(
            tenant=d.tenant, owner_kind=OwnerKind.DOCUMENT, owner_id=d.document_id,
            record_id=record_id(d.owner, "chunk", d.version, n), revision=revision,
            state="active", reason=because("kept", "command", "document"), key=d.version,
            language="zh" if self._models.language_of(piece.chunk.text) == "zh" else "en", occurred_at=at,
            known_at=at, last_accessed_at=at, profile=profile.name, profile_version=profile.version,
            model_id=self._models.embedder.model_id,
            sealed=MemoryBody(
                text=piece.chunk.text, attributes=attributes, terms=piece.terms, embedding=piece.embedding
            ),
        )  # fmt: skip


def found_by(headings: Mapping[str, object], text: str) -> str:
    """What a chunk's vector and terms are made of: its headings lead its text."""
    return " > ".join([*map(str, headings.values()), text])


def _numbers(rows: OwnerState, version: str) -> VersionNumbers:
    """Of a version that was not known before as well."""
    return rows.table(VERSIONS).get(version) or VersionNumbers(rows.single(FLOOR).get() or 0, 0)


def _next(rows: OwnerState) -> int:
    """Counts what was archived or deleted of a document: the order in which versions leave."""
    left = (rows.single(LEFT).get() or 0) + 1
    rows.single(LEFT).put(left)
    return left


def _earlier(rows: OwnerState, active: str) -> list[tuple[str, VersionNumbers]]:
    """Versions other than the active one, the one that left longest ago first."""
    others = [(version, of) for version, of in rows.table(VERSIONS).items() if version != active]
    return sorted(others, key=lambda version: (version[1].left, version[0]))


def _chunk_deletion(d: Document, version: str, n: int, revision: int, at: datetime, rule: str = "document") -> Deletion:
    return Deletion(
        tenant=d.tenant, owner_kind=OwnerKind.DOCUMENT, owner_id=d.document_id,
        record_id=record_id(d.owner, "chunk", version, n), revision=revision, kind="chunk",
        state="deleted", reason=because("retired", "command", rule), key=version, occurred_at=at, known_at=at,
        last_accessed_at=at,
    )  # fmt: skip


def _without_terms(u: DocumentChunk) -> DocumentChunk:
    return u.model_copy(update={"sealed": u.sealed.model_copy(update={"terms": ()})})
