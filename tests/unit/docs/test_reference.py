"""Docs are tests: what the code offers is documented, and what is documented exists."""

from __future__ import annotations

import re
from pathlib import Path

import typer.main

from memstream import commands
from memstream.cli import app
from memstream.reference import with_table

ROOT = Path(__file__).resolve().parents[3]


def test_configuration_page_is_made_from_the_settings() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert page == with_table(page)


def test_readme_names_only_commands_that_exist() -> None:
    commands.register(app)
    known = set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
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
