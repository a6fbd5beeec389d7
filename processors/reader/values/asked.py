"""A profile's fields as a field reader is asked for them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from inference.reader.protocol import AskedField, FieldKind
from schemas.profile.model import FieldSpec, Profile

_KINDS: Mapping[str, FieldKind] = {
    "string": "text", "integer": "number", "number": "number", "boolean": "boolean", "money": "money", "list": "list",
}  # fmt: skip
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])|_")


def in_words(name: str) -> str:
    """The name of a field in words: `currentJobTitle` is "current job title"."""
    return _WORD.sub(" ", name).lower()


def asked_fields(profile: Profile) -> tuple[AskedField, ...]:
    return tuple(_asked(spec) for spec in profile.fields)


def _asked(spec: FieldSpec) -> AskedField:
    labels = dict.fromkeys([*spec.label.values(), in_words(spec.name)])
    return AskedField(spec.name, tuple(labels), _KINDS[spec.type])


def is_of_another(shown: str, spec: FieldSpec, profile: Profile) -> bool:
    """Is it one of the values that another field names as its own?"""
    low = shown.strip().lower()
    return any(
        low == name.lower()
        for other in profile.fields
        if other is not spec
        for name in (*other.values, *other.aliases, *(each for names in other.aliases.values() for each in names))
    )
