"""The profile's catalogue: generic slots become its fields, values its canonical values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from schemas.base import JsonValue
from schemas.profile.model import FieldSpec, Profile

OPEN = frozenset({"prefers", "likes", "dislikes"})
"""Slots that take any words."""


class FilledFields(NamedTuple):
    field: str | None
    fields: tuple[str, ...]
    value: JsonValue


def spec_of(profile: Profile, slot: str) -> FieldSpec | None:
    """Return the field that this slot fills, or the field of that name."""
    return next((f for f in profile.fields if f.slot == slot), None) or profile.field(slot)


def resolve(profile: Profile, slots: Iterable[tuple[str, JsonValue]]) -> list[tuple[str, JsonValue]]:
    """Return (field, value) in the catalogue's order; a value that its field does not allow is left out.

    A slot that the catalogue does not list keeps its own name.
    """
    named: list[tuple[int, str, JsonValue]] = []
    order = {f.name: at for at, f in enumerate(profile.fields)}
    for slot, value in slots:
        spec = spec_of(profile, slot)
        if spec is None:
            named.append((len(order), slot, _short(profile, slot, value)))
            continue
        fitted = fit(profile, spec, slot, value)
        if fitted is not None or value is None:  # a field that is withdrawn has no value of its own
            named.append((order[spec.name], spec.name, fitted))
    named.sort(key=lambda item: item[0])
    return [(name, value) for _, name, value in named]


def filled(values: Sequence[tuple[str, JsonValue]]) -> FilledFields:
    """The `field`, `fields` and `value` of a candidate with these values by field."""
    if len(values) == 1:
        return FilledFields(values[0][0], (), values[0][1])
    return FilledFields(None, tuple(name for name, _ in values), dict(values) or None)


def fit(profile: Profile, spec: FieldSpec, slot: str, value: JsonValue) -> JsonValue:
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


def _short(profile: Profile, slot: str, value: JsonValue) -> JsonValue:
    return profile.lexicon.get(slot, {}).get(value, value) if isinstance(value, str) else value


def own_fields(profile: Profile, values: list[tuple[str, JsonValue]]) -> list[tuple[str, JsonValue]]:
    """Where the profile's own rule and a general one read the same words, the profile's field holds them."""
    listed = [(n, v) for n, v in values if profile.field(n) is not None]
    if not listed:
        return values
    return [
        (n, v)
        for n, v in values
        if profile.field(n) is not None
        or (n not in OPEN and not any(str(w).lower() in str(v).lower() for _, w in listed))
    ]
