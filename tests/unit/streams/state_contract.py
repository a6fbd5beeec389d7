"""The contract of state stores (DESIGN, delivery rule 4): over memory in unit tests, over Postgres in integration."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from processors.step import Reads
from streams.state.protocol import Kept, OutboxRow, PartitionCommit, Position, StaleOwner, StateStore, Write

T = datetime(2026, 11, 21, tzinfo=UTC)
HOUR = timedelta(hours=1)


def row(offset: int, value: bytes | None = b"v", key: bytes | None = b"k", topic: str = "t") -> OutboxRow:
    return OutboxRow(offset, 0, topic, 3, key, value, [("a", b"1"), ("a", b"\xff"), ("空", b"")])


class StateStoreContract:
    """Subclasses give `store`, empty, and `step`, a name that no other test uses."""

    def commit(
        self, step: str, expected: int | None, nxt: int, *writes: Write, partition: int = 0,
        sweep: datetime | None = None, outbox: tuple[OutboxRow, ...] = (),
        seen: dict[str, tuple[int, int]] | None = None,
    ) -> PartitionCommit:  # fmt: skip
        position = Position(nxt, {"root/0": nxt}, seen or {})
        return PartitionCommit(step, partition, expected, position, writes, outbox, sweep)

    async def test_a_partition_that_never_started_has_no_offset(self, store: StateStore, step: str) -> None:
        assert await store.position(step, 0) == (Position(), [])

    async def test_position_and_outbox_come_back_as_they_were(self, store: StateStore, step: str) -> None:
        outbox = (row(4), row(5, value=None, key=None), row(5, b"\x00\xff" * 100))
        await store.commit([self.commit(step, None, 6, outbox=outbox, seen={"up/1": (7, 2)})])
        position, rows = await store.position(step, 0)
        assert position == Position(6, {"root/0": 6}, {"up/1": (7, 2)})
        assert rows == list(outbox)

    async def test_c1_the_leader_of_the_last_record_comes_back(self, store: StateStore, step: str) -> None:
        """Also where a first one, another or none is stored."""
        expected = None
        for nxt, epoch in ((6, 4), (9, 4), (12, 5), (13, None), (14, 0)):
            commit = PartitionCommit(step, 0, expected, Position(nxt, {}, {}, epoch), (), ())
            await store.commit([commit])
            assert (await store.position(step, 0))[0] == Position(nxt, {}, {}, epoch)
            expected = nxt

    async def test_the_outbox_of_the_batch_before_is_replaced(self, store: StateStore, step: str) -> None:
        await store.commit([self.commit(step, None, 1, outbox=(row(0), row(0)))])
        await store.commit([self.commit(step, 1, 2, outbox=(row(1),))])
        assert (await store.position(step, 0))[1] == [row(1)]
        await store.commit([self.commit(step, 2, 3)])
        assert (await store.position(step, 0))[1] == []

    async def test_a_settled_outbox_is_empty_and_all_else_as_it_was(self, store: StateStore, step: str) -> None:
        for p in (0, 1, 2):
            kept = Write("o", "k", b"1")
            await store.commit([self.commit(step, None, 6, kept, partition=p, outbox=(row(5),), seen={"up/1": (7, 2)})])
        await store.settled(step, {0: 6, 1: 5, 7: 1})
        assert await store.position(step, 0) == (Position(6, {"root/0": 6}, {"up/1": (7, 2)}), [])
        for p in (1, 2):
            assert (await store.position(step, p))[1] == [row(5)], "another offset, or not named"
        assert (await store.position(step, 7)) == (Position(), [])
        await store.commit([self.commit(step, 6, 7, outbox=(row(6),))])
        assert (await store.position(step, 0))[1] == [row(6)]
        assert (await store.load(step, {0: [Reads("o")]}))[0] == {"o": {"k": b"1"}}

    async def test_c1_an_outbox_that_is_replaced_is_kept_with_where_it_lies(self, store: StateStore, step: str) -> None:
        lies = {("t", 3): (7, 12), ("空", 0): (0, 1)}
        await store.commit([self.commit(step, None, 1, outbox=(row(0), row(0, None, None)))])
        await store.commit([replace(self.commit(step, 1, 2), delivered=lies)])
        await store.commit([replace(self.commit(step, 2, 3, outbox=(row(2),)), delivered=lies)])
        assert await store.kept(step, 0) == [Kept(1, lies)], "of one without rows nothing is kept"
        assert await store.kept_outbox(step, 0, 1) == [row(0), row(0, None, None)]
        assert await store.kept_outbox(step, 0, 2) == []
        await store.settled(step, {0: 3}, {0: {("t", 3): (7, 14)}})
        await store.commit([self.commit(step, 3, 4, outbox=(row(3),))])
        await store.commit([self.commit(step, 4, 5)])
        assert await store.kept(step, 0) == [Kept(1, lies), Kept(3, {("t", 3): (7, 14)})], "not what lies nowhere"
        assert await store.kept_outbox(step, 0, 3) == [row(2)]
        await store.sent_again(step, 0, 1, {("t", 3): (8, 20)})
        await store.sent_again(step, 0, 77, {("t", 3): (8, 20)})
        assert await store.kept(step, 0) == [Kept(1, {("t", 3): (8, 20)}), Kept(3, {("t", 3): (7, 14)})]
        assert await store.kept_outbox(step, 0, 1) == [row(0), row(0, None, None)]
        assert await store.kept(step, 1) == await store.kept(step + "-other", 0) == []

    async def test_c9_a_batch_with_an_erasure_leaves_nothing_that_is_kept(self, store: StateStore, step: str) -> None:
        for partition in (0, 1):
            await store.commit([self.commit(step, None, 1, partition=partition, outbox=(row(0),))])
            second = self.commit(step, 1, 2, partition=partition, outbox=(row(1),))
            await store.commit([replace(second, delivered={("t", 3): (1, 2)})])
        third = self.commit(step, 2, 3, outbox=(row(2),))
        await store.commit([replace(third, delivered={("t", 3): (1, 3)}, erases=True)])
        assert await store.kept(step, 0) == []
        assert [k.next_offset for k in await store.kept(step, 1)] == [1]
        await store.settled(step, {0: 3})
        await store.commit([self.commit(step, 3, 4)])
        assert await store.kept(step, 0) == [], "nor what was settled without being kept"

    async def test_c9_of_an_outbox_with_an_erasure_its_rows_alone_are_kept(self, store: StateStore, step: str) -> None:
        await store.commit([self.commit(step, None, 1, outbox=(row(0), row(0, b"erasure")))])
        await store.settled(step, {0: 1}, {0: {("t", 3): (1, 2)}}, {0: [row(0, b"erasure")]})
        assert await store.position(step, 0) == (Position(1, {"root/0": 1}), [])
        await store.commit([self.commit(step, 1, 2, outbox=(row(1),))])
        await store.commit([self.commit(step, 2, 3, outbox=(row(2),))])
        await store.commit([replace(self.commit(step, 3, 4), erases=True)])
        assert await store.kept(step, 0) == [Kept(1, {("t", 3): (1, 2)})], "another erasure leaves it"
        assert await store.kept_outbox(step, 0, 1) == [row(0, b"erasure")]

    async def test_c9_an_outbox_with_an_erasure_is_never_kept_whole(self, store: StateStore, step: str) -> None:
        """It was delivered, and the store was away when it was to be emptied."""
        erasure = replace(row(0), headers=[("ce_type", b"memstream.erasure.v1")])
        for partition in (0, 1):
            await store.commit([self.commit(step, None, 1, partition=partition, outbox=(row(0), erasure))])
        await store.commit([replace(self.commit(step, 1, 2), delivered={("t", 3): (1, 2)})])
        await store.settled(step, {1: 1}, {1: {("t", 3): (1, 2)}})
        assert await store.kept(step, 0) == await store.kept(step, 1) == []

    async def test_a_stale_commit_keeps_nothing(self, store: StateStore, step: str) -> None:
        await store.commit([self.commit(step, None, 5, outbox=(row(4),))])
        with pytest.raises(StaleOwner):
            await store.commit([self.commit(step, 4, 6)])
        assert await store.kept(step, 0) == []

    @pytest.mark.parametrize("expected", [None, 0, 4, 6])
    async def test_a_commit_from_another_offset_is_stale_and_changes_nothing(
        self, store: StateStore, step: str, expected: int | None
    ) -> None:
        await store.commit([self.commit(step, None, 5, Write("o", "k", b"1"), outbox=(row(1),))])
        with pytest.raises(StaleOwner) as stale:
            await store.commit([self.commit(step, expected, 9, Write("o", "k", b"2"), Write("o", "n", b"2"))])
        assert stale.value.partitions == {0}
        assert (await store.load(step, {0: [Reads("o")]}))[0] == {"o": {"k": b"1"}}
        position, outbox = await store.position(step, 0)
        assert position.next_offset == 5
        assert outbox == [row(1)]

    async def test_a_later_commit_needs_a_position(self, store: StateStore, step: str) -> None:
        with pytest.raises(StaleOwner):
            await store.commit([self.commit(step, 7, 9, Write("o", "k", b"1"))])
        assert await store.position(step, 0) == (Position(), [])
        assert (await store.load(step, {0: [Reads("o")]}))[0] == {"o": {}}

    async def test_several_partitions_are_all_or_nothing(self, store: StateStore, step: str) -> None:
        await store.commit([self.commit(step, None, 5, partition=1)])
        both = [
            self.commit(step, None, 3, Write("o", "k", b"1"), partition=0),
            self.commit(step, 4, 6, Write("o", "k", b"1"), partition=1),
        ]
        with pytest.raises(StaleOwner) as stale:
            await store.commit(both)
        assert stale.value.partitions == {1}
        assert (await store.position(step, 0))[0].next_offset is None
        assert (await store.load(step, {0: [Reads("o")]}))[0] == {"o": {}}

    async def test_of_two_first_commits_one_wins(self, store: StateStore, step: str) -> None:
        async def one(value: bytes) -> bool:
            try:
                await store.commit([self.commit(step, None, 3, Write("o", "k", value))])
            except StaleOwner:
                return False
            return True

        won = await asyncio.gather(*(one(str(i).encode()) for i in range(6)))
        assert sum(won) == 1
        assert (await store.load(step, {0: [Reads("o")]}))[0] == {"o": {"k": str(won.index(True)).encode()}}

    async def test_of_two_later_commits_one_wins(self, store: StateStore, step: str) -> None:
        await store.commit([self.commit(step, None, 3)])

        async def one(value: bytes) -> bool:
            try:
                await store.commit([self.commit(step, 3, 4, Write("o", "k", value))])
            except StaleOwner:
                return False
            return True

        won = await asyncio.gather(*(one(str(i).encode()) for i in range(6)))
        assert sum(won) == 1
        assert (await store.load(step, {0: [Reads("o")]}))[0] == {"o": {"k": str(won.index(True)).encode()}}

    async def test_whole_and_point_loads(self, store: StateStore, step: str) -> None:
        writes = [Write(o, k, f"{o}{k}".encode()) for o in ("a", "b", "用户/%2F") for k in ("1", "2", "会话/x")]
        await store.commit([self.commit(step, None, 1, *writes)])
        reads = [
            Reads("a"),
            Reads("b", ("2", "nowhere")),
            Reads("用户/%2F", ("会话/x",)),
            Reads("none"),
            Reads("none2", ("1",)),
        ]
        assert (await store.load(step, {0: reads}))[0] == {
            "a": {"1": b"a1", "2": b"a2", "会话/x": "a会话/x".encode()},
            "b": {"2": b"b2"},
            "用户/%2F": {"会话/x": "用户/%2F会话/x".encode()},
            "none": {},
            "none2": {},
        }  # fmt: skip
        assert (await store.load(step, {0: [Reads("a", ("1",)), Reads("a", ("2",))]}))[0] == {
            "a": {"1": b"a1", "2": b"a2"}
        }
        assert (await store.load(step, {0: []}))[0] == {}

    async def test_steps_and_partitions_do_not_see_each_other(self, store: StateStore, step: str) -> None:
        other = step + "-other"
        await store.commit([self.commit(step, None, 1, Write("o", "k", b"1"))])
        await store.commit([self.commit(step, None, 1, Write("o", "k", b"2"), partition=1)])
        await store.commit([self.commit(other, None, 1, Write("o", "k", b"3"))])
        for name, partition, value in ((step, 0, b"1"), (step, 1, b"2"), (other, 0, b"3")):
            assert (await store.load(name, {partition: [Reads("o")]}))[partition] == {"o": {"k": value}}

    async def test_none_deletes_a_row(self, store: StateStore, step: str) -> None:
        await store.commit([self.commit(step, None, 1, Write("o", "k", b"1"), Write("o", "l", b""))])
        await store.commit([self.commit(step, 1, 2, Write("o", "k", None), Write("o", "never", None))])
        assert (await store.load(step, {0: [Reads("o")]}))[0] == {"o": {"l": b""}}

    async def test_a_sweep_takes_what_expired_by_then_and_nothing_else(self, store: StateStore, step: str) -> None:
        writes = [
            Write("o", "past", b"1", T - HOUR), Write("o", "now", b"1", T), Write("o", "later", b"1", T + HOUR),
            Write("o", "always", b"1"), Write("p", "past", b"1", T - HOUR),
        ]  # fmt: skip
        await store.commit([self.commit(step, None, 1, *writes)])
        await store.commit([self.commit(step, None, 1, Write("o", "past", b"1", T - HOUR), partition=1)])
        assert set(((await store.load(step, {0: [Reads("o")]}))[0])["o"]) == {"past", "now", "later", "always"}
        await store.commit([self.commit(step, 1, 2, sweep=T)])
        assert set(((await store.load(step, {0: [Reads("o")]}))[0])["o"]) == {"later", "always"}
        assert (await store.load(step, {0: [Reads("p")]}))[0] == {"p": {}}
        assert set(((await store.load(step, {1: [Reads("o")]}))[1])["o"]) == {"past"}, (
            "another partition's tick is its own"
        )

    async def test_n2_a_sweep_spares_what_the_batch_wrote(self, store: StateStore, step: str) -> None:
        """The runner has taken from it what a tick of the batch ended: the rest was written behind the tick."""
        await store.commit([self.commit(step, None, 1, Write("o", "a", b"1", T), Write("o", "b", b"1", T))])
        writes = (Write("o", "b", b"2", T - HOUR), Write("p", "c", b"1", T), Write("p", "d", b"1"))
        await store.commit([self.commit(step, 1, 2, *writes, sweep=T)])
        assert (await store.load(step, {0: [Reads("o"), Reads("p")]}))[0] == {
            "o": {"b": b"2"}, "p": {"c": b"1", "d": b"1"}
        }  # fmt: skip
        await store.commit([self.commit(step, 2, 3, sweep=T)])
        assert (await store.load(step, {0: [Reads("o"), Reads("p")]}))[0] == {"o": {}, "p": {"d": b"1"}}

    async def test_n2_a_load_tells_when_rows_go(self, store: StateStore, step: str) -> None:
        writes = (Write("o", "a", b"1", T), Write("o", "b", b"1"), Write("p", "a", b"1", T + HOUR))
        await store.commit([self.commit(step, None, 1, *writes)])
        rows = (await store.load(step, {0: [Reads("o"), Reads("p", ("a",))]}))[0]
        assert rows.expiry == {("o", "a"): T, ("p", "a"): T + HOUR}
        await store.commit([self.commit(step, 1, 2, Write("o", "a", b"2"))])
        assert (await store.load(step, {0: [Reads("o")]}))[0].expiry == {}

    async def test_an_expiry_is_renewed_or_lifted_by_a_new_write(self, store: StateStore, step: str) -> None:
        await store.commit([self.commit(step, None, 1, Write("o", "a", b"1", T), Write("o", "b", b"1", T))])
        await store.commit([self.commit(step, 1, 2, Write("o", "a", b"2", T + HOUR), Write("o", "b", b"2"))])
        await store.commit([self.commit(step, 2, 3, sweep=T)])
        assert (await store.load(step, {0: [Reads("o")]}))[0] == {"o": {"a": b"2", "b": b"2"}}

    async def test_many_rows_at_once(self, store: StateStore, step: str) -> None:
        await store.commit([self.commit(step, None, 1, *(Write(f"o{i % 7}", f"k{i}", b"x" * i) for i in range(700)))])
        loaded = (await store.load(step, {0: [Reads(f"o{i}") for i in range(7)]}))[0]
        assert sum(len(rows) for rows in loaded.values()) == 700
        assert loaded["o3"]["k17"] == b"x" * 17
