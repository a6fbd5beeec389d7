"""Statement cases run through the real steps: each under its profile, each a user of its own."""

from __future__ import annotations

from evaluation.statements import Case, Turn, memories_of
from processors.ports import Models
from processors.reader.rules.rules import RuleExtractor


async def test_a_case_gives_the_memories_of_its_own_user_in_the_order_of_its_days(models: Models) -> None:
    moved = Case(
        id="moved",
        turns=[
            Turn(role="user", content="I live in York."),
            Turn(role="user", content="I live in Leeds.", days_ago=30),
        ],
    )
    silent = Case(id="silent", profile="health", turns=[Turn(role="user", content="Thanks!")])
    got = await memories_of([moved, silent], models, RuleExtractor())
    assert got["silent"] == []
    by_state = {m["state"]: m for m in got["moved"]}
    assert (by_state["active"]["value"], by_state["superseded"]["value"]) == ("York", "Leeds")
    assert by_state["active"]["source_turn_ids"] == ["moved-0"]
