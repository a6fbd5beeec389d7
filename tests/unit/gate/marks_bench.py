"""What tests of marks share: statements of which one changes the other, and looks at their marks."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.events.memory import CHANGED_AT, CHANGED_ON, MemoryUpdate
from tests.unit.gate.bench import DAY, GateBench, candidate

PAIRS = pytest.mark.parametrize(
    ("old", "new"),
    [
        ("User plays tennis on Mondays", "User has given up tennis"),
        ("用户每周一打网球", "用户不再打网球了"),
    ],
)
TENNIS, LATER, LAST = "User plays tennis on Mondays", "User has given up tennis", "User no longer wants to play tennis"


def known(gate: GateBench, text: str) -> MemoryUpdate:
    """The newest version of the record with this text, active or observed."""
    [found] = [u for u in gate.view.values() if u.sealed.text == text and u.state in ("active", "observed")]
    return found


def names(gate: GateBench, text: str) -> set[str]:
    """Texts of the records that a record is marked with."""
    ids = {u.record_id: u.sealed.text for u in gate.view.values() if u.state in ("active", "observed")}
    return {ids[name] for name in known(gate, text).conflicts_with}


def changed_on(gate: GateBench, text: str) -> str | None:
    result: Any = known(gate, text).sealed.attributes.get(CHANGED_ON)
    return None if result is None else str(result)[:10]


def dated(gate: GateBench, text: str) -> set[str]:
    """Ids of the records that changed a record."""
    return set(dates(known(gate, text)))


def dates(u: MemoryUpdate) -> dict[str, str]:
    at: Any = u.sealed.attributes.get(CHANGED_AT) or [None] * len(u.conflicts_with)
    return {name: when for name, when in zip(u.conflicts_with, at, strict=True) if when is not None}


def check(gate: GateBench) -> None:
    """Marks are mutual, dates are of named records, and of two records one at most has changed the other."""
    held = {u.record_id: u for u in gate.view.values() if u.state in ("active", "observed")}
    for u in held.values():
        at: Any = u.sealed.attributes.get(CHANGED_AT)
        assert (at is None) == (CHANGED_ON not in u.sealed.attributes)
        assert at is None or len(at) == len(u.conflicts_with)
        for name in u.conflicts_with:
            assert u.record_id in held[name].conflicts_with
            assert not (name in dates(u) and u.record_id in dates(held[name]))


async def pair(gate: GateBench, old: str = TENNIS, new: str = LATER) -> tuple[str, str]:
    """An earlier statement and a later one, two days after it; dates of both."""
    first = gate.driver.now.date().isoformat()
    await gate.say(candidate(old))
    gate.later(2 * DAY)
    await gate.say(candidate(new))
    assert names(gate, old) == {new}
    return first, gate.driver.now.date().isoformat()
