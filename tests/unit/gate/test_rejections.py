"""N4: what was read from the characters that a rejected memory was read from does not come back, in any wording or
field; and what says the same of the same person does not come back from older turns."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from inference.language import language_of
from processors.ports import Models
from processors.reader.rules.protocol import TurnView
from processors.reader.rules.rules import RuleExtractor
from schemas.events.memory import Candidate, Span
from tests.unit.extract.support import GENERAL, THURSDAY
from tests.unit.gate.bench import DAY, HOUR, START, GateBench, candidate
from tests.unit.gate.test_places import labelled, read, weights

KAYAK = read("User bought a red kayak", 10, 33)
CANOE = read("User sold the canoe", 40, 60)


def texts(gate: GateBench) -> set[str]:
    return {u.sealed.text for u in gate.active()}


async def drop(gate: GateBench, text: str) -> None:
    [target] = [u for u in gate.active() if u.sealed.text == text]
    await gate.do("forget", target.record_id)


@pytest.mark.parametrize(
    "again",
    [
        read("A boat is what they own", 12, 30),
        read("A boat is what they own", 30, 35, kind="fact"),
        read("User likes boats", 0, 12, "likes", "boats", kind="preference"),
        candidate("A boat is what they own", span=Span(start=0, end=15)),
    ],
    ids=["another wording", "another kind", "another field", "of an extractor with one span"],
)
async def test_n4_what_overlaps_a_rejected_place_is_barred(gate: GateBench, again: Candidate) -> None:
    await gate.say(KAYAK, CANOE, turn="t")
    await drop(gate, KAYAK.text)
    gate.restart()
    await gate.say(again, CANOE, turn="t", version=2)
    assert texts(gate) == {CANOE.text}
    assert ("refused", "rejected_source") in gate.outcomes()
    await gate.say(again, turn="t", extractor="model", model="m")
    assert texts(gate) == {CANOE.text}


async def test_n4_a_value_of_a_field_does_not_come_back_as_another_field(gate: GateBench) -> None:
    await gate.say(read("User lives in Leeds", 0, 15, "residence", "Leeds"), turn="t")
    await drop(gate, "User lives in Leeds")
    await gate.say(read("User was born in Leeds", 7, 15, "birthplace", "Leeds"), turn="t", version=2)
    assert texts(gate) == set()


async def test_n4_what_corrects_a_statement_is_a_place_of_it(gate: GateBench) -> None:
    places = (Span(start=0, end=15), Span(start=20, end=40))
    await gate.say(candidate("User lives in York", "residence", "York", spans=places), turn="t")
    await drop(gate, "User lives in York")
    await gate.say(read("User means York", 22, 40), turn="t", version=2)
    assert texts(gate) == set()


async def test_n4_every_turn_that_said_it_is_barred_also_a_month_later(gate: GateBench) -> None:
    await gate.say(KAYAK, turn="t1")
    await gate.say(read(KAYAK.text, 70, 93), turn="t2")
    gate.later(40 * DAY)
    await gate.do("remember", kind="fact", text="Something else")
    await drop(gate, KAYAK.text)
    for turn, start in (("t1", 10), ("t2", 70)):
        again = read("A boat is what they own", start, start + 20)
        await gate.say(again, turn=turn, version=2, at=START, accepted=gate.driver.now)
        assert gate.outcomes()[-1] == ("refused", "rejected_source")


async def test_n4_what_ended_is_rejected_where_it_was_read(gate: GateBench) -> None:
    [kept] = await gate.say(read("Lives in Leeds", 0, 15, "residence", "Leeds"), turn="t")
    gate.later(DAY)
    await gate.say(read("Moved away", 0, 10, "residence", "Leeds", negated=True))
    await gate.do("forget", kept.record_id)
    await gate.say(read("Leeds is a home to the user", 5, 15), turn="t", version=2, at=START, accepted=START)
    assert texts(gate) == set()


async def test_n4_what_stands_beside_a_rejected_one_of_the_same_words_stays(gate: GateBench) -> None:
    """It cannot be told from what was rejected, so it is not said anew; nor does it end for that."""
    ann, ben = read("Ann is a nurse", 0, 30), read("Ben likes chess", 0, 30)
    await gate.say(ann, ben, turn="t")
    await drop(gate, ann.text)
    await gate.say(read("Ben loves chess", 0, 30), read("Ann nurses", 0, 30), turn="t", version=2)
    assert texts(gate) == {ben.text}


async def test_n4_a_value_that_replaced_another_one_is_rejected_in_its_own_turn(gate: GateBench) -> None:
    await gate.say(read("Lives in Leeds", 0, 15, "residence", "Leeds"), turn="t1")
    gate.later(DAY)
    await gate.say(read("Lives in York", 50, 65, "residence", "York"), turn="t2")
    await drop(gate, "Lives in York")
    await gate.say(read("A kayak was bought", 0, 15), turn="t2", version=2)
    assert texts(gate) == {"A kayak was bought"}, "the place of what it replaced is of another turn"


@pytest.mark.parametrize(
    ("again", "comes_back"),
    [
        ("The user has bought the red kayak", False),
        ("User has not bought a red kayak", True),
        ("User bought a red kayak and a canoe", True),
    ],
)
@pytest.mark.parametrize("kind", ["episode", "fact"])
async def test_n4_the_same_of_the_same_person_is_barred_from_older_turns(
    gate: GateBench, again: str, comes_back: bool, kind: str
) -> None:
    await gate.say(KAYAK, turn="t")
    gate.later(DAY)
    await drop(gate, KAYAK.text)
    await gate.say(candidate(again, kind=kind), turn="older", at=START, accepted=gate.driver.now + HOUR)
    assert texts(gate) == ({again} if comes_back else set())
    gate.later(DAY)
    await gate.say(candidate("The user has bought the red kayak", kind=kind))
    assert "The user has bought the red kayak" in texts(gate), "said later, it is news"


async def test_n4_another_persons_is_not_barred(gate: GateBench) -> None:
    await gate.say(read("Ann bought a red kayak", 0, 20, attributes={"about": "Ann"}), turn="t")
    gate.later(DAY)
    await drop(gate, "Ann bought a red kayak")
    statement = read("Ben bought a red kayak", 0, 20, attributes={"about": "Ben"})
    await gate.say(statement, turn="older", at=START, accepted=gate.driver.now + HOUR)
    assert texts(gate) == {statement.text}


async def test_n4_a_rejection_holds_no_word(gate: GateBench) -> None:
    await gate.say(KAYAK, turn="t")
    await drop(gate, KAYAK.text)
    state = b"".join(v for rows in gate.rows().values() for k, v in rows.items() if k[:2] in ("r/", "v/")).decode()
    assert '"places":{"t":[[10,33]]}' in state
    assert not any(word in state for word in ("kayak", "bought", "red"))


# -- over the corpus ----------------------------------------------------------------------------------------------


def by_rules(text: str) -> list[Candidate]:
    return RuleExtractor().extract(TurnView(text, "user", language_of(text), THURSDAY), GENERAL)


def label_of(c: Candidate, places: dict[int, Span]) -> int | None:
    """The labelled statement that a candidate was read from: the one of which its head holds more than half. Any two
    that have one label overlap; of what holds less the corpus does not tell whether it says the same."""
    head = c.spans[0]
    shared = {n: (min(p.end, head.end) - max(p.start, head.start)) / (p.end - p.start) for n, p in places.items()}
    best = max(shared, key=lambda n: shared[n])
    return best if shared[best] > 0.5 else None


async def rejected(
    gate: GateBench, first: Sequence[Candidate], places: dict[int, Span], chance: Random
) -> int | None:
    """The label of a statement that stood and was deleted."""
    await gate.say(*first, turn="t")
    active = {u.sealed.text: u.record_id for u in gate.active()}
    found = [(active[c.text], n) for c in first if c.text in active and (n := label_of(c, places)) is not None]
    if not found:
        return None
    record, label = chance.choice(found)
    await gate.do("forget", record)
    return label


@pytest.mark.parametrize("name", ["en1", "zh1"])
@pytest.mark.parametrize("rules_first", [False, True])
@pytest.mark.parametrize("most", [10, pytest.param(100, marks=pytest.mark.slow)])
async def test_n4_no_rejection_over_the_corpus_comes_back(
    models: Models, name: str, rules_first: bool, most: int
) -> None:
    """Read again by two readers, in other words and kinds, and cut otherwise."""
    chance, done, said_again = Random(11), 0, 0
    for text, places, statements in labelled(name, 3_000):
        gate = GateBench(models)
        learned = [[c for _, c in weights(text, places, statements, chance)] for _ in range(3)]
        first = by_rules(text) if rules_first else learned[0]
        label = await rejected(gate, first, places, chance)
        if label is None:
            continue
        stood = {u.row_key for u in gate.active()}
        for version, again in enumerate((learned[1], by_rules(text), learned[2]), start=2):
            await gate.say(*again, turn="t", version=version)
            removed = {c.text for c in again if label_of(c, places) == label}
            said_again += len(removed)
            assert not [u.sealed.text for u in gate.active() if u.sealed.text in removed and u.row_key not in stood], (
                text
            )
        done += 1
        if done == most:
            break
    assert done == most
    assert said_again >= most
