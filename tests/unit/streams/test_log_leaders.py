"""What the steps of a process know of the leaders of partitions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from memstream.workers.log_leaders import BrokerLeaders
from query.pipeline.offsets import BrokersAwayError
from schemas.log.leaders import Place
from streams.ports import LogAway

A, B = ("t", 0), ("t", 1)


class Brokers:
    def __init__(self) -> None:
        self.away = False
        self.asked: list[object] = []
        self.epochs = {A: 4}

    async def epochs_of(self, places: Iterable[Place]) -> Mapping[Place, int]:
        return self._answer(list(places), self.epochs)

    async def ends_of(self, epochs: Mapping[Place, int]) -> Mapping[Place, int]:
        return self._answer(dict(epochs), {place: 10 * epoch for place, epoch in epochs.items()})

    def _answer(self, asked: object, found: Mapping[Place, int]) -> Mapping[Place, int]:
        if self.away:
            raise BrokersAwayError
        self.asked.append(asked)
        return found


async def test_an_answer_counts_for_two_seconds() -> None:
    brokers, at = Brokers(), 0.0
    leaders = BrokerLeaders(brokers, BrokersAwayError, lambda: at)
    assert await leaders.present([A, B]) == {A: 4}
    brokers.epochs = {A: 5}
    at = 2.0
    assert await leaders.present([A]) == {A: 4}
    at = 2.1
    assert await leaders.present([A]) == {A: 5}
    assert brokers.asked == [[A, B], [A]]


async def test_c1_nobody_is_taken_for_a_leader_while_no_broker_answers() -> None:
    brokers = Brokers()
    leaders = BrokerLeaders(brokers, BrokersAwayError, lambda: 0.0)
    brokers.away = True
    with pytest.raises(LogAway):
        await leaders.present([A])
    with pytest.raises(LogAway):
        await leaders.ends([(A, 1)])
    brokers.away = False
    assert await leaders.present([A]) == {A: 4}


async def test_of_each_partition_one_leader_is_asked_for_at_once() -> None:
    brokers = Brokers()
    found = await BrokerLeaders(brokers, BrokersAwayError, lambda: 0.0).ends([(A, 1), (A, 3), (B, 2), (A, 3)])
    assert found == {(A, 1): 10, (A, 3): 30, (B, 2): 20}
    assert brokers.asked == [{A: 3, B: 2}, {A: 1}]
