"""Logs that are shorter than what was read of them."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import chain, repeat

import pytest

from memstream import recovery
from memstream.cli.recover import _older
from memstream.recovery import Comparison, ShortLog, Unreadable, compare, still_to_read
from query.pipeline.groups import GROUPS
from schemas.log import topics
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
    for name in ("remember", "fill"):
        monkeypatch.setattr(recovery, name, lambda *_: None)
    with pytest.raises(recovery.RecoveryError, match="ends at 11") if raises else nullcontext():
        assert recovery.recover("127.0.0.1:1", "", 8) == [short]
