"""Which group runs beside which."""

from __future__ import annotations

import threading

import pytest

from tests.runner.groups import Group
from tests.runner.schedule import run_all


def test_two_run_side_by_side_and_one_that_is_alone_has_nobody_beside_it() -> None:
    groups = [Group("a"), Group("b"), Group("c", alone=True), Group("d"), Group("e")]
    pairs = {"a": threading.Barrier(2), "d": threading.Barrier(2)}
    pairs |= {"b": pairs["a"], "e": pairs["d"]}
    running: set[str] = set()
    beside: dict[str, set[str]] = {}
    lock = threading.Lock()

    def run(group: Group) -> None:
        with lock:
            running.add(group.name)
            beside[group.name] = set(running)
        if pair := pairs.get(group.name):
            pair.wait(60)  # both are there, or the test fails
        with lock:
            beside[group.name] |= running
            running.discard(group.name)

    run_all(groups, run)
    assert beside["c"] == {"c"}
    assert "b" in beside["a"] | beside["b"]


def test_what_a_group_raises_is_raised_and_the_others_end() -> None:
    ended = []

    def run(group: Group) -> None:
        if group.name == "bad":
            raise LookupError("no such tree")
        ended.append(group.name)

    with pytest.raises(LookupError, match="no such tree"):
        run_all([Group("good"), Group("bad")], run)
    assert ended == ["good"]
