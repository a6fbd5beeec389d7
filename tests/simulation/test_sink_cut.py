"""A topic that sinks read is cut and grows again: what stands behind the loss is read (C1)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from schemas.log import topics
from tests.simulation import sink_consumer
from tests.simulation.consumer import MemberConfig
from tests.simulation.test_store_contract import SimLog
from tests.unit.sinks.worker_contract import Scripted, drain, updates

UPDATES = topics.UPDATES.name


@pytest.fixture
def log() -> Iterator[SimLog]:
    made = SimLog()
    yield made
    made.loop.close()


def cut(log: SimLog, first: int) -> None:
    found = log.broker.partition(UPDATES, 0)
    found.lose(first)
    found.lead()


@pytest.mark.parametrize("runs", [True, False])
@pytest.mark.parametrize("grown", [1, 2, 5], ids=["not as far", "as far", "past it"])
def test_c1_what_was_written_over_a_loss_is_read(log: SimLog, runs: bool, grown: int) -> None:
    sink = Scripted()
    log.send(*updates((0, 1), (1, 1), (2, 1), (3, 1)))
    worker = log.worker(sink)
    drain(worker, 4)
    assert log.committed(UPDATES, 0) == 4
    cut(log, 2)
    log.send(*updates(*((10 + n, 1) for n in range(grown))))
    drain(worker if runs else log.worker(sink), grown)
    assert sink.held() == {f"record-{n}": 1 for n in (0, 1, 2, 3, *range(10, 10 + grown))}
    assert log.committed(UPDATES, 0) == 2 + grown


def test_c1_without_leaders_it_is_skipped(log: SimLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it was: committed offsets named none."""

    def without(*given: object, validates: bool = False, **more: object) -> MemberConfig:
        return MemberConfig(*given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(sink_consumer, "MemberConfig", without)
    sink = Scripted()
    log.send(*updates((0, 1), (1, 1), (2, 1), (3, 1)))
    drain(log.worker(sink), 4)
    cut(log, 2)
    log.send(*updates((10, 1), (11, 1), (12, 1)))
    drain(log.worker(sink), 1)
    assert sink.held().keys() == {f"record-{n}" for n in (0, 1, 2, 3, 12)}
