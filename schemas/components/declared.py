"""What a step and a sink declare: all that the other processes have to know of them, without their code.

A declaration names its builder as text (`module:attribute`), so that only the process that runs it imports it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from schemas.log.topics import Topic


@dataclass(frozen=True, slots=True)
class OwnTopic:
    """A topic that a step brings along. `events`: the type of its values, an `Envelope` or a tagged union of such."""

    topic: Topic
    events: Any


@dataclass(frozen=True, slots=True)
class StepDeclaration:
    """A step of the topology. `writes`: its outputs. `build`: makes it of `processors.parts.Parts`. `says`: what it
    does, in a few words, for the operator page.

    `process`: the worker process in which `memstream up` runs it, together with others of that name; empty: one of its
    own. At most `batch` records go through it together. `cache_bytes` bounds the state that a worker keeps in memory
    for the step, all partitions together (rows; derived indexes come on top: the gate's are two to three times their
    rows). `erasures_to`: outputs into which it hands erasures on, `erasures_everywhere`: in every partition, too (both
    as its eraser says). `topics`: those of its own."""

    name: str
    reads: Topic
    writes: tuple[Topic, ...]
    build: str
    says: str = ""
    process: str = ""
    batch: int = 64
    cache_bytes: int = 32 * 1024 * 1024
    erasures_to: tuple[Topic, ...] = ()
    erasures_everywhere: tuple[Topic, ...] = ()
    topics: tuple[OwnTopic, ...] = ()

    @property
    def runs_in(self) -> str:
        return self.process or self.name


@dataclass(frozen=True, slots=True)
class Feed:
    """What feeds a store: the names of the topics that its sink reads; seconds for which a batch gathers, where records
    come seldom and often; and how the consumer fetches."""

    topics: tuple[str, ...]
    seldom: float = 0.01
    busy: float = 0.05
    fetch: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SinkDeclaration:
    """A store that is fed from the log. `build`: makes its sink of `sinks.parts.SinkParts`. `contents`: makes its
    `sinks.contents.Rebuildable` of the same; empty: it has one generation, and `memstream rebuild` does not offer it.
    `says`: what it holds, in a few words."""

    name: str
    feed: Feed
    build: str
    contents: str = ""
    says: str = ""


Declaration = StepDeclaration | SinkDeclaration
