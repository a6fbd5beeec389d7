"""What a turn says of somebody whom only earlier memories place: "Freya's in year one now" is dropped by the reader,
which knows no Freya, and stands where "User's daughter Freya ..." does (docs/extraction.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from processors.memory.changes.signs import signs_of
from processors.memory.store import UserMemoryStore
from processors.memory.versions import Encode
from processors.reader.rules.people_en import People
from processors.reader.rules.person_en import about
from processors.reader.rules.protocol import values_of
from processors.reader.rules.self_contained_en import is_self_contained
from schemas.events.memory import Candidate, Dropped, Extraction

_NAMED = re.compile(r"(?P<name>[A-Z][a-z]{1,20})(?='s [a-z]| (?:is|was|has|had|will|can|no longer|[a-z]+s|[a-z]+ed)\b)")
_OWN = "User's "


def with_known_people(e: Extraction, store: UserMemoryStore, encode: Encode) -> Extraction:
    """The extraction with the dropped English statements that say of one person of the user's that something changed,
    worded with who they are, as the same session has it: of another one, which may be erased by itself, nothing goes
    into the words of this. None of a group's, where each speaker has people of their own."""
    if e.language != "en" or e.sealed.speaker is not None or not e.sealed.dropped:
        return e
    taken_already = {c.ordinal for c in e.sealed.candidates}
    named = {
        d.candidate.ordinal: match["name"] for d in e.sealed.dropped
        if d.candidate.ordinal not in taken_already and (match := _of_somebody(d)) is not None
    }  # fmt: skip
    if not named:
        return e
    texts = [
        u.sealed.text for u in store.all()
        if u.state == "active" and u.sealed.text.startswith(_OWN)
        and any(s.session_id == e.session_id for s in u.sources)
    ]  # fmt: skip
    taken = [
        c for d in e.sealed.dropped
        if d.candidate.ordinal in named and (c := _worded(d.candidate, named[d.candidate.ordinal], texts, encode))
    ]  # fmt: skip
    if not taken:
        return e
    return e.model_copy(
        update={"sealed": e.sealed.model_copy(update={"candidates": (*e.sealed.candidates, *taken)})}
    )


def _of_somebody(d: Dropped) -> re.Match[str] | None:
    c = d.candidate
    free = d.label == "unresolved" and not values_of(c) and c.hot is None and "about" not in c.attributes
    return _NAMED.match(c.text) if free and signs_of(c.text) else None


def _worded(c: Candidate, name: str, texts: Iterable[str], encode: Encode) -> Candidate | None:
    """The statement of the person; None where nothing says who that is, or several things do."""
    mine = {f"my {text[len(_OWN) :]}" for text in texts if re.search(rf"\b{name}\b", text)}
    people = {person for text in mine if (person := People([text]).named(c.text)) != c.text}
    if len(people) != 1 or not is_self_contained(person := people.pop()):
        return None
    text = about(person, "User")
    terms, embedding = encode(text)
    return c.model_copy(update={"text": text[0].upper() + text[1:], "terms": terms, "embedding": embedding})
