"""What the steps ask of the models, gathered: small callables that the wiring fills in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np

from inference.protocols import Embedder, EntitySpan, TokenCounter
from processors.pii.redact import Tokeniser
from schemas.profile.model import Profile
from schemas.security.encrypted_values import Keeper, NoKeeper

TextLanguage = Literal["en", "zh", "und"]


class EntityAnalyzer(Protocol):
    """Finds personal data and secrets in a batch; spans of one text do not overlap."""

    def analyze(self, texts: Sequence[str], languages: Sequence[TextLanguage]) -> list[list[EntitySpan]]: ...


@dataclass(frozen=True, slots=True)
class Models:
    """Models of a worker. `hash_key` keys equality of personal values (turn contents, rejections) and PII tokens."""

    analyzer: EntityAnalyzer
    embedder: Embedder
    counter: Callable[[str], TokenCounter]
    """Encoding name -> counter."""
    language_of: Callable[[str], TextLanguage]
    terms: Callable[[str], list[str]]
    hash_key: bytes
    keeper: Keeper = field(default_factory=NoKeeper)
    """Keeps what the policy `encrypt` takes out of turns."""

    def tokeniser(self, tenant: str) -> Tokeniser:
        return Tokeniser(self.hash_key, tenant)


class ProfileBook:
    """Which profile a tenant runs on. Immutable; a change makes a new book."""

    def __init__(self, default: Profile, tenants: Mapping[str, Profile] | None = None) -> None:
        self.default = default
        self._tenants = dict(tenants or {})

    def of(self, tenant: str) -> Profile:
        return self._tenants.get(tenant, self.default)

    def named(self, tenant: str, name: str, version: int) -> Profile:
        """The version that made a record, where it is known; else the one in force."""
        return self.of(tenant)


def vectors(embedder: Embedder, texts: Sequence[str]) -> list[bytes]:
    """Unit embeddings as float16 bytes (half the size; cosine differs in the fourth decimal)."""
    if not texts:
        return []
    return [row.astype(np.float16).tobytes() for row in embedder.embed(texts)]
