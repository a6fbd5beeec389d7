"""A turn's statements under the profile that decides: what it takes of the dropped ones, and whose reading is too low
(docs/decisions/2026-11-29-reading-and-dropped.md)."""

from __future__ import annotations

from processors.memory.rules import INFERRED
from processors.memory.versions import Encode
from processors.reader.rules.catalogue import filled, own_fields, resolve
from processors.reader.rules.domain import resolve_category
from processors.reader.rules.protocol import values_of
from processors.reader.rules.readings import is_free, reading_of_taken
from schemas.events.memory import Candidate, Dropped, Extraction
from schemas.profile.model import Profile


def read_under(e: Extraction, profile: Profile, encode: Encode) -> Extraction:
    """The extraction with the candidates that the profile makes of it: behind the reader's own what it takes of the
    dropped ones, and inferred those with a low reading. `encode`: text to terms and embedding, which dropped statements
    are kept without."""
    taken = [c for d in e.sealed.dropped if (c := _taken(d, profile, e.language)) is not None]
    for n, c in enumerate(taken):
        terms, embedding = encode(c.text)
        taken[n] = c.model_copy(update={"terms": terms, "embedding": embedding})
    reported = e.project_id is not None or bool(profile.hot_keys)
    found = (*e.sealed.candidates, *taken)
    candidates = found if reported else tuple(_lowered(c, profile) for c in found)
    if candidates == e.sealed.candidates:
        return e
    return e.model_copy(update={"sealed": e.sealed.model_copy(update={"candidates": candidates})})


def any_low(e: Extraction, profile: Profile) -> bool:
    """May a turn say something whose reading is too low?"""
    candidates = (*e.sealed.candidates, *(d.candidate for d in e.sealed.dropped))
    return any(c.low_reading is not None or _is_low(c, profile) for c in candidates)


def _is_low(c: Candidate, profile: Profile) -> bool:
    return c.reading is not None and c.reading < profile.reading.kept


def _lowered(c: Candidate, profile: Profile) -> Candidate:
    """Observed until somebody says it again, as what is inferred is. What is always made never is, whatever its reader
    has told of it."""
    if not (_is_low(c, profile) and is_free(c)):
        return c
    return c.model_copy(update={"source": "inferred", "confidence": INFERRED, "low_reading": c.reading})


def _taken(d: Dropped, profile: Profile, language: str) -> Candidate | None:
    """What the catalogue or a category asks for now has the reading of what they asked for at once. By its reading
    comes what fills no field, since nobody vouches for the value, and is the speaker's."""
    c = d.candidate
    if d.label == "no_field":
        values = own_fields(profile, resolve(profile, d.slots.items()))
        return _asked_for(c.model_copy(update=filled(values)._asdict()), language) if values else None
    if d.label == "dangling" and resolve_category(profile, c.text):
        return _asked_for(c, language)
    least = profile.reading.taken_back
    if c.reading is None or least == 1 or c.reading < least or d.label in ("dangling", "of_another"):
        return None
    return None if values_of(c) or c.hot is not None else c


def _asked_for(c: Candidate, language: str) -> Candidate:
    return c.model_copy(update={"reading": reading_of_taken(c, language)})
