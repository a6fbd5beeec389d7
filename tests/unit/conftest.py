"""What unit tests share: the default models, loaded once."""

from __future__ import annotations

import pytest
from hypothesis import settings

from memstream.workers.models import default_models
from processors.ports import Models

settings.register_profile("memstream", deadline=None)  # a busy machine is slow; no test asserts by the clock
settings.load_profile("memstream")


@pytest.fixture(scope="session")
def models() -> Models:
    return default_models(b"unit-test-hash-key-of-32-bytes!!")
