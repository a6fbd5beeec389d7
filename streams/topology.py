"""The topology as one readable table: every step, what it reads, how it is built."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from processors.erasure.guard import Guarded
from processors.erasure.project import ProjectEraser
from processors.erasure.steps import ExtractEraser, GateEraser, ScreenEraser, SessionEraser
from processors.knowledge.step import ChunkStep
from processors.memory.step import Gate
from processors.ports import Models, ProfileBook
from processors.project.step import Project
from processors.reader.rules.protocol import Extractor
from processors.reader.step import Extract
from processors.screen.step import Screen
from processors.session.step import Session
from processors.step import Step
from schemas.log.topics import Topic


@dataclass(frozen=True, slots=True)
class Parts:
    """What steps are built from. `ask_model`: promising turns are read by a language model, as jobs."""

    models: Models
    book: ProfileBook
    extractor: Extractor
    ask_model: bool = False


@dataclass(frozen=True, slots=True)
class StepSpec:
    """`writes`: the step's outputs. At most `batch` records go through it together. `cache_bytes` bounds the state that
    a worker keeps in memory for the step, all partitions together (rows; derived indexes come on top: the gate's are
    two to three times their rows)."""

    build: Callable[[Parts], Step]
    writes: tuple[Topic, ...]
    batch: int = 64
    cache_bytes: int = 32 * 1024 * 1024


def _extract(p: Parts) -> Step:
    inner = Extract(p.extractor, p.models, p.book, ask_model=p.ask_model)
    return Guarded(inner, ExtractEraser(), refuses=False)


def _gate(p: Parts) -> Step:
    return Guarded(Gate(p.models, p.book, ask_model=p.ask_model), GateEraser(p.models, p.book))


def _project(p: Parts) -> Step:
    return Guarded(Project(p.models, p.book, ask_model=p.ask_model), ProjectEraser(p.models, p.book))


TOPOLOGY: Mapping[str, StepSpec] = {
    "screen": StepSpec(lambda p: Guarded(Screen(p.models, p.book), ScreenEraser()), Screen.outputs),
    "extract": StepSpec(_extract, Extract.outputs),
    "gate": StepSpec(_gate, Gate.outputs, cache_bytes=96 * 1024 * 1024),
    "session": StepSpec(lambda p: Guarded(Session(p.models, p.book), SessionEraser()), Session.outputs),
    "project": StepSpec(_project, Project.outputs),
    "chunk": StepSpec(lambda p: ChunkStep(p.models, p.book), ChunkStep.outputs, batch=8),
}
"""A new step is one file in processors/ and one line here."""


def writers_of(topic: Topic) -> frozenset[str]:
    """The steps whose output a topic takes; none for one that clients alone write."""
    return frozenset(name for name, spec in TOPOLOGY.items() if topic in spec.writes)


def group_of(step: str) -> str:
    """The consumer group of a step: one app and group a step."""
    return f"memstream-{step}"
