"""The profile's catalogue: generic slots become its fields, values its canonical values."""

from __future__ import annotations

from typing import Any

from processors.reader.rules.found import Found
from schemas.profile.model import FieldSpec, Profile


def spec_of(profile: Profile, slot: str) -> FieldSpec | None:
    """Return the field that this slot fills, or the field of that name."""
    return next((f for f in profile.fields if f.slot == slot), None) or profile.field(slot)


def resolve(profile: Profile, found: Found) -> list[tuple[str, Any]]:
    """Return (field, value) in the catalogue's order; a value that its field does not allow is left out.

    A slot that the catalogue does not list keeps its own name.
    """
    named: list[tuple[int, str, Any]] = []
    order = {f.name: at for at, f in enumerate(profile.fields)}
    for slot, value in found.slots:
        spec = spec_of(profile, slot)
        if spec is None:
            named.append((len(order), slot, _short(profile, slot, value)))
            continue
        fitted = fit(profile, spec, slot, value)
        if fitted is not None:
            named.append((order[spec.name], spec.name, fitted))
    named.sort(key=lambda item: item[0])
    return [(name, value) for _, name, value in named]


def fit(profile: Profile, spec: FieldSpec, slot: str, value: Any) -> Any:
    """Return a value as its field holds it: canonical by lexicon and aliases; None where it is not allowed."""
    value = _short(profile, slot, value)
    if isinstance(value, str):
        value = canonical(spec, value)
        if spec.values and value not in spec.values:
            return None
        return value
    if spec.type == "boolean":
        return value if isinstance(value, bool) else None
    return value


def canonical(spec: FieldSpec, value: str) -> str:
    low = value.lower()
    for name, others in spec.aliases.items():
        if low == name.lower() or any(low == other.lower() for other in others):
            return name
    return value


def _short(profile: Profile, slot: str, value: Any) -> Any:
    return profile.lexicon.get(slot, {}).get(value, value) if isinstance(value, str) else value
