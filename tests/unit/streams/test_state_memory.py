from __future__ import annotations

import pytest

from streams.state.memory import MemoryStateStore
from streams.state.protocol import FORMER_LEADERS, PartitionCommit, Position, StateStore
from tests.unit.streams.state_contract import StateStoreContract


class TestMemoryStateStore(StateStoreContract):
    @pytest.fixture
    def store(self) -> MemoryStateStore:
        return MemoryStateStore()

    @pytest.fixture
    def step(self) -> str:
        return "step"

    async def test_c1_how_far_was_read_under_which_leader_is_kept_until_a_loss_is_settled(
        self, store: MemoryStateStore
    ) -> None:
        expected = None
        for nxt, epoch in ((6, 4), (9, 4), (12, 5), (13, None), (14, 7)):
            await store.commit([PartitionCommit("screen", 0, expected, Position(nxt, {}, {}, epoch), (), ())])
            expected = nxt
        assert store.leaders() == {("screen", 0, 4, 9), ("screen", 0, 5, 12), ("screen", 0, 7, 14)}
        store.settle_loss("screen", 0, 9, 30)
        assert store.leaders() == {("screen", 0, 4, 9)}
        assert store.next_offsets() == {("screen", 0): 30}
        store.settle_loss("screen", 0, 30, 40)
        assert store.next_offsets() == {("screen", 0): 30}, "it had not read that far"

    async def test_c1_of_former_leaders_the_newest_are_remembered(self, store: MemoryStateStore) -> None:
        await follow(store, "screen", 100)
        former = sorted(epoch for _, _, epoch, _ in store.leaders())
        assert former == list(range(99 - FORMER_LEADERS - 1, 100)), "those, the one that left last, and the present"


async def follow(store: StateStore, step: str, count: int) -> None:
    """So many leaders, one after the other, from the epoch 0 on."""
    for epoch in range(count):
        position = Position(10 * epoch + 10, {}, {}, epoch)
        await store.commit([PartitionCommit(step, 0, 10 * epoch or None, position, (), ())])
