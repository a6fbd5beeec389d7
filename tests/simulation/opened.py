"""What of a stage is open at this moment, for the table of faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from schemas.storage.layouts import sink_group
from streams.topology import TOPOLOGY, group_of
from tests.simulation.groups import Group, Place
from tests.simulation.sinks import StormySink

if TYPE_CHECKING:
    from tests.simulation.consumer import Member
    from tests.simulation.world import World

_DONE = frozenset({"idle", "after_commit", "after_dead_letter"})


class Opened:
    """`members`: of each process, its members of groups by stage. `writes`: of each sink's process, what it writes to.
    Both are of the process's newest life."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.members: dict[str, dict[str, Callable[[], Member | None]]] = {}
        self.writes: dict[str, StormySink] = {}
        self.tokens: Counter[str] = Counter()
        """Reads that wait, by stage."""

    def of(self, stage: str, point: str) -> Iterator[str]:
        """`point`: the one that the struck process passed last."""
        if self._erases():
            yield "erasure"
        if stage == "eraser":
            yield from self._of_eraser(point)
            return
        if point not in _DONE:
            yield "batch"
        if self._unflushed(stage):
            yield "unflushed"
        if self._writes(stage):
            yield "transaction"
        if self._of_another(stage):
            yield "lease"
        if self.tokens[stage]:
            yield "token"

    def _erases(self) -> bool:
        return bool(self._world.trust.open())

    def _of_eraser(self, point: str) -> Iterator[str]:
        """Its nulls are on their way and not acknowledged; Postgres has a call of its in hand."""
        if point == "writes topics":
            yield "batch"
        if self._world.trust.asking and point != "idle":
            yield "transaction"

    def _unflushed(self, stage: str) -> bool:
        broker = self._world.broker
        if stage.startswith("sink-"):
            group = self._group(stage)
            return group.flushed < len(group.journal)
        return any(p.flushed < p.end for t in TOPOLOGY[stage].writes for p in broker.topics[t.name])

    def _writes(self, stage: str) -> bool:
        if stage.startswith("sink-"):
            return stage in self.writes and self.writes[stage].writing
        return self._world.state.locked(stage)

    def _of_another(self, stage: str) -> bool:
        """The group gives a partition to a member that does not run, or somebody works on one that is not its own."""
        group = self._group(stage)
        running: set[str] = set()
        held: list[Place] = []
        for name, by_stage in self.members.items():
            process, found = self._world.processes[name], by_stage.get(stage)
            member = found() if found is not None and process.alive else None
            if member is None:
                continue
            held += member.positions
            if process.runs:
                running.add(member.id)
        given = {place: m.id for m in group.members.values() for place in m.places}
        return len(held) > len(set(held)) or bool(set(given.values()) - running)

    def _group(self, stage: str) -> Group:
        sink = stage.startswith("sink-")
        return self._world.broker.group(sink_group(stage.removeprefix("sink-")) if sink else group_of(stage))


def uses(server: str, stage: str) -> bool:
    """Whether a stage calls a server."""
    if server == "kafka":
        return True
    if stage == "eraser":
        return server in ("postgres", "store-postgres")
    return server == f"store-{stage.removeprefix('sink-')}" if stage.startswith("sink-") else server == "postgres"
