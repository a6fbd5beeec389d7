"""Hits of several scopes in one answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from query.search import documents
from query.views.db import Row

Hit = tuple[Row, float, dict[str, Any] | None]
"""Row, score, and the scores that it was made of."""
_HALF_BM25 = 2.0
"""A BM25 score that counts as half of certain."""


def merge(parts: Sequence[Sequence[Hit]]) -> list[Hit]:
    """The hits of several scopes in one order. Within a scope scores are relative to its own documents, so the best
    chunk of a library that knows nothing of the question would stand beside the best memory; each scope's scores
    are therefore weighed by its strongest evidence, which is comparable. One scope keeps its scores."""
    found = [part for part in parts if part]
    if len(found) < 2:
        return [hit for part in found for hit in part]
    strengths = [max(_evidence(scores) for _, _, scores in part) for part in found]
    best = max(strengths) or 1.0
    weighed = [
        (row, score * strength / best, {**(scores or {}), "scope": strength / best})
        for part, strength in zip(found, strengths, strict=True)
        for row, score, scores in part
    ]
    return sorted(weighed, key=lambda h: -h[1])


def _evidence(scores: dict[str, Any] | None) -> float:
    """Cosine and saturated BM25, each in [0, 1], in equal parts."""
    score_parts = scores or {}
    words = max(0.0, float(score_parts.get("bm25", 0.0)))
    return 0.5 * max(0.0, float(score_parts.get("dense", 0.0))) + 0.5 * words / (words + _HALF_BM25)


def distinct(hits: Sequence[Hit]) -> list[Hit]:
    """A record that two scopes hold counts once, at its better score."""
    seen: set[str] = set()
    out = []
    for row, score, scores in hits:
        key = f"t:{documents.turn_key(row)}" if documents.is_turn(row) else f"m:{documents.memory_key(row)}"
        if key not in seen:
            seen.add(key)
            out.append((row, score, scores))
    return out
