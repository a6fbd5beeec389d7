"""Which text a stored record's vector is made of, and making it with another model (reembed)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from inference.protocols import Embedder
from memstream.keyring.wiring import sealing_of
from memstream.settings import Settings
from memstream.workers.models import embedder_named
from processors.knowledge.step import found_by
from processors.memory.items import whole_text
from processors.project.weeks import lines_of
from schemas.events.memory import DocumentChunk, MemoryUpdate, WeeklyReport
from schemas.events.turns import ScreenedTurn
from schemas.log.codec import parsed
from schemas.security.sealed_rows import SealedPart, sealed_part
from sinks.protocol import Sink
from sinks.reembed import Embeddable, Reembedded

Terms = Callable[[str], list[str]]


def texts_of_vector(event: Embeddable, terms: Terms) -> list[str]:
    """As the step that wrote the record embedded it: one text, or several whose mean counts. A store item keeps no
    list of the fields that it is searched by: where those are not all, its search terms stand for them."""
    return [event.sealed.content] if isinstance(event, ScreenedTurn) else _of_memory(event, terms)


def _of_memory(event: MemoryUpdate, terms: Terms) -> list[str]:
    body = event.sealed
    if isinstance(event, DocumentChunk):
        headings = body.attributes.get("hierarchy_info")
        return [found_by(headings if isinstance(headings, dict) else {}, body.text)]
    if isinstance(event, WeeklyReport):
        return lines_of(body.text)
    if body.text:
        return [body.text]
    whole = whole_text(body.value)
    return [whole if tuple(terms(whole)) == body.terms else " ".join(body.terms)]


def embedded(embedder: Embedder, terms: Terms, events: Sequence[Embeddable]) -> list[bytes]:
    """Unit vectors as float16 bytes, one a record."""
    texts = [texts_of_vector(e, terms) for e in events]
    flat = [t for several in texts for t in several]
    vectors = embedder.embed(flat)
    out, at = [], 0
    for several in texts:
        mean = vectors[at : at + len(several)].mean(axis=0)
        at += len(several)
        norm = float(np.linalg.norm(mean))
        out.append(np.asarray(mean / norm if norm else mean, dtype=np.float16).tobytes())
    return out


def with_vectors_of(settings: Settings, name: str, sink: Sink) -> Sink:
    """`sink` with the vectors of the named model. Raises ValueError, EmbedderMissingError."""
    from inference.terms import terms

    embedder, codec = embedder_named(name), sealing_of(settings).codec

    def seal(event: Embeddable) -> SealedPart | None:
        return sealed_part(parsed(codec.value(event)))

    return Reembedded(sink, embedder.model_id, lambda events: embedded(embedder, terms, events), seal)
