"""What all tests share: programs that must be there are."""

from __future__ import annotations

import os

import pytest

from tests.tools import REQUIRE, missing


def pytest_configure() -> None:
    """Before anything is collected: a suite that would be skipped where it must run is no success."""
    if absent := missing(os.environ):
        raise pytest.UsageError(f"{REQUIRE}: {'; '.join(absent)}")
    os.environ.pop(REQUIRE, None)  # no setting of memstream: the processes under test would call it misspelt
