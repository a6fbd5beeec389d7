"""The models that memstream uses, behind small protocols.

Processors and the front door know these and nothing of the packages behind them, so a model can be changed in
one line of the wiring and a test can hand in a real small one. Implementations live beside this file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Language: TypeAlias = Literal["en", "zh"]
Vectors: TypeAlias = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EntitySpan:
    """One entity in one text: `text[start:end]` in code points, with a score in [0, 1] and who found it."""

    entity: str
    start: int
    end: int
    score: float
    recognizer: str


@dataclass(frozen=True, slots=True)
class Completion:
    """What a language model answered; `finish_reason` is the endpoint's own word ("stop", "length", ...)."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    model: str
    finish_reason: str


class EmbedderMissingError(RuntimeError):
    """An embedding model cannot be loaded here; the message says what to install."""


class Embedder(Protocol):
    """Texts to unit vectors; `model_id` names model and version, so stored vectors say what made them."""

    @property
    def model_id(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return an array (len(texts), dimensions), float32, each row of length 1; empty texts allowed."""
        ...


class TokenCounter(Protocol):
    """Counts tokens as the named encoding does (A9, B7)."""

    @property
    def encoding(self) -> str: ...

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`; special-token strings count as plain text."""
        ...

    def truncate(self, text: str, max_tokens: int) -> str:
        """Return the longest prefix of whole characters of `text` that has at most `max_tokens` tokens."""
        ...


class EntityRecognizer(Protocol):
    """Finds entities in a batch of texts of one language."""

    def recognize(self, texts: Sequence[str], language: Language) -> list[list[EntitySpan]]:
        """Return one list a text, in the order of `texts`, sorted by start; spans may overlap."""
        ...


class Reranker(Protocol):
    """Scores passages against a query; higher is better, the scale is the model's own."""

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        """Return one score a passage, in their order."""
        ...


class LanguageModel(Protocol):
    """A chat model that answers in JSON (B7)."""

    async def complete(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        schema: Mapping[str, Any],
        max_tokens: int,
        temperature: float = 0.0,
    ) -> Completion:
        """Return an answer whose text is JSON that fits `schema`; `messages` are {"role", "content"} maps.

        Raises the client's own errors for transport failures: who calls decides on retry.
        """
        ...
