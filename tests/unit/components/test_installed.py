"""What installed packages may declare, and what a package that is broken is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.metadata import EntryPoint

import pytest

from schemas.components import builtin
from schemas.components.installed import BUILT_IN, SINKS, STEPS, ComponentError, read
from schemas.log.topics import BY_NAME, CATALOGUE
from tests.unit.components import declarations

_MODULE = "tests.unit.components.declarations"


def point(name: str, value: str, group: str = STEPS) -> EntryPoint:
    return EntryPoint(name, value if ":" in value else f"{_MODULE}:{value}", group)


def of(*points: EntryPoint) -> Callable[[str], Iterable[EntryPoint]]:
    return lambda group: [p for p in points if p.group == group]


def test_without_packages_there_is_what_the_release_has() -> None:
    assert read(of()) is BUILT_IN
    assert BUILT_IN.steps is builtin.STEPS
    assert BUILT_IN.sinks is builtin.SINKS
    assert [*BUILT_IN.topics.values()] == [*CATALOGUE]


def test_a_step_and_a_sink_of_packages_stand_behind_those_of_the_release() -> None:
    found = read(of(point("fine", "STEP"), point("fine", "SINK", SINKS)))
    assert [*found.steps] == [*builtin.STEPS, "fine"]
    assert [*found.sinks] == [*builtin.SINKS, "fine"]
    assert [*found.topics] == [*BY_NAME, "own.v1"]
    assert found.writers_of(declarations.OWN) == {"fine"}
    assert found.origin(found.steps["fine"]) == "an unnamed package, entry point fine of memstream.steps"
    assert found.origin(found.steps["gate"]) == "memstream's own gate"


@pytest.mark.parametrize(
    ("name", "value", "group", "expected"),
    [
        ("Fine", "STEP", STEPS, "expected a name of [a-z0-9-]"),
        ("fine_", "STEP", STEPS, "expected a name of [a-z0-9-]"),
        ("fine-1", "STEP", STEPS, "each part beginning with a letter"),
        ("f" * 41, "STEP", STEPS, "at most 40 characters"),
        ("sink-fine", "STEP", STEPS, "does not begin with sink-"),
        ("fine-g2", "SINK", SINKS, "end with -g and a number"),
        ("gate", "STEP", STEPS, "expected a name that memstream does not use itself"),
        ("redis", "SINK", SINKS, "expected a name that memstream does not use itself"),
        ("jobs", "STEP", STEPS, "expected a name that memstream does not use itself"),
        ("all", "SINK", SINKS, "expected a name that memstream does not use itself"),
        ("other", "STEP", STEPS, "expected the name other, its declaration says fine"),
        ("fine", "SINK", STEPS, "expected a StepDeclaration, found a SinkDeclaration"),
        ("fine", "NO_DECLARATION", SINKS, "expected a SinkDeclaration, found a dict"),
        ("fine", "MISSING", STEPS, "cannot be imported (AttributeError: "),
        ("fine", "no_such_module:STEP", STEPS, "cannot be imported (ModuleNotFoundError: No module named"),
        ("fine", "UNKNOWN_OUTPUT", STEPS, "reads, writes: expected topics that there are, found own.v1"),
        ("fine", "UNKNOWN_INPUT", STEPS, "reads, writes: expected topics that there are, found nowhere.v1"),
        ("fine", "ALTERED_INPUT", STEPS, "reads, writes: expected topics that there are"),
        ("fine", "TOPIC_OF_OURS", STEPS, "topic conversation.turns.v1: expected a name that no other topic has"),
        ("fine", "TOPIC_NAME", STEPS, "topic Own_v1: expected a Topic whose name is of [a-z0-9.-]"),
        ("fine", "ROOT", STEPS, "topic own.v1: expected root=False"),
        ("fine", "NOBODYS", STEPS, "topic own.v1: expected the kinds of its owners"),
        ("fine", "LETTERS", STEPS, "expected no dead letters"),
        ("fine", "ERASES_ELSEWHERE", STEPS, "erasures_to, erasures_everywhere: expected topics that it writes"),
        ("fine", "ANOTHERS_PROCESS", STEPS, "process: expected memory or nothing"),
        ("fine", "NO_BATCH", STEPS, "batch, cache_bytes: expected more than 0"),
        ("fine", "NO_REFERENCE", STEPS, "expected module:attribute, found 'json.dumps'"),
        ("fine", "UNKNOWN_FEED", SINKS, "feed: expected topics that there are, found nowhere.v1"),
        ("fine", "NO_FEED", SINKS, "feed: expected topics that there are, found none"),
        ("fine", "NO_CONTENTS", SINKS, "expected module:attribute, found 'nothing'"),
    ],
)
def test_what_is_wrong_is_told_with_the_entry_point_and_what_was_expected(
    name: str, value: str, group: str, expected: str
) -> None:
    with pytest.raises(ComponentError) as raised:
        read(of(point(name, value, group)))
    assert expected in str(raised.value)
    assert f"entry point {name} of {group}: " in str(raised.value)


def test_two_packages_cannot_have_one_name() -> None:
    with pytest.raises(ComponentError, match=r"expected a name of its own, and an unnamed package, .* has it"):
        read(of(point("fine", "STEP"), point("fine", f"{_MODULE}:UNKNOWN_OUTPUT")))


def test_what_a_declaration_refers_to_is_imported_when_it_is_asked_for() -> None:
    found = read(of(point("fine", "STEP")))
    assert found.loaded(found.steps["fine"], "json:dumps")([1]) == "[1]"
    with pytest.raises(ComponentError, match=r"entry point fine of memstream\.steps: json:missing cannot be imported"):
        found.loaded(found.steps["fine"], "json:missing")
