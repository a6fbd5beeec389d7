"""Declarations as packages may get them wrong; named by the entry points of test_installed."""

from __future__ import annotations

from dataclasses import replace

from schemas.components.declared import Feed, OwnTopic, SinkDeclaration, StepDeclaration
from schemas.events.envelope import Marker
from schemas.log.owner import OwnerKind
from schemas.log.topics import DEAD_LETTERS, HISTORY, JOBS, TURNS, UPDATES, Cleanup, Topic

OWN = Topic("own.v1", (OwnerKind.USER,), Cleanup.COMPACT, None, "")
STEP = StepDeclaration("fine", HISTORY, (OWN,), "json:dumps", topics=(OwnTopic(OWN, Marker),))
SINK = SinkDeclaration("fine", Feed((UPDATES.name, OWN.name)), "json:dumps")
NO_DECLARATION = {"name": "fine"}

UNKNOWN_OUTPUT = replace(STEP, topics=())
UNKNOWN_INPUT = replace(STEP, reads=replace(HISTORY, name="nowhere.v1"))
ALTERED_INPUT = replace(STEP, reads=replace(HISTORY, retention_days=1))
TOPIC_OF_OURS = replace(STEP, topics=(OwnTopic(replace(OWN, name=TURNS.name), Marker),))
TOPIC_NAME = replace(STEP, topics=(OwnTopic(replace(OWN, name="Own_v1"), Marker),))
ROOT = replace(STEP, topics=(OwnTopic(replace(OWN, root=True), Marker),))
NOBODYS = replace(STEP, topics=(OwnTopic(replace(OWN, owners=()), Marker),))
LETTERS = replace(STEP, writes=(OWN, DEAD_LETTERS))
ERASES_ELSEWHERE = replace(STEP, erasures_to=(JOBS,))
ANOTHERS_PROCESS = replace(STEP, process="screen")
NO_BATCH = replace(STEP, batch=0)
NO_REFERENCE = replace(STEP, build="json.dumps")
UNKNOWN_FEED = replace(SINK, feed=Feed(("nowhere.v1",)))
NO_FEED = replace(SINK, feed=Feed(()))
NO_CONTENTS = replace(SINK, feed=Feed((UPDATES.name,)), contents="nothing")
