"""Forgetting (D7): final = retrieval * exp(-k * age in days since last accessed)."""

from datetime import datetime

import numpy as np
import numpy.typing as npt

SECONDS_PER_DAY = 86_400.0


def age_days(last_accessed_at: datetime, now: datetime) -> float:
    """Return the age in days, never below 0: a clock that runs ahead must not raise a score."""
    return max(0.0, (now - last_accessed_at).total_seconds() / SECONDS_PER_DAY)


def decay_factors(ages: npt.NDArray[np.floating], per_day: npt.NDArray[np.floating] | float) -> npt.NDArray[np.float64]:
    """Return exp(-k * age) in (0, 1] for ages in days; k below 0 is refused with ValueError."""
    if np.any(np.asarray(per_day) < 0):
        raise ValueError("decay per day must not be negative")
    factors: npt.NDArray[np.float64] = np.exp(-np.asarray(per_day, dtype=np.float64) * np.maximum(ages, 0.0))
    return factors
