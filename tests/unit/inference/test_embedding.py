"""The sentence encoder keeps the Embedder contract."""

import numpy as np
import pytest

from inference.embedding import UniversalSentenceEncoder
from inference.protocols import Embedder
from memstream.workers.models import default_embedder


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    made = default_embedder()
    assert isinstance(made, UniversalSentenceEncoder)
    return made


def test_the_model_id_names_model_and_version(embedder: Embedder) -> None:
    assert embedder.model_id.startswith("use-multilingual-v3@")
    assert embedder.model_id.rsplit("-", 1)[1][0].isdigit()


def test_rows_are_unit_float32_whatever_the_text(embedder: Embedder) -> None:
    texts = ["", " ", "hello", "你好", "\ud800 broken", "\x00", "a" * 100_000, "长" * 20_000, "🙂"]
    vectors = embedder.embed(texts)
    assert vectors.shape == (len(texts), embedder.dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_text_gives_an_empty_array(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimensions)


def test_a_text_has_one_vector_alone_or_in_a_batch(embedder: Embedder) -> None:
    texts = [f"the meeting is on day {i}, 会议在第{i}天" for i in range(40)]
    together = embedder.embed(texts)
    alone = np.vstack([embedder.embed([text]) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_array_equal(together, embedder.embed(texts))


def test_meaning_crosses_the_two_languages(embedder: Embedder) -> None:
    question, answer, other = embedder.embed(["我喜欢喝咖啡", "I like drinking coffee", "The train was late"])
    assert question @ answer > question @ other + 0.2
