"""What a log has lost of a step's outputs is sent there again, in its order and before anything new (C1)."""

from __future__ import annotations

import pytest

from schemas.events.erasure import Erasure
from schemas.log import topics
from schemas.log.codec import Codec, header
from schemas.log.owner import partition, user
from streams.batch import Message
from streams.driver import inline
from streams.kept_outboxes import lost_of
from streams.ports import LogAway
from streams.runner import RunnerConfig, StepRunner
from streams.state.memory import MemoryStateStore
from streams.state.protocol import KEPT_SECONDS, Kept, carries_erasure
from tests.unit.streams.cut_log import CutLog
from tests.unit.streams.test_erased_outbox import Handing
from tests.unit.streams.toy import START, Counter, turn

P = partition(user("acme", "ann"), 8)
AT = int(START.timestamp() * 1000)
OUT = (topics.SESSION_STATE.name, P)


class House:
    """A step, what it has stored, its log. `at` in seconds."""

    def __init__(self) -> None:
        self.at = 0.0
        self.log, self.store = CutLog(), MemoryStateStore(lambda: self.at)
        self._sent = 0
        self.start()

    def start(self) -> None:
        """Another life."""
        self.runner = StepRunner(
            Counter(), self.store, self.log, Codec(), RunnerConfig(8), compute=inline, leaders=self.log
        )

    async def turns(self, *content: str) -> None:
        """A batch each."""
        for text in content:
            offset, self._sent = self._sent, self._sent + 1
            await self.runner.process([Message(topics.TURNS.name, P, offset, None, Codec().value(turn(text)), [], AT)])

    @property
    def sources(self) -> list[int]:
        """Offsets of the turns whose outputs lie in the log, in its order."""
        found = [header(m.headers, "src") or b"" for m in self.log.partitions[OUT]]
        return [int(source.split(b":")[1]) for source in found]


@pytest.fixture
def house() -> House:
    return House()


@pytest.mark.parametrize("lost", [1, 2, 3, 4])
async def test_c1_after_a_cut_the_newest_batches_are_sent_again_before_the_next_one(house: House, lost: int) -> None:
    await house.turns("a", "b", "c", "d")
    assert house.sources == [0, 1, 2, 3]
    house.log.cut(OUT, lost)
    house.start()
    await house.turns("e")
    assert sorted(set(house.sources)) == [0, 1, 2, 3, 4]
    firsts = [house.sources.index(n) for n in range(5)]
    assert firsts == sorted(firsts), "readers drop what comes behind a later one"


async def test_c1_also_while_the_step_runs(house: House) -> None:
    await house.turns("a", "b", "c", "d")
    house.log.cut(OUT, 3)
    await house.turns("e", "f")
    assert house.sources == [0, 1, 2, 3, 4, 5]
    house.log.cut(OUT, 6)
    await house.turns("g")
    assert house.sources == [0, 1, 2, 3, 4, 5, 6]


async def test_c1_what_was_sent_again_is_kept_again(house: House) -> None:
    await house.turns("a", "b", "c")
    house.log.cut(OUT, 3)
    house.start()
    house.at += 1000.0  # the machine was dark for longer than outboxes are kept
    await house.runner.stored_offset(P)
    assert house.sources == [0, 1, 2]
    house.log.cut(OUT, 3)
    house.start()
    await house.turns("d")
    assert house.sources == [0, 1, 2, 3]


async def test_another_leader_that_has_lost_nothing_is_sent_nothing(house: House) -> None:
    await house.turns("a", "b")
    house.log.lead(OUT)
    await house.turns("c", "d")
    assert house.sources == [0, 1, 2, 3]
    assert house.log.questions == 1, "the leader is asked for, and once where the one before it ended"
    await house.runner.leave([P])
    house.start()
    await house.turns("e")
    assert house.sources == [0, 1, 2, 3, 4]


async def test_c1_after_an_orderly_end_the_last_one_is_kept_as_well(house: House) -> None:
    await house.turns("a", "b")
    await house.runner.leave([P])
    assert (await house.store.position("counter", P))[1] == []
    house.log.cut(OUT, 2)
    house.start()
    await house.turns("c")
    assert house.sources == [0, 1, 2]


async def test_what_has_surely_been_flushed_is_kept_no_longer(house: House) -> None:
    await house.turns("a", "b")
    assert [k.next_offset for k in await house.store.kept("counter", P)] == [1]
    house.at = KEPT_SECONDS
    await house.turns("c")
    assert [k.next_offset for k in await house.store.kept("counter", P)] == [1, 2]
    house.at += 0.1
    await house.turns("d")
    assert [k.next_offset for k in await house.store.kept("counter", P)] == [2, 3]


async def test_c1_a_batch_is_not_stored_before_somebody_names_the_leaders(house: House) -> None:
    await house.turns("a", "b")
    house.log.away = True
    with pytest.raises(LogAway):
        await house.turns("c")
    assert (await house.store.position("counter", P))[0].next_offset == 2


async def test_c9_an_erasure_ends_what_is_kept_of_before(house: House) -> None:
    erasure = Erasure(tenant="acme", erasure_id="e1", scope="user", user_id="ann", accepted_at=START)
    house.runner = StepRunner(
        Handing(), house.store, house.log, Codec(), RunnerConfig(8), compute=inline, leaders=house.log
    )
    for n, event in enumerate((turn("a"), turn("b"), erasure, turn("c"))):
        await house.runner.process([Message(topics.TURNS.name, P, n, None, Codec().value(event), [], AT)])
    kept = await house.store.kept("counter", P)
    assert [k.next_offset for k in kept] == [3], "of its own outbox, which goes at once, what carries it"
    rows = await house.store.kept_outbox("counter", P, 3)
    assert [carries_erasure(row) for row in rows] == [True]
    house.log.cut(OUT, len(house.log.partitions[OUT]) - 1)
    await house.runner.process([Message(topics.TURNS.name, P, 4, None, Codec().value(turn("d")), [], AT)])
    assert house.sources == [0, 2, 3, 4], "and it comes back without what was said before it"


def test_the_first_outbox_that_each_partition_lacks() -> None:
    a, b, c = ("t", 0), ("t", 1), ("t", 2)
    kept = [Kept(1, {a: (4, 10), b: (2, 5)}), Kept(2, {a: (4, 12)}), Kept(3, {a: (5, 14), b: (2, 6), c: (1, 1)})]
    assert lost_of(kept, {(a, 4): 12, (b, 2): 5}) == {b: 2}
    assert lost_of(kept, {(a, 4): 11, (b, 2): 6}) == {a: 1}
    assert lost_of(kept, {(a, 4): -1, (a, 5): -1, (c, 1): 0}) == {a: 0, c: 2}
    assert lost_of(kept, {}) == {}
