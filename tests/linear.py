"""Whether reading a text takes time in proportion to its length, told by CPU time alone: no speed is asserted."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

_NOTHING = 0.05
"""Seconds below which a difference says nothing."""
_TRIES = 5


def assert_linear(read: Callable[[str], object], text: Callable[[int], str], size: int) -> None:
    """Four times the text may not cost 16 times the time. `text`: one of so many characters. A ratio with room for
    noise, which holds in one of several tries; what is not linear keeps to it in none. Raises AssertionError."""
    short, whole = list[float](), list[float]()
    for _ in range(_TRIES):
        whole.append(_cost(read, text(size)))
        if min(whole) < _NOTHING:
            return
        short.append(_cost(read, text(size // 4)))
        if min(whole) < 10 * min(short) + _NOTHING:
            return
    raise AssertionError(f"{text(20)!r}: {min(short):.2f} s for a quarter, {min(whole):.2f} s for all")


def _cost(read: Callable[[str], object], text: str) -> float:
    begin = process_time()
    read(text)
    return process_time() - begin
