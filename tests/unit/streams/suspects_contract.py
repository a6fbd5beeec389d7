"""What keeps suspects keeps them so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import product

from streams.suspects import KEPT_DAYS, Noted, Suspect, Suspects

TOPIC, AT = "memory.ledger.v1", 1_795_910_000_000
Age = Callable[[float], None]


class SuspectsContract:
    """Fixtures: `suspects`, `step`, a name that nobody else uses, and `age`, by which all rows become older (days)."""

    async def test_they_are_kept_by_step_and_partition(self, suspects: Suspects, step: str) -> None:
        one, two = Suspect(step, TOPIC, 3, 41, AT), Suspect(step, TOPIC, 3, 2**40, AT + 1)
        assert await asyncio.to_thread(suspects.note, [one, two, Suspect(step, TOPIC, 4, 41, AT)])
        assert await suspects.of(step, TOPIC, 3, 0) == {41: Noted(AT, 1), 2**40: Noted(AT + 1, 1)}
        assert await suspects.of(step, TOPIC, 4, 0) == {41: Noted(AT, 1)}
        assert await suspects.of(f"{step}-other", TOPIC, 3, 0) == {}
        assert await asyncio.to_thread(suspects.note, [])

    async def test_only_what_held_its_step_alone_is_counted(self, suspects: Suspects, step: str) -> None:
        one, two = Suspect(step, TOPIC, 3, 41, AT), Suspect(step, TOPIC, 3, 42, AT)
        for _ in range(5):
            await asyncio.to_thread(suspects.note, [one, two])
        await asyncio.to_thread(suspects.note, [two], True)
        await asyncio.to_thread(suspects.note, [one, two])
        assert await suspects.of(step, TOPIC, 3, 0) == {41: Noted(AT, 1), 42: Noted(AT, 2)}

    async def test_another_record_at_that_offset_begins_anew(self, suspects: Suspects, step: str) -> None:
        await asyncio.to_thread(suspects.note, [Suspect(step, TOPIC, 3, 41, AT)])
        await asyncio.to_thread(suspects.note, [Suspect(step, TOPIC, 3, 41, AT)], True)
        await asyncio.to_thread(suspects.note, [Suspect(step, TOPIC, 3, 41, AT + 5)], True)
        assert await suspects.of(step, TOPIC, 3, 0) == {41: Noted(AT + 5, 1)}

    async def test_what_is_stored_is_forgotten(self, suspects: Suspects, step: str) -> None:
        found = [Suspect(step, TOPIC, p, n, AT) for p, n in product((0, 1), (5, 6))]
        await asyncio.to_thread(suspects.note, found)
        await suspects.passed(step, TOPIC, 0, 6)
        assert await suspects.of(step, TOPIC, 0, 0) == {6: Noted(AT, 1)}
        assert await suspects.of(step, TOPIC, 1, 0) == {5: Noted(AT, 1), 6: Noted(AT, 1)}

    async def test_what_no_step_comes_to_any_more_is_dropped(self, suspects: Suspects, step: str, age: Age) -> None:
        found = [Suspect(step, topic, 0, n, AT) for topic, n in product((TOPIC, "older.topic.v1"), (5, 6))]
        await asyncio.to_thread(suspects.note, found)
        assert await suspects.of(step, TOPIC, 0, 6) == {6: Noted(AT, 1)}
        assert await suspects.of(step, TOPIC, 0, 0) == {6: Noted(AT, 1)}, "it lay below the position"
        assert await suspects.of(step, "older.topic.v1", 0, 0) == {}
        await asyncio.to_thread(suspects.note, found)
        age(KEPT_DAYS - 1)
        old = await suspects.of(step, TOPIC, 0, 6)
        assert old == {6: Noted(AT, 1)}
        assert old[6].seconds >= (KEPT_DAYS - 1) * 86_400
        age(2)
        assert await suspects.of(step, TOPIC, 0, 6) == {}
