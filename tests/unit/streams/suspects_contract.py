"""What keeps suspects keeps them so."""

from __future__ import annotations

import asyncio

from streams.suspects import Suspect, Suspects


class SuspectsContract:
    """Fixtures: `suspects`, and `step`, a name that nobody else uses."""

    async def test_they_are_counted_by_step_and_partition(self, suspects: Suspects, step: str) -> None:
        one, two = Suspect(step, "memory.ledger.v1", 3, 41), Suspect(step, "memory.ledger.v1", 3, 2**40)
        other = Suspect(step, "memory.ledger.v1", 4, 41)
        await asyncio.to_thread(suspects.note, [one, two, other])
        await asyncio.to_thread(suspects.note, [two])
        assert await suspects.of(step, 3) == {41: 1, 2**40: 2}
        assert await suspects.of(step, 4) == {41: 1}
        assert await suspects.of(f"{step}-other", 3) == {}

    async def test_what_is_stored_is_forgotten(self, suspects: Suspects, step: str) -> None:
        found = [Suspect(step, "memory.ledger.v1", p, n) for p in (0, 1) for n in (5, 6)]
        await asyncio.to_thread(suspects.note, found)
        await suspects.passed(step, 0, 6)
        assert await suspects.of(step, 0) == {6: 1}
        assert await suspects.of(step, 1) == {5: 1, 6: 1}
