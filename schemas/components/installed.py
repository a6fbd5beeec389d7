"""Steps and sinks of installed packages, by their entry points; read once, and only where somebody asks.

A package names its declarations in the groups `memstream.steps` and `memstream.sinks`. What it declares is checked
here: a mistake ends the process with a ComponentError rather than show as a lag or a loss later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from schemas.components import builtin, rules
from schemas.components.declared import Declaration, SinkDeclaration, StepDeclaration
from schemas.log import topics
from schemas.log.topics import Topic

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

STEPS, SINKS = "memstream.steps", "memstream.sinks"
D = TypeVar("D", StepDeclaration, SinkDeclaration)


class ComponentError(Exception):
    """An installed step or sink that cannot be used; the message names package, entry point and what was expected."""


@dataclass(frozen=True, slots=True)
class Components:
    """All that there are, those of this release first. `topics`: the whole catalogue, by name. `events`: the types of
    values, of topics that packages bring. `origins`: whose an installed one is, by the group of its entry point and its
    name."""

    steps: Mapping[str, StepDeclaration] = field(default_factory=lambda: builtin.STEPS)
    sinks: Mapping[str, SinkDeclaration] = field(default_factory=lambda: builtin.SINKS)
    topics: Mapping[str, Topic] = field(default_factory=lambda: topics.BY_NAME)
    events: Mapping[str, Any] = field(default_factory=dict)
    origins: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def writers_of(self, topic: Topic) -> frozenset[str]:
        """The steps whose output a topic takes; none for one that clients alone write."""
        return frozenset(name for name, step in self.steps.items() if topic in step.writes)

    def origin(self, declaration: Declaration) -> str:
        """Whose it is, for an error."""
        group = STEPS if isinstance(declaration, StepDeclaration) else SINKS
        return self.origins.get((group, declaration.name), f"memstream's own {declaration.name}")

    def loaded(self, declaration: Declaration, reference: str) -> Any:
        """What a declaration refers to, imported now. Raises ComponentError."""
        module, _, attribute = reference.partition(":")
        try:
            return getattr(import_module(module), attribute)
        except Exception as exc:
            raise ComponentError(
                f"{self.origin(declaration)}: {reference} cannot be imported ({type(exc).__name__}: {exc}); expected "
                "a module that can be and a function in it"
            ) from exc


BUILT_IN = Components()


@cache
def components() -> Components:
    """Those of this release and of the packages that are installed here. Raises ComponentError."""
    from importlib.metadata import entry_points

    return read(lambda group: entry_points(group=group))


def read(entry_points: Callable[[str], Iterable[EntryPoint]]) -> Components:
    """`entry_points`: those of a group. Raises ComponentError."""
    origins: dict[tuple[str, str], str] = {}
    steps = _declared(entry_points(STEPS), StepDeclaration, BUILT_IN.steps, origins)
    sinks = _declared(entry_points(SINKS), SinkDeclaration, BUILT_IN.sinks, origins)
    if not origins:
        return BUILT_IN
    catalogue, events = dict(BUILT_IN.topics), {}
    for step in steps.values():
        for own in step.topics:
            wrong = rules.of_topic(own.topic, catalogue)
            if wrong is not None:
                raise ComponentError(f"{origins[STEPS, step.name]}: topic {own.topic.name}: {wrong}")
            catalogue[own.topic.name] = own.topic
            events[own.topic.name] = own.events
    found = Components({**BUILT_IN.steps, **steps}, {**BUILT_IN.sinks, **sinks}, catalogue, events, origins)
    installed: list[Declaration] = [*steps.values(), *sinks.values()]
    for declaration in installed:
        wrong = rules.of_declaration(declaration, catalogue)
        if wrong is not None:
            raise ComponentError(f"{found.origin(declaration)}: {wrong}")
    return found


def _declared(
    entry_points: Iterable[EntryPoint], kind: type[D], taken: Mapping[str, D], origins: dict[tuple[str, str], str]
) -> dict[str, D]:
    """By name, in the order of their names."""
    out: dict[str, D] = {}
    for point in sorted(entry_points, key=lambda p: (p.name, p.value)):
        package = "an unnamed package" if point.dist is None else f"package {point.dist.name} {point.dist.version}"
        origin = f"{package}, entry point {point.name} of {point.group}"
        wrong = rules.of_name(point.name, taken)
        if wrong is None and point.name in out:
            wrong = f"expected a name of its own, and {origins[point.group, point.name]} has it"
        if wrong is not None:
            raise ComponentError(f"{origin}: {wrong}")
        out[point.name] = _loaded(point, origin, kind)
        origins[point.group, point.name] = origin
    return out


def _loaded(point: EntryPoint, origin: str, kind: type[D]) -> D:
    try:
        declaration = point.load()
    except Exception as exc:
        raise ComponentError(
            f"{origin}: {point.value} cannot be imported ({type(exc).__name__}: {exc}); expected a {kind.__name__}"
        ) from exc
    if not isinstance(declaration, kind):
        raise ComponentError(f"{origin}: expected a {kind.__name__}, found a {type(declaration).__name__}")
    if declaration.name != point.name:
        raise ComponentError(f"{origin}: expected the name {point.name}, its declaration says {declaration.name}")
    return declaration


def topic_named(name: str) -> Topic:
    """Of the catalogue, or of an installed package. Raises KeyError."""
    found = topics.BY_NAME.get(name)
    return components().topics[name] if found is None else found


def catalogue() -> tuple[Topic, ...]:
    """Every topic: those of this release, then those that packages bring."""
    return tuple(components().topics.values())


def sink_named(name: str) -> SinkDeclaration:
    """Raises KeyError. Packages are asked only for a name that is none of this release."""
    found = builtin.SINKS.get(name)
    return components().sinks[name] if found is None else found
