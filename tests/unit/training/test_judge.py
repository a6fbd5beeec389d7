"""Training of the judge: the same data to the same bytes, writers held out, and the figures' rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evaluation.corpus.read import contexts, verdicts
from processors.reader.judge.head import packed, unpacked
from processors.reader.judge.measures import measures
from training.judge import Recipe, Table, area, fit, held_out, line_of, scores, told

RECIPE = Recipe(decay=5.0)


@pytest.fixture(scope="module")
def table() -> Table:
    """Every tenth verdict, with embeddings that say nothing."""
    said = {c.place: c.turn.text for c in contexts(language="en")}
    found = list(verdicts("en"))[::10]
    rows = np.random.default_rng(1).standard_normal((len(found), 32)).astype(np.float32)
    return Table(
        rows / np.linalg.norm(rows, axis=1, keepdims=True),
        np.stack([measures(v.memory, said[v.place], v.kind) for v in found]),
        np.asarray([v.good for v in found], np.float64),
        [v.place.partition("-")[0] for v in found],
    )


def test_the_same_verdicts_make_the_same_bytes_and_the_file_scores_as_it_was_fitted(table: Table) -> None:
    every = range(len(table.good))
    first, again = (packed(fit(table, every, RECIPE)) for _ in range(2))
    assert first == again
    found = scores(table, unpacked(first), every)
    assert area(found, table.good) > area(np.zeros(len(found)) + table.measured[:, 0], table.good)


def test_a_writer_is_scored_by_weights_that_did_not_learn_it(table: Table) -> None:
    own = np.asarray([w == "en4" for w in table.writers])
    flipped = replace(table, good=np.where(own, 1 - table.good, table.good))
    before, after = held_out(table, RECIPE), held_out(flipped, RECIPE)
    assert np.array_equal(before[own], after[own]), "its own verdicts do not reach its scores"
    assert not np.array_equal(before[~own], after[~own])


def test_the_line_makes_the_mean_probability_the_share_of_the_good() -> None:
    rng = np.random.default_rng(3)
    found = rng.standard_normal(400)
    good = (rng.random(400) < 1 / (1 + np.exp(-(2 * found - 1)))).astype(np.float64)
    slope, offset = line_of(found, good)
    assert np.isclose((1 / (1 + np.exp(-(slope * found + offset)))).mean(), good.mean(), atol=1e-4)
    assert 1 < slope < 3


def test_a_row_says_what_stays_of_the_good_and_of_the_bad() -> None:
    nothing = np.zeros((4, 1), np.float32)
    table = Table(nothing, nothing, np.array([1.0, 1, 0, 0]), ["a", "b", "a", "b"])
    [whole, *_] = told(table, np.array([0.3, 0.11, 0.11, 0.01])).splitlines()
    assert whole == "| all | 4 | 50 | 0.875 | 100 / 50 | 100 / 50 | 50 / 0 | 50 / 0 | 50 / 0 |"
