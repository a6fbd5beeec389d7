"""A log that lost records while the service ran is recognised, also once it has grown past them (C1)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from query.pipeline.log_losses import LogLosses, LostRecords
from query.pipeline.offsets import BrokersAwayError, Offsets, Place
from query.pipeline.state import Pipeline, reasons

PLACE: Place = ("turns", 3)


class Log:
    """One partition: leader, end, and where former leaders ended."""

    def __init__(self) -> None:
        self.epoch, self.end, self.up = 2, 0, True
        self.ended: dict[int, int] = {}
        self.asked = 0

    def lead(self, end: int) -> None:
        """A broker starts on a log that ends there."""
        self.ended = {e: min(at, end) for e, at in self.ended.items()} | {self.epoch: end}
        self.epoch, self.end = self.epoch + 1, end

    def look(self, losses: LogLosses) -> list[LostRecords]:
        losses.look(Offsets({}, {PLACE: self.end}, {}, {}, {PLACE: self.epoch}), self.epoch_ends)
        return sorted(losses.found.values())

    def epoch_ends(self, asked: Mapping[Place, int]) -> Mapping[Place, int]:
        self.asked += 1
        if not self.up:
            raise BrokersAwayError
        return {place: self.ended.get(epoch, -1) for place, epoch in asked.items()}


@pytest.fixture
def log() -> Log:
    return Log()


def test_c1_a_log_that_lost_nothing_is_whole_however_often_its_broker_starts(log: Log) -> None:
    losses = LogLosses()
    for end in (0, 7, 7, 30):
        log.end = end
        assert log.look(losses) == []
    assert log.asked == 0, "nothing is asked while one broker leads"
    for _ in range(3):
        log.lead(log.end + 2)  # what was taken between the look and the end
        log.end += 5
        assert log.look(losses) == []
    assert log.asked == 3


@pytest.mark.parametrize("grown", [0, 4, 500])
def test_c1_a_log_that_lost_records_is_recognised_however_far_it_has_grown_since(log: Log, grown: int) -> None:
    losses = LogLosses()
    log.end = 30
    log.look(losses)
    log.lead(26)
    log.end += grown
    assert log.look(losses) == [LostRecords("turns", 3, end=26, seen=30)]
    log.end += 9
    assert log.look(losses) == [LostRecords("turns", 3, end=26, seen=30)], "it stays said"


def test_c1_two_losses_between_two_looks_are_one(log: Log) -> None:
    losses = LogLosses()
    log.end = 30
    log.look(losses)
    log.lead(26)
    log.end = 40
    log.lead(20)
    assert log.look(losses) == [LostRecords("turns", 3, end=20, seen=30)]


def test_c1_a_topic_that_was_made_anew_has_lost_all(log: Log) -> None:
    losses = LogLosses()
    log.end = 30
    log.look(losses)
    log.epoch, log.end, log.ended = 0, 12, {}
    assert log.look(losses) == [LostRecords("turns", 3, end=0, seen=30)]


def test_c1_brokers_that_do_not_answer_are_asked_again(log: Log) -> None:
    losses = LogLosses()
    log.end = 30
    log.look(losses)
    log.lead(26)
    log.up = False
    assert log.look(losses) == []
    log.up, log.end = True, 90
    assert log.look(losses) == [LostRecords("turns", 3, end=26, seen=30)]


def test_c1_the_service_is_not_ready_on_a_log_that_lost_records(log: Log) -> None:
    lost = LostRecords("turns", 3, end=26, seen=30)
    assert reasons(Pipeline(at=datetime.now(UTC), lost=[lost]), 30, 60) == [
        "turns/3: 4 records from offset 26 on were lost; stop all processes and producers and run `memstream recover`"
    ]
