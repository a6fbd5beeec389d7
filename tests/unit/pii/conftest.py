"""The analyzer is loaded once: a second and 200 MB."""

import pytest

from inference.pii.analyzer import PiiAnalyzer, default_analyzer


@pytest.fixture(scope="session")
def analyzer() -> PiiAnalyzer:
    return default_analyzer()
