"""Policy over every text of an event: content, and the strings inside free JSON (D5, "PII first")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from processors.pii.redact import Redaction, apply
from processors.ports import Models, ProfileBook
from schemas.pii import DEFAULT_POLICY, PiiPolicy

_SHORT = 4
"""Strings below this many characters hold no entity that policy masks."""


def policy_of(book: ProfileBook, tenant: str) -> PiiPolicy:
    actions = book.of(tenant).pii
    return DEFAULT_POLICY.overridden({k: str(v) for k, v in actions.items()}) if actions else DEFAULT_POLICY


def redact(models: Models, book: ProfileBook, tenants: Sequence[str], texts: Sequence[str]) -> list[Redaction]:
    """Redact each text under its tenant's policy; one call of the recognisers for all."""
    languages = [models.language_of(t) for t in texts]
    spans = models.analyzer.analyze(texts, languages)
    return [
        apply(text, found, policy_of(book, tenant), models.tokeniser(tenant))
        for tenant, text, found in zip(tenants, texts, spans, strict=True)
    ]


def strings(value: Any) -> Iterator[str]:
    """Every string of free JSON that is long enough to hold an entity, in a fixed order."""
    if isinstance(value, str):
        if len(value) >= _SHORT:
            yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from strings(item)


def replaced(value: Any, redacted: Mapping[str, str]) -> Any:
    """The same JSON with its strings redacted."""
    if isinstance(value, str):
        return redacted.get(value, value)
    if isinstance(value, Mapping):
        return {k: replaced(v, redacted) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [replaced(v, redacted) for v in value]
    return value


def counts(redactions: Sequence[Redaction]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for r in redactions:
        total.update(r.found)
    return dict(sorted(total.items()))
