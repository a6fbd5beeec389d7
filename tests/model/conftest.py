"""The default models, loaded once."""

from __future__ import annotations

import pytest

from memstream.workers.models import default_models
from processors.ports import Models


@pytest.fixture(scope="session")
def models() -> Models:
    return default_models(b"model-test-hash-key-of-32-bytes!")
