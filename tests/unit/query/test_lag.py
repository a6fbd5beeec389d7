"""Freshness, lag and readiness, without a broker (N2, N3)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from query.freshness import needs_of
from query.pipeline.groups import Group
from query.pipeline.lag import GroupLag, LagTracker
from query.pipeline.offsets import Offsets, Place, assigned
from query.pipeline.state import Pipeline, Stopped, reasons
from schemas.log import topics
from schemas.log.progress import FreshnessToken, Written
from schemas.storage.layouts import STAGE_OF_VIEW


def test_n3_a_write_that_a_stage_never_reads_does_not_hold_it_up() -> None:
    token = FreshnessToken.of(
        [
            Written(topic=topics.TURNS.name, partition=2, offset=9, project_partitions=(5,)),
            Written(topic=topics.LEDGER.name, partition=2, offset=4),
            Written(topic=topics.DOCUMENTS.name, partition=7, offset=1),
        ]
    )
    turns, ledger = f"{topics.TURNS.name}/2", f"{topics.LEDGER.name}/2"
    assert needs_of(token, ["turns"]) == {(STAGE_OF_VIEW["turns"], 2, turns): 10}
    memories = STAGE_OF_VIEW["memories"]
    assert needs_of(token, ["memories"]) == {(memories, 2, turns): 10, (memories, 2, ledger): 5}
    assert needs_of(token, ["projects"]) == {(STAGE_OF_VIEW["projects"], 5, turns): 10}
    assert needs_of(token, ["knowledge"]) == {(STAGE_OF_VIEW["knowledge"], 7, f"{topics.DOCUMENTS.name}/7"): 2}


def project_needs(token: FreshnessToken) -> dict[int, int]:
    """Of each project partition, and of turns."""
    found = needs_of(FreshnessToken.parse(str(token)), ["projects"])
    assert {(stage, root) for stage, _, root in found} <= {(STAGE_OF_VIEW["projects"], f"{topics.TURNS.name}/2")}
    return {partition: offset for (_, partition, _), offset in found.items()}


def turn_at(offset: int, *reach: int, epoch: int | None = None) -> Written:
    return Written(topic=topics.TURNS.name, partition=2, offset=offset, project_partitions=reach, epoch=epoch)


@pytest.mark.parametrize("epoch", [None, 4])
def test_n3_a_project_is_waited_for_as_far_as_the_newest_write_that_reaches_it(epoch: int | None) -> None:
    """Of the writes behind that one nothing tells it: such a read would wait for ever."""
    writes = [turn_at(5, 6, 7, epoch=epoch), turn_at(6, 7, epoch=epoch), turn_at(9, epoch=epoch)]
    merged = FreshnessToken(writes=())
    for write in writes:
        merged = FreshnessToken.parse(str(merged.merged(FreshnessToken.of([write]))))
    for token in (FreshnessToken.of(writes), FreshnessToken.of(reversed(writes)), merged):
        assert project_needs(token) == {6: 6, 7: 7}
        assert needs_of(token, ["turns"]) == {(STAGE_OF_VIEW["turns"], 2, f"{topics.TURNS.name}/2"): 10}
        assert [(w.offset, w.project_partitions) for w in token.writes] == [(5, (6,)), (6, (7,)), (9, ())]


def test_n3_a_write_that_reaches_many_projects_is_named_once() -> None:
    """Earlier ones that reach no other project are not named."""
    token = FreshnessToken.of([turn_at(3, 1), turn_at(4, 2), turn_at(8, 1, 2, 3), turn_at(7, 3)])
    assert token.writes == (turn_at(8, 1, 2, 3),)


def test_n3_a_token_does_not_grow_without_end_and_promises_nothing_that_is_not_there() -> None:
    token = FreshnessToken.of([*(turn_at(n, n) for n in range(300)), turn_at(400)])
    assert len(token.writes) == 256
    assert project_needs(token) == {n: max(n, 45) + 1 for n in range(300)}, "older ones wait for more, never for less"
    others = [Written(topic=topics.TURNS.name, partition=p, offset=1) for p in range(3, 400)]
    many = FreshnessToken.of([*token.writes, *others])
    assert (len(many.writes), len(others)) == (398, 397), "of each partition one at least"
    assert set(project_needs(many).values()) == {401}


def lag(tracker: LagTracker, at: float, end: int, committed: int, readers: tuple[Place, ...] = ()) -> GroupLag:
    group = Group("gate", "step", ("t",))
    committed_now = {group.group_id: {("t", 0): committed}}
    offsets = Offsets({("t", 0): 0}, {("t", 0): end}, committed_now, {group.group_id: readers})
    return tracker.update(at, offsets, [group])[0]


def test_lag_in_records_and_seconds_and_standing_still() -> None:
    tracker = LagTracker()
    assert lag(tracker, 0, 10, 10).lag == 0
    waiting = lag(tracker, 2, 14, 10)
    assert (waiting.lag, waiting.lag_seconds, waiting.still_seconds) == (4, 0, 0)
    waiting = lag(tracker, 10, 20, 10)
    assert (waiting.lag, waiting.lag_seconds, waiting.still_seconds) == (10, 8, 8)
    moving = lag(tracker, 12, 20, 14)
    assert (moving.lag, moving.lag_seconds, moving.still_seconds) == (6, 2, 0)
    assert moving.rate == pytest.approx(4 / 12)
    done = lag(tracker, 14, 20, 20)
    assert (done.lag, done.lag_seconds, done.still_seconds) == (0, 0, 0)


def test_n2_a_stage_without_readers_is_known_at_once_after_a_start_and_later_by_its_time() -> None:
    tracker, all_of_it = LagTracker(), (("t", 0),)
    never = lag(tracker, 0, 0, 0)
    assert (never.unread, never.unread_seconds) == (1, float("inf"))
    assert lag(tracker, 2, 0, 0, (("other", 0),)).unread_seconds == float("inf")
    assert (lag(tracker, 4, 0, 0, all_of_it).unread, lag(tracker, 6, 0, 0, all_of_it).unread_seconds) == (0, 0.0)
    shared_out = lag(tracker, 9, 0, 0)
    assert (shared_out.unread, shared_out.unread_seconds) == (1, 3.0)


def test_n2_the_partitions_of_members_as_the_brokers_tell_them() -> None:
    def member(*parts: tuple[str, list[int]]) -> dict[str, Any]:
        return {"member_assignment": {"assigned_partitions": [{"topic": t, "partitions": p} for t, p in parts]}}

    group = {"members": [member(("t", [0, 2]), ("u", [1])), member(("t", [1])), {"member_assignment": b""}]}
    assert assigned(group) == {("t", 0), ("t", 1), ("t", 2), ("u", 1)}
    assert assigned({"group_state": "Dead", "members": []}) == frozenset()


def group(**over: Any) -> GroupLag:
    base: dict[str, Any] = {
        "name": "gate", "kind": "step", "topics": ("t",), "lag": 5, "lag_seconds": 0.0, "still_seconds": 0.0,
        "rate_in": 0.0, "rate": 0.0,
    }  # fmt: skip
    return GroupLag(**{**base, **over})


@pytest.mark.parametrize(
    ("picture", "why"),
    [
        ({"groups": [group()]}, None),
        ({"groups": [group(still_seconds=31.0)]}, "gate: stands still"),
        ({"groups": [group(still_seconds=99.0, lag=0)]}, None),
        ({"groups": [group(unread=8, unread_seconds=float("inf"), lag=0)]}, "gate: 8 partitions have no reader"),
        ({"groups": [group(unread=8, unread_seconds=29.0, lag=0)]}, None),
        ({"groups": [group(unread=8, unread_seconds=float("inf"), kind="worker", name="jobs")]}, None),
        ({"groups": [group(lag_seconds=61.0)]}, None),
        ({"groups": [group(kind="sink", name="sink-redis", lag_seconds=61.0)]}, "sink-redis: 61 s behind"),
        ({"stores": {"milvus": "unreachable"}}, "milvus: unreachable"),
        ({"stopped": [Stopped("gate", 3, 41, 5)]}, "gate: stopped before offset 41 of partition 3, which hung 5 times"),
    ],
)
def test_readiness_knows_standing_still_and_falling_behind(picture: dict[str, Any], why: str | None) -> None:
    found = reasons(Pipeline(at=datetime.now(UTC), **picture), 30, 60)
    assert (found[0].startswith(why) if why else not found), found
