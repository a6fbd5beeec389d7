"""The contract of the log, its consumer groups and its producer, as the product relies on them: the same cases on the
simulated log and on a real broker. What only a power cut does is tried on the simulated one alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol

PATIENCE = 90.0
"""Seconds, of the cluster's own time."""
Answer = Literal["done", "lost", "fenced", "again"]
"""Of a commit: taken; the partitions belong to another; another process has this member's name; not now."""
Got = tuple[int, int, bytes]
"""Partition, offset, value."""


class GroupMember(Protocol):
    """A consumer in a process of its own."""

    def poll(self, seconds: float) -> list[Got]: ...

    def owns(self) -> frozenset[int]: ...

    def gave_up(self) -> list[int]:
        """Partitions that were taken from it so far."""
        ...

    def commit(self, offsets: Mapping[int, int]) -> Answer: ...

    def close(self) -> None:
        """An orderly end."""
        ...

    def vanish(self) -> None:
        """The process is gone, without a word."""
        ...

    def freeze(self) -> None: ...

    def thaw(self) -> None: ...


class Cluster(Protocol):
    """A log. Groups and topics of each test have names of their own."""

    def topic(self, partitions: int) -> str: ...

    def send(self, topic: str, partition: int, values: Sequence[bytes]) -> list[int]:
        """By an idempotent producer, each acknowledged; their offsets."""
        ...

    def send_disturbed(self, topic: str, values: Sequence[bytes]) -> list[int]:
        """The same into partition 0, while the broker goes away and comes back in between."""
        ...

    def send_aborted(self, topic: str, values: Sequence[bytes]) -> None:
        """Into partition 0, by a transaction that is aborted."""
        ...

    def delete_before(self, topic: str, partition: int, offset: int) -> None:
        """What retention does."""
        ...

    def bounds(self, topic: str, partition: int) -> tuple[int, int]:
        """The first offset, and the next free one."""
        ...

    def epoch(self, topic: str, partition: int) -> int:
        """The leader's."""
        ...

    def restart(self) -> None:
        """The broker's process ends and comes back."""
        ...

    def member(self, group: str, topic: str, instance: str = "", session: float = 6.0) -> GroupMember: ...

    def group(self) -> str: ...

    def now(self) -> float: ...


def until(cluster: Cluster, members: Sequence[GroupMember], holds: Callable[[], bool]) -> list[Got]:
    """Poll each member in turn until it holds; what they got meanwhile."""
    got: list[Got] = []
    deadline = cluster.now() + PATIENCE
    while not holds():
        assert cluster.now() < deadline, [sorted(m.owns()) for m in members]
        for m in members:
            got += m.poll(0.2)
    return got


def take(cluster: Cluster, member: GroupMember, count: int) -> list[Got]:
    """So many records."""
    got: list[Got] = []
    deadline = cluster.now() + PATIENCE
    while len(got) < count:
        assert cluster.now() < deadline, got
        got += member.poll(0.5)
    return got


def shared(members: Sequence[GroupMember], partitions: int) -> bool:
    """All partitions, each owned by one, and nobody without."""
    owned = [p for m in members for p in m.owns()]
    return sorted(owned) == list(range(partitions)) and all(m.owns() for m in members)


class LogContract:
    """Subclasses provide the fixture `cluster`."""

    def test_records_have_consecutive_offsets_and_keep_their_order(self, cluster: Cluster) -> None:
        topic = cluster.topic(2)
        assert cluster.send(topic, 0, [b"a", b"b"]) == [0, 1]
        assert cluster.send(topic, 1, [b"x"]) == [0]
        assert cluster.send(topic, 0, [b"c"]) == [2]
        got = take(cluster, cluster.member(cluster.group(), topic), 4)
        assert [v for p, _, v in got if p == 0] == [b"a", b"b", b"c"]
        assert cluster.bounds(topic, 0) == (0, 3)

    def test_what_retention_took_is_stepped_over(self, cluster: Cluster) -> None:
        topic, group = cluster.topic(1), cluster.group()
        cluster.send(topic, 0, [b"a", b"b", b"c", b"d"])
        member = cluster.member(group, topic)
        take(cluster, member, 4)
        assert member.commit({0: 1}) == "done"
        member.close()
        cluster.delete_before(topic, 0, 3)
        assert cluster.bounds(topic, 0) == (3, 4)
        assert take(cluster, cluster.member(group, topic), 1) == [(0, 3, b"d")]

    def test_what_was_aborted_takes_offsets_and_is_not_seen(self, cluster: Cluster) -> None:
        topic = cluster.topic(1)
        cluster.send(topic, 0, [b"a"])
        cluster.send_aborted(topic, [b"x", b"y"])
        (offset,) = cluster.send(topic, 0, [b"b"])
        assert offset == 4  # the marker of the abort has one, too
        assert take(cluster, cluster.member(cluster.group(), topic), 2) == [(0, 0, b"a"), (0, 4, b"b")]

    def test_a_restart_keeps_the_log_and_raises_the_epoch(self, cluster: Cluster) -> None:
        topic = cluster.topic(1)
        cluster.send(topic, 0, [b"a", b"b"])
        before = cluster.epoch(topic, 0)
        cluster.restart()
        assert cluster.bounds(topic, 0) == (0, 2)
        assert cluster.send(topic, 0, [b"c"]) == [2]
        assert cluster.epoch(topic, 0) > before


class ProducerContract:
    def test_n2_a_record_that_is_sent_again_stands_once_and_in_its_place(self, cluster: Cluster) -> None:
        topic = cluster.topic(1)
        values = [f"v{n}".encode() for n in range(400)]
        assert cluster.send_disturbed(topic, values) == list(range(400))
        got = take(cluster, cluster.member(cluster.group(), topic), 400)
        assert [v for _, _, v in got] == values


class GroupContract:
    def test_a_group_begins_at_the_start_and_goes_on_at_its_commit(self, cluster: Cluster) -> None:
        topic, group = cluster.topic(1), cluster.group()
        cluster.send(topic, 0, [b"a", b"b", b"c"])
        first = cluster.member(group, topic)
        assert [v for _, _, v in take(cluster, first, 3)] == [b"a", b"b", b"c"]
        assert first.commit({0: 2}) == "done"
        first.close()
        assert take(cluster, cluster.member(group, topic), 1) == [(0, 2, b"c")]

    def test_a_second_member_gets_its_share_and_the_first_is_told(self, cluster: Cluster) -> None:
        topic, group = cluster.topic(4), cluster.group()
        first = cluster.member(group, topic)
        until(cluster, [first], lambda: len(first.owns()) == 4)
        second = cluster.member(group, topic)
        until(cluster, [first, second], lambda: shared([first, second], 4))
        assert sorted(first.gave_up()) == sorted(second.owns())
        assert len(second.owns()) == 2

    def test_a_member_that_leaves_hands_on_what_it_has(self, cluster: Cluster) -> None:
        """At once: its session would have lasted longer than this waits."""
        topic, group = cluster.topic(2), cluster.group()
        first, second = (cluster.member(group, topic, session=3 * PATIENCE) for _ in range(2))
        until(cluster, [first, second], lambda: shared([first, second], 2))
        first.close()
        until(cluster, [second], lambda: len(second.owns()) == 2)

    def test_n2_a_member_that_vanishes_loses_its_partitions_after_its_session(self, cluster: Cluster) -> None:
        topic, group = cluster.topic(2), cluster.group()
        first, second = (cluster.member(group, topic) for _ in range(2))
        until(cluster, [first, second], lambda: shared([first, second], 2))
        removed = cluster.now()
        first.vanish()
        until(cluster, [second], lambda: len(second.owns()) == 2)
        assert cluster.now() - removed > 6.0 / 2, "a heartbeat at least had come"

    def test_n2_a_static_member_that_restarts_has_its_partitions_and_nobody_moves(self, cluster: Cluster) -> None:
        topic, group = cluster.topic(2), cluster.group()
        first = cluster.member(group, topic, "one", 3 * PATIENCE)
        second = cluster.member(group, topic, "two", 3 * PATIENCE)
        until(cluster, [first, second], lambda: shared([first, second], 2))
        had, moved = first.owns(), second.gave_up()
        first.vanish()
        again = cluster.member(group, topic, "one", 3 * PATIENCE)
        until(cluster, [again, second], lambda: bool(again.owns()))
        assert again.owns() == had
        assert second.gave_up() == moved

    def test_n2_of_two_with_one_name_the_earlier_is_fenced(self, cluster: Cluster) -> None:
        topic, group = cluster.topic(1), cluster.group()
        cluster.send(topic, 0, [b"a", b"b"])
        first = cluster.member(group, topic, "one", 30.0)
        take(cluster, first, 2)
        second = cluster.member(group, topic, "one", 30.0)
        until(cluster, [second], lambda: bool(second.owns()))
        assert first.commit({0: 2}) == "fenced"
        assert second.commit({0: 1}) == "done"

    def test_n2_a_frozen_member_cannot_commit_over_its_successor(self, cluster: Cluster) -> None:
        topic, group = cluster.topic(1), cluster.group()
        cluster.send(topic, 0, [b"a", b"b"])
        first = cluster.member(group, topic)
        take(cluster, first, 2)
        first.freeze()
        second = cluster.member(group, topic)
        got = until(cluster, [second], lambda: bool(second.owns()))
        got += take(cluster, second, 2 - len(got))
        assert got == [(0, 0, b"a"), (0, 1, b"b")]
        assert second.commit({0: 2}) == "done"
        first.thaw()
        assert first.commit({0: 1}) == "lost"
        second.close()
        cluster.send(topic, 0, [b"c"])
        third = cluster.member(group, topic)
        first.close()
        assert take(cluster, third, 1) == [(0, 2, b"c")]

    def test_members_survive_a_restart_of_the_broker(self, cluster: Cluster) -> None:
        topic, group = cluster.topic(2), cluster.group()
        cluster.send(topic, 0, [b"a"])
        member = cluster.member(group, topic, "one", 30.0)
        take(cluster, member, 1)
        assert member.commit({0: 1}) == "done"
        cluster.restart()
        cluster.send(topic, 0, [b"b"])
        assert take(cluster, member, 1)[-1] == (0, 1, b"b")
        until(cluster, [member], lambda: member.commit({0: 2}) == "done")
