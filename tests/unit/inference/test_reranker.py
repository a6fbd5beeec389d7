"""The cross-encoder's wrapper, without its library (D14); with it: tests/transformers."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from inference.reranker import CrossEncoderReranker, RerankerMissingError


class Overlap:
    """Scores pairs by shared words, as the library is called."""

    def __init__(self, name: str) -> None:
        if name == "broken":
            raise OSError("no such model")

    def predict(self, pairs: list[tuple[str, str]], *, batch_size: int, show_progress_bar: bool) -> list[float]:
        assert batch_size > 0
        assert not show_progress_bar
        return [float(len(set(a.split()) & set(b.split()))) for a, b in pairs]


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(CrossEncoder=Overlap))


@pytest.mark.usefixtures("library")
def test_d14_passages_are_scored_in_their_order() -> None:
    reranker = CrossEncoderReranker("some/model")
    assert reranker.score("a red bike", ["a cat", "a red bike", "the sea"]) == [1.0, 3.0, 0.0]
    assert reranker.score("a red bike", []) == []


@pytest.mark.usefixtures("library")
def test_d14_a_model_that_cannot_be_loaded_names_the_setting() -> None:
    with pytest.raises(RerankerMissingError, match="MEMSTREAM_RERANKER"):
        CrossEncoderReranker("broken")


def test_d14_without_the_extra_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    missing: Any = None  # what the import system takes for "not there"
    monkeypatch.setitem(sys.modules, "sentence_transformers", missing)
    with pytest.raises(RerankerMissingError, match=r"memstream\[transformers\]"):
        CrossEncoderReranker("some/model")
