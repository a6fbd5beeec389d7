"""A disk that has not what it said: a topic that steps alone write loses its newest batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.simulation.acts import Act

if TYPE_CHECKING:
    from tests.simulation.world import World

FLUSH_SECONDS = 35.0
"""What was acknowledged for longer is on the disk."""


def lose_newest(world: World, act: Act) -> int:
    """Of each partition the newest batches, so many, as far as they may not have been flushed. Returns how many records
    that is."""
    since = world.now().timestamp() - FLUSH_SECONDS
    lost = 0
    for log in world.broker.topics[act.target]:
        young = sorted({s.batch for s in log.records if s.record.timestamp_ms >= since * 1000})
        if cut := young[-act.count :]:
            lost += sum(s.record.visible for s in log.records if s.offset >= cut[0])
            log.lose(cut[0])
    return lost
