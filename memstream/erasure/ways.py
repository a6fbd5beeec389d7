"""The ways on which an erasure reaches stores, and so the places that have to confirm it; all by the declarations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from schemas.components.declared import StepDeclaration
from schemas.components.installed import Components
from schemas.log import topics


class Way(NamedTuple):
    """Through which topic, from which step. `everywhere`: it comes in every partition, not in the owner's alone."""

    store: str
    topic: str
    stage: str
    everywhere: bool


def ways(found: Components) -> tuple[Way, ...]:
    """One for each topic that a store reads and each step that hands erasures on into it."""
    reached = _reached(found.steps)
    return tuple(
        Way(store, topic, step.name, reached[step.reads.name])
        for store, sink in found.sinks.items()
        for topic in sink.feed.topics
        for step in found.steps.values()
        if step.reads.name in reached and topic in _names(step)
    )


def _reached(steps: Mapping[str, StepDeclaration]) -> dict[str, bool]:
    """Topics into which erasures come, and whether in every partition: from where they are accepted on, through the
    steps that hand them on."""
    reached = {topics.TURNS.name: False}
    while True:
        before = dict(reached)
        for step in steps.values():
            if step.reads.name not in reached:
                continue
            for topic in step.erasures_to:
                reached[topic.name] = reached.get(topic.name, False) or reached[step.reads.name]
            for topic in step.erasures_everywhere:
                reached[topic.name] = True
        if reached == before:
            return reached


def _names(step: StepDeclaration) -> Iterable[str]:
    return [topic.name for topic in (*step.erasures_to, *step.erasures_everywhere)]
