"""What the worker is driven with."""

from __future__ import annotations

import pytest

from tests.unit.sinks.fakes import FakeLog
from tests.unit.sinks.worker_contract import Scripted


@pytest.fixture
def log() -> FakeLog:
    return FakeLog()


@pytest.fixture
def sink() -> Scripted:
    return Scripted()
