"""What users read is in standard words: no retired word, no requirement code. docs/glossary.md defines our own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from memstream.settings import Settings
from query.answers import TABLE
from query.app import PARTS
from schemas.metrics import METRICS
from tests.unit.docs.test_commands import LEAVES
from tests.unit.docs.words import requirement_codes, retired

ROOT = Path(__file__).resolve().parents[3]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
GENERATED = {"verification.md"}
"""Written by a command, with the names of tests."""
READ = [p for p in PAGES if p.name not in GENERATED]


def texts_of(pages: Iterable[Path]) -> dict[str, str]:
    return {str(p.relative_to(ROOT)): p.read_text(encoding="utf-8") for p in pages}


def test_pages_use_no_retired_word() -> None:
    found = {page: list(retired(text)) for page, text in texts_of(READ).items()}
    assert len(found) > 60
    assert {page: hits for page, hits in found.items() if hits} == {}


def test_pages_name_no_requirement_code() -> None:
    pages = [p for p in READ if p.name != "requirements.md"]
    found = {page: list(requirement_codes(text)) for page, text in texts_of(pages).items()}
    assert {page: hits for page, hits in found.items() if hits} == {}


def test_settings_metrics_and_commands_are_described_in_these_words() -> None:
    texts = {name: field.description or "" for name, field in Settings.model_fields.items()}
    texts |= {m.name: m.help for m in METRICS}
    texts |= {" ".join(path): command.help or "" for path, command in LEAVES.items()}
    texts |= {
        f"{' '.join(path)} {option.name}": getattr(option, "help", None) or ""
        for path, command in LEAVES.items() for option in command.params
    }  # fmt: skip
    found = {name: [*retired(text), *requirement_codes(text)] for name, text in texts.items()}
    assert {name: hits for name, hits in found.items() if hits} == {}


MOST_WORDS = 100
"""Of a paragraph or an item: about five lines of a page."""
LONG = {"reliability.md"}
"""Pages with longer ones, which are still to be broken up."""
_GENERATED = re.compile(r"^ *```.*?^ *```|^<!-- (?!soak)\w+:start -->.*?<!-- \w+:end -->", re.M | re.S)


def test_paragraphs_are_short() -> None:
    """Rows of tables and notes of decisions aside."""
    pages = [p for p in READ if p.is_relative_to(ROOT / "docs") and p.parent.name != "decisions" and p.name not in LONG]
    long = list[tuple[str, str]]()
    for page, text in texts_of(pages).items():
        prose = re.sub(r"^(?:\||#).*\n?", "\n", _GENERATED.sub("", text), flags=re.M)
        parts = re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", prose)
        long += [(page, part[:60]) for part in parts if len(part.split()) > MOST_WORDS]
    assert long == [], f"more than {MOST_WORDS} words"


def glossary() -> list[tuple[str, str]]:
    """(word, meaning) of each row."""
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    return re.findall(r"^\| \[([^\]]+)\]\([^)]+\) \| (.+) \|$", page, re.M)


def test_the_glossary_defines_each_word_once_in_one_sentence() -> None:
    rows = glossary()
    words = [word for word, _ in rows]
    assert len(words) >= 120
    assert sorted(words) == sorted(set(words))
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    assert page.count("\n| [") == len(rows), "each word is a link to the page that says more"
    for word, meaning in rows:
        assert re.fullmatch(r"[^.]+(?:\.\w[^.]*)*\.", meaning), f"{word}: one sentence"
        assert len(meaning) <= 130, f"{word}: one line"


def test_the_changelog_is_short_and_by_release() -> None:
    """Ten lines for what is released; what is not is in groups of as many."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = re.split(r"^## ", changelog, flags=re.M)[1:]
    assert releases
    for release in releases:
        title, _, body = release.partition("\n")
        assert re.fullmatch(r"Unreleased|\d+\.\d+\.\d+ \(\d{4}-\d{2}-\d{2}\)", title), title
        for group in re.split(r"^### ", body, flags=re.M) if title == "Unreleased" else [body]:
            lines = re.findall(r"^- .*", group, re.M)
            assert len(lines) <= 10, f"{title}, {group.splitlines()[0]}"
            assert [line for line in lines if len(line) > 250] == []


def descriptions(of: Any) -> Iterator[str]:
    """Every description and summary of an OpenAPI document or a JSON Schema."""
    if isinstance(of, dict):
        for name, value in of.items():
            if name in ("description", "summary") and isinstance(value, str):
                yield value
            else:
                yield from descriptions(value)
    elif isinstance(of, list):
        for value in of:
            yield from descriptions(value)


def test_the_api_is_described_without_requirement_codes() -> None:
    """Requests by the routes themselves, answers by the models that describe them."""
    app = FastAPI()
    for part in PARTS:
        app.include_router(part.router)
    answers = [model.model_json_schema() for models in TABLE.values() for model in models.values()]
    texts = [*descriptions(app.openapi()), *descriptions(answers)]
    assert len(texts) > 150
    assert [(code, text) for text in texts for _, code in requirement_codes(text)] == []
    assert [text for text in texts if "the seed" in text] == []


def test_schemas_dashboards_and_profiles_name_no_requirement_code() -> None:
    files = [*(ROOT / "schemas" / "published").glob("*.json"), *(ROOT / "docker" / "grafana").rglob("*.json")]
    texts = {p.name: list(descriptions(json.loads(p.read_text(encoding="utf-8")))) for p in files}
    profiles = (ROOT / "profiles").glob("*.toml")
    texts |= {p.name: re.findall(r"^#.*", p.read_text(encoding="utf-8"), re.M) for p in profiles}
    assert len(texts) > 15
    found = {name: [code for text in of for _, code in requirement_codes(text)] for name, of in texts.items()}
    assert {name: codes for name, codes in found.items() if codes} == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The row stands, see `what stands` and [it](doors.md).", ["stands"]),
        ("A stage that\nstood still.\n\n```text\nit stands\n```\n", ["stood"]),
        ("The door of now", ["door", "of now"]),
        ("understands, standard, outdoors, forgone, a withstanding", []),
    ],
)
def test_a_retired_word_is_seen_in_prose_alone(text: str, found: list[str]) -> None:
    assert [word.split(":")[0] for _, word in retired(text)] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Kept for good (C9, N6); A10 and `C9` are none, nor is test_a1 or E5-small.", ["C9", "N6"]),
        ("As D17 says", ["D17"]),
        ("F1 of 0.9, R@10, use D18, K7", []),
    ],
)
def test_a_requirement_code_is_seen(text: str, found: list[str]) -> None:
    assert [code for _, code in requirement_codes(text)] == found
