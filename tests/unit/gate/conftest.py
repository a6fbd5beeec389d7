"""A gate under the profile "general"."""

from __future__ import annotations

import pytest

from processors.ports import Models
from tests.unit.gate.bench import GateBench


@pytest.fixture
def gate(models: Models) -> GateBench:
    return GateBench(models)
