"""Suspects in memory, held to the contract of those in Postgres."""

from __future__ import annotations

import pytest

from streams.suspects import MemorySuspects, Suspects
from tests.unit.streams.suspects_contract import Age, SuspectsContract


class Days:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds

    def age(self, days: float) -> None:
        self.seconds += days * 86_400


class TestMemorySuspects(SuspectsContract):
    @pytest.fixture
    def days(self) -> Days:
        return Days()

    @pytest.fixture
    def suspects(self, days: Days) -> Suspects:
        return MemorySuspects(days)

    @pytest.fixture
    def age(self, days: Days) -> Age:
        return days.age

    @pytest.fixture
    def step(self) -> str:
        return "gate"
