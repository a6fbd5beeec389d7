"""What is said of somebody whom a memory of the same session places (docs/extraction.md)."""

from __future__ import annotations

import pytest

from schemas.events.memory import Dropped
from tests.unit.gate.bench import DAY, GateBench, candidate

TILDA = "User's niece Tilda is in primary school"


@pytest.mark.parametrize(
    ("placed", "label", "text", "made"),
    [
        ([TILDA], "unresolved", "Tilda's in the upper school now", ["User's niece Tilda is in the upper school now"]),
        ([TILDA], "unresolved", "Tilda's in the upper school", []),
        ([TILDA], "of_another", "Tilda's in the upper school now", []),
        ([TILDA], "unresolved", "Matilda's in the upper school now", []),
        (["User saw Tilda in Bergen"], "unresolved", "Tilda's in the upper school now", []),
        ([TILDA, "User's aunt Tilda paints boats"], "unresolved", "Tilda's in the upper school now", []),
    ],
)
async def test_d3_a_change_of_a_known_person_is_told_of_them(
    gate: GateBench, placed: list[str], label: str, text: str, made: list[str]
) -> None:
    await gate.say(*map(candidate, placed))
    gate.later(30 * DAY)
    dropped = Dropped.model_validate({"label": label, "candidate": candidate(text, ordinal=5)})
    await gate.say(dropped=(dropped,))
    assert {u.sealed.text for u in gate.active()} - set(placed) == set(made)
