"""What unit tests share: the default models, loaded once."""

from __future__ import annotations

import pytest

from memstream.workers.models import default_models
from processors.ports import Models
from tests.examples import load_profile

load_profile()


@pytest.fixture(scope="session")
def models() -> Models:
    return default_models(b"unit-test-hash-key-of-32-bytes!!")
