"""The tagger of fields in numpy: what it points at lies in the turn, in order, and depends on nothing beside it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from inference.reader.field_tagger import FieldTagger, spans
from inference.reader.placed_tokens import PlacedTokens
from inference.reader.protocol import AskedField, FieldReader, TurnInput
from inference.reader.tagger_card import CARD, FOLDER, WEIGHTS, TaggerCard, read_card
from inference.reader.tagger_weights import loaded, save
from inference.reader.turn_encoder import base_weights
from inference.weights import WeightsError
from memstream.workers.models import default_embedder

AGE = AskedField("age", ("age", "年龄"), "number")
HOME = AskedField("home", ("lives in", "现居"), "place")
JOB = AskedField("job", ("occupation", "职业"), "text")
ASKED = (AGE, HOME, JOB)


@pytest.fixture(scope="module")
def tagger() -> FieldTagger:
    """That of the package, which says here what it is half sure of."""
    card = read_card().model_copy(update={"least": 0.4})
    return FieldTagger((FOLDER / WEIGHTS).read_bytes(), card, default_embedder())


def turn_of(text: str, before: str = "") -> TurnInput:
    return TurnInput(text, (("assistant", before),) if before else (), "en")


@pytest.mark.parametrize(
    ("text", "field", "words"),
    [
        ("I'm 41 years old and I live in Leeds.", AGE, "41"),
        ("I'm 41 years old and I live in Leeds.", HOME, "Leeds"),
        ("我今年41岁，住在杭州。", AGE, "41"),
        ("我今年41岁，住在杭州。", HOME, "杭州"),
    ],
)
def test_it_points_at_values_by_the_names_of_fields(
    tagger: FieldTagger, text: str, field: AskedField, words: str
) -> None:
    found = {s.field: text[s.start : s.end] for s in tagger.read(turn_of(text), ASKED)}
    assert words in found[field.name]


def test_it_says_nothing_of_a_turn_without_values(tagger: FieldTagger) -> None:
    reader: FieldReader = tagger
    for text in ("", "  ", "haha ok", "什么时候？"):
        assert reader.read(turn_of(text), ASKED) == []
    assert reader.read(turn_of("I'm 41."), ()) == []


@pytest.mark.parametrize("text", ["x" * 100_000, "我今年41岁。" * 9_000, "שלום 41 😀 مرحبا", "\ud800 41", "\n\t41\r"])
def test_any_text_is_read(tagger: FieldTagger, text: str) -> None:
    found = tagger.read(turn_of(text, text[:2_000]), ASKED)
    places = [(s.start, s.end) for s in found]
    assert places == sorted(places)
    assert all(0 <= a < b <= len(text) for a, b in places)
    assert all(0 <= s.probability <= 1 for s in found)


def test_the_same_turn_is_read_the_same(tagger: FieldTagger) -> None:
    turn = turn_of("I'm 41 years old and I live in Leeds.")
    first = tagger.read(turn, ASKED)
    tagger.read(turn_of("我住在杭州"), ASKED)
    assert tagger.read(turn, ASKED) == first


def placed(count: int) -> PlacedTokens:
    return PlacedTokens(tuple(range(count)), tuple(range(count)), tuple(range(1, count + 1)))


def test_a_span_is_a_run_of_one_field() -> None:
    likely = np.array([[0.1, 0, 0], [0.9, 0, 0], [0.4, 0, 0], [0, 0.8, 0], [0, 0.2, 0]], np.float32)
    found = [(s.field, s.start, s.end, s.probability) for s in spans(likely, placed(5), ASKED, 0.6)]
    assert found == [("age", 1, 3, 0.9), ("home", 3, 4, 0.8)]


def test_fields_of_like_meaning_share_what_is_sure() -> None:
    likely = np.array([[0.45, 0, 0.4], [0.1, 0.1, 0.1]], np.float32)
    (found,) = spans(likely, placed(2), ASKED, 0.6)
    assert (found.field, found.start, found.end, found.probability) == ("age", 0, 1, 0.85)


def test_the_file_holds_the_weights_that_it_was_made_of(tmp_path: Path) -> None:
    _, base = base_weights()
    weights = loaded((FOLDER / WEIGHTS).read_bytes(), base)
    save(tmp_path / "again.npz", weights, base)
    again = loaded((tmp_path / "again.npz").read_bytes(), base)
    assert np.allclose(again.heads.inp, weights.heads.inp, atol=1e-6)
    assert np.allclose(again.encoder.proj, weights.encoder.proj, atol=1e-6)
    assert len(again.layers) == len(weights.layers)


def test_weights_that_are_not_those_of_their_card_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="card"):
        FieldTagger.of(default_embedder(), tmp_path)
    card = read_card()
    (tmp_path / CARD).write_text(card.model_dump_json(), "utf-8")
    with pytest.raises(WeightsError, match="cannot be read"):
        FieldTagger.of(default_embedder(), tmp_path)
    (tmp_path / WEIGHTS).write_bytes(b"other")
    with pytest.raises(WeightsError, match="SHA-256"):
        FieldTagger.of(default_embedder(), tmp_path)
    (tmp_path / CARD).write_text("{}", "utf-8")
    with pytest.raises(WeightsError, match="form"):
        FieldTagger.of(default_embedder(), tmp_path)


def test_the_card_names_the_weights() -> None:
    card: TaggerCard = read_card()
    assert hashlib.sha256((FOLDER / WEIGHTS).read_bytes()).hexdigest() == card.sha256
    assert FieldTagger.of(default_embedder()).reader_id == f"field-tagger-{card.sha256[:12]}"
