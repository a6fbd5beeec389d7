"""The worker and its group: refused commits, records that do not come, and what is said while it waits."""

from __future__ import annotations

import pytest

from sinks.protocol import CommitLost, Stuck, Transient
from tests.unit.sinks.fakes import FakeLog, consumer_of
from tests.unit.sinks.worker_contract import UPDATES, Scripted, drain, updates


def test_a_commit_that_is_refused_is_made_good_while_the_partition_stays(log: FakeLog, sink: Scripted) -> None:
    """A rebalance that takes nothing away: without a further record the group would show it as lag for ever."""
    log.send(*updates((1, 1)))
    worker = log.worker(sink)
    consumer_of(log).commit_failures = [CommitLost("REBALANCE_IN_PROGRESS")] * 2
    drain(worker, 1)
    assert log.committed(UPDATES, 0) is None
    worker.step()
    worker.step()
    assert log.committed(UPDATES, 0) == 1


def test_a_group_that_refuses_every_commit_is_joined_anew(log: FakeLog, sink: Scripted) -> None:
    """By a new process. Refusals that a rebalance ended do not count."""
    log.send(*updates((1, 1)), *updates((2, 1), partition=1))
    worker = log.worker(sink)
    consumer = consumer_of(log)
    consumer.commit_failures = [CommitLost("UNKNOWN_MEMBER_ID")] * 9
    drain(worker, 2)
    log.clock.at += 59.0
    worker.step()
    assert consumer.revoked is not None
    consumer.revoked([(UPDATES, 0)])
    log.clock.at += 59.0
    worker.step()
    log.clock.at += 61.0
    with pytest.raises(Stuck, match=r"commits are refused since 61 s: UNKNOWN_MEMBER_ID"):
        worker.step()


def test_a_consumer_that_reads_nothing_though_records_wait_is_left(log: FakeLog, sink: Scripted) -> None:
    """Its process is started again, and joins the group anew."""
    worker = log.worker(sink)
    log.send(*updates((1, 1)))
    drain(worker, 1)
    log.clock.at += 500.0
    worker.step()  # nothing waits
    consumer_of(log).paused = True
    log.send(*updates((2, 1)))

    def goes_on(seconds: float) -> None:
        until = log.clock.at + seconds
        while log.clock.at < until:
            worker.step()

    goes_on(100.0)
    with pytest.raises(Stuck, match="nothing is read while 1 partitions have records"):
        goes_on(40.0)


def test_who_is_idle_while_another_member_reads_stays(log: FakeLog, sink: Scripted) -> None:
    worker = log.worker(sink)
    log.send(*updates(*((n, 1) for n in range(10))))
    consumer_of(log).paused = True
    for n in range(10):
        log.offsets[UPDATES, 0] = n
        log.clock.at += 61.0
        worker.step()


def test_a_wait_that_is_more_than_a_moment_is_said_with_its_end(
    log: FakeLog, sink: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    log.send(*updates((1, 1)))
    sink.failures = [Transient("OperationalError 57P03")] * 20
    drain(log.worker(sink, jitter=lambda: 1.0), 1)
    texts = [(r.getMessage(), vars(r)["operation"], vars(r)["seconds"]) for r in caplog.records]
    assert [w for w, *_ in texts] == ["waits", "waits", "waits no more"]
    assert {operation for _, operation, _ in texts} == {"write"}
    assert "57P03" in vars(caplog.records[0])["error"]
    log.send(*updates((2, 1)))
    sink.failures = [Transient("away")] * 2
    drain(log.worker(sink), 1)
    assert len(caplog.records) == 3
