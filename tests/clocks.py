"""Which modules read the system's clock, and which unit tests can come to one through what they import: those run
on other days, too (tests/calendar_days.py)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ("schemas", "messaging", "processors", "inference", "streams", "sinks", "query", "memstream")
OTHERS = ("tests", "bench", "evaluation", "examples")
_CLOCKS = {
    ("datetime", "now"), ("datetime", "today"), ("datetime", "utcnow"), ("date", "today"), ("time", "time"),
    ("time", "time_ns"), ("time", "localtime"), ("time", "gmtime"), ("time", "strftime"), ("time", "ctime"),
}  # fmt: skip
"""What tells the day. `time.monotonic` does not."""
_MAY_READ = re.compile(
    r"\b(?:datetime|date|time)\W+(?:now|today|utcnow|\w*time\w*)\b|from time import|\b(?:datetime|date|time) as "
)
"""What a text has that reads a clock, as `datetime.now`, or gives one another name: few have, and the others'
expressions need no look."""


@dataclass(frozen=True, slots=True)
class Module:
    """`imports`: modules of ours by name, those imported within functions included. `clock_lines`: where the clock is
    read or handed on. `runs_programs`: it imports subprocess, and what it starts may read the clock."""

    imports: frozenset[str]
    clock_lines: tuple[int, ...]
    runs_programs: bool

    @property
    def reads_clock(self) -> bool:
        return bool(self.clock_lines) or self.runs_programs


def trees(*folders: str, word: str = "") -> Iterator[tuple[str, ast.Module]]:
    """(path from the root, syntax tree) of every Python file in these folders in which a word (a regular expression)
    stands."""
    for path in _files(folders):
        text = path.read_text(encoding="utf-8")
        if re.search(word, text):
            yield path.relative_to(ROOT).as_posix(), ast.parse(text)


def _files(folders: Iterable[str]) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


@lru_cache(maxsize=1)
def modules() -> Mapping[str, Module]:
    """Every module of ours, by dotted name."""
    files = {_name(path.relative_to(ROOT).as_posix()): path for path in _files((*PRODUCT, *OTHERS))}
    return {name: _module(path.read_text(encoding="utf-8"), files.keys()) for name, path in files.items()}


def on_calendar() -> frozenset[str]:
    """Modules of unit tests from which a read of the clock can be reached."""
    known = modules()
    tests = [n for n in known if n.startswith("tests.unit.") and n.rpartition(".")[2].startswith("test_")]
    return frozenset(n for n in tests if any(known[m].reads_clock for m in _reached(n, known)))


@lru_cache(maxsize=1)
def _tests_reach() -> Mapping[str, frozenset[str]]:
    """Modules of unit tests -> what their import brings, the conftest.py above all of them included."""
    known = modules()
    above = frozenset(m for n in ("tests.conftest", "tests.unit.conftest") for m in _reached(n, known))
    tests = [n for n in known if n.startswith("tests.unit.") and n.rpartition(".")[2].startswith("test_")]
    return {name: above | _reached(name, known) for name in tests}


def importing(name: str) -> list[str]:
    """Modules of unit tests that import a module, at some remove."""
    return [test for test, reached in _tests_reach().items() if name in reached]


def _reached(name: str, known: Mapping[str, Module]) -> set[str]:
    """The module, the conftest.py of its folders below tests/unit, and all that they import."""
    folders = name.split(".")[:-1]
    conftests = [".".join([*folders[:n], "conftest"]) for n in range(3, len(folders) + 1)]
    seen: set[str] = set()
    todo = [name, *(c for c in conftests if c in known)]
    while todo:
        here = todo.pop()
        if here not in seen:
            seen.add(here)
            todo += known[here].imports
    return seen


def _name(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _module(text: str, known: Set[str]) -> Module:
    tree = ast.parse(text)
    imports: set[str] = set()
    for node in _statements(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for name in node.names:
                imports |= {node.module, f"{node.module}.{name.name}"}
        elif isinstance(node, ast.Import):
            imports |= {name.name for name in node.names}
    lines = tuple(_clock_lines(tree)) if _MAY_READ.search(text) else ()
    return Module(frozenset(imports & known), lines, "subprocess" in imports)


def _clock_lines(tree: ast.Module) -> Iterator[int]:
    """Under whatever name the module knows the clock."""
    names = {
        name.asname or name.name: name.name
        for node in _statements(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in node.names
    }
    functions = {
        name.asname or name.name
        for node in _statements(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "time"
        for name in node.names
        if ("time", name.name) in _CLOCKS
    }
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if (names.get(owner, owner), name) in _CLOCKS:
                yield node.lineno
            case ast.Attribute(value=ast.Attribute(attr=owner), attr=name) if (owner, name) in _CLOCKS:
                yield node.lineno
            case ast.Name(id=name, ctx=ast.Load()) if name in functions:
                yield node.lineno


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """All statements, those within functions and branches included: their expressions, the most of a tree, are not
    looked at."""
    for block in ("body", "orelse", "finalbody", "handlers", "cases"):
        for inner in getattr(node, block, ()):
            if isinstance(inner, ast.stmt):
                yield inner
            yield from _statements(inner)
