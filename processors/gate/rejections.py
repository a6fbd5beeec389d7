"""Rejections (N4): what a user corrected or had deleted is not learned again from old text."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from processors.extract.protocol import values_of
from processors.gate.index import values_of as standing_values
from processors.gate.standing import Standing
from processors.gate.values import canonical, iso
from schemas.ids import keyed_hash
from schemas.memory import Candidate, Extraction, MemoryUpdate


def leave(standing: Standing, target: MemoryUpdate, at: datetime, hash_key: bytes) -> None:
    """Reject every value of a record: kind, field, scope, a keyed hash of the normalised value (not the value), the
    source turns, and when."""
    values: dict[str, Any] = standing_values(target) or {"": target.sealed.text}
    for field, value in values.items():
        digest = keyed_hash(hash_key, canonical(value))
        row = {
            "kind": target.kind,
            "field": field,
            "scope": target.scope,
            "hash": digest,
            "turns": [s.turn_id for s in target.sources],
            "at": iso(at),
        }
        standing.reject(f"{target.kind}/{target.scope}/{field}/{digest}", row)


def leave_gone(standing: Standing, record_id: str, kind: str, at: datetime) -> None:
    """The same for a record that stands no more: what its last version said."""
    last = standing.last_said(record_id)
    if last is None:
        return
    for field, digest in last["hashes"].items():
        row = {
            "kind": kind, "field": field, "scope": last["scope"], "hash": digest, "turns": last["turns"], "at": iso(at)
        }  # fmt: skip
        standing.reject(f"{kind}/{last['scope']}/{field}/{digest}", row)


def bars(rejections: Collection[dict[str, Any]], u: MemoryUpdate, hash_key: bytes) -> bool:
    """Does a rejection bar what a record says? As `barred` for a candidate: by what it was known from."""
    values: dict[str, Any] = standing_values(u) or {"": u.sealed.text}
    said = {s.turn_id for s in u.sources}
    for r in rejections:
        if r["kind"] != u.kind or r["scope"] != u.scope or r["field"] not in values:
            continue
        matches = r["hash"] == keyed_hash(hash_key, canonical(values[r["field"]]))
        if said & set(r["turns"]) and (matches or r["field"]):
            return True
        if matches and (iso(u.known_at) <= r["at"] or iso(u.occurred_at) <= r["at"]):
            return True
    return False


def barred(c: Candidate, source: Extraction, rejections: Collection[dict[str, Any]], hash_key: bytes) -> str | None:
    """The rule that bars a candidate, None when nothing does.

    A rejection bars candidates of its field from its source turns whatever their value, and the same value from any
    turn accepted or said before it; a user turn later in both lifts it. A statement without a field is barred from
    the source turns only where it says the same (one turn may hold other, true statements).
    """
    if not rejections:
        return None
    values: dict[str, Any] = dict(values_of(c)) or {"": c.text}
    accepted, occurred = iso(source.accepted_at), iso(source.turn.occurred_at)
    rule: str | None = None
    for r in rejections:
        if r["kind"] != c.kind or r["scope"] != c.scope or r["field"] not in values:
            continue
        matches = r["hash"] == keyed_hash(hash_key, canonical(values[r["field"]]))
        if source.turn.turn_id in r["turns"] and (matches or r["field"]):
            return "rejected_source"
        if matches and (accepted <= r["at"] or occurred <= r["at"]):
            rule = "rejected_value"
    return rule
