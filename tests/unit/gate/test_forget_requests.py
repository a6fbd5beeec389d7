"""What the reader dropped is decided where the profile takes it, and else leaves no trace."""

from __future__ import annotations

from typing import Any

import pytest

from processors.ports import Models
from processors.reader.rules.readings import reading_of_cell
from schemas.events.memory import Candidate, Dropped, Span
from schemas.profile.model import Profile, ReadingSpec, load_profile
from tests.unit.gate.bench import GateBench, candidate

NOT_TAKEN = ("unresolved", "light", "too_many", "copy", "addressed", "of_another")
PLACE = (Span(start=0, end=14),)


def dropped(label: Any, c: Candidate, **slots: Any) -> Dropped:
    return Dropped(label=label, candidate=c.model_copy(update={"ordinal": 7, "spans": PLACE}), slots=slots)


def reading(**result: float) -> Profile:
    return load_profile("general").model_copy(update={"reading": ReadingSpec(**result)})


YORK = dropped("no_field", candidate("Lives in York", kind="fact"), residence="York")


def homes(*values: str) -> Profile:
    """The profile whose field for homes takes these alone."""
    plain = load_profile("general")
    fields = [f.model_copy(update={"values": values}) if f.name == "residence" else f for f in plain.fields]
    return plain.model_copy(update={"fields": tuple(fields)})


async def test_a_value_that_the_field_takes_now_stands_in_it(models: Models) -> None:
    gate = GateBench(models, profile=homes("York"))
    [home] = await gate.say(dropped=(YORK,))
    assert (home.state, home.field, home.sealed.value) == ("active", "residence", "York")
    assert home.sealed.embedding
    assert home.sealed.terms
    assert [(d.ordinal, d.reason.outcome) for d in gate.decisions] == [(7, "kept")]


async def test_one_that_it_does_not_take_leaves_no_record_and_no_decision(models: Models) -> None:
    gate = GateBench(models, profile=homes("Leeds"))
    others = [dropped(label, candidate(f"Went {label}")) for label in ("unresolved", "light", "too_many", "copy")]
    assert await gate.say(dropped=(YORK, *others)) == []
    assert gate.decisions == []


async def test_what_was_dropped_is_decided_from_the_profiles_reading_on(models: Models) -> None:
    """And stands, or is observed, as any other with its reading."""
    light = dropped("light", candidate("Went rowing", reading=0.5))
    copy = dropped("copy", candidate("Sold the old caravan in May", reading=0.8))
    gate = GateBench(models, profile=reading(taken_back=0.8))
    await gate.say(dropped=(light, copy))
    assert [u.sealed.text for u in gate.active()] == ["Sold the old caravan in May"]
    gate = GateBench(models, profile=reading(taken_back=0.5, kept=0.6))
    await gate.say(dropped=(light, copy))
    assert [(u.sealed.text, u.state) for u in gate.log] == [
        ("Went rowing", "observed"), ("Sold the old caravan in May", "active"),
    ]  # fmt: skip


async def test_by_its_reading_no_value_comes_back_and_nothing_that_was_said_of_another(models: Models) -> None:
    """Nobody vouches for whose the value is."""
    gate = GateBench(models, profile=reading(taken_back=0.1))
    await gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    left = [dropped(label, candidate("Lives in York", "residence", "York", reading=0.9)) for label in NOT_TAKEN]
    of_another = dropped("of_another", candidate("Is seven years old", reading=0.9))
    assert await gate.say(dropped=(*left, of_another)) == []
    assert gate.values("residence") == ["Leeds"]


async def test_a_value_that_the_field_takes_now_is_never_held_back(models: Models) -> None:
    """The reading of its label counts for what no field takes."""
    read_low = YORK.model_copy(update={"candidate": YORK.candidate.model_copy(update={"reading": 0.0})})
    strict = homes("York").model_copy(update={"reading": ReadingSpec(kept=1.0)})
    [home] = await GateBench(models, profile=strict).say(dropped=(read_low,))
    assert (home.state, home.source, home.sealed.value) == ("active", "explicit", "York")


@pytest.mark.parametrize(("kept", "state"), [(0.7, "active"), (0.9, "observed")])
async def test_a_relation_that_a_category_names_reads_as_one_that_was_taken_at_once(
    models: Models, kept: float, state: str
) -> None:
    result = dropped("dangling", candidate("Her sister went through QMAS", kind="relation", reading=0.1))
    strict = load_profile("immigration").model_copy(update={"reading": ReadingSpec(kept=kept), "hot_keys": ()})
    gate = GateBench(models, profile=strict)
    [made] = await gate.say(dropped=(result,))
    assert made.state == state
    assert made.reason.score == (None if state == "active" else reading_of_cell("en", "relation"))


async def test_nothing_that_was_dropped_is_as_likely_as_one(models: Models) -> None:
    gate = GateBench(models, profile=reading(taken_back=1.0))
    assert await gate.say(dropped=(dropped("copy", candidate("Sold a boat", reading=1.0)),)) == []


async def test_a_relation_to_nobody_stands_where_the_profile_has_a_category_for_it(models: Models) -> None:
    result = dropped("dangling", candidate("Her sister went through QMAS", kind="relation"))
    gate = GateBench(models)
    assert await gate.say(dropped=(result,)) == []
    gate = GateBench(models, profile="immigration")
    [kept] = await gate.say(dropped=(result,))
    assert (kept.kind, kept.state) == ("relation", "active")


async def test_what_is_taken_back_is_one_of_the_turns_statements(models: Models) -> None:
    """Its place counts where another version reads the turn, and where one of them is rejected."""
    gate = GateBench(models, profile=homes("York"))
    await gate.say(candidate("Bought a kayak", spans=(Span(start=20, end=34),)), dropped=(YORK,), turn="t")
    assert len(gate.active()) == 2
    [home] = gate.active("residence")
    await gate.do("forget", memory_id=home.record_id)
    await gate.say(candidate("Bought a kayak", spans=(Span(start=20, end=34),)), dropped=(YORK,), turn="t", version=2)
    assert [u.sealed.text for u in gate.active()] == ["Bought a kayak"]
    assert gate.outcomes()[-1][0] == "refused"
