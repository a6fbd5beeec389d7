"""What a reader dropped and the profile that decides takes (docs/decisions/2026-11-29-reading-and-dropped.md)."""

from __future__ import annotations

from processors.memory.versions import Encode
from processors.reader.rules.catalogue import filled, own_fields, resolve
from processors.reader.rules.domain import category_meant
from schemas.events.memory import Candidate, Dropped, Extraction
from schemas.profile.model import Profile


def with_taken_back(e: Extraction, profile: Profile, encode: Encode) -> Extraction:
    """The extraction with what the profile takes of its dropped statements, as candidates behind the others. `encode`:
    text to terms and embedding, which dropped statements are kept without."""
    found = [c for d in e.sealed.dropped if (c := _taken(d, profile)) is not None]
    if not found:
        return e
    for n, c in enumerate(found):
        terms, embedding = encode(c.text)
        found[n] = c.model_copy(update={"terms": terms, "embedding": embedding})
    candidates = (*e.sealed.candidates, *found)
    return e.model_copy(update={"sealed": e.sealed.model_copy(update={"candidates": candidates})})


def _taken(d: Dropped, profile: Profile) -> Candidate | None:
    c = d.candidate
    if d.label == "no_field":
        values = own_fields(profile, resolve(profile, d.slots.items()))
        return c.model_copy(update=filled(values)._asdict()) if values else None
    if d.label == "dangling":
        return c if category_meant(profile, c.text) else None
    return None
