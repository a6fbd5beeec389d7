"""Suspects in memory, held to the contract of those in Postgres."""

from __future__ import annotations

import pytest

from streams.suspects import MemorySuspects, Suspects
from tests.unit.streams.suspects_contract import SuspectsContract


class TestMemorySuspects(SuspectsContract):
    @pytest.fixture
    def suspects(self) -> Suspects:
        return MemorySuspects()

    @pytest.fixture
    def step(self) -> str:
        return "gate"
