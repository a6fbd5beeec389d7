"""Which usual time of an action is which (C5): an action may have several, each keeps its pattern while it is usual.
Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from processors.memory.habits.patterns import REACH, Timing, apart
from processors.memory.rules import READABLE_ABOVE

READ_ABOVE = float(READABLE_ABOVE)
NUMBERS = ("2", "3")
"""Patterns of an action beside its first: `time/ACTION/2` and `/3`."""


def first(times: Sequence[Timing], reported: int | None) -> Timing | None:
    """The usual time that the action's own pattern tells: the one that it told before (`reported`, a minute of the
    day), unless that is read no more (D4) and another one is."""
    best = max(times, key=lambda t: t.confidence, default=None)
    same = next((t for t in times if reported is not None and apart(t.minute, reported) <= REACH), None)
    if same is None or best is None or (same.confidence <= READ_ABOVE < best.confidence):
        return best
    return same


def further(times: Sequence[Timing], before: Mapping[str, int]) -> dict[str, Timing | None]:
    """The other usual times by the number that each keeps; None: that one is usual no more. `before`: the minutes that
    were told, by number."""
    out: dict[str, Timing | None] = dict.fromkeys(before)
    new: list[Timing] = []
    for t in times:
        same = [n for n in NUMBERS if n in before and out[n] is None and apart(before[n], t.minute) <= REACH]
        if same:
            out[same[0]] = t
        else:
            new.append(t)
    for t in new:  # a number whose time is gone is taken over
        free = [n for n in NUMBERS if out.get(n) is None]
        if free:
            out[free[0]] = t
    return out


def last_done(sample: Sequence[tuple[int, int]], t: Timing) -> int:
    """The local day on which the action was last done about that time."""
    return max(d for d, m in sample if apart(m, t.minute) <= 2 * REACH)
