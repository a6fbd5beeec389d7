"""Stored text under its owner's data key (C7): the sealed part of the log's value, as it is, in the rows of the views.

A row that is sealed keeps its clear columns; those that hold text are empty, and beside them stand `sealed`, the object
of the topic's value byte for byte, and `sealed_for`, whose key it is under. Nothing is sealed a second time: two
generations built of one log hold equal rows, and a key that is destroyed closes the log and the views at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from schemas.events.envelope import Envelope, Marker, Tick
from schemas.events.memory import Decision, MemoryUpdate
from schemas.profile.model import Profile
from schemas.security.sealing import ENCRYPTED_KEYS

SealedPart: TypeAlias = Mapping[str, str]
"""`alg`, `kid` and `ct`, in this order."""
Seals: TypeAlias = Callable[[Envelope | Tick | Marker], bool]
"""Whether the stores keep an event's text sealed (where the log holds it so)."""
COLUMNS = ("sealed", "sealed_for")


def sealed_part(value: Mapping[str, Any]) -> SealedPart | None:
    """Of a topic's value; None where it stands in the clear."""
    sealed = value.get("sealed")
    if not isinstance(sealed, dict) or sealed.keys() != ENCRYPTED_KEYS:
        return None
    return in_order(sealed)


def in_order(sealed: Mapping[str, Any]) -> dict[str, str]:
    """In one order of keys, whatever the store does with it: equal parts are equal bytes."""
    return {name: str(sealed[name]) for name in ("alg", "kid", "ct")}


def everything(_: Envelope | Tick | Marker) -> bool:
    """`Seals` of `all`, the default of a profile."""
    return True


def by_profile(profile_of: Callable[[str], Profile]) -> Seals:
    """As the profile in force for the event's tenant says (`[storage] seal`)."""

    def seals(event: Envelope | Tick | Marker) -> bool:
        tenant = getattr(event, "tenant", None)
        if not isinstance(tenant, str):
            return False
        profile = profile_of(tenant)
        mode: Literal["all", "sensitive", "none"] = profile.storage.seal
        return mode == "all" or (mode == "sensitive" and not _harmless(event, profile))

    return seals


def _harmless(event: Envelope | Tick | Marker, profile: Profile) -> bool:
    """Only what the catalogue names and does not call sensitive. Free text (turns, sessions, episodes, reports, hot
    memory, store items) may hold anything."""
    if not isinstance(event, MemoryUpdate | Decision):
        return False
    if event.kind == "table":
        spec = next((t for t in profile.tables if t.name == event.category), None)
        return spec is not None and not any(c.sensitive for c in spec.columns)
    if event.kind not in ("fact", "preference", "intent"):
        return False
    names = {n for n in (event.field, *event.fields) if n is not None}
    specs = [profile.field(name) for name in names]
    return bool(specs) and all(s is not None and not s.sensitive for s in specs)
