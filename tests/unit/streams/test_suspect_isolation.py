"""A suspect has its process for itself from its bytes to its delivery: what hangs or takes memory then is its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from processors.step import Reads
from schemas.log.codec import Codec, Event
from streams.driver import MemoryLog, inline
from streams.ports import Producer
from streams.runner import Message, RunnerConfig, StepRunner
from streams.state.memory import MemoryStateStore
from streams.state.protocol import OutboxRow, PartitionCommit, Rows, StaleOwner, StateStore
from streams.suspects import MemorySuspects, Suspect
from streams.watchdog import Limits, Watchdog
from tests.patience import PATIENCE
from tests.unit.streams.bench import P, message
from tests.unit.streams.lives import AT, LIMIT, TOPIC, end
from tests.unit.streams.toy import START, Counter

Say = Callable[[str], None]


async def others_run() -> None:
    """As long as anything else of the loop has something to do."""
    for _ in range(20):
        await asyncio.sleep(0)


class SlowStore(MemoryStateStore):
    def __init__(self, say: Say) -> None:
        super().__init__()
        self._say = say

    async def load(self, step: str, wanted: Mapping[int, Sequence[Reads]]) -> dict[int, Rows]:
        self._say("loads")
        await others_run()
        self._say("has loaded")
        return await super().load(step, wanted)

    async def commit(self, commits: Sequence[PartitionCommit]) -> None:
        self._say("commits")
        await others_run()
        await super().commit(commits)
        self._say("has committed")


class SlowLog(MemoryLog):
    def __init__(self, say: Say) -> None:
        super().__init__(lambda: START)
        self._say = say

    async def deliver(self, rows: Sequence[OutboxRow]) -> None:
        self._say("delivers")
        await others_run()
        await super().deliver(rows)
        self._say("has delivered")


class SaidCodec(Codec):
    def __init__(self, say: Say) -> None:
        super().__init__()
        self._say = say

    def decode(self, topic: str, value: bytes | None) -> Event:
        self._say("decodes")
        return super().decode(topic, value)


class Process:
    """Two steps of one process, and what they did, in order."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []
        self.suspects = MemorySuspects(lambda: 0.0)
        self.dog = Watchdog(Limits(LIMIT), self.suspects, end)

    def runner(self, name: str, store: StateStore | None = None, producer: Producer | None = None) -> StepRunner:
        def say(what: str) -> None:
            self.said.append((name, what))

        async def compute(call: Callable[[], Any]) -> Any:
            say("computes")
            await others_run()
            return await inline(call)

        step = Counter()
        step.name = name
        return StepRunner(
            step, store or SlowStore(say), producer or SlowLog(say), SaidCodec(say), RunnerConfig(8),
            compute=compute, watch=self.dog, suspects=self.suspects,
        )  # fmt: skip

    async def run(self, first: str, then: str, feeds: Mapping[str, Sequence[Message]]) -> list[str]:
        """Both at once; whose the steps were, each change of hands once."""
        runners = {name: self.runner(name) for name in feeds}
        tasks = [asyncio.create_task(runners[first].process(feeds[first]))]
        await asyncio.sleep(0)
        tasks.append(asyncio.create_task(runners[then].process(feeds[then])))
        await asyncio.gather(*tasks)
        names = [name for name, _ in self.said]
        return [name for n, name in enumerate(names) if not n or names[n - 1] != name]


FEED = [message(0, "t0"), message(1, "t1")]
EVERYTHING = ["decodes", "computes", "loads", "has loaded", "commits", "has committed", "delivers", "has delivered"]


@pytest.mark.parametrize(("first", "then"), [("suspected", "sound"), ("sound", "suspected")])
async def test_nothing_else_is_loaded_computed_stored_or_delivered_beside_it(first: str, then: str) -> None:
    p = Process()
    p.suspects.note([Suspect("suspected", TOPIC, P, 0, AT)])
    feeds = {"suspected": FEED[:1], "sound": FEED}
    assert await p.run(first, then, feeds) == [first, then]
    assert [what for name, what in p.said if name == "suspected"] == EVERYTHING


async def test_sound_batches_of_several_steps_go_beside_each_other() -> None:
    p = Process()
    assert len(await p.run("one", "two", {"one": FEED, "two": FEED})) > 4


async def test_what_is_prepared_ahead_waits_for_a_suspect_and_holds_it_up_no_more() -> None:
    """The batch ahead has a turn of its own: whoever has one waits for no other."""
    p = Process()
    p.suspects.note([Suspect("suspected", TOPIC, P, 0, AT)])
    sound, suspected = p.runner("sound"), p.runner("suspected")

    async def both() -> None:
        await sound.process(FEED[:1], lambda: FEED[1:])
        await sound.process(FEED[1:])

    await asyncio.gather(both(), suspected.process(FEED[:1]))
    names = [name for name, _ in p.said]
    first, last = names.index("suspected"), len(names) - names[::-1].index("suspected")
    assert set(names[first:last]) == {"suspected"}
    assert await sound.stored_offset(P) == 2


class Outage(MemoryLog):
    """Takes nothing until it is over."""

    def __init__(self) -> None:
        super().__init__(lambda: START)
        self.begun, self.over = asyncio.Event(), asyncio.Event()

    async def deliver(self, rows: Sequence[OutboxRow]) -> None:
        self.begun.set()
        await self.over.wait()
        await super().deliver(rows)


@pytest.mark.parametrize("out", ["sound", "suspected"])
async def test_an_outage_of_one_steps_topic_stops_no_other_step(out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A delivery is tried for ever. Neither does a suspect wait for it, nor do the others for a suspect's own."""
    monkeypatch.setattr("streams.runner._DELIVERY_SECONDS", 0.0)
    p = Process()
    p.suspects.note([Suspect("suspected", TOPIC, P, 0, AT)])
    runners = {name: p.runner(name) for name in ("sound", "suspected", "third")}
    runners[out]._producer = outage = Outage()
    waiting = asyncio.create_task(runners.pop(out).process(FEED[:1]))
    async with asyncio.timeout(PATIENCE):
        await outage.begun.wait()
        for runner in runners.values():
            await runner.process(FEED[:1])
            assert await runner.stored_offset(P) == 1
        assert not waiting.done()
        outage.over.set()
        await waiting


async def test_an_outbox_that_a_start_delivers_again_stops_no_other_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streams.runner._DELIVERY_SECONDS", 0.0)
    p = Process()
    p.suspects.note([Suspect("suspected", TOPIC, P, 0, AT)])
    store, outage = MemoryStateStore(), Outage()
    first, again = p.runner("sound", store), p.runner("sound", store, outage)
    await first.process(FEED[:1])
    waiting = asyncio.create_task(again.stored_offset(P))
    async with asyncio.timeout(PATIENCE):
        await outage.begun.wait()
        await p.runner("suspected").process(FEED[:1])
        outage.over.set()
        assert await waiting == 1


async def test_a_partition_is_begun_in_a_turn() -> None:
    """Its position is read and its outbox delivered beside no suspect."""
    p = Process()
    begun = asyncio.create_task(p.runner("sound").stored_offset(P))
    async with p.dog.turn(True):
        await others_run()
        assert not begun.done()
    assert await begun is None


async def test_a_batch_made_ahead_is_let_go_where_its_partition_moved_while_it_waited() -> None:
    p = Process()
    runner = p.runner("sound")
    await runner.process(FEED[:1], lambda: FEED[1:])
    await others_run()
    async with p.dog.turn(True):
        ahead = asyncio.create_task(runner.process(FEED[1:]))
        await others_run()
        runner.forget([P])
    with pytest.raises(StaleOwner):
        await ahead


async def test_who_is_cancelled_while_it_waits_to_be_alone_leaves_the_door_open() -> None:
    p = Process()

    async def alone() -> None:
        async with p.dog.turn(True):
            pass

    async with p.dog.turn(False):
        waiting = asyncio.create_task(alone())
        await others_run()
        waiting.cancel()
        await others_run()
        async with asyncio.timeout(PATIENCE), p.dog.turn(False):
            pass
