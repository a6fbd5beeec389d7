"""The cross-encoder of the extra `transformers` (D14): `make test-transformers`."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from inference.reranker import CrossEncoderReranker, RerankerMissingError

pytestmark = pytest.mark.transformers
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "bike", "cat", "red", "自", "行", "车"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of two thousand random weights with one output, as models of the hub are laid out."""
    library: Any = importlib.import_module("transformers")
    folder = tmp_path_factory.mktemp("cross-encoder")
    (folder / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    library.BertTokenizerFast(vocab_file=str(folder / "vocab.txt")).save_pretrained(folder)
    config = library.BertConfig(
        vocab_size=len(WORDS), hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8,
        max_position_embeddings=64, num_labels=1,
    )  # fmt: skip
    library.BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def test_d14_every_passage_has_a_score_and_the_same_one_the_same(model: Path) -> None:
    reranker = CrossEncoderReranker(str(model), batch=2)
    scores = reranker.score("red bike", ["red bike", "cat", "自行车", "red bike"])
    assert len(scores) == 4
    assert scores[0] == pytest.approx(scores[3], abs=1e-5)
    assert reranker.score("red bike", []) == []


def test_d14_a_name_that_is_no_model_is_said(tmp_path: Path) -> None:
    with pytest.raises(RerankerMissingError, match="MEMSTREAM_RERANKER"):
        CrossEncoderReranker(str(tmp_path / "nothing"))
