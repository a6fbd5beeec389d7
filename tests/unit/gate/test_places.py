"""Delivery rule 3: the id of a free statement follows from its turn and where it was read there, whatever its wording,
its kind or its number among the others."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from processors.memory import turn_outcome
from processors.ports import Models
from schemas.events.memory import Candidate, CandidateKind, Span
from schemas.log.ids import record_id
from tests.unit.gate.bench import DAY, GateBench, candidate

CORPUS = Path(__file__).resolve().parents[3] / "corpus"
REVIEW = "We moved the review of the trial protocol with the whole safety board from Leeds to the big hall"
KINDS: tuple[CandidateKind, ...] = ("fact", "preference", "intent")


def read(text: str, start: int, end: int, *args: Any, **kw: Any) -> Candidate:
    """A statement that was read from these characters of its turn."""
    return candidate(text, *args, spans=(Span(start=start, end=end),), **kw)


def ids(gate: GateBench) -> dict[str, str]:
    return {u.sealed.text: u.record_id for u in gate.active()}


@pytest.mark.parametrize("kind", ["episode", "fact"])
async def test_another_wording_of_the_same_place_keeps_the_id(gate: GateBench, kind: str) -> None:
    kayak = read("User bought a red kayak", 0, 23, kind=kind)
    await gate.say(kayak, read("User sold the old canoe", 30, 50, kind=kind), turn="t")
    before = ids(gate)
    gate.restart()
    await gate.say(
        read("A new motorbike is what the user sold", 60, 80, kind=kind),
        read("The canoe, an old one, was sold", 30, 52, kind=kind),
        read("User has acquired a boat", 2, 23, kind=kind), turn="t", version=2,
    )  # fmt: skip
    after = ids(gate)
    assert after["User has acquired a boat"] == before["User bought a red kayak"]
    assert after["The canoe, an old one, was sold"] == before["User sold the old canoe"]
    assert len(set(after.values())) == len(after) == 3
    assert ("retired", "not_restated") not in gate.outcomes()


@pytest.mark.parametrize("kind", ["episode", "relation"])
async def test_what_is_told_of_an_event_or_a_relation_keeps_its_id_whatever_values_it_brings(
    gate: GateBench, kind: str
) -> None:
    """They are told by where they were read; only facts, preferences and intents by their fields."""
    await gate.say(read("User met Ann at the market", 0, 26, "friend", "Ann", kind=kind), turn="t")
    [before] = gate.active()
    gate.restart()
    await gate.say(read("The user ran into Ann", 0, 26, "friend", "Ann", kind=kind), turn="t", version=2)
    [after] = gate.active()
    assert (after.record_id, after.sealed.text) == (before.record_id, "The user ran into Ann")


async def test_the_id_does_not_follow_from_wording_kind_or_order(models: Models) -> None:
    """Two gates, neither of which knows what the other one read."""
    found = []
    for texts, kind in ((("Bought a kayak", "Sold a canoe"), "fact"), (("Sells a boat", "Kayaks a lot"), "intent")):
        gate = GateBench(models)
        one, two = read(texts[0], 0, 20, kind=kind), read(texts[1], 30, 50, kind=kind)
        await gate.say(*((one, two) if kind == "fact" else (two, one)), turn="t")
        found.append({ids(gate)[texts[0]], ids(gate)[texts[1]]})
    assert found[0] == found[1]


async def test_two_statements_of_one_place_have_two_ids_whichever_comes_first(gate: GateBench) -> None:
    texts = (read("Ann is a nurse", 0, 30, kind="fact"), read("Ben likes chess", 0, 30, kind="fact"))
    await gate.say(*texts, turn="t")
    before = ids(gate)
    assert len(set(before.values())) == 2
    await gate.say(*reversed(texts), turn="t", version=2)
    assert ids(gate) == before
    other = (read("Ben likes chess a lot", 0, 30, kind="fact"), read("Ann works as a nurse", 0, 30, kind="fact"))
    await gate.say(*other, turn="t", version=3)
    after = ids(gate)
    assert after["Ben likes chess a lot"] == before["Ben likes chess"]
    assert after["Ann works as a nurse"] == before["Ann is a nurse"]


async def test_what_only_touches_the_place_of_another_statement_takes_no_id_from_it(gate: GateBench) -> None:
    await gate.say(read("User bought a kayak", 0, 20), turn="t")
    before = set(ids(gate).values())
    await gate.say(read("Ben plays chess", 15, 40), turn="t", version=2)
    assert before.isdisjoint(ids(gate).values())
    assert ("retired", "not_restated") in gate.outcomes()


async def test_a_statement_of_another_turn_that_was_repeated_is_not_reworded(gate: GateBench) -> None:
    await gate.say(read("Bought a red kayak in Oslo", 0, 26), turn="t1")
    await gate.say(read("Bought a red kayak in Oslo", 5, 31), turn="t2")
    [first] = gate.active()
    await gate.say(read("Ben plays chess", 5, 31), turn="t2", version=2)
    assert ids(gate)["Bought a red kayak in Oslo"] == first.record_id
    assert [s.turn_id for s in gate.history(first.record_id)[0].sources] == ["t1"]
    assert ids(gate)["Ben plays chess"] != first.record_id


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize(
    ("one", "other", "both"),
    [("Has a boat", "Owns a kayak", "Owns a boat, a kayak"), ("家里有一条船", "买了皮划艇", "有一条船和一条皮划艇")],
)
async def test_d3_two_turns_read_anew_in_the_same_words_are_one_memory(
    gate: GateBench, one: str, other: str, both: str, restart: bool
) -> None:
    await gate.say(read(one, 0, 20), turn="t1")
    await gate.say(read(other, 5, 25), turn="t2")
    assert len(gate.active()) == 2
    if restart:
        gate.restart()
    await gate.say(read(both, 0, 20), turn="t1", version=2)
    await gate.say(read(both, 5, 25), turn="t2", version=2)
    [memory] = gate.active()
    assert memory.sealed.text == both
    assert {s.turn_id for s in memory.sources} == {"t1", "t2"}
    assert ("retired", "not_restated") in gate.outcomes()


async def test_d3_what_two_turns_said_and_both_say_otherwise_now_is_one_memory(gate: GateBench) -> None:
    await gate.say(read("Bought a red kayak in Oslo", 0, 26), turn="t1")
    await gate.say(read("Bought a red kayak in Oslo", 5, 31), turn="t2")
    assert len(gate.active()) == 1
    await gate.say(read("Ben plays chess", 0, 26), turn="t1", version=2)
    await gate.say(read("Ben plays chess", 5, 31), turn="t2", version=2)
    [memory] = gate.active()
    assert memory.sealed.text == "Ben plays chess"
    assert {s.turn_id for s in memory.sources} == {"t1", "t2"}


async def test_d3_another_wording_that_contradicts_what_stands_is_marked_on_both(gate: GateBench) -> None:
    await gate.say(read("Took a long walk", 0, 30), turn="t1")
    await gate.say(read("The guest tolerates aspirin", 0, 30), turn="t2")
    await gate.say(read("The guest does not tolerate aspirin", 0, 30), turn="t1", version=2)
    [one, two] = gate.active()
    assert one.conflicts_with == (two.record_id,)
    assert two.conflicts_with == (one.record_id,)
    assert gate.outcomes()[-1] == ("kept", "contradiction")


@pytest.mark.parametrize("place", [(0, 10), (50, 60)], ids=["restates another one", "new"])
async def test_what_is_found_elsewhere_is_not_lost_with_the_words_that_said_it_before(
    gate: GateBench, place: tuple[int, int]
) -> None:
    """The record that said it is given other words by a later candidate of the same reading."""
    await gate.say(read("Visited Rome", 0, 10), read("Owns a kayak", 20, 40), turn="t")
    await gate.say(read("Owns a kayak", *place), read("Sold the old canoe", 20, 40), turn="t", version=2)
    assert set(ids(gate)) == {"Owns a kayak", "Sold the old canoe"}
    assert len(gate.active()) == 2


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ("Owns a kayak", "Owns a boat, a kayak"), ("买了皮划艇", "有一条船和一条皮划艇"),
        (REVIEW, f"{REVIEW} in March"), (REVIEW, f"{REVIEW} of Ann Miller"),
    ],
    ids=["a thing", "a thing, zh", "a date", "a name"],
)  # fmt: skip
async def test_d3_another_wording_is_not_lost_in_what_says_less(gate: GateBench, less: str, more: str) -> None:
    await gate.say(read(less, 0, 20), turn="t1")
    await gate.say(read("Took a long walk", 5, 25), turn="t2")
    before = ids(gate)
    await gate.say(read(more, 5, 25), turn="t2", version=2)
    assert ids(gate) == {less: before[less], more: before["Took a long walk"]}


REWORDED = [
    ("Bought a red kayak in Oslo", "In Oslo, bought a red kayak"),
    ("昨天去了公园散步，又买了一条皮划艇", "昨天去了公园散步，又买了一条皮划艇了"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "again"), REWORDED)
async def test_d3_another_wording_is_said_again_on_what_says_all_of_it(gate: GateBench, one: str, again: str) -> None:
    await gate.say(read(one, 0, 20), turn="t1")
    await gate.say(read("Took a long walk", 5, 25), turn="t2")
    before = ids(gate)
    await gate.say(read(again, 5, 25), turn="t2", version=2)
    assert ids(gate) == {one: before[one]}


@pytest.mark.parametrize(("one", "again"), REWORDED)
@pytest.mark.parametrize("stays", [True, False])
async def test_two_statements_of_a_turn_become_one_only_in_the_same_words(
    gate: GateBench, one: str, again: str, stays: bool
) -> None:
    """Whether the other one is said anew or is not said any more."""
    await gate.say(read("Took a long walk", 0, 20), read(one, 30, 50), turn="t")
    before = ids(gate)
    other = (read(one, 30, 50),) if stays else ()
    await gate.say(read(again, 0, 20), *other, turn="t", version=2)
    assert ids(gate) == {again: before["Took a long walk"]} | ({one: before[one]} if stays else {})
    await gate.say(read(f"{one}!", 0, 20), *other, turn="t", version=3)
    if stays:
        assert ids(gate) == {one: before[one]}


@pytest.mark.parametrize("kinds", [("fact", "intent"), ("episode", "relation")])
async def test_what_is_named_another_kind_in_the_same_words_keeps_what_other_turns_made_of_it(
    gate: GateBench, kinds: tuple[CandidateKind, CandidateKind]
) -> None:
    texts = [read("Bought a red kayak in Oslo", 0, 26, kind=kind, importance=0.3) for kind in kinds]
    await gate.say(texts[0], turn="t1")
    gate.later(DAY)
    await gate.say(texts[0], turn="t2")
    [before] = gate.active()
    gate.later(DAY)
    await gate.say(texts[1], turn="t2", version=2, at=gate.driver.now - DAY)
    [after] = gate.active()
    assert (after.record_id, after.kind) == (before.record_id, kinds[1])
    assert [s.turn_id for s in after.sources] == ["t1", "t2"]
    assert (after.occurred_at, after.valid_from) == (before.occurred_at, before.valid_from)
    assert (after.importance, after.confidence) == (before.importance, before.confidence)
    await gate.say(texts[1], turn="t1", version=2, at=before.occurred_at)
    [last] = gate.active()
    assert (last.kind, last.sources) == (kinds[1], after.sources)
    gate.restart()
    await gate.say(texts[1], turn="t3")
    assert [len(u.sources) for u in gate.active()] == [3]


async def test_what_people_judged_keeps_its_words(gate: GateBench) -> None:
    await gate.say(read("User bought a kayak", 0, 20), read("User sold a canoe", 30, 50), turn="t")
    [kayak, canoe] = sorted(gate.active(), key=lambda u: u.sealed.text)
    await gate.do("correct", kayak.record_id, text="User bought a blue kayak")
    await gate.feedback(canoe.record_id, rating="good")
    await gate.say(read("Got a boat", 0, 20), read("Sold a boat", 30, 50), turn="t", version=2)
    assert set(ids(gate)) == {"User bought a blue kayak", "User sold a canoe"}


async def test_what_was_said_too_late_to_stand_has_the_id_of_its_place(gate: GateBench) -> None:
    start = gate.driver.now
    gate.later(2 * DAY)
    await gate.say(candidate("Lives in York", "residence", "York"))
    texts = [read(f"Lives in {c}", 0, 40, "residence", c) for c in ("Leeds", "Hull")]
    await gate.say(*texts, turn="t", at=start)
    late = {u.sealed.value: u.record_id for u in gate.view.values() if u.reason.rule == "older_than_standing"}
    assert set(late) == {"Leeds", "Hull"}
    assert len(set(late.values())) == 2


async def test_n8_records_of_an_extractor_that_told_no_place_keep_their_ids(gate: GateBench) -> None:
    """What stands in a log of before, and what a newer extractor makes of it."""
    old = (candidate("User bought a red kayak in Oslo"), candidate("User sold the canoe"))
    await gate.say(*old, turn="t")
    before = ids(gate)
    owner = gate.active()[0].owner
    assert before == {c.text: record_id(owner, "episode", "t", n) for n, c in enumerate(old)}
    gate.restart()
    new = (read("The canoe was sold", 40, 58), read("A kayak, red, was bought in Oslo", 0, 31))
    await gate.say(*new, turn="t", version=2)
    assert ids(gate) == {
        "The canoe was sold": before["User sold the canoe"],
        "A kayak, red, was bought in Oslo": before["User bought a red kayak in Oslo"],
    }


async def test_places_of_a_turn_are_bounded(gate: GateBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_outcome, "MAX_PLACES", 3)
    towns = ("Oslo", "Lima", "Rome", "Cairo", "Delhi")
    await gate.say(*(read(f"Visited {town}", 40 * n, 40 * n + 30) for n, town in enumerate(towns)), turn="t")
    [row] = [json.loads(v) for rows in gate.rows().values() for k, v in rows.items() if k == "x/t"]
    assert len(row["spans"]) == 3


# -- over the corpus ----------------------------------------------------------------------------------------------


def labelled(name: str, most: int) -> Iterator[tuple[str, dict[int, Span], list[dict[str, Any]]]]:
    """Turns with where each of their labelled statements stands."""
    with (CORPUS / f"{name}.jsonl").open(encoding="utf-8") as lines:
        for turn in islice(map(json.loads, lines), most):
            statement, places = turn["text"], {}
            for n, s in enumerate(turn["statements"]):
                at = statement.find(s["clause"])
                if at >= 0:
                    places[n] = Span(start=at, end=at + len(s["clause"]))
            if len({(p.start, p.end) for p in places.values()}) == len(places) and places:
                yield statement, places, turn["statements"]


def weights(
    statement: str, places: dict[int, Span], statements: Sequence[dict[str, Any]], chance: Random
) -> list[tuple[int, Candidate]]:
    """What a learned reader may say of a turn: with other weights it leaves out others, words them otherwise, calls
    them another kind, cuts them a little shorter or longer and counts them in another order."""
    found = []
    for n, place in places.items():
        if chance.random() < 0.3:
            continue
        start = max(0, place.start + chance.choice((-2, 0, 0, 2)))
        end = min(len(statement), max(start + 1, place.end + chance.choice((-3, 0, 0, 2))))
        s = statements[n]
        text = chance.choice([s["clause"], s["memory"] or s["clause"], f"{s['predicate']}: {s['value']}"])
        kind = chance.choice(KINDS)
        found.append((n, read(text, start, end, kind=kind)))
    chance.shuffle(found)
    return found


@pytest.mark.parametrize("name", ["en1", "zh1"])
@pytest.mark.parametrize("turns", [30, pytest.param(500, marks=pytest.mark.slow)])
async def test_no_id_goes_over_to_another_statement_of_the_corpus(models: Models, name: str, turns: int) -> None:
    chance = Random(7)
    kept = 0
    for utterance, places, statements in labelled(name, turns):
        gate = GateBench(models)
        stood: dict[str, int] = {}
        for version in (1, 2, 3):
            found = weights(utterance, places, statements, chance)
            label = {c.text: n for n, c in found}
            await gate.say(*(c for _, c in found), turn="t", version=version)
            now = {r: label[text] for text, r in ids(gate).items() if text in label}
            kept += len(now.keys() & stood.keys())
            assert not [r for r in now if stood.get(r, now[r]) != now[r]], utterance
            stood |= now
    assert kept > turns
