"""Names of the product are words for things: no function, class, parameter or variable is named by a retired word."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PRODUCT = ("schemas", "messaging", "processors", "inference", "streams", "sinks", "query", "memstream")
RETIRED = frozenset({"told", "said", "gone", "stands", "standing", "whose", "meant", "heard", "anew", "door", "doors"})
LEFT: frozenset[str] = frozenset(
    {
        "inference/pii/distant_secrets.py: _SAID",
        "inference/pii/english_gazetteer.py: _stands",
        "inference/pii/opening_codes.py: _DOOR",
        "inference/pii/verb_secrets.py: _SAID",
        "inference/pii/verb_secrets_zh.py: _SAID",
        "memstream/cli/app.py: told",
        "memstream/erasure/log.py: _whose",
        "memstream/keyring/state.py: _SAID",
        "memstream/reprocess/regate_run.py: _heard",
        "processors/memory/certainty.py: meant",
        "processors/memory/index.py: _SAID",
        "processors/memory/summary.py: _told",
        "processors/pii/redacted_values.py: _TOLD",
        "processors/project/week_problems.py: _ANEW",
        "processors/project/week_reading.py: _said",
        "processors/project/weeks.py: stands",
        "processors/reader/rules/answered_zh.py: _stands",
        "processors/reader/rules/beginnings_en.py: _MEANT",
        "processors/reader/rules/dated_zh.py: _told",
        "processors/reader/rules/free_statements_en.py: _MEANT",
        "processors/reader/rules/free_statements_en.py: _standing",
        "processors/reader/rules/instructed_en.py: _meant",
        "processors/reader/rules/irony_zh.py: _meant",
        "processors/reader/rules/life_zh.py: _GONE",
        "processors/reader/rules/making_zh.py: meant",
        "processors/reader/rules/orders_zh.py: _TOLD",
        "processors/reader/rules/others_words_en.py: _SAID",
        "processors/reader/rules/self_contained_zh.py: SAID",
        "processors/reader/rules/self_corrections.py: _meant",
        "processors/reader/rules/self_en.py: _told",
        "processors/reader/rules/statements_zh.py: _whose",
        "processors/reader/rules/withdrawals_en.py: _SAID",
        "processors/reader/rules/wordings.py: _told",
        "processors/screen/answers.py: _WHOSE",
        "query/agents/service.py: whose",
        "query/auth/boundary.py: door",
        "query/deadletters/replay.py: standing",
        "query/models.py: meant",
        "query/prompt/endpoint.py: _STANDING",
        "query/reading/common.py: whose",
        "query/reading/memories.py: _GONE",
        "query/reading/memories.py: standing",
        "query/reading/memories.py: stands",
        "query/views/conditions.py: STANDING",
        "query/views/db.py: _heard",
        "query/views/documents.py: _STANDS",
        "query/views/structured.py: _STANDING",
        "schemas/events/hot_memory.py: _said",
        "schemas/profile/wording.py: SAID",
        "schemas/profile/wording.py: _TOLD",
        "schemas/security/audit.py: _GONE",
        "sinks/collapse.py: _STANDING",
        "sinks/postgres/structured.py: _STANDING",
    }
)
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
