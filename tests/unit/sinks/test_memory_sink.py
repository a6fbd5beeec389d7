"""The in-memory sink under the contract of all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from schemas.events.erasure import Erasure
from schemas.events.memory import MemoryUpdate
from schemas.events.sessions import SessionState
from schemas.events.turns import ScreenedTurn
from schemas.log import topics
from schemas.log.codec import Event
from sinks.collapse import identity
from sinks.memory import MemorySink
from sinks.protocol import SinkBatch
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


def _erasure(**over: Any) -> Erasure:
    e = Erasure(tenant="t1", erasure_id="e1", scope="user", user_id="u1", accepted_at=events.NOW + timedelta(days=1))
    return e.model_copy(update=over)


def _erase(sink: MemorySink, e: Erasure, topic: str) -> None:
    items = events.batch(e).items
    sink.write(SinkBatch([replace(i, message=replace(i.message, topic=topic)) for i in items]))


def test_c9_it_tells_what_an_erasure_removed_and_where() -> None:
    result: list[tuple[str, dict[str, int]]] = []
    sink = MemorySink("postgres", findings=lambda e, place, counts: result.append((place, counts)))
    sink.write(events.batch(events.turn(0), events.turn(1), events.memory(0)))
    _erase(sink, _erasure(stage="screen"), topics.HISTORY.name)
    _erase(sink, _erasure(stage="screen"), topics.HISTORY.name)
    assert [name[0] for name in sink.rows] == ["memory"]
    place = result[0][0]
    assert place.startswith("postgres/1/conversation.history.v1/screen/")
    assert result == [(place, {"turns": 2}), (place, {})]


def test_c9_decisions_on_what_a_project_gave_up_go_with_it() -> None:
    sink = MemorySink("postgres")
    of = {"owner_kind": "project", "owner_id": "p"}
    sink.write(events.batch(*(events.decision(n, record_id=f"r{n}", **of) for n in (1, 2))))
    _erase(sink, _erasure(stage="project", record_ids=("r1",)), topics.DECISIONS.name)
    assert [getattr(row, "record_id", "") for row in sink.rows.values()] == ["r2"]
