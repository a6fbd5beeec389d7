"""How the readings' table is counted, and how far it is off on writers that it was not counted on."""

from __future__ import annotations

import pytest

from evaluation.calibration import DRAWN, Row, error, fitted, held_out, to_keep
from evaluation.corpus.read import Context, contexts
from schemas.events.memory import Candidate, Span
from tests.unit.gate.bench import candidate


def rows(writer: str, cell: tuple[str, str], seen: int, kept: int) -> list[Row]:
    return [Row(writer, cell, n < kept) for n in range(seen)]


LONG, SHORT, COPY = ("en", "long"), ("en", "short"), ("dropped", "copy")


def test_a_cell_has_its_share_drawn_to_the_mean_of_its_kind() -> None:
    found = [*rows("a", LONG, 90, 90), *rows("a", SHORT, 10, 0), *rows("a", COPY, 50, 10)]
    read = fitted(found)
    assert read(Row("b", LONG, keep=False)) == pytest.approx((90 + DRAWN * 0.9) / (90 + DRAWN))
    assert read(Row("b", SHORT, keep=True)) == pytest.approx(DRAWN * 0.9 / (10 + DRAWN))
    assert read(Row("b", COPY, keep=True)) == pytest.approx(0.2)
    assert read(Row("b", ("zh", "long"), keep=True)) == pytest.approx(0.9), "of a cell that nobody filled: the mean"
    assert read(Row("b", ("dropped", "light"), keep=True)) == pytest.approx(0.2)


def test_the_error_is_by_how_much_readings_miss_what_is_to_be_kept() -> None:
    assert error([(0.75, n < 3) for n in range(4)]) == pytest.approx(0)
    assert error([(0.75, False)] * 4) == pytest.approx(0.75)
    assert error([(0.2, True), (0.8, False)]) == pytest.approx(0.8), "errors of two bins do not cancel"
    assert error([(1.0, True)]) == 0
    assert error([]) == 0


def test_a_writer_is_read_by_what_the_others_wrote() -> None:
    found = [*rows("a", LONG, 40, 40), *rows("b", LONG, 40, 0)]
    out = held_out(found)
    assert {writer: {reading for reading, _ in pairs} for writer, pairs in out.items()} == {"a": {0.0}, "b": {1.0}}
    assert error([pair for pairs in out.values() for pair in pairs]) == 1


def one_to_keep() -> tuple[Context, Span]:
    """A turn of the corpus with one thing to keep behind its beginning, and where that is."""
    for context in contexts():
        kept = list(context.kept())
        start = context.turn.text.find(kept[0].clause) if len(kept) == 1 else -1
        if start >= 10:
            return context, Span(start=start, end=start + len(kept[0].clause))
    raise AssertionError("the corpus has none")


def at(start: int, end: int) -> Candidate:
    return candidate("Bought a piano", spans=(Span(start=start, end=end),))


def test_a_statement_is_one_to_keep_where_one_was_labelled() -> None:
    context, place = one_to_keep()
    assert to_keep(at(place.start, place.end), context)
    assert to_keep(at(place.start, place.start + 2), context), "all of the shorter one lies in both"
    assert not to_keep(at(0, place.start), context)
    assert not to_keep(candidate("Bought a piano"), context), "read at no place"
