"""Small deterministic models: what is decided does not matter here, that it is decided once and the same does."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from inference.protocols import EntitySpan, Vectors
from processors.ports import Models, ProfileBook, TextLanguage
from processors.reader.rules.rules import RuleExtractor
from processors.step import Step
from schemas.profile.model import load_profile
from streams.topology import TOPOLOGY, Parts

_EMAIL = re.compile(r"[\w.]+@[\w.]+\w")
_WORD = re.compile(r"[a-z0-9']+|[\u4e00-\u9fff]")
STEPS: tuple[str, ...] = ("screen", "extract", "gate", "session", "project")


class _Analyzer:
    def analyze(self, texts: Sequence[str], languages: Sequence[TextLanguage]) -> list[list[EntitySpan]]:
        return [
            [EntitySpan("EMAIL_ADDRESS", m.start(), m.end(), 0.99, "simulated") for m in _EMAIL.finditer(t)]
            for t in texts
        ]


class _Embedder:
    """Words thrown into a few dimensions: equal texts are equal, alike texts are near."""

    model_id = "simulated"
    dimensions = 16

    def embed(self, texts: Sequence[str]) -> Vectors:
        out: Vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(out, texts, strict=True):
            row[:] = _vector(text)
        return out


@lru_cache(maxsize=4096)
def _vector(text: str) -> Vectors:
    row: Vectors = np.zeros(_Embedder.dimensions, dtype=np.float32)
    for word in _terms(text) or [""]:
        digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
        row[digest[0] % len(row)] += 1.0
        row[digest[1] % len(row)] -= 0.5
    length = float(np.linalg.norm(row))
    if not length:
        row[0] = length = 1.0
    unit: Vectors = (row / length).astype(np.float32)
    return unit


class _Counter:
    encoding = "a token for each four characters"

    def count(self, text: str) -> int:
        return len(text) // 4 + 1

    def truncate(self, text: str, max_tokens: int) -> str:
        return text[: max(0, 4 * max_tokens - 1)]


def _language(text: str) -> TextLanguage:
    return "zh" if any("\u4e00" <= c <= "\u9fff" for c in text) else "en"


def _terms(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def parts() -> Parts:
    models = Models(
        _Analyzer(), _Embedder(), lambda _: _Counter(), _language, _terms, b"simulated-hash-key-of-32-bytes!!"
    )
    return Parts(models, ProfileBook(load_profile("general")), RuleExtractor())


def build(name: str, made: Parts) -> Step:
    return TOPOLOGY[name].build(made)
