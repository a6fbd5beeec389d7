"""A statement that puts right a value said another time, and names no field: "last time I said 10 years, it's really
11". What it corrects is found by the value: one standing statement of the same person and scope that holds it, in the
same unit. Of several it may mean any, so all stand and name each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from processors.memory.index import Slot, values_of
from processors.memory.store import UserMemoryStore
from processors.memory.values import same
from processors.memory.versions import VERSIONED, Versions
from processors.reader.rules.catalogue import spec_of
from schemas.base import JsonValue
from schemas.events.envelope import SourceTurn
from schemas.events.memory import CORRECT_VALUE, NOT_OF, REPLACES, UNIT, Candidate, MemoryUpdate
from schemas.profile.model import Profile

CORRECTED = "corrected"
"""The rule by which a statement ends for its correction."""


def corrects(c: Candidate) -> bool:
    """Does it name the value that it corrects, and no field?"""
    return c.field is None and not c.fields and {REPLACES, CORRECT_VALUE} <= c.attributes.keys()


def statements_with_wrong_value(
    c: Candidate, store: UserMemoryStore, profile: Profile, turn: SourceTurn
) -> list[tuple[MemoryUpdate, str]]:
    """The standing statements of before a turn that hold the value, each with its field."""
    unit, about = c.attributes.get(UNIT), str(c.attributes.get("about", ""))
    slots = c.attributes.get(NOT_OF)
    never = {_field(profile, str(slot)) for slot in slots} if isinstance(slots, list) else set()
    return [
        (u, name)
        for u in store.all()
        if u.kind in VERSIONED and u.state == "active" and not u.negated and u.scope == c.scope
        if str(u.sealed.attributes.get("about", "")) == about and u.occurred_at <= turn.occurred_at
        if all(s.turn_id != turn.turn_id for s in u.sources)
        for name, value in values_of(u).items()
        if _is_number(value) and same(value, c.attributes[REPLACES])
        if name not in never and (unit is None or _unit_of(profile, name) == unit)
    ]


def as_correction(c: Candidate, old: MemoryUpdate, field: str, versions: Versions) -> Candidate:
    """The candidate as a statement of the field that it corrects, in the words of what it corrects."""
    new = c.attributes[CORRECT_VALUE]
    was = re.compile(rf"(?<![\d.]){re.escape(f'{c.attributes[REPLACES]:g}')}(?!\.?\d)")
    text = old.sealed.text
    text = was.sub(f"{new:g}", text) if len(was.findall(text)) == 1 and not old.fields else ""
    body = versions.encoded(text or versions.worded({field: new}, old.language))
    kept = {k: v for k, v in c.attributes.items() if k not in (CORRECT_VALUE, UNIT, NOT_OF)}
    return c.model_copy(
        update={**body, "kind": old.kind, "field": field, "value": new, "category": old.category, "attributes": kept}
    )


def holders_of_wrong_value(store: UserMemoryStore, slots: Iterable[Slot], c: Candidate) -> set[str]:
    """Standing records of the same fields that hold the value which a candidate names as wrong."""
    if (wrong := c.attributes.get(REPLACES)) is None:
        return set()
    held = ((slot, h) for slot in slots for h in store.holders(slot))
    return {h.record_id for slot, h in held if same(values_of(h).get(slot.field), wrong)}


def _field(profile: Profile, slot: str) -> str:
    spec = spec_of(profile, slot)
    return slot if spec is None else spec.name


def _unit_of(profile: Profile, field: str) -> str | None:
    spec = profile.field(field)
    return None if spec is None else spec.unit


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
