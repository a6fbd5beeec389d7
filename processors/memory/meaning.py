"""What a statement says of whom, without its wording: compared by keyed hash, so that nobody reads it in a row."""

from __future__ import annotations

from collections.abc import Mapping

from processors.memory.values import canonical
from processors.reader.quotation_support import denies, words_of
from schemas.events.memory import Candidate, MemoryUpdate
from schemas.log.ids import keyed_hash


def meaning(u: MemoryUpdate, hash_key: bytes) -> str:
    """Equal for statements of one person that say the same words of content, and both deny it or neither does; empty
    where there are none."""
    return _hashed(u.sealed.text, u.sealed.attributes, u.negated, hash_key)


def meaning_of_candidate(c: Candidate, hash_key: bytes) -> str:
    return _hashed(c.text, c.attributes, c.negated, hash_key)


def _hashed(text: str, attributes: Mapping[str, object], negated: bool, hash_key: bytes) -> str:
    about = str(attributes.get("about") or "")
    words = words_of(text, [about] if about else [])
    return keyed_hash(hash_key, canonical([about, negated or denies(text), sorted(words)])) if words else ""
