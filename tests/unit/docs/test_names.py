"""Names are words for things: no function, class, parameter, variable or file is named by a retired word."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PRODUCT = ("schemas", "messaging", "processors", "inference", "streams", "sinks", "query", "memstream")
PACKAGES = (*PRODUCT, "bench", "evaluation", "examples", "tests", "training")
RETIRED = frozenset({"told", "said", "gone", "stands", "standing", "whose", "meant", "heard", "anew", "door", "doors"})
"""As the names of things. docs/glossary.md has the words to write."""
LEFT: frozenset[str] = frozenset(
    {
        "bench/sealing_cost.py: SAID",
        "evaluation/in_memory.py: STANDING",
        "evaluation/ledger_size.py: told",
        "examples/chat_service.py: Said",
        "inference/pii/handed_secrets.py: _SAID",
        "inference/pii/handed_secrets_zh.py: _SAID",
        "inference/pii/thing_secrets.py: _DOOR",
        "inference/pii/thing_secrets_zh.py: _DOOR",
        "processors/memory/changes/ending.py: _MEANT",
        "processors/memory/changes/ending.py: told",
        "processors/memory/changes/pair.py: told",
        "processors/memory/tables.py: said",
        "processors/reader/rules/ordered_zh.py: _told",
        "processors/reader/rules/patient_clauses_zh.py: _said",
        "processors/reader/rules/patient_clauses_zh.py: told",
        "processors/reader/rules/people_en.py: _meant",
        "processors/reader/rules/people_en.py: heard",
        "processors/reader/rules/read_en.py: heard",
        "processors/reader/rules/rules.py: heard",
        "processors/reader/rules/served_zh.py: heard",
        "processors/reader/rules/worth_en.py: told",
        "processors/reader/rules/worth_zh.py: told",
        "query/models.py: _meant",
        "tests/patience.py: told",
        "tests/unit/erasure/test_eraser.py: said",
        "tests/unit/processors/test_hot_memory.py: told",
        "tests/unit/processors/test_project.py: said",
    }
)
"""Those that are still to be renamed: this list only becomes shorter."""


def names(source: str) -> Iterator[tuple[int, str]]:
    """(line, name) of what a module binds; fields of classes and attributes, which may be stored names, aside."""
    tree = ast.parse(source)
    fields = {id(n) for c in ast.walk(tree) if isinstance(c, ast.ClassDef) for n in c.body}
    stored = {id(n.target) for n in ast.walk(tree) if isinstance(n, ast.AnnAssign) and id(n) in fields}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in stored:
            yield node.lineno, node.id


def retired(source: str) -> list[tuple[int, str]]:
    return [(line, name) for line, name in names(source) if name.strip("_").lower() in RETIRED]


def _files(package: str) -> list[Path]:
    files = sorted((ROOT / package).rglob("*.py"))
    assert files
    return files


@pytest.mark.parametrize("package", PACKAGES)
def test_no_name_is_a_retired_word(package: str) -> None:
    hits = [(str(f.relative_to(ROOT)), *hit) for f in _files(package) for hit in retired(f.read_text(encoding="utf-8"))]
    found = {f"{path}: {name}" for path, _, name in hits}
    assert found == {x for x in LEFT if x.startswith(f"{package}/")}, hits


@pytest.mark.parametrize("package", PACKAGES)
def test_no_file_is_named_by_a_retired_word(package: str) -> None:
    files = [p for p in _files(package) if "migrations" not in p.parts]  # a migration keeps its name
    assert [str(p.relative_to(ROOT)) for p in files if RETIRED & set(p.stem.split("_"))] == []


@pytest.mark.parametrize(
    "line",
    [
        "told = 1",
        "def f(said): ...",
        "class Gone: ...",
        "for _told in x: ...",
        "def heard(): ...",
        "class A:\n    def stands(self): ...",
    ],
)
def test_a_retired_word_as_a_name_is_found(line: str) -> None:
    assert len(retired(line)) == 1


def test_fields_and_longer_names_are_free() -> None:
    assert retired("class A:\n    said: str\n    def untold(self): ...\nretold = x.said\n") == []
