"""The topology: every step that is declared, and how it is built."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from processors.parts import Parts
from processors.step import Step
from schemas.components.builtin import STEPS
from schemas.components.declared import StepDeclaration
from schemas.components.installed import BUILT_IN, ComponentError, Components, components
from schemas.log.topics import Topic


@dataclass(frozen=True, slots=True)
class StepSpec:
    """See StepDeclaration. `build` raises ComponentError."""

    build: Callable[[Parts], Step]
    writes: tuple[Topic, ...]
    batch: int = 64
    cache_bytes: int = 32 * 1024 * 1024


def topology(found: Components | None = None) -> dict[str, StepSpec]:
    """The steps of this release and of installed packages, by name. Raises ComponentError."""
    found = found or components()
    return {name: _spec(step, found) for name, step in found.steps.items()}


def _spec(declared: StepDeclaration, found: Components) -> StepSpec:
    return StepSpec(partial(_built, declared, found), declared.writes, declared.batch, declared.cache_bytes)


def _built(declared: StepDeclaration, found: Components, parts: Parts) -> Step:
    """Raises ComponentError for a step that is not what it is declared to be: all others go by the declaration."""
    step: Step = found.loaded(declared, declared.build)(parts)
    pairs = (
        ("name", declared.name, step.name),
        ("source", declared.reads.name, step.source.name),
        ("outputs", _names(declared.writes), _names(step.outputs)),
        ("passes_to of its eraser", _names(declared.erasures_to), _names(getattr(step, "passes_to", ()))),
        ("everywhere of its eraser", _names(declared.erasures_everywhere), _names(getattr(step, "everywhere", ()))),
    )
    for what, expected, is_ in pairs:
        if expected != is_:
            raise ComponentError(f"{found.origin(declared)}: expected {what} {expected}, the step has {is_}")
    return step


def _names(of: tuple[Topic, ...]) -> list[str]:
    return sorted(topic.name for topic in of)


TOPOLOGY: Mapping[str, StepSpec] = {name: _spec(step, BUILT_IN) for name, step in STEPS.items()}
"""The steps of this release."""


def writers_of(topic: Topic) -> frozenset[str]:
    """The steps whose output a topic takes; none for one that clients alone write."""
    return components().writers_of(topic)


def group_of(step: str) -> str:
    """The consumer group of a step: one app and group a step."""
    return f"memstream-{step}"


__all__ = ["TOPOLOGY", "ComponentError", "Parts", "StepSpec", "group_of", "topology", "writers_of"]
