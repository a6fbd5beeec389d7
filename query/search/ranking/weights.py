"""The few numbers of the ranking, in units of standard deviations over a scope's candidates.

Rounded by hand from a listwise regression over dialogues, each left out in turn; halving or doubling any one moves R@10
by about a point. `python -m bench.ranking_lab --part held-out` checks them; docs/decisions has the ablation.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """What each kind of evidence counts; 0 switches one off."""

    lexical: float = 0.45
    usual_coverage: float = 2 / 3
    dense: float = 0.6
    session: float = 0.5
    speaker: float = 1.2
    length: float = 0.4
    asking: float = 0.8
    date: float = 1.0
    importance: float = 0.5
    term_window: tuple[float, ...] = (0.5, 0.25)
    dense_window: tuple[float, ...] = (0.25, 0.1)
    feedback: float = 0.35
    feedback_depth: int = 5
    feedback_rounds: int = 2
    feedback_odds: float = 2.0
    centring: float = 0.5
    centring_few: float = 5.0
    """Documents with which half of `centring` counts: the mean of few is no background, it is the answers."""
