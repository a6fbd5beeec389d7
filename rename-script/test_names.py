"""Names of the product are words for things: no function, class, parameter or variable is named by a retired word."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PRODUCT = ("schemas", "messaging", "processors", "inference", "streams", "sinks", "query", "memstream")
RETIRED = frozenset({"told", "said", "gone", "stands", "standing", "whose", "meant", "heard", "anew", "door", "doors"})
LEFT: frozenset[str] = frozenset()
"""Those that are still to be renamed: this list only becomes shorter."""
MODULES = RETIRED | {"alone", "given", "shortly", "together"}
"""Words that no file is named by either."""


def names(source: str) -> Iterator[tuple[int, str]]:
    """(line, name) of what a module binds; fields of classes and attributes, which may be stored names, aside."""
    tree = ast.parse(source)
    fields = {id(n) for c in ast.walk(tree) if isinstance(c, ast.ClassDef) for n in c.body}
    stored = {id(n.target) for n in ast.walk(tree) if isinstance(n, ast.AnnAssign) and id(n) in fields}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and id(node) not in fields:
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in stored:
            yield node.lineno, node.id


def retired(source: str) -> list[tuple[int, str]]:
    return [(line, name) for line, name in names(source) if name.strip("_").lower() in RETIRED]


@pytest.mark.parametrize("package", PRODUCT)
def test_no_name_of_the_product_is_a_retired_word(package: str) -> None:
    files = sorted((ROOT / package).rglob("*.py"))
    assert files
    hits = [(str(f.relative_to(ROOT)), *hit) for f in files for hit in retired(f.read_text(encoding="utf-8"))]
    assert {f"{path}: {name}" for path, _, name in hits} == {x for x in LEFT if x.startswith(f"{package}/")}


@pytest.mark.parametrize("package", PRODUCT)
def test_no_file_of_the_product_is_named_by_a_retired_word(package: str) -> None:
    files = [p for p in (ROOT / package).rglob("*.py") if "migrations" not in p.parts]
    assert [str(p.relative_to(ROOT)) for p in files if MODULES & set(p.stem.split("_"))] == []


@pytest.mark.parametrize(
    "line", ["told = 1", "def f(said): ...", "class Gone: ...", "for _told in x: ...", "def heard(): ..."]
)
def test_a_retired_word_as_a_name_is_seen(line: str) -> None:
    assert len(retired(line)) == 1


def test_fields_and_longer_names_are_free() -> None:
    assert retired("class A:\n    said: str\n    def told(self): ...\nuntold = x.said\n") == []
