"""What the entry points name: imported by every process that lists steps and sinks, so it imports little."""

from __future__ import annotations

from schemas.components.declared import Feed, OwnTopic, SinkDeclaration, StepDeclaration
from schemas.log.owner import OwnerKind
from schemas.log.topics import HISTORY, UPDATES, Cleanup, Topic

from .events import DaysEvent

DAYS = Topic("days.turns.v1", (OwnerKind.USER,), Cleanup.COMPACT, None, "turns a day of each user")

STEP = StepDeclaration(
    "turns-a-day",
    reads=HISTORY,
    writes=(DAYS,),
    build="memstream_days.step:built",
    says="turns of each day",
    erasures_to=(DAYS,),
    topics=(OwnTopic(DAYS, DaysEvent),),
)
SINK = SinkDeclaration(
    "sqlite",
    feed=Feed((UPDATES.name, DAYS.name)),
    build="memstream_days.sink:built",
    contents="memstream_days.contents:rebuildable",
    says="memories and days in a file",
)
