"""What unit tests share: the default models, loaded once."""

from __future__ import annotations

import pytest
from hypothesis import settings

from memstream.workers.models import default_models
from processors.ports import Models
from tests.clocks import on_calendar

settings.register_profile("memstream", deadline=None)  # a busy machine is slow; no test asserts by the clock
settings.load_profile("memstream")


@pytest.hookimpl(tryfirst=True)  # before pytest selects by marker
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that can read a clock get the marker `calendar` by what they import, so that none can lack it."""
    if "calendar" in config.option.markexpr:  # to look costs two seconds
        clocked = on_calendar()
        for item in items:
            if isinstance(item, pytest.Function) and item.module.__name__ in clocked:
                item.add_marker(pytest.mark.calendar)


@pytest.fixture(scope="session")
def models() -> Models:
    return default_models(b"unit-test-hash-key-of-32-bytes!!")
