"""Rejections (N4): what a user corrected or had deleted is not learned again from old text."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from processors.memory.index import values_of as standing_values
from processors.memory.meaning import meaning, meaning_of_candidate
from processors.memory.rows import Rejection
from processors.memory.source_positions import ReadAt, overlap
from processors.memory.store import UserMemoryStore
from processors.memory.values import canonical
from processors.reader.rules.protocol import values_of
from schemas.base import JsonValue
from schemas.events.memory import Candidate, Extraction, MemoryUpdate
from schemas.log.ids import keyed_hash

REJECTED_SOURCE = "rejected_source"
"""It was rejected as what this very turn says."""


def leave(store: UserMemoryStore, target: MemoryUpdate, at: datetime, hash_key: bytes) -> None:
    """Reject every value of a record: kind, field, scope, a keyed hash of the normalised value (not the value), the
    source turns, where it was read in them, and when; and a keyed hash of its words, by which another wording of the
    same turn is known. Without a field also one of whose it is, what it says and whether it denies it."""
    values = standing_values(target) or {"": target.sealed.text}
    words = _words(target.sealed.terms, hash_key)
    places = store.read_at(target, at)
    turns = tuple(s.turn_id for s in target.sources)
    for field, value in values.items():
        means = meaning(target, hash_key) if field == "" else None
        digest = keyed_hash(hash_key, canonical(value))
        store.reject(Rejection(target.kind, field, target.scope, digest, turns, at, words, means, places))


def reject_removed(store: UserMemoryStore, record_id: str, kind: str, at: datetime) -> None:
    """The same for a record that stands no more: what its last version said."""
    tail = store.tails.get(record_id)
    if tail is None or tail.last is None:
        return
    last = tail.last
    for field, digest in last.hashes.items():
        means = last.means if field == "" else None
        store.reject(Rejection(kind, field, last.scope, digest, last.turns, at, None, means, last.places))


def _words(terms: Collection[str], hash_key: bytes) -> str:
    """Equal for texts of the same words, whatever stands between and around them; empty where there are none."""
    return keyed_hash(hash_key, canonical(sorted(set(terms)))) if terms else ""


def _told_by(r: Rejection, turns: Collection[str], fields: Collection[str], words: str) -> bool:
    """Does a statement come from a turn that a rejected one came from, and say something of the same field, or the same
    in other words? Its kind and scope are the extractor's choice."""
    if not any(turn in r.turns for turn in turns):
        return False
    return (r.field != "" and r.field in fields) or (words != "" and words == r.words)


def _read_there(r: Rejection, places: ReadAt) -> bool:
    """Was a statement read from characters that a rejected one was read from? Its wording and field are the
    extractor's choice."""
    return overlap(r.places, places)


def bars(rejections: Collection[Rejection], u: MemoryUpdate, hash_key: bytes, places: ReadAt) -> bool:
    """Does a rejection bar what a record says? As `barred` for a candidate: by what it was known from, and where it was
    read there."""
    values: dict[str, JsonValue] = standing_values(u) or {"": u.sealed.text}
    turn_ids, words = {s.turn_id for s in u.sources}, _words(u.sealed.terms, hash_key)
    means = meaning(u, hash_key)
    for r in rejections:
        if _read_there(r, places) or _told_by(r, turn_ids, values, words):
            return True
        alike = bool(means) and means == r.means
        if alike or (r.kind == u.kind and r.scope == u.scope and r.field in values):
            matches = alike or r.hash == keyed_hash(hash_key, canonical(values[r.field]))
            known = bool(turn_ids & set(r.turns)) or u.known_at <= r.at or u.occurred_at <= r.at
            if matches and known:
                return True
    return False


def barred(c: Candidate, source: Extraction, rejections: Collection[Rejection], hash_key: bytes) -> str | None:
    """The rule that bars a candidate, None when nothing does.

    A rejection bars what was read from the characters of its source turns that it was read from, in whatever words and
    of whatever field; candidates of its field from those turns whatever their value, kind and scope; and the same value
    from any turn accepted or said before it: a user turn later in both lifts it. Without a field the same value is what
    says the same of the same person and denies it or not; from the source turns, also what has the same words.
    """
    if not rejections:
        return None
    values: dict[str, JsonValue] = dict(values_of(c)) or {"": c.text}
    accepted, occurred = source.accepted_at, source.turn.occurred_at
    turn, words, means = (source.turn.turn_id,), _words(c.terms, hash_key), meaning_of_candidate(c, hash_key)
    places = {source.turn.turn_id: c.spans or ((c.span,) if c.span is not None else ())}
    rule: str | None = None
    for r in rejections:
        if _read_there(r, places) or _told_by(r, turn, values, words):
            return REJECTED_SOURCE
        alike = bool(means) and means == r.means
        if not alike and (r.kind != c.kind or r.scope != c.scope or r.field not in values):
            continue
        matches = alike or r.hash == keyed_hash(hash_key, canonical(values[r.field]))
        if matches and source.turn.turn_id in r.turns:
            return REJECTED_SOURCE
        if matches and (accepted <= r.at or occurred <= r.at):
            rule = "rejected_value"
    return rule
