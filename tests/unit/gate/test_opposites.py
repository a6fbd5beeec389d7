"""One value liked and disliked: a contradiction is kept apart and marked on both (D3)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from processors.ports import Models
from processors.reader.rules.protocol import TurnView
from processors.reader.rules.rules import RuleExtractor
from schemas.events.memory import Candidate
from schemas.profile.model import load_profile
from tests.unit.gate.bench import DAY, START, GateBench, candidate

LIKES, DISLIKES = "I love hiking.", "I hate hiking."


def candidate_of(text: str, profile: str = "general") -> Candidate:
    """What the rules make of it."""
    view = TurnView(text, "user", "zh" if "爬" in text else "en", START)
    [found] = RuleExtractor().extract(view, load_profile(profile))
    return found


def marks(gate: GateBench) -> dict[str | None, tuple[str, ...]]:
    return {u.field: u.conflicts_with for u in gate.active()}


@pytest.mark.parametrize("profile", ["general", "health"])
@pytest.mark.parametrize(("one", "two"), [(LIKES, DISLIKES), (DISLIKES, LIKES), ("我喜欢爬山。", "我讨厌爬山。")])
async def test_d3_a_taste_and_its_opposite_are_both_kept_and_marked(
    models: Models, one: str, two: str, profile: str
) -> None:
    gate = GateBench(models, profile=profile)
    [first] = await gate.say(candidate_of(one, profile))
    gate.later(DAY)
    await gate.say(candidate_of(two, profile))
    ids = {u.field: u.record_id for u in gate.active()}
    assert marks(gate) == {"likes": (ids["dislikes"],), "dislikes": (ids["likes"],)}
    assert gate.outcomes()[-1] == ("kept", "contradiction")
    assert gate.view[first.row_key].valid_to is None
    assert gate.view[first.row_key].reason == first.reason


async def test_d3_opposite_tastes_of_other_things_people_or_scopes_are_no_contradiction(gate: GateBench) -> None:
    like = {"kind": "preference"}
    await gate.say(candidate("Likes hiking", "likes", "hiking", **like))
    await gate.say(candidate("Dislikes swimming", "dislikes", "swimming", **like))
    await gate.say(candidate("Tom dislikes hiking", "dislikes", "hiking", attributes={"about": "Tom"}, **like))
    await gate.say(candidate("Dislikes hiking", "dislikes", "hiking", scope="p1", **like))
    assert {u.conflicts_with for u in gate.active()} == {()}
    assert len(gate.active()) == 4


async def test_d3_a_restart_between_the_two_changes_nothing(gate: GateBench) -> None:
    await gate.say(candidate_of(LIKES))
    gate.restart()
    await gate.say(candidate_of(DISLIKES))
    gate.restart()
    assert await gate.say(candidate_of(DISLIKES))
    assert all(len(m) == 1 for m in marks(gate).values())
    assert len(marks(gate)) == 2


async def test_d3_a_turn_that_came_late_marks_as_well(gate: GateBench) -> None:
    await gate.say(candidate_of(LIKES))
    await gate.say(candidate_of(DISLIKES), at=START - timedelta(days=3))
    assert all(len(m) == 1 for m in marks(gate).values())
    assert len(marks(gate)) == 2


async def test_d3_what_is_liked_no_more_and_disliked_then_is_no_contradiction(gate: GateBench) -> None:
    await gate.say(candidate_of(LIKES))
    gate.later(DAY)
    await gate.say(candidate("No longer likes hiking", "likes", "hiking", kind="preference", negated=True))
    await gate.say(candidate_of(DISLIKES))
    assert marks(gate) == {"dislikes": ()}


async def test_a_newer_extractor_that_reads_the_opposite_contradicts_nobody(gate: GateBench) -> None:
    await gate.say(candidate_of(LIKES), turn="t")
    await gate.say(candidate_of(DISLIKES), turn="t", version=2)
    assert marks(gate) == {"dislikes": ()}


async def test_d3_what_a_caller_has_remembered_is_marked_too(gate: GateBench) -> None:
    await gate.say(candidate_of(LIKES))
    await gate.do("remember", kind="preference", field="dislikes", value="hiking", text="Hates hiking")
    ids = {u.field: u.record_id for u in gate.active()}
    assert marks(gate) == {"likes": (ids["dislikes"],), "dislikes": (ids["likes"],)}
