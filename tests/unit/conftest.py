"""What unit tests share: the default models, loaded once, and what is collected."""

from __future__ import annotations

import pytest

from memstream.workers.models import default_models
from processors.ports import Models
from tests.examples import load_profile
from tests.runner.split import COLLECTED

load_profile()


@pytest.hookimpl(tryfirst=True)  # before pytest selects by marker
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """All are kept for the test that counts them."""
    config.stash[COLLECTED] = list(items)


@pytest.fixture(scope="session")
def models() -> Models:
    return default_models(b"unit-test-hash-key-of-32-bytes!!")
