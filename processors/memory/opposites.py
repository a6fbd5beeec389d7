"""One value in a field and in its opposite ("I love hiking", then "I hate hiking") contradict each other: both stand,
and each is marked with the other (D3), as two free statements are of which one denies the other."""

from __future__ import annotations

from processors.memory.index import slots_of, values_of
from processors.memory.rules import MAX_SOURCES
from processors.memory.store import UserMemoryStore
from processors.memory.values import same
from processors.reader.rules.catalogue import spec_of
from schemas.events.memory import MemoryUpdate
from schemas.profile.model import Profile
from schemas.profile.slots import OPPOSITES


def opposed(store: UserMemoryStore, profile: Profile, new: MemoryUpdate) -> list[MemoryUpdate]:
    """Standing records of the same person and scope that hold a value of `new` in the opposite field."""
    found: dict[str, MemoryUpdate] = {}
    for slot in slots_of(new):
        value = values_of(new).get(slot.field)
        name = _opposite(profile, slot.field)
        if name is None or value is None:
            continue
        holders = store.holders(slot._replace(field=name))
        found |= {h.record_id: h for h in holders if same(values_of(h).get(name), value)}
    return list(found.values())[-MAX_SOURCES:]


def _opposite(profile: Profile, field: str) -> str | None:
    spec = profile.field(field)
    slot = OPPOSITES.get((spec.slot if spec is not None else None) or field)
    filled = None if slot is None else spec_of(profile, slot)
    return slot if filled is None else filled.name
