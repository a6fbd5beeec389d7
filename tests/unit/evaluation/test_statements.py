"""Statement cases run through the real steps: each under its profile, each a user of its own."""

from __future__ import annotations

from evaluation.statements import Case, Turn, all_marked, memories_of
from processors.ports import Models
from processors.reader.rules.rules import RuleExtractor
from schemas.base import JsonObject


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


def test_the_old_is_marked_where_it_and_another_that_stands_name_each_other() -> None:
    def memory(name: str, text: str, *marks: str, state: str = "active") -> JsonObject:
        return {"memory_id": name, "text": text, "state": state, "conflicts_with": list(marks)}

    old, new = memory("a", "old", "b"), memory("b", "new", "a")
    assert all_marked(["old"], [old, new])
    assert not all_marked(["old"], [old, memory("b", "new")]), "only one names the other"
    assert not all_marked(["old"], [old, memory("b", "new", "a", state="superseded")]), "the other does not stand"
    assert not all_marked(["old"], [old, new, memory("c", "old")]), "one of two"
