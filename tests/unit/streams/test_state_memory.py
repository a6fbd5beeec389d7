from __future__ import annotations

import pytest

from streams.state.memory import MemoryStateStore
from tests.unit.streams.state_contract import StateStoreContract


class TestMemoryStateStore(StateStoreContract):
    @pytest.fixture
    def store(self) -> MemoryStateStore:
        return MemoryStateStore()

    @pytest.fixture
    def step(self) -> str:
        return "step"
