"""Training of the head of changes: same seed, same bytes; what is drawn from turns and pairs; the figures' rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evaluation.corpus.read import ROOT, pairs
from processors.memory.changes.head import ChangeHead, packed, unpacked
from processors.memory.changes.pair import Floats
from training.change import figures_line, held_out
from training.change_examples import (
    Example,
    as_stored,
    drawn,
    embedded,
    labelled,
    statement_vectors,
    statements,
    strangers,
)
from training.change_fit import Recipe, fit, predicted, table_of

RECIPE = Recipe(axes=8, steps=30)


def embed(texts: list[str]) -> Floats:
    """Unit vectors that only equal texts share, shape (texts, 64)."""
    rows = [np.random.default_rng(abs(sum(map(ord, t)) * 31 + len(t))).standard_normal(64) for t in texts]
    return np.stack([r / np.linalg.norm(r) for r in rows]).astype(np.float32)


@pytest.fixture(scope="module")
def examples() -> list[Example]:
    found = list(labelled())
    return [e for n, e in enumerate(found) if n % 20 == 0]


def test_every_labelled_pair_has_a_fold_and_the_engines_wording(examples: list[Example]) -> None:
    whole = list(labelled())
    assert len(whole) == len(list(pairs(ROOT)))
    assert {e.writer for e in whole} == {"en-a", "en-b", "zh-a", "zh-b"}
    assert not any("The user" in e.old or "the user" in e.new for e in whole)
    assert as_stored("The user's cat likes the user.") == "User's cat likes User."


def test_the_same_seed_makes_the_same_bytes_and_the_file_predicts_as_it_was_fitted(examples: list[Example]) -> None:
    vectors = embedded([t for e in examples for t in (e.old, e.new)], lambda texts: embed(list(texts)))
    whole = statement_vectors(vectors)
    table = table_of(examples, whole, vectors, RECIPE)
    chosen = range(len(examples))
    first, again = (packed(fit(table, examples, chosen, RECIPE)) for _ in range(2))
    assert first == again
    card = ChangeHead.of().card
    head = ChangeHead(unpacked(first), card)
    one = head.relations(whole[examples[3].old], whole[examples[3].new], table.found[3])
    assert np.allclose(one, predicted(table, unpacked(first), [3])[0], atol=1e-4)


def test_a_fold_is_judged_by_weights_that_did_not_learn_it(examples: list[Example]) -> None:
    vectors = embedded([t for e in examples for t in (e.old, e.new)], lambda texts: embed(list(texts)))
    table = table_of(examples, statement_vectors(vectors), vectors, RECIPE)
    whole = held_out(table, examples, RECIPE)
    flipped = [replace(e, relation="ended") if e.writer == "en-b" else e for e in examples]
    after = held_out(table, flipped, RECIPE)
    own = [n for n, e in enumerate(examples) if e.writer == "en-b"]
    assert np.array_equal(whole[own], after[own]), "its own labels do not reach its chances"
    assert not np.array_equal(whole, after), "but those of the others"


def test_strangers_are_pairs_that_nobody_labelled(examples: list[Example]) -> None:
    vectors = embedded([t for e in examples for t in (e.old, e.new)], lambda texts: embed(list(texts)))
    made = list(strangers(examples, vectors, 1))
    assert made == list(strangers(examples, vectors, 1))
    known = {(e.old, e.new) for e in examples}
    assert made
    assert all(e.drawn and e.relation == "both" and (e.old, e.new) not in known for e in made)


def test_twins_that_end_deny_or_count_otherwise_change_and_what_one_turn_says_holds() -> None:
    vectors = embedded(statements(), lambda texts: np.full((len(texts), 64), 0.125, np.float32))
    found = list(drawn(vectors))
    relations = {e.relation for e in found}
    assert relations == {"both", "ended", "contradicting"}
    assert all(e.drawn and e.old != e.new for e in found)


def test_a_row_counts_by_relation() -> None:
    pair = Example("en", "a", "b", "both", "en-a", False)
    newer = Example("en", "a", "c", "newer", "en-a", False)
    row = figures_line("x", [pair, pair, newer], [True, False, True])
    assert row == "| x | 3 | 50.0 | 0.0 | 0.0 | 100.0 | 0.0 | 0.0 | 0.0 |"
