"""Docs are tests: what the code offers is documented, and what is documented exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memstream.cli.app import application
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


PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
_LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)|\b(?:href|src)=\"([^\"#]*)(?:#([^\"]*))?\"")


def links(text: str) -> Iterator[tuple[str, str]]:
    """Target and anchor of each link that leads to no other site."""
    for markdown, at, html, html_at in _LINK.findall(text):
        target, anchor = markdown or html, at or html_at
        if not target.startswith(("http:", "https:", "mailto:")) and (target or anchor):
            yield target, anchor


def prose(text: str) -> str:
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def anchors(text: str) -> set[str]:
    """What a page's headings are called in links, as GitHub makes it of their words."""
    found: dict[str, int] = {}
    for heading in re.findall(r"^#{1,6} (.+?)\s*#*$", prose(text), re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        found[name] = found.get(name, 0) + 1
    return {f"{name}-{n}" if n else name for name, count in found.items() for n in range(count)}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    dead = []
    for target, anchor in links(prose(page.read_text(encoding="utf-8"))):
        there = page.parent / target if target else page
        if not there.exists():
            dead.append(target)
        elif anchor and there.suffix == ".md" and anchor not in anchors(there.read_text(encoding="utf-8")):
            dead.append(f"{target}#{anchor}")
    assert dead == []


def test_links_and_headings_are_found_as_pages_write_them() -> None:
    assert list(links('[a](x.md) ![b](y.png#z) [c](#d) [e](https://f) <img src="g.png"> <a href="h.md#i">')) == [
        ("x.md", ""), ("y.png", "z"), ("", "d"), ("g.png", ""), ("h.md", "i"),
    ]  # fmt: skip
    page = "# Structured tables (C2, C3)\n## `a` and [b](c.md)\n## Same\n```sh\n# no heading\n```\n## Same\n"
    assert anchors(page) == {"structured-tables-c2-c3", "a-and-b", "same", "same-1"}


def test_every_command_is_on_its_page() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `memstream (.+?)`", page, re.MULTILINE)
    shown = {" ".join(word for word in row.split() if not word.isupper()) for row in rows}
    assert shown == {" ".join(path) for path in leaves(application())}


def leaves(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from leaves(command, (*path, name))
        else:
            yield (*path, name)
