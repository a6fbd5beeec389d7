"""What the caller of a turn holds already (`existingInfo` of the memory engine's save_info): said again, it is skipped
(B3). Pure."""

from __future__ import annotations

from typing import Any

from processors.memory.vague import PLACES, vaguer
from processors.memory.values import same
from schemas.events.memory import Candidate, Extraction
from schemas.profile.model import Profile


def held_by_caller(source: Extraction, c: Candidate, name: str, value: Any, profile: Profile) -> bool:
    """Did the caller send this value of the field, or a sharper one? Another value is news, and what is said of
    somebody else is no field of the user's."""
    told = (source.sealed.existing_info or {}).get(name)
    if told is None or c.attributes.get("about"):
        return False
    spec = profile.field(name)
    place = (name if spec is None else spec.slot) in PLACES
    held = told if isinstance(told, list) else [told]
    return any(same(value, one) or vaguer(value, c.approximate, one, False, place) for one in held)
