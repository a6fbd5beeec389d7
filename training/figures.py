"""How well a gate tells turns with something to keep from those with nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Figures:
    """Shares in [0, 1]; `at` are thresholds with the shares of `nothing` and of kept turns at or above each."""

    turns: int
    accuracy: float
    balanced: float
    auc: float
    at: tuple[tuple[float, float, float], ...]


def auc(keep: npt.NDArray[np.bool_], scores: npt.NDArray[np.float32]) -> float:
    """The chance that a kept turn has the higher probability of two; equal ones count half."""
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(len(scores))
    _, first, counts = np.unique(scores[order], return_index=True, return_counts=True)
    ranks[order] = np.repeat(first + (counts + 1) / 2, counts)
    kept = int(keep.sum())
    rest = len(keep) - kept
    return float((ranks[keep].sum() - kept * (kept + 1) / 2) / (kept * rest)) if kept and rest else float("nan")


def figures(
    keep: Sequence[bool], scores: Sequence[float], thresholds: Sequence[float] = (0.02, 0.05, 0.1, 0.2, 0.5, 0.8)
) -> Figures:
    gold, chance = np.array(keep, bool), np.array(scores, np.float32)
    right = (chance >= 0.5) == gold
    shares = [float(right[gold == side].mean()) for side in (True, False) if (gold == side).any()]
    return Figures(
        len(gold), float(right.mean()), float(np.mean(shares)), auc(gold, chance),
        tuple((t, float((chance[~gold] >= t).mean()), float((chance[gold] >= t).mean())) for t in thresholds),
    )  # fmt: skip


def figures_line(name: str, found: Figures) -> str:
    """A row of a table."""
    cells = [f"{x:.1f}" for x in (100 * found.accuracy, 100 * found.balanced)] + [f"{found.auc:.3f}"]
    cells += [f"{100 * nothing:.0f} / {100 * kept:.0f}" for _, nothing, kept in found.at]
    return f"| {name} | {found.turns} | {' | '.join(cells)} |"
