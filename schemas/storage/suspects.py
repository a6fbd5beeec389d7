"""Rows of `stream.suspects`: records that were in hand when a step hung."""

from __future__ import annotations

MOST_TIMES = 3
"""Once in whatever was in hand, then twice alone: after that a record is given up. A tick or an erasure is not: with so
many, its step is stopped before it in its partition."""
GIVEN_UP_BY_HAND = 1_000_000
"""An operator who sets `times` to this gives a record up, whatever it is: the way out where decoding is what hangs."""
KEPT_DAYS = 7
"""A row that was noted longer ago is dropped, and tells nothing: its record was replaced, or went through where nobody
could note it."""
