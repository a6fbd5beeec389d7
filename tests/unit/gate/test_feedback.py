"""Feedback by the answer that was made from memories, and their renewal by its context (D4, D7, D16)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from schemas.events.memory import Given, MemoryUpdate
from tests.unit.gate.bench import DAY, GateBench, candidate


def given(gate: GateBench, *ids: str, context: str | None = "ctx", interaction: str | None = None) -> Given:
    return Given(
        tenant="acme", user_id="ann", context_id=context, interaction_id=interaction, record_ids=ids,
        accepted_at=gate.driver.now,
    )  # fmt: skip


async def two(gate: GateBench) -> tuple[MemoryUpdate, MemoryUpdate]:
    """One stated fact, and one inferred preference that was taken up before (0.8, readable)."""
    [stated] = await gate.say(candidate("User lives in Leeds", "residence", "Leeds"))
    liked = candidate("User prefers green tea", "prefers", "green tea", kind="preference", source="inferred")
    [inferred] = await gate.say(liked)
    [_] = await gate.feedback(inferred.record_id, adopted=True)
    return stated, inferred


def now(gate: GateBench, u: MemoryUpdate) -> MemoryUpdate:
    return gate.view[u.row_key]


async def test_d16_feedback_on_a_context_reaches_the_memories_that_it_gave(gate: GateBench) -> None:
    a, b = await two(gate)
    [other] = await gate.say(candidate("User has a cat", "pet", "cat"))
    gate.pipe(given(gate, a.record_id, b.record_id, "turn-9"))
    await gate.run()
    changed = await gate.feedback(context_id="ctx", rating="good")
    assert {u.record_id for u in changed} == {a.record_id, b.record_id}
    assert now(gate, a).importance == pytest.approx(a.importance + 0.025), "a rating is shared"
    assert now(gate, other).revision == other.revision


async def test_d16_a_rating_of_many_memories_gives_each_a_least_share(gate: GateBench) -> None:
    kept = [(await gate.say(candidate(f"User owns boat {n}", "possession", f"boat {n}")))[0] for n in range(8)]
    gate.pipe(given(gate, *(k.record_id for k in kept)))
    await gate.feedback(context_id="ctx", rating="bad")
    assert {now(gate, k).importance for k in kept} == {round(kept[0].importance - 0.01, 4)}


async def test_d4_a_correction_of_an_answer_falls_on_what_it_speaks_of(gate: GateBench) -> None:
    a, b = await two(gate)
    gate.pipe(given(gate, a.record_id, b.record_id))
    await gate.feedback(context_id="ctx", correction="I do not live in Leeds any more")
    assert (now(gate, a).confidence, now(gate, a).state) == (Decimal("0.6"), "observed")
    assert now(gate, b).confidence == Decimal("0.8")


async def test_d4_a_correction_in_chinese_falls_on_what_it_speaks_of(gate: GateBench) -> None:
    [a] = await gate.say(candidate("用户住在杭州", "residence", "杭州"), language="zh")
    [b] = await gate.say(candidate("用户喜欢喝绿茶", "likes", "绿茶"), language="zh")
    gate.pipe(given(gate, a.record_id, b.record_id))
    await gate.feedback(context_id="ctx", correction="我早就不在杭州了")
    assert [now(gate, u).state for u in (a, b)] == ["observed", "active"]


async def test_d4_a_correction_that_names_nothing_doubts_only_what_was_inferred(gate: GateBench) -> None:
    a, b = await two(gate)
    gate.pipe(given(gate, a.record_id, b.record_id))
    await gate.feedback(context_id="ctx", correction="No, wrong!")
    assert now(gate, a).confidence == Decimal(1)
    assert (now(gate, b).confidence, now(gate, b).state) == (Decimal("0.4"), "observed")


async def test_d16_feedback_on_an_interaction_may_come_before_its_turn(gate: GateBench) -> None:
    a, b = await two(gate)
    assert await gate.feedback(interaction_id="int-1", rating="good", feedback_id="f") == []
    assert gate.outcomes()[-1] == ("skipped", "awaits_its_answer")
    changed = await gate.say(interaction_id="int-1", recalled_ids=(a.record_id,))
    assert now(gate, a).importance == pytest.approx(a.importance + 0.05)
    assert {u.record_id for u in changed} == {a.record_id}
    await gate.say(interaction_id="int-1", recalled_ids=(a.record_id, b.record_id))
    assert now(gate, a).importance == pytest.approx(a.importance + 0.05), "once"
    assert now(gate, b).importance == pytest.approx(b.importance + 0.025)


async def test_d7_a_turn_that_names_its_context_renews_what_it_gave(gate: GateBench) -> None:
    a, b = await two(gate)
    gate.pipe(given(gate, a.record_id, b.record_id))
    later = gate.later(DAY)
    await gate.say(context_id="ctx", interaction_id="int-1")
    assert {now(gate, u).last_accessed_at for u in (a, b)} == {later}
    await gate.feedback(interaction_id="int-1", adopted=True)
    assert now(gate, b).confidence == Decimal(1), "the turn tied the interaction to its context"


async def test_d16_feedback_that_names_memories_reaches_no_other(gate: GateBench) -> None:
    a, b = await two(gate)
    gate.pipe(given(gate, a.record_id, b.record_id))
    [only] = await gate.feedback(a.record_id, context_id="ctx", rating="good")
    assert only.record_id == a.record_id


async def test_d16_an_answer_is_forgotten_after_a_week_and_a_restart_changes_nothing(gate: GateBench) -> None:
    a, _ = await two(gate)
    gate.pipe(given(gate, a.record_id))
    await gate.run()
    gate.restart()
    assert len(await gate.feedback(context_id="ctx", rating="good")) == 1
    gate.later(8 * DAY)
    assert await gate.feedback(context_id="ctx", rating="good") == []


async def test_d16_a_search_may_be_given_for_an_interaction(gate: GateBench) -> None:
    a, _ = await two(gate)
    gate.pipe(given(gate, a.record_id, context=None, interaction="int-2"))
    await gate.feedback(interaction_id="int-2", rating="good")
    assert now(gate, a).importance == pytest.approx(a.importance + 0.05)


async def test_d16_words_of_a_correction_do_not_stay_in_the_state(gate: GateBench) -> None:
    body: dict[str, Any] = {"context_id": "nowhere", "correction": "I moved to Zanzibar"}
    await gate.feedback(**body)
    assert b"anzibar" not in b"".join(v for rows in gate.rows().values() for v in rows.values())
