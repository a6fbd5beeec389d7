"""Episodes: near-duplicates of 7 days, contradictions, citations (D3, D7, N5)."""

from __future__ import annotations

import pytest

from processors.ports import Models
from tests.unit.gate.bench import DAY, GateBench, candidate

SAME = [
    ("We agreed to ship the beta on Friday", "We agreed to ship the beta on Friday!"),
    ("我们决定周五发布测试版", "我们决定周五发布测试版。"),
]


@pytest.mark.parametrize(("one", "two"), SAME)
async def test_d3_a_duplicate_merges_renews_and_adds_its_source(gate: GateBench, one: str, two: str) -> None:
    [kept] = await gate.say(candidate(one))
    gate.later(3 * DAY)
    [merged] = await gate.say(candidate(two))
    assert merged.record_id == kept.record_id
    assert merged.revision == kept.revision + 1
    assert merged.importance == pytest.approx(kept.importance + 0.05)
    assert merged.last_accessed_at == gate.driver.now
    assert [s.turn_id for s in merged.sources] == ["turn-1", "turn-2"], "N5"
    assert gate.decisions[-1].reason.outcome == "merged"
    assert len(gate.active()) == 1


@pytest.mark.parametrize(("one", "two"), SAME)
async def test_d3_only_within_seven_days(gate: GateBench, one: str, two: str) -> None:
    await gate.say(candidate(one))
    gate.later(7 * DAY)
    await gate.say(candidate(two))
    assert len(gate.active()) == 2


@pytest.mark.parametrize(("one", "two"), SAME)
@pytest.mark.parametrize(("days", "memories"), [(7, 1), (8, 2), (400, 2), (-400, 2)])
async def test_d3_what_an_import_brings_in_a_minute_is_compared_by_when_it_was_said(
    gate: GateBench, one: str, two: str, days: int, memories: int
) -> None:
    now = gate.driver.now
    await gate.say(candidate(one), at=now - 500 * DAY, accepted=now)
    await gate.say(candidate(two), at=now - (500 - days) * DAY, accepted=now)
    assert len(gate.active()) == memories


async def test_d3_a_changed_number_is_another_episode(gate: GateBench) -> None:
    await gate.say(candidate("The meeting is at 9 on Friday"))
    await gate.say(candidate("The meeting is at 7 on Friday"))
    assert len(gate.active()) == 2


async def test_d3_projects_keep_their_own_episodes_and_find_their_own_duplicates(gate: GateBench) -> None:
    text = "We agreed to ship the beta on Friday"
    for project in ("p1", "p2", None, "p1", "p2", None):
        await gate.say(candidate(text), project_id=project)
    assert sorted(str(u.project_id) for u in gate.active()) == ["None", "p1", "p2"]
    assert [d.reason.outcome for d in gate.decisions] == ["kept"] * 3 + ["merged"] * 3


async def test_d3_a_late_turn_finds_its_duplicates_whatever_came_between(gate: GateBench, models: Models) -> None:
    text = "We agreed to ship the beta on Friday"
    await gate.say(candidate(text))
    on_time = gate.later(6 * DAY)
    gate.later(3 * DAY)
    await gate.say(candidate("Something else entirely happened in Oslo"))
    [merged] = await gate.say(candidate(text), at=on_time, accepted=on_time)
    assert len(merged.sources) == 2


async def test_d3_importance_never_passes_one_and_sources_are_bounded(gate: GateBench) -> None:
    for _ in range(60):
        gate.pipe(gate.extraction(candidate("We agreed to ship the beta on Friday", importance=0.9)))
    await gate.run()
    [kept] = gate.active()
    assert kept.importance == 1.0
    assert len(kept.sources) == 50
    assert kept.sources[0].turn_id == "turn-1"
    assert kept.sources[-1].turn_id == "turn-60"


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("The patient tolerates aspirin", "The patient does not tolerate aspirin"),
        ("病人能吃阿司匹林", "病人不能吃阿司匹林"),
    ],
)
async def test_d3_a_contradiction_is_marked_on_both(gate: GateBench, one: str, two: str) -> None:
    [first] = await gate.say(candidate(one))
    await gate.say(candidate(two))
    a, b = sorted(gate.active(), key=lambda u: u.known_at != first.known_at or u.record_id != first.record_id)
    assert len(gate.active()) == 2
    assert a.conflicts_with == (b.record_id,)
    assert b.conflicts_with == (a.record_id,)
    assert gate.decisions[-1].reason.rule == "contradiction"


async def test_d7_a_recalled_memory_is_renewed_by_its_id(gate: GateBench) -> None:
    [kept] = await gate.say(candidate("Bought a red kayak"))
    now = gate.later(5 * DAY)
    [renewed] = await gate.say(recalled_ids=(kept.record_id, "unknown", kept.record_id))
    assert renewed.record_id == kept.record_id
    assert renewed.last_accessed_at == now
    assert renewed.sources == kept.sources, "it was used, not said again"
    assert await gate.say(recalled_ids=(kept.record_id,), at=now - DAY, accepted=now - DAY) == [], "never back in time"


async def test_n5_every_memory_cites_and_every_candidate_has_a_decision(gate: GateBench) -> None:
    await gate.say(candidate("Bought a red kayak"), candidate("Lives in Leeds", "residence", "Leeds"), turn="t9")
    assert all([s.turn_id for s in u.sources] == ["t9"] for u in gate.active())
    assert [(d.turn_id, d.ordinal, d.reason.outcome) for d in gate.decisions] == [("t9", 0, "kept"), ("t9", 1, "kept")]
    assert all(d.record_id in {u.record_id for u in gate.active()} for d in gate.decisions)


async def test_d5_a_refused_turn_says_so_and_leaves_nothing(gate: GateBench) -> None:
    assert await gate.say(refused=True) == []
    assert await gate.say(refused=True, refused_for="iban_code") == []
    assert gate.outcomes() == [("refused", "credential"), ("refused", "iban_code")]


async def test_a4_a_kept_decision_of_a_project_goes_on_to_it_and_every_turn_has_a_digest(gate: GateBench) -> None:
    hot = {"type": "decision", "key": "release", "value": "Friday", "priority": 5}
    c = candidate("We ship on Friday", hot=hot)
    await gate.say(c, project_id="p1", content="we ship on Friday")
    await gate.say(project_id="p1", content="ok")
    assert [e.type for e in gate.to_project] == ["project_candidate", "turn_digest", "turn_digest"]
    assert all(e.project_id == "p1" for e in gate.to_project)


async def test_d3_a_duplicate_that_adds_a_detail_is_kept_in_its_later_words(gate: GateBench) -> None:
    first = "We moved the review of the clinical trial protocol with the whole safety board from Leeds to the big hall"
    more = f"{first} in March"
    [kept] = await gate.say(candidate(first))
    await gate.say(candidate(more))
    assert gate.outcomes()[-1] == ("merged", "paraphrase")
    [now] = gate.active()
    assert (now.record_id, now.sealed.text) == (kept.record_id, more)
    assert "march" in now.sealed.terms
    assert len(now.sources) == 2
