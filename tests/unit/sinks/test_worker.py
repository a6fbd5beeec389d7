"""The worker over a fake log: its contract, and what only a fake can bring about."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest

from schemas.events.memory import Reason
from schemas.log import topics
from sinks.protocol import CommitLost, Permanent, Stuck, TooFarBehind, Transient
from sinks.worker import Worker, WorkerConfig
from tests.unit.sinks.events import NOW, hot, memory, message, turn
from tests.unit.sinks.fakes import FakeConsumer, FakeLog, consumer_of
from tests.unit.sinks.worker_contract import UPDATES, Scripted, Seen, WorkerContract, drain, updates


class TestWorker(WorkerContract):
    """Over the fake log."""


def test_paused_while_it_waits_and_commits_last(log: FakeLog, sink: Scripted) -> None:
    log.send(*updates((1, 1)))
    sink.failures = [Transient("away")] * 2
    drain(log.worker(sink), 1)
    assert consumer_of(log).calls == ["pause", "resume", "commit"]


def test_delays_are_bounded_and_jittered(log: FakeLog, sink: Scripted) -> None:
    log.send(*updates((1, 1)))
    sink.failures = [Transient("away")] * 12
    seen = Seen()
    drain(log.worker(sink, observer=seen, jitter=lambda: 0.0), 1)
    assert [delay for _, delay in seen.delays] == pytest.approx(
        [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0, 5.0, 5.0, 5.0]
    )


def test_membership_is_kept_by_polling_while_it_waits(log: FakeLog, sink: Scripted) -> None:
    """A wait is never longer than one poll, so that max.poll.interval.ms is never reached."""
    log.send(*updates((1, 1)))
    sink.failures = [Transient("away")] * 12
    worker = log.worker(sink)
    polls: list[float] = []
    consumer_of(log).on_poll = lambda: polls.append(log.clock.at)
    drain(worker, 1)
    assert max(b - a for a, b in pairwise(polls)) <= 0.25 + 1e-9


def test_records_that_arrive_during_a_wait_are_kept(log: FakeLog, sink: Scripted) -> None:
    log.send(*updates((1, 1)))
    sink.failures = [Transient("away")]
    worker = log.worker(sink)
    consumer = consumer_of(log)

    def arrives_in_spite_of_the_pause() -> None:
        if consumer.paused and len(log.records[UPDATES, 0]) == 1:
            log.send(*updates((2, 1)))
            consumer.paused = False

    consumer.on_poll = arrives_in_spite_of_the_pause
    drain(worker, 2)
    assert sink.held() == {"record-1": 1, "record-2": 1}
    assert log.committed(UPDATES, 0) == 2


def test_partition_that_moves_away_is_not_committed(log: FakeLog, sink: Scripted) -> None:
    """Its new owner starts at the last commit; this member's late commit must not jump over it."""
    log.send(*updates((1, 1)), *updates((2, 1), partition=1))
    sink.failures = [Transient("away")]
    worker = log.worker(sink)
    consumer = consumer_of(log)

    def moves_away() -> None:
        if consumer.paused and consumer.revoked is not None:
            consumer.revoked([(UPDATES, 1)])

    consumer.on_poll = moves_away
    drain(worker, 2)
    assert (log.committed(UPDATES, 0), log.committed(UPDATES, 1)) == (1, None)


def test_partition_that_went_and_came_back_in_one_poll_is_committed(log: FakeLog, sink: Scripted) -> None:
    """After a write that outlasted the poll interval: the group takes everything and gives it back at once."""
    log.send(*updates((1, 1)))
    worker = log.worker(sink)
    consumer = consumer_of(log)

    def goes_and_comes_back() -> None:
        if consumer.revoked is not None:
            consumer.revoked([(UPDATES, 0)])

    consumer.on_poll = goes_and_comes_back
    drain(worker, 1)
    assert log.committed(UPDATES, 0) == 1


def test_commit_is_retried_and_a_lost_one_is_left_to_the_new_owner(log: FakeLog, sink: Scripted) -> None:
    log.send(*updates((1, 1)))
    worker = log.worker(sink)
    consumer = consumer_of(log)
    consumer.commit_failures = [Transient("COORDINATOR_LOAD_IN_PROGRESS")]
    drain(worker, 1)
    assert log.committed(UPDATES, 0) == 1
    log.send(*updates((2, 1)))
    consumer.commit_failures = [CommitLost("ILLEGAL_GENERATION")]
    drain(worker, 1)
    assert consumer.revoked is not None
    consumer.revoked([(UPDATES, 0)])
    worker.step()
    assert log.committed(UPDATES, 0) == 1


def test_what_is_written_is_committed_once_in_a_while_and_at_the_end(log: FakeLog, sink: Scripted) -> None:
    worker = log.worker(sink, config=WorkerConfig(commit_every=10.0))
    consumer = consumer_of(log)
    log.clock.at = 100.0
    for n in range(3):
        log.send(*updates((n, 1)))
        drain(worker, 1)
        log.clock.at += 4.0
    assert (log.committed(UPDATES, 0), consumer.calls) == (1, ["commit"])  # the first at once
    log.clock.at += 4.0
    worker.step()
    assert (log.committed(UPDATES, 0), consumer.calls) == (3, ["commit", "commit"])
    log.send(*updates((3, 1)))
    worker.step()
    assert log.committed(UPDATES, 0) == 3
    worker.stop()
    worker.run()
    assert (log.committed(UPDATES, 0), consumer.closed) == (4, True)


def test_what_waits_for_its_commit_is_not_committed_once_it_moved_away(log: FakeLog, sink: Scripted) -> None:
    worker = log.worker(sink, config=WorkerConfig(commit_every=10.0))
    consumer = consumer_of(log)
    log.clock.at = 100.0
    log.send(*updates((1, 1)))
    drain(worker, 1)
    log.send(*updates((2, 1)), *updates((3, 1), partition=1))
    drain(worker, 2)
    assert consumer.revoked is not None
    consumer.revoked([(UPDATES, 0)])
    log.clock.at += 11.0
    worker.step()
    assert (log.committed(UPDATES, 0), log.committed(UPDATES, 1)) == (1, 1)


def test_what_was_held_of_a_partition_that_moved_away_in_a_wait_is_let_go(log: FakeLog, sink: Scripted) -> None:
    """It came in spite of the pause, and in the next poll its partition left."""
    log.send(*updates((1, 1), (2, 1), (3, 1)))
    worker = log.worker(sink, config=WorkerConfig(max_records=1))
    consumer = consumer_of(log)
    sink.failures = [Transient("away")] * 3
    polls: list[None] = []

    def happens() -> None:
        polls.append(None)
        consumer.paused = len(polls) > 2
        if len(polls) == 3:
            assert consumer.revoked is not None
            consumer.revoked([(UPDATES, 0)])

    consumer.on_poll = happens
    worker.step()
    consumer.on_poll = None
    consumer.paused = True
    worker.step()
    assert sink.held() == {"record-1": 1}
    assert log.committed(UPDATES, 0) is None


def test_a_commit_that_is_put_off_and_then_lost_leaves_nothing_paused(log: FakeLog, sink: Scripted) -> None:
    """A group that moved on while the member waited: it must read again, not stand still for ever."""
    log.send(*updates((1, 1)))
    worker = log.worker(sink)
    consumer_of(log).commit_failures = [Transient("REQUEST_TIMED_OUT"), CommitLost("UNKNOWN_MEMBER_ID")]
    drain(worker, 1)
    assert not consumer_of(log).paused


def test_stop_while_it_waits_leaves_the_batch_uncommitted(log: FakeLog, sink: Scripted) -> None:
    log.send(*updates((1, 1)))
    sink.failures = [Transient("away")] * 1000
    worker = log.worker(sink)
    consumer = consumer_of(log)

    def stop_when_paused() -> None:
        if consumer.paused:
            worker.stop()

    consumer.on_poll = stop_when_paused
    worker.run()
    assert log.committed(UPDATES, 0) is None
    assert consumer.closed


def test_a_stuck_client_is_left_as_it_is(log: FakeLog, sink: Scripted) -> None:
    """Closing it would wait for the same answer."""
    log.send(*updates((1, 1)))
    worker = log.worker(sink)
    consumer_of(log).commit_failures = [Stuck("no answer")]
    with pytest.raises(Stuck):
        worker.run()
    assert not consumer_of(log).closed


def test_store_away_at_the_start_is_waited_for_before_joining(log: FakeLog) -> None:
    class Away(Scripted):
        tries = 0

        def ensure(self) -> None:
            self.tries += 1
            if self.tries < 3:
                raise Transient("away")

    sink, slept = Away(), list[float]()
    worker = Worker(sink, FakeConsumer(log), None, None, clock=log.clock)  # type: ignore[arg-type]
    worker._sleep = slept.append  # type: ignore[method-assign,assignment]
    worker.start()
    assert (sink.tries, len(slept)) == (3, 2)


def test_error_of_the_data_costs_one_record(log: FakeLog, sink: Scripted) -> None:
    """A bug of the sink on one record is a dead letter of that record."""
    log.send(*updates((1, 1), (2, 1)))
    sink.failures = [KeyError("x"), TypeError("x")]
    seen = Seen()
    drain(log.worker(sink, observer=seen), 2)
    assert sink.held() == {"record-2": 1}
    assert seen.letters == ["sink_failed"]


def test_error_of_no_known_kind_ends_the_process_uncommitted(log: FakeLog, sink: Scripted) -> None:
    log.send(*updates((1, 1)))
    sink.failures = [OSError("disk")]
    with pytest.raises(OSError, match="disk"):
        drain(log.worker(sink), 1)
    assert log.committed(UPDATES, 0) is None
    assert log.dead_letters() == []


def test_refusal_of_progress_alone_ends_the_process(log: FakeLog, sink: Scripted) -> None:
    """There is no record to blame."""
    log.send(*updates((1, 1)))
    sink.failures = [Permanent("record"), Permanent("progress")]
    with pytest.raises(Permanent, match="progress"):
        drain(log.worker(sink), 1)
    assert log.committed(UPDATES, 0) is None


def test_freshness_is_reported_per_record(log: FakeLog, sink: Scripted) -> None:
    """N3: accepted to readable, also for what was collapsed."""
    log.send(*updates((1, 1), (2, 1)), message(hot(1, 3)), message(turn(0)))
    log.clock.at = 5.0
    seen = Seen()
    drain(log.worker(sink, observer=seen), 4)
    assert sorted(seen.ages) == [(topics.HISTORY.name, 5.0), *[(UPDATES, 5.0)] * 3]


def test_freshness_counts_from_what_caused_a_revision(log: FakeLog, sink: Scripted) -> None:
    """N3: said again three seconds later, then masked, ended or deleted, which keeps old times: they tell nothing of
    its delay."""
    statement = NOW + timedelta(seconds=3)
    again = memory(1, 2, last_accessed_at=statement)
    masked = memory(1, 3, last_accessed_at=statement, reason=Reason(outcome="masked", gate="pii", rule="rescreen"))
    ended = memory(1, 4, last_accessed_at=statement, state="superseded")
    removed = memory(1, 5, last_accessed_at=statement, state="deleted", op="delete")
    log.send(*map(message, (again, masked, ended, removed, memory(2, 2, state="superseded"))))
    log.clock.at = 5.0
    seen = Seen()
    drain(log.worker(sink, observer=seen), 5)
    assert seen.ages == [(UPDATES, 2.0)]


def test_refused_revisions_are_reported(log: FakeLog, sink: Scripted) -> None:
    log.send(*updates((1, 2)))
    drain(log.worker(sink), 1)
    log.send(*updates((1, 1)))
    seen = Seen()
    drain(log.worker(sink, observer=seen), 1)
    assert seen.refusals == 1


@pytest.mark.parametrize(("stood_days", "refuses"), [(29, False), (31, True)])
def test_store_that_missed_deletions_asks_for_a_rebuild(
    log: FakeLog, sink: Scripted, stood_days: int, refuses: bool
) -> None:
    """Delivery rule 3: deletions stay in the log for 30 days."""
    root = "conversation.turns.v1/0"
    sink._now = lambda: NOW - timedelta(days=stood_days)
    log.send(message(memory(1), progress={root: 1}))
    drain(log.worker(sink), 1)
    waited = int((NOW - timedelta(days=stood_days)).timestamp() * 1000)
    old = message(memory(2))
    log.send(type(old)(old.topic, 0, 0, old.key, old.value, old.headers, waited))
    worker = log.worker(sink)
    if refuses:
        with pytest.raises(TooFarBehind):
            drain(worker, 1)
        assert log.committed(UPDATES, 0) == 1
    else:
        drain(worker, 1)


def test_null_value_needs_an_owner(log: FakeLog, sink: Scripted) -> None:
    m = message(memory(1))
    log.send(type(m)(m.topic, 0, 0, m.key, None, [], 0))
    seen = Seen()
    drain(log.worker(sink, observer=seen), 1)
    assert seen.letters == ["null_value"]


def test_deletion_then_null_removes_the_row(log: FakeLog, sink: Scripted) -> None:
    """Both in one batch: collapsing must not drop the deletion that the null value builds on."""
    removed = message(memory(1, 2, op="delete", state="deleted"))
    log.send(*updates((1, 1)), removed, type(removed)(removed.topic, 0, 0, removed.key, None, removed.headers, 0))
    drain(log.worker(sink), 3)
    assert sink.rows == {}


def test_value_behind_a_null_stays(log: FakeLog, sink: Scripted) -> None:
    removed = message(memory(1, 2, op="delete", state="deleted"))
    log.send(removed, type(removed)(removed.topic, 0, 0, removed.key, None, removed.headers, 0), *updates((1, 3)))
    drain(log.worker(sink), 3)
    assert sink.held() == {"record-1": 3}
