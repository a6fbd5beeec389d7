"""`Reranker` over a cross-encoder (D14). Needs the extra `transformers`, which brings torch."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

_LONGEST = 2_000
"""Characters of a passage that the model sees: it cuts at its own length, this spares its tokenizer."""


class RerankerMissingError(RuntimeError):
    """A cross-encoder is configured and cannot be loaded; the message says what to install or to name."""


class CrossEncoderReranker:
    """A model of sentence-transformers by its name or folder. Scores are its own: logits, or in [0, 1]."""

    def __init__(self, name: str, batch: int = 32) -> None:
        """Raises RerankerMissingError."""
        try:
            library: Any = importlib.import_module("sentence_transformers")
        except ImportError:
            raise RerankerMissingError(
                "MEMSTREAM_RERANKER is set: install memstream[transformers], or leave it empty"
            ) from None
        try:
            self._model: Any = library.CrossEncoder(name)
        except (OSError, ValueError) as exc:
            raise RerankerMissingError(
                f"MEMSTREAM_RERANKER: no cross-encoder could be loaded under this name ({type(exc).__name__})"
            ) from None
        self._batch = batch

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        if not passages:
            return []
        pairs = [(query, p[:_LONGEST]) for p in passages]
        return [float(s) for s in self._model.predict(pairs, batch_size=self._batch, show_progress_bar=False)]
