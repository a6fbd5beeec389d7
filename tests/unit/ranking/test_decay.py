"""D7: final = retrieval * exp(-k * age in days), age never below 0."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from query.search.ranking.decay import age_days, decay_factors

NOW = datetime(2024, 6, 12, tzinfo=UTC)


def test_d7_factor_is_exponential_in_days() -> None:
    ages = np.array([0.0, 1.0, 10.0])
    np.testing.assert_allclose(decay_factors(ages, 0.1), [1.0, np.exp(-0.1), np.exp(-1.0)])


def test_d7_age_is_never_below_zero() -> None:
    assert age_days(NOW + timedelta(days=3), NOW) == 0.0
    assert decay_factors(np.array([-5.0]), 0.1).tolist() == [1.0]


def test_d7_age_counts_parts_of_days_and_across_time_zones() -> None:
    assert age_days(NOW - timedelta(hours=36), NOW) == pytest.approx(1.5)


def test_d7_a_negative_rate_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        decay_factors(np.array([1.0]), -0.1)
