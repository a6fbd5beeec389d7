"""The in-memory sink under the contract of all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from schemas.events.memory import MemoryUpdate
from schemas.events.sessions import SessionState
from schemas.events.turns import ScreenedTurn
from schemas.log.codec import Event
from sinks.collapse import identity
from sinks.memory import MemorySink
from tests.unit.sinks import events
from tests.unit.sinks.contract import SinkContract, Store


class _Rows:
    """The one instance is the store; a restart finds it again."""

    def __init__(self, make: Callable[..., Event]) -> None:
        self._make = make
        self._sink = MemorySink()

    def sink(self) -> MemorySink:
        return self._sink

    def record(self, n: int, revision: int, text: str, **changes: Any) -> Event:
        return self._make(n, revision, text, **changes)

    def read(self, record: Event) -> tuple[int, str] | None:
        name = identity(record)
        found = None if name is None else self._sink.rows.get(name)
        match found:
            case ScreenedTurn():
                return found.revision, found.sealed.content
            case MemoryUpdate():
                return found.revision, found.sealed.text
            case SessionState():
                return found.revision, found.sealed.summary
            case _:
                return None


class TestMemorySink(SinkContract):
    @pytest.fixture(params=["turn", "memory", "session"])
    def store(self, request: pytest.FixtureRequest) -> Store:
        return _Rows(getattr(events, request.param))
