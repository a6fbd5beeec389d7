"""Logs that are shorter than what was read of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import chain, repeat
from typing import Any

import pytest

from memstream import recovery
from memstream.cli.recover import _older
from memstream.grown_logs import ReadUnder, RecoveryError, cuts
from memstream.recovery import Comparison, ShortLog, Unreadable, compare, still_to_read
from query.pipeline.groups import GROUPS
from schemas.log import topics
from schemas.storage import postgres_connections
from streams.topology import TOPOLOGY

HISTORY, TURNS = topics.HISTORY.name, topics.TURNS.name


def test_a_log_that_reaches_every_position_is_whole() -> None:
    assert compare({(TURNS, 0): 100}, [{(TURNS, 0): 90}], {("screen", 0): 100}) == []


def test_the_end_is_compared_with_the_largest_position_of_all_readers() -> None:
    committed = [{(HISTORY, 3): 104}, {(HISTORY, 3): 99, (TURNS, 3): 10}]
    found = compare({(HISTORY, 3): 96, (TURNS, 3): 10}, committed, {("session", 3): 100, ("screen", 3): 10})
    assert found == [ShortLog(HISTORY, 3, end=96, reached=104)]
    assert found[0].lost == 8


def test_a_partition_whose_end_is_unknown_is_not_called_short() -> None:
    assert compare({}, [{(TURNS, 0): 5}], {("screen", 0): 5}) == []


def test_h12_what_a_step_can_read_no_more_is_told_beside_what_it_has_still_to_read() -> None:
    """Postgres from a backup: by less than the log keeps its records, or by more."""
    starts, ends = {(TURNS, 0): 0, (TURNS, 1): 40, (HISTORY, 0): 7}, {(TURNS, 0): 100, (TURNS, 1): 60, (HISTORY, 0): 7}
    stored = {("screen", 0): 90, ("screen", 1): 30, ("session", 0): 7, ("nobody", 0): 1}
    unreadable, unread = still_to_read(starts, ends, stored)
    assert unreadable == [Unreadable(TURNS, 1, "screen", start=40, reached=30)]
    assert (unreadable[0].lost, unread) == (10, 10 + 20)


@pytest.mark.parametrize(
    ("short", "found", "words"),
    [
        (True, Comparison(), "Kafka is older than Postgres"),
        (False, Comparison((), [Unreadable(TURNS, 1, "screen", 40, 30)], 7), "Postgres is older than the log keeps"),
        (False, Comparison(unread=7), "every log reaches as far as it was read; 7 records are still to be read"),
    ],
)
def test_h12_recover_says_which_is_older(short: bool, found: Comparison, words: str) -> None:
    assert _older(short, found).startswith(words)


def test_c1_a_log_that_has_grown_past_what_it_lost_is_known_by_the_leader_of_what_was_read() -> None:
    place = (TURNS, 0)
    read = [ReadUnder(place, 4, 100), ReadUnder(place, 2, 60), ReadUnder((HISTORY, 0), 4, 9)]
    ends = {(place, 4): 90, (place, 2): 60, ((HISTORY, 0), 4): 9}
    assert cuts(read, ends) == {place: (90, 100)}
    found = compare({place: 130, (HISTORY, 0): 9}, [], {("screen", 0): 100}, GROUPS, cuts(read, ends))
    assert found == [ShortLog(TURNS, 0, end=90, reached=100, written=40)]
    assert (found[0].lost, found[0].missing) == (10, 0)
    assert str(found[0]).endswith("lost 10 records from offset 90 on that were read, and has grown to 130 since")


def test_c1_a_log_that_has_grown_but_not_as_far_as_its_readers_is_filled_up_behind_that() -> None:
    found = compare({(TURNS, 0): 93}, [], {("screen", 0): 100}, GROUPS, {(TURNS, 0): (90, 100)})
    assert found == [ShortLog(TURNS, 0, end=90, reached=100, written=3)]
    assert (found[0].lost, found[0].missing) == (10, 7)


def test_c1_a_loss_is_known_for_good_by_a_former_leader_though_the_step_has_read_on() -> None:
    place = (TURNS, 0)
    read = [ReadUnder(place, 4, 100), ReadUnder(place, 6, 140)]
    cut = cuts(read, {(place, 4): 90, (place, 6): 150})
    found = compare({place: 150}, [], {("screen", 0): 140}, GROUPS, cut)
    assert found == [ShortLog(TURNS, 0, end=90, reached=100, written=60)]


def test_c1_of_a_topic_that_was_made_anew_all_is_lost() -> None:
    place = (TURNS, 0)
    assert cuts([ReadUnder(place, 4, 100)], {(place, 4): -1}) == {place: (0, 100)}


def test_c1_of_brokers_that_were_put_back_what_was_read_under_leaders_that_they_know_is_there() -> None:
    place = (TURNS, 0)
    read = [ReadUnder(place, 9, 100), ReadUnder(place, 3, 40), ReadUnder(place, 4, 60)]
    assert cuts(read, {(place, 9): -1, (place, 3): 45, (place, 4): 80}) == {place: (60, 100)}


def test_c1_a_leader_that_ended_where_it_was_read_to_or_behind_has_lost_nothing() -> None:
    place = (TURNS, 0)
    assert cuts([ReadUnder(place, 4, 100)], {(place, 4): 100}) == {}
    assert cuts([ReadUnder(place, 4, 100)], {}) == {}, "the brokers did not say"


def test_every_step_of_the_topology_is_compared() -> None:
    assert {g.name for g in GROUPS if g.kind == "step"} == set(TOPOLOGY)


@pytest.mark.parametrize("topic", topics.CATALOGUE, ids=lambda t: t.name)
def test_what_is_acknowledged_is_on_a_disk_or_on_a_second_replica(topic: topics.Topic) -> None:
    for replication in (1, 2):
        assert topic.config(replication)["flush.messages"] == "1"
    safe = topic.config(3)
    assert safe["min.insync.replicas"] == "2"
    assert safe["unclean.leader.election.enable"] == "false"
    assert "flush.messages" not in safe


@pytest.mark.parametrize(("looks", "seconds", "raises"), [(2, 30.0, False), (100, 0.0, True)])
def test_the_end_of_the_aborted_transaction_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, looks: int, seconds: float, raises: bool
) -> None:
    short = ShortLog("t", 0, end=5, reached=12)
    found = chain([[short]], repeat([ShortLog("t", 0, end=11, reached=12)], looks), repeat([]))
    monkeypatch.setattr(recovery, "short_logs", lambda *_: next(found))
    monkeypatch.setattr(recovery, "MARKER_SECONDS", seconds)
    for name in ("remember", "fill", "mend"):
        monkeypatch.setattr(recovery, name, lambda *_: None)
    with pytest.raises(RecoveryError, match="ends at 11") if raises else nullcontext():
        assert recovery.recover("127.0.0.1:1", "", 8) == [short]


def test_c1_what_came_over_a_loss_is_sent_again_before_readers_move_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one that has grown as far as 93 of 100: filled up first; while it is noted, a client writes two more."""
    calls: list[tuple[Any, ...]] = []
    grown, short = ShortLog(TURNS, 0, 90, 100, written=3), ShortLog(HISTORY, 1, 5, 12)
    found = chain([[grown, short]], repeat([]))

    @contextmanager
    def connect(dsn: str) -> Iterator[None]:
        yield None

    monkeypatch.setattr(postgres_connections, "connect", connect)
    monkeypatch.setattr(recovery, "live_groups", lambda live: GROUPS)
    monkeypatch.setattr(recovery, "short_logs", lambda *_: next(found))
    monkeypatch.setattr(recovery, "_end", lambda *_: 102)
    for name in ("remember", "fill", "settle", "send_again"):
        monkeypatch.setattr(recovery, name, lambda _, *given, name=name: calls.append((name, *given)))
    monkeypatch.setattr(recovery, "rewind", lambda _, groups, *given: calls.append(("rewind", *given)))
    assert recovery.recover("127.0.0.1:1", "", 8) == [grown, short]
    assert calls == [
        ("remember", [short]),
        ("fill", [grown, short]),
        ("remember", [ShortLog(TURNS, 0, 90, 100, written=12)]),
        ("rewind", (TURNS, 0), 90),
        ("send_again", 8, (TURNS, 0), 90, 102),
        ("settle", ["screen"], (TURNS, 0), 90, 102),
        ("settle", ["extract", "session"], (HISTORY, 1), 5, None),
    ]
