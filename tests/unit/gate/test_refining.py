"""B7: a model refines what the rules read of a turn: it adds, sharpens or contradicts, and what it does not mention
stays. Corrections, rejections and later turns in between win."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from processors.memory.rows import READINGS, InHot, KeptReading, TurnReading
from schemas.events.documents import ProjectCandidate, TurnDigest
from schemas.events.memory import Candidate, Span
from tests.unit.gate.bench import DAY, GateBench, candidate

TEXT = "I live in Leeds and bought a red kayak."
AGE = candidate("User is 32", "age", 32, span=Span(start=0, end=9))
HOME = candidate("User lives in Leeds", "residence", "Leeds", span=Span(start=0, end=15))
KAYAK = candidate("User bought a red kayak", span=Span(start=20, end=38))


def candidate_of(text: str, start: int, end: int, *args: Any, literal: bool = True, **kw: Any) -> Candidate:
    """By a model, of these characters of the turn."""
    return candidate(text, *args, span=Span(start=start, end=end), literal=literal, **kw)


def placed(text: str, place: tuple[int, int], *args: Any) -> Candidate:
    """A fact of these characters of the turn, by an extractor that tells all of its places."""
    return candidate(text, *args, kind="fact", spans=(Span(start=place[0], end=place[1]),))


async def rules(gate: GateBench, *candidates: Candidate, turn: str = "t", **kw: Any) -> None:
    await gate.say(*candidates, turn=turn, model_asked=True, **kw)


async def model(gate: GateBench, *candidates: Candidate, turn: str = "t", **kw: Any) -> list[tuple[str, str]]:
    """What the gate decided about the answer's statements."""
    before = len(gate.decisions)
    await gate.say(*candidates, turn=turn, extractor="model", **{"model": "m", **kw})
    return [(d.reason.outcome, d.reason.rule) for d in gate.decisions[before:] if d.kind != "turn"]


def texts(gate: GateBench) -> set[str]:
    return {u.sealed.text for u in gate.active()}


async def test_b7_what_a_model_does_not_mention_stays(gate: GateBench) -> None:
    await rules(gate, HOME, KAYAK)
    stood = {u.row_key: u for u in gate.active()}
    assert await model(gate) == []
    assert {u.row_key: u for u in gate.active()} == stood


async def test_b7_what_it_says_beside_that_is_added(gate: GateBench) -> None:
    await rules(gate, HOME)
    result = await model(
        gate, candidate_of("User works as a nurse", 40, 55, "occupation", "nurse"), candidate_of("Sold a canoe", 60, 72)
    )
    assert result == [("kept", "new"), ("kept", "new")]
    assert texts(gate) == {"User lives in Leeds", "User works as a nurse", "Sold a canoe"}


async def test_b3_the_same_again_is_skipped_and_no_more_than_it_too(gate: GateBench) -> None:
    await rules(gate, HOME, KAYAK)
    stood = {u.row_key: u for u in gate.active()}
    again = candidate_of("User resides in Leeds", 0, 15, "residence", "leeds")
    assert await model(gate, again, candidate_of("Bought a kayak", 20, 38)) == [
        ("skipped", "same_value"), ("skipped", "says_no_more"),
    ]  # fmt: skip
    assert {u.row_key: u for u in gate.active()} == stood


async def test_b7_the_same_value_under_another_kind_does_not_stand_twice(gate: GateBench) -> None:
    """The rules call a wish of the same words a preference, a field's own kind is another."""
    await rules(gate, HOME.model_copy(update={"kind": "preference"}))
    assert await model(gate, candidate_of("User resides in Leeds", 0, 15, "residence", "Leeds")) == [
        ("skipped", "says_no_more")
    ]
    assert texts(gate) == {"User lives in Leeds"}


async def test_b7_another_value_under_another_kind_takes_its_place(gate: GateBench) -> None:
    await rules(gate, HOME.model_copy(update={"kind": "preference"}))
    await model(gate, candidate_of("User lives in Bradford", 0, 30, "residence", "Bradford"))
    assert texts(gate) == {"User lives in Bradford"}


@pytest.mark.parametrize("kind", ["episode", "fact"])
async def test_b7_a_free_statement_is_sharpened_under_its_id(gate: GateBench, kind: str) -> None:
    await rules(gate, KAYAK.model_copy(update={"kind": kind}))
    [old] = gate.active()
    more = candidate_of("User bought a red kayak in Oslo for 300 euros", 20, 60, kind=kind)
    assert await model(gate, more) == [("superseding", "sharpened")]
    [new] = gate.active()
    assert (new.record_id, new.sealed.text) == (old.record_id, "User bought a red kayak in Oslo for 300 euros")
    assert new.reason.gate == "extraction"


@pytest.mark.parametrize("kind", ["episode", "fact"])
async def test_d3_two_turns_sharpened_to_the_same_words_are_one_memory(gate: GateBench, kind: str) -> None:
    both = candidate_of("User bought a red kayak and owns a boat in Oslo", 20, 60, kind=kind)
    for turn, text in (("t1", "User bought a red kayak"), ("t2", "User owns a boat")):
        await rules(gate, candidate(text, span=Span(start=20, end=38), kind=kind), turn=turn)
    assert await model(gate, both, turn="t1") == [("superseding", "sharpened")]
    assert await model(gate, both, turn="t2") == [("retired", "sharpened"), ("merged", "identical")]
    [memory] = gate.active()
    assert memory.sealed.text == both.text
    assert [s.turn_id for s in memory.sources] == ["t1", "t2"]
    gate.restart()
    await model(gate, both, turn="t2", version=2)
    assert [len(u.sources) for u in gate.active()] == [2], "what it had taken the place of bars nothing"


async def test_d3_what_is_sharpened_is_not_lost_in_what_says_less(gate: GateBench) -> None:
    await rules(gate, candidate("Owns a kayak"), turn="t1")
    await rules(gate, candidate("Owns a boat", span=Span(start=0, end=20)), turn="t2")
    assert await model(gate, candidate_of("Owns a boat, a kayak", 0, 20), turn="t2") == [("superseding", "sharpened")]
    assert texts(gate) == {"Owns a kayak", "Owns a boat, a kayak"}


async def test_d3_what_is_sharpened_and_contradicts_another_turn_is_marked_on_both(gate: GateBench) -> None:
    await rules(gate, candidate("The guest does not tolerate aspirin at night"), turn="t1")
    await rules(gate, candidate("A night for the guest", span=Span(start=0, end=27)), turn="t2")
    assert not any(u.conflicts_with for u in gate.active())
    result = await model(gate, candidate_of("The guest tolerates aspirin at night", 0, 36), turn="t2")
    assert result == [("superseding", "contradiction")]
    named = {u.record_id: u.conflicts_with for u in gate.active()}
    assert {r for others in named.values() for r in others} == set(named)


@pytest.mark.parametrize("version", [1, 2])
async def test_what_took_the_place_of_a_reading_stays_when_it_is_read_again(gate: GateBench, version: int) -> None:
    await rules(gate, KAYAK.model_copy(update={"text": "User has been a nurse"}))
    nurse = candidate_of("User has been a nurse", 20, 38, "occupation", "nurse")
    for n in range(1, version + 1):
        await model(gate, nurse, version=n)
    assert gate.values("occupation") == ["nurse"]


async def test_d4_what_people_made_of_it_stays_with_a_sharpened_statement(gate: GateBench) -> None:
    await rules(gate, KAYAK)
    [old] = gate.active()
    await gate.feedback(old.record_id, rating="good")
    [rated] = gate.active()
    assert rated.importance > old.importance
    await model(gate, candidate_of("User bought a red kayak in Oslo", 20, 45))
    [new] = gate.active()
    assert (new.importance, new.confidence) == (rated.importance, rated.confidence)


@pytest.mark.parametrize(
    ("value", "rule"), [("Headingley, Leeds", "sharpened"), ("Bradford", "contradicted")]
)
async def test_b4_another_value_from_the_same_words_supersedes(gate: GateBench, value: str, rule: str) -> None:
    await gate.say(candidate("User lives in York", "residence", "York"))
    gate.later(DAY)
    await rules(gate, HOME)
    assert await model(gate, candidate_of(f"User lives in {value}", 0, 30, "residence", value)) == [
        ("superseding", rule)
    ]
    assert gate.values("residence") == [value]
    [wrong] = [u for u in gate.view.values() if u.sealed.value == "Leeds"]
    assert wrong.valid_from == wrong.valid_to, "it was never true"


@pytest.mark.parametrize(
    ("start", "literal"), [(20, True), (0, False)], ids=["from other words", "with words between"]
)
async def test_b7_what_is_no_contradiction_leaves_the_reading(gate: GateBench, start: int, literal: bool) -> None:
    await rules(gate, HOME)
    york = candidate_of("User lives in York", start, start + 18, "residence", "York", literal=literal)
    assert await model(gate, york) == [("refused", "reading_stands")]
    assert gate.values("residence") == ["Leeds"]


async def test_b7_a_denial_from_the_same_words_ends_it(gate: GateBench) -> None:
    await gate.say(candidate("User lives in York", "residence", "York"))
    gate.later(DAY)
    await rules(gate, HOME, KAYAK)
    no_home = candidate_of("User no longer lives in Leeds", 0, 15, "residence", "Leeds", negated=True)
    no_kayak = candidate_of("User never bought a red kayak", 20, 38)
    assert await model(gate, no_home, no_kayak) == [("superseding", "negated"), ("superseding", "contradicted")]
    assert "User never bought a red kayak" in texts(gate)
    assert "Leeds" not in gate.values("residence")


async def test_b7_a_field_said_of_a_free_statement_takes_its_place(gate: GateBench) -> None:
    await rules(gate, KAYAK.model_copy(update={"text": "User has been a nurse"}))
    assert await model(gate, candidate_of("User has been a nurse", 20, 38, "occupation", "nurse")) == [
        ("retired", "sharpened"), ("kept", "new"),
    ]  # fmt: skip
    [kept] = gate.active()
    assert kept.field == "occupation"


@pytest.mark.parametrize(
    ("text", "values", "conflict"),
    [("User settled in Leeds", ["Leeds"], False), ("User meets Ann in Leeds", ["York"], True)],
    ids=["in the same frame", "in another"],
)
async def test_b4_a_value_that_another_turn_stated_is_replaced_in_its_own_words_only(
    gate: GateBench, text: str, values: list[str], conflict: bool
) -> None:
    await rules(gate, candidate("User lives in York", "residence", "York"), turn="before")
    gate.later(DAY)
    await rules(gate)
    await model(gate, candidate_of(text, 0, 20, "residence", "Leeds"))
    assert gate.values("residence") == values
    assert text in texts(gate)
    named = {u.record_id: u.conflicts_with for u in gate.active()}
    assert all(bool(others) is conflict for others in named.values())
    assert {r for others in named.values() for r in others} == (set(named) if conflict else set())


async def test_what_stands_beside_a_value_names_it_also_where_it_changes_another(gate: GateBench) -> None:
    await rules(gate, candidate("User lives in York", "residence", "York"), turn="before")
    await rules(gate, candidate("User and others deploy on Tuesdays and Thursdays"), turn="earlier")
    gate.later(DAY)
    await rules(gate)
    text = "Deploys are daily from this week"
    await model(gate, candidate_of(text, 0, 20, "residence", "Leeds"))
    [new] = [u for u in gate.active() if u.sealed.text == text]
    others = {u.record_id: u.conflicts_with for u in gate.active() if u.record_id != new.record_id}
    named = {r for r, marks in others.items() if marks == (new.record_id,)}
    assert set(new.conflicts_with) == named
    assert len(named) == 2


async def test_what_stands_beside_a_value_keeps_its_id_when_it_is_read_anew(gate: GateBench) -> None:
    """Without its field it is told by where it was read, and two of them are not taken for each other."""
    await rules(gate, candidate("User lives in York", "residence", "York"), turn="before")
    gate.later(DAY)
    await rules(gate)
    home, van = (30, 60), (0, 20)
    await model(gate, placed("User meets Ann in Leeds", home, "residence", "Leeds"), placed("User owns a van", van))
    before = {u.sealed.text: u.record_id for u in gate.active()}
    gate.restart()
    renewed = placed("User sees Ann in Leeds town", home, "residence", "Leeds"), placed("User drives a van", van)
    await model(gate, *renewed, version=2)
    after = {u.sealed.text: u.record_id for u in gate.active()}
    assert after == {
        "User lives in York": before["User lives in York"],
        "User sees Ann in Leeds town": before["User meets Ann in Leeds"],
        "User drives a van": before["User owns a van"],
    }
    york, leeds = (next(u for u in gate.active() if place in u.sealed.text) for place in ("York", "Leeds"))
    assert (york.conflicts_with, leeds.conflicts_with) == ((leeds.record_id,), (york.record_id,))


async def test_what_is_found_elsewhere_is_not_lost_with_the_words_of_what_stands_beside_a_value(
    gate: GateBench,
) -> None:
    await rules(gate, candidate("User lives in York", "residence", "York"), turn="before")
    gate.later(DAY)
    await rules(gate)
    await model(gate, placed("User owns a van", (0, 20)))
    renewed = placed("User owns a van", (40, 60)), placed("User meets Ann in Leeds", (0, 20), "residence", "Leeds")
    await model(gate, *renewed, version=2)
    assert texts(gate) == {"User lives in York", "User owns a van", "User meets Ann in Leeds"}


async def test_d4_what_people_judged_is_known_as_judged_also_beside_a_value(gate: GateBench) -> None:
    await rules(gate, candidate("User lives in York", "residence", "York"), turn="before")
    gate.later(DAY)
    await rules(gate)
    await model(gate, placed("User meets Ann in Leeds", (30, 60)))
    [met] = [u for u in gate.active() if u.field is None]
    await gate.feedback(met.record_id, rating="good")
    await model(gate, placed("User sees Ann in Leeds town", (30, 60), "residence", "Leeds"), version=2)
    [after] = [u for u in gate.active() if u.field is None]
    assert (after.record_id, after.sealed.text) == (met.record_id, met.sealed.text)
    assert (after.reason.gate, after.conflicts_with) == ("feedback", ())


async def test_b4_what_was_only_likely_gives_way_to_what_a_model_read(gate: GateBench) -> None:
    likely = candidate("User works in York", "residence", "York", attributes={"implied": True})
    await rules(gate, likely, turn="before")
    gate.later(DAY)
    await rules(gate)
    await model(gate, candidate_of("User came over to Leeds", 0, 20, "residence", "Leeds"))
    assert gate.values("residence") == ["Leeds"]


@pytest.mark.parametrize(
    ("start", "end", "stay"),
    [(0, 30, {"User runs a shop in York"}), (40, 60, {"User runs a shop in York", "User works in York"})],
    ids=["of the same words", "of other words"],
)
async def test_b7_what_a_model_says_in_other_words_takes_the_place_of_what_was_only_likely(
    gate: GateBench, start: int, end: int, stay: set[str]
) -> None:
    likely = candidate(
        "User works in York", "residence", "York", attributes={"implied": True}, span=Span(start=0, end=20)
    )
    await rules(gate, likely)
    await model(gate, candidate_of("User runs a shop in York", start, end, "residence", "York"))
    assert gate.values("residence") == ["York"]
    assert texts(gate) == stay


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [("User lives in Vale", "Vale", "says_no_more"), ("User moors a boat", "boat", "reading_stands")],
    ids=["a part of it", "something else"],
)
async def test_b7_what_differs_in_more_or_less_than_the_value_leaves_the_reading(
    gate: GateBench, text: str, value: str, expected: str
) -> None:
    await rules(gate, candidate("User lives in Lee Vale", "residence", "Lee Vale", span=Span(start=0, end=20)))
    [(_, rule)] = await model(gate, candidate_of(text, 0, 20, "residence", value))
    assert rule == expected
    assert gate.values("residence") == ["Lee Vale"]


async def test_b7_two_wordings_of_one_of_many_values_do_not_stand_side_by_side(gate: GateBench) -> None:
    await rules(gate, candidate("User likes jazz", "likes", "jazz", kind="preference", span=Span(start=0, end=12)))
    await model(gate, candidate_of("User likes jazz from Cuba", 0, 20, "likes", "jazz from Cuba", kind="preference"))
    assert gate.values("likes") == ["jazz from Cuba"]


async def test_n4_a_correction_in_between_wins(gate: GateBench) -> None:
    await rules(gate, HOME, KAYAK)
    ids = {u.kind: u.record_id for u in gate.active()}
    await gate.do("correct", ids["fact"], value="York")
    await gate.do("correct", ids["episode"], text="User bought a blue canoe")
    stood = texts(gate)
    result = await model(
        gate, candidate_of("User lives in Headingley, Leeds", 0, 30, "residence", "Headingley, Leeds"),
        candidate_of("User bought a red kayak in Oslo", 20, 45), candidate_of("A kayak in Oslo is red", 20, 45),
    )  # fmt: skip
    assert result == [("refused", "rejected_source")] * 3
    assert gate.values("residence") == ["York"]
    assert texts(gate) == stood


async def test_n4_what_was_forgotten_in_between_does_not_come_back_in_other_words(gate: GateBench) -> None:
    await rules(gate, HOME, KAYAK)
    for u in gate.active():
        await gate.do("forget", u.record_id)
    result = await model(
        gate,
        candidate_of("User owns a kayak from Oslo", 20, 45),
        candidate_of("User settled in Leeds", 0, 15, "residence", "Leeds"),
    )
    assert result == [("refused", "rejected_source")] * 2
    assert gate.active() == []


async def test_d4_what_was_confirmed_stays_as_it_was(gate: GateBench) -> None:
    liked = candidate(
        "User prefers tea", "prefers", "tea", kind="preference", source="inferred", span=Span(start=0, end=12)
    )
    await rules(gate, liked)
    [tea] = [u for u in gate.view.values() if u.field == "prefers"]
    await gate.feedback(tea.record_id, adopted=True)
    [active] = gate.active("prefers")
    await model(gate, candidate_of("User never prefers tea", 0, 12, "prefers", "tea", kind="preference", negated=True))
    assert gate.active("prefers") == [active]


async def test_b4_what_a_later_turn_said_is_not_undone(gate: GateBench) -> None:
    await rules(gate, HOME)
    accepted = gate.driver.now
    gate.later(DAY)
    await gate.say(candidate("User lives in York", "residence", "York"))
    result = await model(
        gate, candidate_of("User lives in Headingley, Leeds", 0, 30, "residence", "Headingley, Leeds"),
        candidate_of("User works as a nurse", 0, 40, "occupation", "nurse"), at=accepted, accepted=accepted,
    )  # fmt: skip
    assert result == [("skipped", "ended_since"), ("kept", "new")]
    assert gate.values("residence") == ["York"]


async def test_n2_an_answer_counts_once_also_after_a_restart(gate: GateBench) -> None:
    await rules(gate, HOME)
    await model(gate, candidate_of("User works as a nurse", 40, 55, "occupation", "nurse"))
    gate.restart()
    assert await model(gate, candidate_of("User works as a pilot", 40, 55, "occupation", "pilot")) == []
    assert gate.values("occupation") == ["nurse"]


@pytest.mark.parametrize("gave_up_first", [False, True])
async def test_n5_that_a_model_gave_up_is_a_decision_and_changes_nothing(
    gate: GateBench, gave_up_first: bool
) -> None:
    steps = [lambda: rules(gate, HOME, KAYAK), lambda: model(gate, model=None, reason="away")]
    for step in reversed(steps) if gave_up_first else steps:
        await step()
    assert texts(gate) == {"User lives in Leeds", "User bought a red kayak"}
    [result] = [d for d in gate.decisions if d.kind == "turn"]
    assert (result.reason.outcome, result.reason.gate, result.reason.rule) == (
        "skipped",
        "extraction",
        "model_gave_up_away",
    )
    assert await model(gate, candidate_of("Late answer", 50, 60)) == [], "it was given up"


async def test_n2_rules_that_come_after_the_answer_add_and_replace_nothing(gate: GateBench) -> None:
    await model(gate, candidate_of("User lives in Headingley, Leeds", 0, 30, "residence", "Headingley, Leeds"))
    await rules(gate, HOME, KAYAK)
    assert gate.values("residence") == ["Headingley, Leeds"]
    assert texts(gate) == {"User lives in Headingley, Leeds", "User bought a red kayak"}


async def test_a_newer_version_of_one_reading_leaves_the_other(gate: GateBench) -> None:
    await rules(gate, HOME, KAYAK)
    job = candidate_of("User works as a nurse", 40, 55, "occupation", "nurse")
    await model(gate, job, candidate_of("User resides in Leeds", 0, 15, "residence", "Leeds"))
    await rules(gate, AGE, version=2)
    assert texts(gate) == {"User is 32", "User works as a nurse", "User lives in Leeds"}, "the model says Leeds too"
    await model(gate, version=2)
    assert texts(gate) == {"User is 32", "User lives in Leeds"}


async def test_a4_a6_a_projects_memory_follows_what_was_sharpened(gate: GateBench) -> None:
    def decided(text: str, key: str, start: int, end: int, **kw: Any) -> Candidate:
        hot = {"type": "decision", "key": key, "value": text, "priority": 5}
        return candidate_of(text, start, end, hot=hot, episode_type="decision", **kw)

    ship, cache = decided("We ship on Friday", "ship", 0, 17), decided("We keep Redis", "cache", 20, 33)
    await rules(gate, ship, cache, project_id="p1", content="We ship on Friday. We keep Redis for the cache.")
    entries = [c for c in gate.to_project if isinstance(c, ProjectCandidate)]
    assert len(entries) == 2
    seen = len(gate.to_project)
    sharper = decided("We keep Redis for the cache", "redis for cache", 20, 47)
    await model(gate, sharper, project_id="p1", content="We ship on Friday. We keep Redis for the cache.")
    *_, digest = gate.to_project[seen:]
    assert isinstance(digest, TurnDigest)
    assert digest.restated
    assert {k.text for k in digest.sealed.kept} == {"We ship on Friday", "We keep Redis for the cache"}
    assert digest.sealed.withdrawn is not None
    assert cache.hot is not None
    entries_of_cache = {e.entry for e in InHot.all_of("acme", "p1", cache.hot)}
    assert set(digest.sealed.withdrawn) == entries_of_cache, "the entry in the old words leaves, the other one stays"


def test_a_row_of_before_is_read() -> None:
    until = datetime(2026, 12, 1, tzinfo=UTC)
    assert READINGS.format.decode(b'["rules", 3, "2026-12-01T00:00:00.000000+00:00"]') == KeptReading(
        TurnReading({"rules": 3}), until
    )
