"""What recovery makes of the simulated log: the product's comparison, and what its transactions leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstream.grown_logs import ReadUnder, cuts
from memstream.recovery import ShortLog, compare
from query.log_epochs import LostOffsets
from query.pipeline.groups import Group, live_groups
from tests.simulation.partition import Record, Stored

if TYPE_CHECKING:
    from tests.simulation.world import World


def recover(world: World) -> list[str]:
    """Before anything of ours runs. What it found, in lines."""
    groups = _groups(world)
    shorts = found(world)
    for short in shorts:
        _mend(world, short, [g.name for g in groups if g.kind == "step" and g.topics[0] == short.topic])
        world.history.note("recovery", str(short))
    return [str(short) for short in shorts]


def _groups(world: World) -> tuple[Group, ...]:
    return live_groups(lambda store: world.views.live[store])


def found(world: World) -> list[ShortLog]:
    """As a process looks before it joins the log."""
    groups = _groups(world)
    ends = {place: log.end for place, log in world.broker.everything().items()}
    committed = [world.broker.committed(g.group_id) for g in groups if g.kind != "worker"]
    source = {g.name: g.topics[0] for g in groups if g.kind == "step"}
    under = [ReadUnder((source[s], p), epoch, offset) for s, p, epoch, offset in sorted(world.state.data.leaders())]
    ended = {(r.place, r.epoch): world.broker.partition(*r.place).end_of_epoch(r.epoch)[1] for r in under}
    return compare(ends, committed, world.state.data.next_offsets(), groups, cuts(under, ended))


def _mend(world: World, short: ShortLog, steps: list[str]) -> None:
    log = world.broker.partition(short.topic, short.partition)
    for _ in range(short.missing):
        filler = Record(b"filler", b"", [], 0, visible=False)
        log.records.append(Stored(log.end, log.epoch, filler, log.end))
        log.end += 1
    behind = log.end if short.written else None
    if short.written:
        log.resent = short.end, log.end
        world.leaders.losses.append(LostOffsets((short.topic, short.partition), *log.resent))
        log.append([s.record for s in log.records if s.offset >= short.end and s.record.visible])
    for step in steps:
        world.state.data.settle_loss(step, short.partition, short.end, behind)
    log.flush()
