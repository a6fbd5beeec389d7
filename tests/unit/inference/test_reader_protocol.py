"""The reader's values: what a relation's scores say."""

from dataclasses import fields

from inference.reader.protocol import RELATIONS, RelationScores


def test_scores_name_every_relation_in_order() -> None:
    assert tuple(field.name for field in fields(RelationScores)) == RELATIONS


def test_best_is_the_likeliest_relation() -> None:
    scores = RelationScores(0.1, 0.0, 0.6, 0.1, 0.05, 0.1, 0.05, 0.0)
    assert scores.best() == ("newer", 0.6)


def test_best_of_equals_is_the_first_named() -> None:
    assert RelationScores(*(0.125 for _ in RELATIONS)).best() == ("same", 0.125)
