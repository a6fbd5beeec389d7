"""When it is known that a view has everything about an owner (D8)."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from query.config import QueryConfig
from query.freshness import Place as Stage
from query.freshness import ProgressWatch
from query.pipeline.everything_read import EverythingRead
from query.pipeline.offsets import BrokersAwayError, Place
from schemas.log import topics
from schemas.log.owner import partition, user
from schemas.log.progress import root_partition
from schemas.storage.layouts import STAGE_OF_VIEW

ANN = user("acme", "ann")
CONFIG = QueryConfig(partitions=8)
AT = partition(ANN, CONFIG.partitions)
TURNS, LEDGER = (topics.TURNS.name, AT), (topics.LEDGER.name, AT)


class Log:
    def __init__(self, ends: Mapping[Place, int] | None) -> None:
        self.given, self.asked = ends, list[Place]()
        self.threads = set[threading.Thread]()

    def ends(self, places: Iterable[Place]) -> Mapping[Place, int]:
        self.asked += places
        self.threads.add(threading.current_thread())
        if self.given is None:
            raise BrokersAwayError
        return self.given

    def close(self) -> None: ...


def read(log: Log, progress: Mapping[Place, int]) -> EverythingRead:
    async def fetch(places: list[Stage]) -> Mapping[Stage, int]:
        stage = STAGE_OF_VIEW["memories"]
        return {(stage, AT, root_partition(*place)): offset for place, offset in progress.items()}

    return EverythingRead(CONFIG, ProgressWatch(fetch), log)


@pytest.mark.parametrize(("ends", "progress", "wanted"), [
    ({TURNS: 7, LEDGER: 3}, {TURNS: 7, LEDGER: 3}, True), ({TURNS: 7, LEDGER: 3}, {TURNS: 9, LEDGER: 3}, True),
    ({TURNS: 7, LEDGER: 3}, {TURNS: 7, LEDGER: 2}, False), ({TURNS: 7, LEDGER: 3}, {LEDGER: 3}, False),
    ({TURNS: 0, LEDGER: 0}, {}, True), ({TURNS: 0, LEDGER: 1}, {}, False), ({TURNS: 7}, {TURNS: 7}, False),
    (None, {TURNS: 7, LEDGER: 3}, False),
])  # fmt: skip
async def test_d8_it_is_known_once_the_views_have_what_the_log_has(
    monkeypatch: pytest.MonkeyPatch, ends: Any, progress: Any, wanted: bool
) -> None:
    monkeypatch.setattr("query.pipeline.everything_read._SECONDS", 10.0 if wanted else 0.1)
    request = read(log := Log(ends), progress)
    assert await request.of(ANN) is wanted
    assert log.asked == [TURNS, LEDGER], "of the owner alone"
    assert threading.current_thread() not in log.threads
    request.close()


async def test_d8_without_brokers_nothing_is_known() -> None:
    async def fetch(places: list[Stage]) -> Mapping[Stage, int]:
        raise AssertionError

    request = EverythingRead(QueryConfig(kafka=""), ProgressWatch(fetch))
    assert not await request.of(ANN)
    request.close()


async def test_d8_brokers_that_hang_are_waited_for_no_longer_than_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("query.pipeline.everything_read._SECONDS", 0.05)
    let_go = threading.Event()

    class Hanging(Log):
        def ends(self, places: Iterable[Place]) -> Mapping[Place, int]:
            let_go.wait()
            return super().ends(places)

    request = read(Hanging({TURNS: 1, LEDGER: 1}), {TURNS: 1, LEDGER: 1})
    assert not await request.of(ANN)
    assert not await request.of(ANN), "nor by who comes next"
    let_go.set()
    request.close()
