"""Overlaps are resolved the same way whatever the order, and never uncover a value."""

import itertools
import random

from inference.pii.resolve import resolve
from inference.protocols import EntitySpan


def span(entity: str, start: int, end: int, score: float = 0.8) -> EntitySpan:
    return EntitySpan(entity, start, end, score, "test")


def shape(spans: list[EntitySpan]) -> list[tuple[str, int, int]]:
    return [(s.entity, s.start, s.end) for s in spans]


def test_the_order_of_the_input_does_not_matter() -> None:
    spans = [span("PERSON", 0, 5), span("ADDRESS", 3, 20), span("PHONE_NUMBER", 8, 19), span("URL", 0, 30)]
    results = {tuple(shape(resolve(order, 0.5))) for order in itertools.permutations(spans)}
    assert len(results) == 1


def test_results_are_sorted_and_disjoint() -> None:
    rng = random.Random(3)
    entities = ("CREDENTIAL", "PHONE_NUMBER", "ADDRESS", "URL", "PERSON", "ORGANIZATION")
    for _ in range(300):
        spans = [span(rng.choice(entities), s := rng.randrange(60), s + 1 + rng.randrange(15)) for _ in range(12)]
        found = resolve(spans, 0.5)
        assert all(a.end <= b.start for a, b in itertools.pairwise(found))


def test_a_credential_wins_and_what_it_beats_keeps_its_rest() -> None:
    found = resolve([span("URL", 0, 40), span("CREDENTIAL", 10, 20, 0.6)], 0.5)
    assert shape(found) == [("URL", 0, 10), ("CREDENTIAL", 10, 20), ("URL", 20, 40)]


def test_one_entity_found_twice_is_one_span() -> None:
    assert shape(resolve([span("PERSON", 0, 4), span("PERSON", 2, 9)], 0.5)) == [("PERSON", 0, 9)]


def test_a_person_read_out_of_an_address_goes_one_before_it_stays() -> None:
    assert shape(resolve([span("ADDRESS", 0, 20), span("PERSON", 5, 25)], 0.5)) == [("ADDRESS", 0, 20)]
    assert shape(resolve([span("ADDRESS", 10, 30), span("PERSON", 0, 14)], 0.5)) == [
        ("PERSON", 0, 10),
        ("ADDRESS", 10, 30),
    ]


def test_weak_spans_do_not_count() -> None:
    assert resolve([span("PERSON", 0, 4, 0.4)], 0.5) == []
