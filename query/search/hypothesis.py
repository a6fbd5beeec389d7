"""A passage that would answer a question, embedded in its place (D12; HyDE, Gao et al. 2022), by a model."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import orjson

from inference.openai_compatible import Away, Malformed
from inference.protocols import LanguageModel
from query.search.ranking.fusion import is_question

_REMEMBERED = 256
_COMPLEX = 3
"""Words that a complex question asks about, at least."""
_MOST_TOKENS = 200
_LONGEST = 1_000
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"passage": {"type": "string"}},
    "required": ["passage"],
    "additionalProperties": False,
}
_ASK = (
    "Write one or two sentences that a person could have said in an earlier conversation and that would answer the"
    " message, in its language. Invent details where you must. Answer as JSON: {\"passage\": \"...\"}."
)


def is_complex(text: str, terms: Sequence[str]) -> bool:
    """Whether a model is worth asking: a question of several words ("Where do I live?" has one), never chat."""
    return is_question(text) and len(set(terms)) >= _COMPLEX


class NoHypothesisError(Exception):
    """The model gave none in time; `reason` is what `degraded` says."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Hypotheses:
    """Asks the model; the last answers are remembered. What comes back is embedded and never shown as a memory."""

    def __init__(self, model: LanguageModel, seconds: float) -> None:
        self._model, self._seconds = model, seconds
        self._known: OrderedDict[str, str] = OrderedDict()

    async def passage(self, text: str) -> str:
        """Raises NoHypothesisError."""
        known = self._known.get(text)
        if known is not None:
            return known
        messages = [{"role": "system", "content": _ASK}, {"role": "user", "content": text}]
        try:
            async with asyncio.timeout(self._seconds):
                answer = await self._model.complete(messages, schema=_SCHEMA, max_tokens=_MOST_TOKENS)
            passage = orjson.loads(answer.text)["passage"]
        except TimeoutError:
            raise NoHypothesisError("timeout") from None
        except (Malformed, orjson.JSONDecodeError, KeyError, TypeError):
            raise NoHypothesisError("malformed") from None
        except (Away, OSError):
            raise NoHypothesisError("unreachable") from None
        if not isinstance(passage, str) or not passage.strip():
            raise NoHypothesisError("malformed")
        self._known[text] = passage[:_LONGEST]
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return self._known[text]
