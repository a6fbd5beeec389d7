"""The judge of statements: what it lowers, what it leaves alone, and which file it takes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.weights import WeightsError
from processors.reader import judged as judged_module
from processors.reader.judge.head import CARD, FOLDER, WEIGHTS, Judge, packed, unpacked
from processors.reader.judge.measures import KINDS, Floats, measures
from processors.reader.judged import judged
from schemas.events.memory import Candidate
from schemas.events.turns import ScreenedBody, ScreenedTurn
from tests.unit.jobs import support

KNOWN = "use-multilingual-v3@0"
DIMS = 512


def vector(seed: int) -> bytes:
    row = np.random.default_rng(seed).standard_normal(DIMS)
    return (row / np.linalg.norm(row)).astype(np.float16).tobytes()


def statement(reading: float | None, **changes: Any) -> Candidate:
    given: dict[str, Any] = {
        "ordinal": 0, "kind": "episode", "text": "User is one", "importance": 0.6, "confidence": 0.9,
        "source": "explicit", "reading": reading, "embedding": vector(1),
    }  # fmt: skip
    return Candidate(**{**given, **changes})


def turn(language: str = "en", model_id: str = KNOWN, embedding: bytes = vector(2)) -> ScreenedTurn:
    body = ScreenedBody(content="well, I'm one too", embedding=embedding)
    return support.turn().model_copy(update={"language": language, "model_id": model_id, "sealed": body})


@pytest.fixture
def certain(monkeypatch: pytest.MonkeyPatch) -> float:
    """A judge that calls every statement good with the same small probability."""
    judge = Judge.of()
    weights = replace(judge.weights, line=np.asarray([0.0, -3.0], np.float32))
    monkeypatch.setattr(judged_module, "judge_for", lambda model_id: replace(judge, weights=weights))
    return round(float(1 / (1 + np.exp(3.0))), 4)


def test_a_statement_that_may_be_missed_has_the_judges_reading_where_it_is_lower(certain: float) -> None:
    said = (statement(0.7), statement(0.01), statement(None))
    assert [c.reading for c in judged(said, turn(), KNOWN)] == [certain, 0.01, None]


@pytest.mark.parametrize(
    "of", [turn(language="zh"), turn(model_id="another@1"), turn(embedding=b"")], ids=["zh", "model", "no embedding"]
)
def test_of_what_it_does_not_know_it_says_nothing(certain: float, of: ScreenedTurn) -> None:
    said = (statement(0.7),)
    assert judged(said, of, KNOWN) == said
    assert judged((statement(0.7, embedding=b""),), turn(), KNOWN)[0].reading == 0.7


def test_another_embedding_model_has_no_judge() -> None:
    said = (statement(0.7),)
    assert judged(said, turn(model_id="another@1"), "another@1") == said


def test_the_file_is_that_of_its_card_and_packs_to_the_same_bytes(tmp_path: Path) -> None:
    content = (FOLDER / WEIGHTS).read_bytes()
    assert packed(unpacked(content)) == content
    (tmp_path / CARD).write_bytes((FOLDER / CARD).read_bytes())
    with pytest.raises(WeightsError, match="cannot be read"):
        Judge.of(tmp_path)
    (tmp_path / WEIGHTS).write_bytes(content[:-1] + b"x")
    with pytest.raises(WeightsError, match="not the file of its card"):
        Judge.of(tmp_path)
    (tmp_path / CARD).write_text(json.dumps({"sha256": "0"}))
    with pytest.raises(WeightsError, match="cannot be read"):
        Judge.of(tmp_path)


def read(text: str, said: str, seed: int = 1) -> float:
    """With embeddings at random: what is measured alone decides."""
    one, other = (np.frombuffer(vector(seed + n), "<f2").astype(np.float32) for n in range(2))
    return Judge.of().good(one, other, measures(text, said, "episode"))


def test_what_points_at_something_unsaid_reads_lower() -> None:
    whole = "User sold the blue canoe to a neighbour in Harwick in May"
    assert read("User sold it to them there last week", f"I {whole}") < read(whole, f"I {whole}")


@given(st.text(max_size=300), st.text(max_size=300), st.sampled_from(KINDS))
def test_n2_any_text_is_measured(text: str, said: str, kind: str) -> None:
    found: Floats = measures(text, said, kind)
    assert found.shape == measures("", "", "fact").shape
    assert np.isfinite(found).all()
    assert 0 <= read(text, said) <= 1
