"""A disk that has not what it said, and a client who writes on over the loss while nothing of ours runs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from schemas.log import topics
from schemas.log.owner import partition, user
from tests.simulation.acts import Act
from tests.simulation.load import TENANT, Call
from tests.simulation.partition import Record

if TYPE_CHECKING:
    from tests.simulation.world import World

_WAIT_SECONDS = 600.0
_STEPS_OF = {
    topics.TURNS.name: ("screen",), topics.LEDGER.name: ("gate",), topics.HISTORY.name: ("extract", "session"),
}  # fmt: skip


async def read_to_the_end(world: World, topic: str) -> None:
    """Until the steps of that topic have stored all that is in it."""
    until = world.loop.time() + _WAIT_SECONDS
    while world.loop.time() < until:
        stored = world.state.data.next_offsets()
        logs, steps = list(enumerate(world.broker.topics[topic])), _STEPS_OF.get(topic, ())
        if not world.down and all(stored.get((step, n), 0) == log.end for n, log in logs for step in steps):
            return
        await asyncio.sleep(0.05)


def lose(world: World, act: Act) -> None:
    """Of each partition its last records, so many."""
    for log in world.broker.topics[act.target]:
        log.lose(max(log.start, log.end - act.count))


def write_on(world: World, act: Act) -> set[tuple[str, str]]:
    """A client's producer fills each partition again: up to two offsets before its former end, or (`busy`) past it.
    The turns among it, by user and id."""
    out = set()
    for n, log in enumerate(world.broker.topics[act.target]):
        names = [name for name in (f"client-{i}" for i in range(200)) if partition(user(TENANT, name), 3) == n]
        for i in range(act.count + 3 if act.busy else max(0, act.count - 2)):
            number = 9_000 + 100 * n + i
            turns = act.target == topics.TURNS.name
            call = Call(
                number, "turn" if turns else "remember", names[i % 2], f"I like the song number {number}.", "s",
                turn=f"t{number}",
            )  # fmt: skip
            entry = call.entry(world.now(), None)
            assert entry is not None
            encoded = world.codec.encode(entry.event, "memstream/client", f"outside-{number}")
            key = topics.sent_key(act.target, encoded.key, lambda size, at=number: f"{at:0{2 * size}x}")  # type: ignore[misc]
            at_ms = int(world.now().timestamp() * 1000)
            log.append([Record(key, encoded.value, encoded.headers, at_ms)])
            if turns:
                out.add((call.user, call.turn))
        log.flush()
    return out
