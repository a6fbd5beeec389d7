"""Kept needs confidence and reading: a low one is observed, lifted when it is meant, and ends when nobody says it."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from processors.ports import Models
from schemas.events.memory import Candidate, HotValue, MemoryUpdate, Span
from schemas.profile.model import Profile, ReadingSpec, RetentionSpec, load_profile
from tests.unit.gate.bench import DAY, GateBench, candidate, study

PIANO = "Bought a piano"
MONTH = timedelta(days=30)


def profile(kept: float = 0.5, **more: Any) -> Profile:
    return load_profile("general").model_copy(update={"reading": ReadingSpec(kept=kept), **more})


@pytest.fixture
def gate(models: Models) -> GateBench:
    return GateBench(models, profile=profile())


def low(text: str = PIANO, **more: Any) -> Candidate:
    return candidate(text, reading=more.pop("reading", 0.4), **more)


async def ticked(gate: GateBench, by: timedelta) -> list[MemoryUpdate]:
    """A tick a day, as long as that: lists of days that have come, and then what is due."""
    out: list[MemoryUpdate] = []
    for _ in range(by.days):
        gate.later(DAY)
        gate.driver.tick()
        out += await gate.run()
    gate.driver.tick()
    return [*out, *await gate.run()]


@pytest.mark.parametrize(
    ("reading", "confidence", "state"),
    [
        (0.5, "1.0", "active"), (0.4999, "1.0", "observed"), (0.9, "0.7", "observed"), (0.5, "0.71", "active"),
        (None, "1.0", "active"), (None, "0.7", "observed"), (0.0, "0.6", "observed"),
    ],
)  # fmt: skip
async def test_kept_needs_confidence_and_reading(
    gate: GateBench, reading: float | None, confidence: str, state: str
) -> None:
    [made] = await gate.say(candidate(PIANO, reading=reading, confidence=confidence))
    assert made.state == state


async def test_a_low_reading_is_observed_with_that_reason(gate: GateBench) -> None:
    [made] = await gate.say(low())
    assert (made.state, made.source, made.confidence) == ("observed", "inferred", Decimal("0.6"))
    assert (made.reason.outcome, made.reason.gate, made.reason.rule, made.reason.score) == (
        "observed", "confidence", "low_reading", 0.4,
    )  # fmt: skip
    assert gate.decisions[-1].reason == made.reason
    assert gate.decisions[-1].record_id == made.record_id


@pytest.mark.parametrize("reading", [0.1, 0.49, 0.9, None])
async def test_the_same_said_in_another_turn_lifts_it(gate: GateBench, reading: float | None) -> None:
    await gate.say(low())
    gate.later(DAY)
    [active] = await gate.say(candidate(PIANO, reading=reading))
    assert (active.state, active.source, active.confidence) == ("active", "confirmed", Decimal(1))
    assert (active.reason.outcome, active.reason.rule) == ("kept", "said_again")
    assert active.expires_at is None
    assert len(active.sources) == 2


async def test_the_same_said_twice_in_one_turn_does_not(gate: GateBench) -> None:
    await gate.say(low(), low(ordinal=1))
    assert gate.active() == []
    await gate.say(low(), turn="turn-1", version=2)
    assert gate.active() == []


async def test_read_higher_in_the_same_turn_it_is_believed_and_not_confirmed(gate: GateBench) -> None:
    await gate.say(low(), turn="t")
    [active] = await gate.say(low(reading=0.6), turn="t", version=2)
    assert (active.state, active.source, active.reason.rule) == ("active", "explicit", "restated")
    assert active.expires_at is None


async def test_what_is_only_inferred_does_not(gate: GateBench) -> None:
    await gate.say(low())
    await gate.say(candidate(PIANO, source="inferred"))
    assert gate.active() == []


async def test_a_low_reading_lowers_nothing_that_stands(gate: GateBench) -> None:
    await gate.say(candidate(PIANO))
    [again] = await gate.say(low())
    assert (again.state, again.source, again.confidence) == ("active", "explicit", Decimal(1))


async def test_a_confirmation_lifts_it(gate: GateBench) -> None:
    [made] = await gate.say(low())
    await gate.do("correct", memory_id=made.record_id, text="Bought a grand piano")
    [active] = gate.active()
    assert (active.sealed.text, active.expires_at) == ("Bought a grand piano", None)


async def test_remembering_it_lifts_it(gate: GateBench) -> None:
    await gate.say(low())
    await gate.do("remember", text=PIANO, kind="episode")
    assert [(u.sealed.text, u.expires_at) for u in gate.active()] == [(PIANO, None)]


async def test_a_taken_advice_lifts_it(gate: GateBench) -> None:
    [made] = await gate.say(low())
    [active] = await gate.feedback(made.record_id, adopted=True)
    assert (active.state, active.source, active.confidence) == ("active", "confirmed", Decimal("0.8"))
    assert (active.reason.rule, active.expires_at) == ("adopted", None)
    assert await ticked(gate, MONTH + DAY) == []


async def test_a_rating_does_not_and_it_ends_all_the_same(gate: GateBench) -> None:
    [made] = await gate.say(low())
    [judged] = await gate.feedback(made.record_id, rating="good")
    assert (judged.state, judged.reason.rule, judged.expires_at) == ("observed", "low_reading", made.expires_at)
    assert gate.decisions[-1].reason.rule != "low_reading"
    assert [u.op for u in await ticked(gate, MONTH + DAY) if u.kind == "episode"] == ["delete"]


async def test_unsaid_for_30_days_it_ends(gate: GateBench) -> None:
    [made] = await gate.say(low())
    assert made.expires_at == made.known_at + MONTH
    assert await ticked(gate, MONTH - DAY) == []
    [removed] = await ticked(gate, 2 * DAY)
    assert (removed.op, removed.record_id, removed.reason.gate, removed.reason.rule) == (
        "delete", made.record_id, "retention", "unsaid",
    )  # fmt: skip
    assert gate.active() == []


async def test_said_again_in_time_it_stays(gate: GateBench) -> None:
    await gate.say(low())
    await ticked(gate, MONTH - DAY)
    await gate.say(low())
    assert await ticked(gate, 2 * MONTH) == []
    assert [u.sealed.text for u in gate.active()] == [PIANO]


@pytest.mark.parametrize(
    "text", ["Bought a piano.", "Bought a piano yesterday", "Sold a piano", "Has not bought a piano"]
)
async def test_weeks_later_only_the_same_lifts_it(gate: GateBench, text: str) -> None:
    await gate.say(low())
    await ticked(gate, timedelta(days=20))
    gate.restart()
    await gate.say(low(text))
    assert [u.sealed.text for u in gate.active()] == ([PIANO] if text.startswith(PIANO) else [])


async def test_of_many_that_wait_each_is_found(gate: GateBench) -> None:
    many = 150
    for n in range(many):
        await gate.say(low(f"Bought a piano from dealer number {n}"))
        gate.later(timedelta(minutes=1))
    gate.later(timedelta(days=10))
    gate.restart()
    for n in (0, many - 1):
        await gate.say(low(f"Bought a piano from dealer number {n}"))
    assert [u.sealed.text for u in gate.active()] == [f"Bought a piano from dealer number {n}" for n in (0, many - 1)]


async def test_said_outright_and_not_surely_enough_it_waits_on(gate: GateBench) -> None:
    [made] = await gate.say(low())
    gate.later(DAY)
    [again] = await gate.say(candidate(PIANO, confidence="0.65", reading=0.9))
    assert (again.state, again.reason, again.expires_at) == ("observed", made.reason, made.expires_at)


async def test_said_again_after_its_end_it_begins_anew(gate: GateBench) -> None:
    await gate.say(low())
    await ticked(gate, MONTH + DAY)
    [renewed] = await gate.say(low())
    assert (renewed.state, renewed.reason.rule) == ("observed", "low_reading")


@pytest.mark.parametrize(("days", "ends"), [(5, 5), (400, 30)])
async def test_the_class_may_end_it_earlier(models: Models, days: int, ends: int) -> None:
    gate = GateBench(models, profile=profile(retention=RetentionSpec(classes={"episode": days})))
    [made] = await gate.say(low())
    assert made.expires_at == made.known_at + timedelta(days=ends)
    gate.later(DAY)
    [active] = await gate.say(low())
    assert active.expires_at == active.known_at + timedelta(days=days)


async def test_one_that_contradicts_another_is_still_observed_for_its_reading(gate: GateBench) -> None:
    await gate.say(candidate("The meeting with the bank is on Monday at ten"))
    await gate.say(low("The meeting with the bank is not on Monday at ten"))
    observed = [u for u in gate.view.values() if u.state == "observed"]
    assert [(u.reason.rule, len(u.conflicts_with)) for u in observed] == [("low_reading", 1)]


async def test_by_default_the_threshold_is_low(models: Models) -> None:
    gate = GateBench(models)
    await gate.say(low(reading=0.0999), low("Sold a boat in May", reading=0.1))
    assert [u.sealed.text for u in gate.active()] == ["Sold a boat in May"]


ALWAYS = {
    "value": candidate("Lives in Leeds", "residence", "Leeds"),
    "values": study("Leeds", "BSc", "physics"),
    "denied": candidate("Has not bought a piano", negated=True),
    "wish": candidate("Wants to buy a piano", kind="intent"),
    "wish with a category": candidate("Wants to move", kind="intent", category="relocation"),
    "decision": candidate("Decided to buy a piano", episode_type="decision"),
    "task": candidate("Has to buy a piano", episode_type="task"),
    "project": candidate("The piano does not fit", project_id="p1"),
    "status": candidate("The piano is sold", hot=HotValue(type="status", key="piano", value="sold")),
    "correction": candidate("Bought a piano", attributes={"correction": True}),
}


@pytest.mark.parametrize("kept", [0.5, 1.0])
@pytest.mark.parametrize("c", ALWAYS.values(), ids=ALWAYS)
async def test_what_is_always_made_is_not_held_back_whatever_its_reader_tells(
    models: Models, c: Candidate, kept: float
) -> None:
    gate = GateBench(models, profile=profile(kept))
    made = await gate.say(c.model_copy(update={"reading": 0.0}))
    assert {(u.state, u.reason.rule) for u in made} == {("active", "new")}


async def test_nothing_that_is_said_in_a_project_or_reported_on_is_held_back(models: Models) -> None:
    gate = GateBench(models, profile=profile(1.0))
    await gate.say(low(), project_id="p1")
    assert [u.sealed.text for u in gate.active()] == [PIANO]
    hot = load_profile("engineering").model_copy(update={"reading": ReadingSpec(kept=1.0)})
    assert hot.hot_keys
    gate = GateBench(models, profile=hot)
    await gate.say(low())
    assert [u.sealed.text for u in gate.active()] == [PIANO]


async def test_a_model_that_sharpens_it_makes_it_no_surer(gate: GateBench) -> None:
    place = (Span(start=0, end=20),)
    [made] = await gate.say(low(spans=place), turn="t")
    gate.later(timedelta(minutes=1))
    sharp = candidate("Bought a grand piano", spans=place, literal=True)
    [kept] = [u for u in await gate.say(sharp, turn="t", extractor="model") if u.op == "upsert"]
    assert (kept.record_id, kept.sealed.text, kept.state) == (made.record_id, "Bought a grand piano", "observed")
    assert kept.reason == made.reason
    assert kept.expires_at == kept.known_at + MONTH
    gate.later(DAY)
    await gate.say(low("Bought a grand piano"))
    assert [u.sealed.text for u in gate.active()] == ["Bought a grand piano"]


@pytest.mark.parametrize("restarts", [False, True])
async def test_talk_of_years_ago_waits_from_when_it_was_taken_in(gate: GateBench, restarts: bool) -> None:
    """By the times of the log, and by no clock."""
    [made] = await gate.say(low(), at=gate.driver.now - timedelta(days=700))
    assert made.expires_at == made.known_at + MONTH
    assert await ticked(gate, MONTH - DAY) == []
    if restarts:
        gate.restart()
    assert [u.op for u in await ticked(gate, 2 * DAY)] == ["delete"]


async def test_ticks_that_stood_still_end_it_late(gate: GateBench) -> None:
    await gate.say(low())
    gate.later(timedelta(days=90))
    out: list[MemoryUpdate] = []
    for _ in range(5):
        gate.driver.tick()
        out += await gate.run()
    assert [(u.op, u.reason.rule) for u in out] == [("delete", "unsaid")]
