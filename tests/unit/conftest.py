"""What unit tests share: the default models, loaded once."""

from __future__ import annotations

import pytest

from memstream.models import default_models
from processors.ports import Models


@pytest.fixture(scope="session")
def models() -> Models:
    return default_models(b"unit-test-hash-key-of-32-bytes!!")
