"""The numbers of the gate, in one place; docs/quality.md prints them as tables."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

READABLE_ABOVE: Final = Decimal("0.7")
"""D4: read only above; 0.7 itself is observed."""
EXPLICIT: Final = Decimal("1.0")
INFERRED: Final = Decimal("0.6")
ADOPTED: Final = Decimal("0.2")
CORRECTED: Final = Decimal("-0.4")

DUPLICATE_IMPORTANCE: Final = 0.05
"""What being said again adds to importance (D3)."""
RATING_IMPORTANCE: Final = {"good": 0.05, "neutral": 0.0, "bad": -0.05}
SHARE: Final = 0.2
"""Least share of a rating that a memory has in an answer made from many (the rating is divided among them)."""
MAX_BEFORE: Final = 5
"""Records that a statement replaced, kept for the case that it is withdrawn (state bound)."""
MAX_ENDED: Final = 50_000
"""Records of a user that stand no more and are still in the views (history, archive, kept feedback): beyond them those
that ended longest ago are deleted, MAX_ENDED / 100 at a time (state bound)."""
MAX_GONE: Final = 20_000
"""Deleted records whose numbers are remembered; those that went beyond them share one floor (state bound)."""
MAX_REJECTIONS: Final = 5_000
"""Rejected values of a user: beyond them the oldest is forgotten (state bound)."""
MAX_REJECTED_TURNS: Final = 200
"""Source turns of one rejected value: the newest (state bound)."""
MAX_PLACES: Final = 200
"""Records of a turn whose places in it are remembered: the first (state bound)."""
MAX_DOUBTED: Final = 100
"""Records that wait for their low reading, with which a statement is compared beyond 7 days: the newest."""
MAX_SOURCES: Final = 50
"""Citations kept of one record: the first, and the newest (state bound)."""


def clamp(confidence: Decimal) -> Decimal:
    """Exact decimals in [0, 1] (D4)."""
    return min(Decimal(1), max(Decimal(0), confidence))


def readable(confidence: Decimal) -> bool:
    return confidence > READABLE_ABOVE


def bounded(importance: float) -> float:
    return round(min(1.0, max(0.0, importance)), 4)
