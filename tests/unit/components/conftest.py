"""A package beside memstream (`tests/plugin`), installed for the time of a test: on the path, with its entry points."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from schemas.components.installed import Components, components

PLUGIN = Path(__file__).resolve().parents[2] / "plugin"


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Iterator[Components]:
    monkeypatch.setattr(sys, "path", [str(PLUGIN), *sys.path])
    components.cache_clear()
    yield components()
    components.cache_clear()
