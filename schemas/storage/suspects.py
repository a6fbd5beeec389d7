"""Rows of `stream.suspects`: records that were in hand when a step hung."""

from __future__ import annotations

MOST_TIMES = 3
"""Once in whatever was in hand, then twice alone: after that a record is given up. A tick or an erasure is not: with so
many, its step is stopped before it."""
