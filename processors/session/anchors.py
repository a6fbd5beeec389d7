"""Session-level instructions that the user's own turns state (D6, D17), by the profile's patterns. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from processors.language.profile_patterns import first_match
from processors.reader.rules.text import MASKED
from schemas.base import JsonValue
from schemas.events.turns import ScreenedTurn
from schemas.profile.model import AnchorSpec

MOST = 5
"""Of an anchor of which several stand beside each other: the newest."""


def with_said(anchors: dict[str, JsonValue], t: ScreenedTurn, specs: Sequence[AnchorSpec]) -> dict[str, JsonValue]:
    """The anchors behind a turn: the newest instruction stands, whoever gave the one before. The same object where the
    turn gives none."""
    if t.role != "user" or t.refused:
        return anchors
    new: dict[str, JsonValue] = {}
    for spec in specs:
        found = first_match(t.sealed.content, spec.patterns, spec.unless, aliases=spec.aliases)
        if found is None or MASKED.search(found[0]):
            continue
        before = anchors.get(spec.name)
        held = before if isinstance(before, list) else [] if before is None else [before]
        new[spec.name] = [*(v for v in held if v != found[0]), found[0]][-MOST:] if spec.many else found[0]
    return {**anchors, **new} if new else anchors
