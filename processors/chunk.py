"""chunk: knowledge.documents -> memory.updates. A new version archives the old in one step (D8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import orjson

from processors.chunking import Chunk, chunks
from processors.gate.emit import because, update
from processors.ports import Models, ProfileBook, vectors
from processors.redaction import redact
from processors.step import Out, PlainStep, Reads, Record, StateSpace
from schemas import topics
from schemas.codec import Codec
from schemas.documents import Document
from schemas.ids import content_hash, record_id
from schemas.memory import MemoryBody, MemoryUpdate
from schemas.owner import OwnerKind

_PLAIN = Codec()


@dataclass(frozen=True, slots=True)
class Piece:
    chunk: Chunk
    terms: tuple[str, ...]
    embedding: bytes


class ChunkStep(PlainStep):
    """State: one row a chunk of the active version (without its vector), and the version."""

    name = "chunk"
    source = topics.DOCUMENTS
    outputs = (topics.UPDATES,)
    marks = (topics.UPDATES,)

    def __init__(self, models: Models, book: ProfileBook) -> None:
        self._models = models
        self._book = book

    def prepare(self, records: Sequence[Record]) -> Sequence[list[Piece]]:
        return [self._pieces(r.event) if isinstance(r.event, Document) else [] for r in records]

    def reads(self, record: Record, prepared: Any) -> tuple[Reads, ...]:
        return (Reads(record.event.owner.key),) if isinstance(record.event, Document) else ()

    def handle(self, record: Record, prepared: list[Piece], state: StateSpace) -> Iterable[Out]:
        d = record.event
        if not isinstance(d, Document):
            return []
        rows = state.of(d.owner.key)
        digest = content_hash(d.sealed.markdown)
        if d.op == "put" and rows.get("version") == [d.version, digest]:
            return []
        at = d.accepted_at or record.timestamp
        out: list[Out] = []
        for key, raw in list(rows.items("chunk/")):
            old = cast(MemoryUpdate, _PLAIN.decode(topics.UPDATES.name, orjson.dumps(raw)))
            out.append(update(_ended(old, d.op == "delete")))
            rows.delete(key)
        if d.op == "delete":
            rows.delete("version")
            return out
        rows.put("version", [d.version, digest])
        restated = int(cast(int, rows.get(f"restated/{d.version}") or 0)) + 1
        rows.put(f"restated/{d.version}", restated)
        for n, piece in enumerate(prepared):
            new = self._update(d, n, piece, at, restated)
            rows.put(f"chunk/{n:06d}", orjson.loads(_PLAIN.value(_without_vector(new))))
            out.append(update(new))
        return out

    def _pieces(self, d: Document) -> list[Piece]:
        if d.op == "delete" or not d.sealed.markdown.strip():
            return []
        clean = redact(self._models, self._book, [d.tenant], [d.sealed.markdown])[0].text
        found = chunks(clean, self._models.counter(self._book.of(d.tenant).encoding).count)
        texts = [" > ".join([*c.headings.values(), c.text]) for c in found]
        return [
            Piece(c, tuple(self._models.terms(t)), v)
            for c, t, v in zip(found, texts, vectors(self._models.embedder, texts), strict=True)
        ]

    def _update(self, d: Document, n: int, piece: Piece, at: Any, restated: int) -> MemoryUpdate:
        """`restated` counts how often this version of the document was put: the revision stays ahead of what an
        earlier put of the same version left (2 a put: active, then archived)."""
        profile = self._book.of(d.tenant)
        attributes = {
            "document_id": d.document_id, "document_version": d.version, "title": d.sealed.title, "ordinal": n,
            "hierarchy_info": piece.chunk.headings, "source_metadata": {**d.sealed.metadata, "title": d.sealed.title},
        }  # fmt: skip
        return MemoryUpdate(
            tenant=d.tenant, owner_kind=OwnerKind.DOCUMENT, owner_id=d.document_id,
            record_id=record_id(d.owner, "chunk", d.version, n), revision=restated * 2 - 1, kind="chunk",
            state="active", reason=because("kept", "command", "document"), key=d.version,
            language="zh" if self._models.language_of(piece.chunk.text) == "zh" else "en", occurred_at=at,
            known_at=at, last_accessed_at=at, profile=profile.name, profile_version=profile.version,
            model_id=self._models.embedder.model_id,
            sealed=MemoryBody(
                text=piece.chunk.text, attributes=attributes, terms=piece.terms, embedding=piece.embedding
            ),
        )  # fmt: skip


def _ended(old: MemoryUpdate, deleted: bool) -> MemoryUpdate:
    """Archived chunks stay readable as history; deleted ones leave a marker without content."""
    changed: dict[str, Any] = {"revision": old.revision + 1, "reason": because("retired", "command", "document")}
    changed |= {"state": "deleted", "op": "delete", "sealed": MemoryBody()} if deleted else {"state": "archived"}
    return old.model_copy(update=changed)


def _without_vector(u: MemoryUpdate) -> MemoryUpdate:
    return u.model_copy(update={"sealed": u.sealed.model_copy(update={"embedding": b"", "terms": ()})})
