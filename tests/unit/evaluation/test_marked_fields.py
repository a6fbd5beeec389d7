"""Talks with marked values: what their check sees, and how a reading of them is counted."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from evaluation.corpus.marked import Mark, MarkedTalk, MarkedTurn, marked_talks, talk_faults
from evaluation.in_memory import evaluation_models
from evaluation.marked_fields import Tally, events, judge, measured, of_fields
from processors.reader.rules.rules import RuleExtractor

TURN = "I'm 41, my sister is 38, and 41 is my bus"
AGE = Mark(text="41", role="fills", field="age")
SISTER = Mark(text="38", role="other", field="age", person="my sister")
BUS = Mark(text="41", role="not_field", field="age", occurrence=2)


def talk(*turns: MarkedTurn) -> MarkedTalk:
    asked = MarkedTurn(speaker="assistant", text="How old are you?")
    return MarkedTalk(id="fields_en9-001", language="en", profile="general", voice="brisk", turns=(asked, *turns))


def turn_of(text: str, *marks: Mark) -> MarkedTurn:
    return MarkedTurn(speaker="mo", text=text, marks=marks)


def counted(held: dict[str, list[object]], *marks: Mark) -> Tally:
    tally = Tally()
    judge(talk(turn_of(TURN, *marks)), {1: held}, tally)
    return tally


def test_a_mark_is_the_occurrence_that_it_names() -> None:
    assert [m.start(TURN) for m in (AGE, SISTER, BUS)] == [4, 21, 29]


@pytest.mark.parametrize(
    ("mark", "fault"),
    [
        (Mark(text="42", role="fills", field="age"), "is no part of the text"),
        (Mark(text="41", role="fills", field="age", occurrence=3), "is no part of the text"),
        (Mark(text="41", role="fills", field="ages"), "ages is no field of the profile"),
        (Mark(text="38", role="other", field="age"), "names no person"),
        (Mark(text="38", role="fills"), "has a field or a place"),
        (Mark(text="38", role="fills", field="age", place="task"), "has a field or a place"),
    ],
)
def test_what_is_wrong_with_a_mark_is_named(mark: Mark, fault: str) -> None:
    made = talk(*[turn_of(TURN)] * 6, turn_of(TURN, mark))
    assert list(talk_faults(made, made.field_names())) == [f"turn 7: {mark.text!r}: {fault}"]


def test_a_sound_talk_has_no_fault_and_one_of_two_turns_has() -> None:
    made = talk(*[turn_of(TURN, AGE, SISTER, BUS)] * 7)
    assert list(talk_faults(made, made.field_names())) == []
    assert list(talk_faults(talk(turn_of(TURN, AGE)), made.field_names())) == ["2 turns"]
    with pytest.raises(ValidationError, match="role"):
        Mark(text="41", role="is", field="age")  # type: ignore[arg-type]


def test_a_value_is_found_missed_wrong_or_unmarked() -> None:
    found = counted({"age": [41]}, AGE, SISTER)
    assert (found.asked["age"], found.found["age"], found.wrong.total()) == (1, 1, 0)
    assert counted({}, AGE).found["age"] == 0
    wrong = counted({"age": [38]}, SISTER)
    assert (dict(wrong.wrong), dict(wrong.marked), wrong.asked.total()) == ({"other": 1}, {"other": 1}, 0)
    assert counted({"pet": ["dog"]}, AGE).unmarked == 1


def test_a_denied_field_may_hold_that_it_is_not_so() -> None:
    denied = Mark(text="bus", role="denied", field="hasChildren")
    assert counted({"hasChildren": [False]}, denied).wrong.total() == 0
    assert counted({"hasChildren": [True]}, denied).wrong["denied"] == 1


async def test_a_plain_answer_is_found_and_anothers_age_is_not_taken() -> None:
    turns = turn_of("41", AGE), turn_of("My sister is 38", SISTER)
    tallies = await measured([talk(*turns)], evaluation_models(), RuleExtractor())
    assert tallies.keys() == {"en general", "en all"}
    assert (tallies["en all"].found["age"], tallies["en all"].wrong.total()) == (1, 0)
    assert [e.role for e in events(talk(*turns))] == ["assistant", "user", "user"]


def test_the_corpus_has_talks_of_the_projects_profiles_in_both_languages() -> None:
    for language in ("en", "zh"):
        found = [t for t in marked_talks(language=language) if of_fields(t)]
        assert {t.profile for t in found} >= {"general", "health", "immigration"}
