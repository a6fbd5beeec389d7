"""The steps and sinks of this release. A new one is its file and a line here."""

from __future__ import annotations

from collections.abc import Mapping

from schemas.components.declared import Feed, SinkDeclaration, StepDeclaration
from schemas.log.topics import (
    DECISIONS,
    DOCUMENTS,
    HISTORY,
    JOBS,
    LEDGER,
    PROJECT_EVENTS,
    SESSION_STATE,
    TURNS,
    UPDATES,
)

MEMORY = "memory"
"""The process that steps share: all but screen, which alone can fill a core."""

STEPS: Mapping[str, StepDeclaration] = {step.name: step for step in (
    StepDeclaration("screen", TURNS, (HISTORY,), "processors.builders:screen", erasures_to=(HISTORY,)),
    StepDeclaration(
        "extract", HISTORY, (LEDGER, JOBS), "processors.builders:extract", process=MEMORY, erasures_to=(LEDGER,)
    ),
    StepDeclaration(
        "gate", LEDGER, (UPDATES, DECISIONS, PROJECT_EVENTS, JOBS), "processors.builders:gate", process=MEMORY,
        cache_bytes=96 * 1024 * 1024, erasures_to=(UPDATES, DECISIONS), erasures_everywhere=(PROJECT_EVENTS,),
    ),
    StepDeclaration(
        "session", HISTORY, (SESSION_STATE, JOBS, LEDGER), "processors.builders:session", process=MEMORY,
        erasures_to=(SESSION_STATE,),
    ),
    StepDeclaration(
        "project", PROJECT_EVENTS, (UPDATES, DECISIONS, JOBS), "processors.builders:project", process=MEMORY,
        erasures_to=(UPDATES, DECISIONS),
    ),
    StepDeclaration("chunk", DOCUMENTS, (UPDATES,), "processors.builders:chunk", process=MEMORY, batch=8),
)}  # fmt: skip

POSTGRES = SinkDeclaration(
    "postgres", Feed((HISTORY.name, UPDATES.name, DECISIONS.name, SESSION_STATE.name)),
    "sinks.postgres.sink:built", contents="sinks.postgres.contents:rebuildable",
)  # fmt: skip
# Every call to Milvus costs it and its client half a millisecond whatever is in it, and a second is fast enough for it:
# it gets larger batches.
MILVUS = SinkDeclaration(
    "milvus",
    Feed((HISTORY.name, UPDATES.name), 0.05, fetch=(("fetch.min.bytes", "65536"), ("fetch.wait.max.ms", "100"))),
    "sinks.milvus.sink:built", contents="sinks.milvus.contents:rebuildable",
)  # fmt: skip
REDIS = SinkDeclaration(
    "redis", Feed((SESSION_STATE.name, UPDATES.name)),
    "sinks.redis.sink:built", contents="sinks.redis.contents:rebuildable",
)  # fmt: skip
SINKS: Mapping[str, SinkDeclaration] = {sink.name: sink for sink in (POSTGRES, MILVUS, REDIS)}
