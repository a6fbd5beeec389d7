"""Docs are tests: what the code offers is documented, and what is documented exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memstream.cli import application
from memstream.reference import TABLES, with_table

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("name", TABLES)
def test_reference_tables_are_made_from_what_they_describe(name: str) -> None:
    page = (ROOT / "docs" / TABLES[name][0]).read_text(encoding="utf-8")
    assert page == with_table(page, name), "run `python -m memstream.reference`"


def test_readme_names_only_commands_that_exist() -> None:
    known = set(application().commands)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\.venv/bin/memstream ([a-z]+)", readme))
    assert named
    assert named <= known


def test_links_between_pages_lead_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not target.startswith(("http", "mailto")):
                assert (page.parent / target).exists(), f"{page.name} links to {target}"
