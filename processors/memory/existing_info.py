"""What the caller of a turn holds already (`existingInfo` of the memory engine's save_info): said again, it is skipped
(B3). Pure."""

from __future__ import annotations

from dataclasses import dataclass

from processors.memory.vagueness import PLACES, vaguer
from processors.memory.values import canonical
from schemas.base import JsonValue
from schemas.events.memory import Candidate, Extraction
from schemas.profile.model import Profile


@dataclass(frozen=True, slots=True)
class _Values:
    """Of one field: as the caller sent them, and in the form in which equal values are equal."""

    originals: tuple[JsonValue, ...]
    canonical: frozenset[str]


class CallersValues:
    """What the caller of one extraction's turn holds. Its values are brought into their form once, however many
    candidates they are compared with."""

    def __init__(self, source: Extraction, profile: Profile) -> None:
        self._profile = profile
        self._project = source.project_id
        self._known_values = source.sealed.existing_info or {}
        self._fields: dict[str, _Values] = {}

    def hold(self, c: Candidate, name: str, value: JsonValue) -> bool:
        """Did the caller send this value of the field, or a sharper one? Another value is news, what is said of
        somebody else is no field of the user's, and what a project's hot memory learns is not one caller's to hold
        back."""
        if self._known_values.get(name) is None or c.attributes.get("about") or self._of_project(c):
            return False
        held = self._values(name)
        if canonical(value) in held.canonical:
            return True
        spec = self._profile.field(name)
        place = (name if spec is None else spec.slot) in PLACES
        return any(vaguer(value, c.approximate, one, False, place) for one in held.originals)

    def _of_project(self, c: Candidate) -> bool:
        return c.hot is not None and (c.project_id or self._project) is not None

    def _values(self, name: str) -> _Values:
        found = self._fields.get(name)
        if found is None:
            known = self._known_values[name]
            values = tuple(known) if isinstance(known, list) else (known,)
            found = self._fields[name] = _Values(values, frozenset(canonical(one) for one in values))
        return found
