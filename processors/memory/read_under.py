"""A turn's statements under the profile that decides: what it takes of the dropped ones, and whose reading is too low
(docs/decisions/2026-11-29-reading-and-dropped.md)."""

from __future__ import annotations

from processors.memory.rules import INFERRED
from processors.memory.versions import Encode
from processors.reader.rules.catalogue import filled, own_fields, resolve
from processors.reader.rules.domain import category_meant
from schemas.events.memory import Candidate, Dropped, Extraction
from schemas.profile.model import Profile


def read_under(e: Extraction, profile: Profile, encode: Encode) -> Extraction:
    """The extraction with the candidates that the profile makes of it: behind the reader's own what it takes of the
    dropped ones, and inferred those with a low reading. `encode`: text to terms and embedding, which dropped statements
    are kept without."""
    taken = [c for d in e.sealed.dropped if (c := _taken(d, profile)) is not None]
    for n, c in enumerate(taken):
        terms, embedding = encode(c.text)
        taken[n] = c.model_copy(update={"terms": terms, "embedding": embedding})
    candidates = tuple(_lowered(c, profile) for c in (*e.sealed.candidates, *taken))
    if candidates == e.sealed.candidates:
        return e
    return e.model_copy(update={"sealed": e.sealed.model_copy(update={"candidates": candidates})})


def any_low(e: Extraction, profile: Profile) -> bool:
    """Does a turn say something whose reading is too low?"""
    said = (*e.sealed.candidates, *(d.candidate for d in e.sealed.dropped if _taken(d, profile) is not None))
    return any(_lowered(c, profile).low_reading is not None for c in said)


def _lowered(c: Candidate, profile: Profile) -> Candidate:
    """Observed until somebody says it again, as what is inferred is."""
    if c.source != "explicit" or c.reading is None or c.reading >= profile.reading.kept:
        return c
    return c.model_copy(update={"source": "inferred", "confidence": INFERRED, "low_reading": c.reading})


def _taken(d: Dropped, profile: Profile) -> Candidate | None:
    c = d.candidate
    if d.label == "no_field":
        values = own_fields(profile, resolve(profile, d.slots.items()))
        return c.model_copy(update=filled(values)._asdict()) if values else None
    if d.label == "dangling":
        return c if category_meant(profile, c.text) else None
    from_here = profile.reading.taken_back
    return c if c.reading is not None and from_here <= c.reading and from_here < 1 else None
