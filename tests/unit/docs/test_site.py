"""The documentation site: every page in the navigation of mkdocs.yml, every link within docs/, a strict build."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.patience import PATIENCE
from tests.unit.docs.test_reference import links, prose

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
TASKS = ["Start", "Use", "Operate", "Extend", "Understand", "Reference", "Decisions"]
GENERATED = {"verification.md"}
"""Pages that a command writes when it is asked to (`not_in_nav` of mkdocs.yml)."""


class _Loader(yaml.SafeLoader):
    """Reads mkdocs.yml without calling what its tags name."""


_Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)


def config() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), _Loader)  # noqa: S506
    return loaded


def pages(nav: list[Any]) -> Iterator[str]:
    """The pages of a navigation, in order."""
    for entry in nav:
        for target in entry.values() if isinstance(entry, dict) else [entry]:
            if isinstance(target, list):
                yield from pages(target)
            else:
                yield target


def test_each_page_is_in_the_navigation_once() -> None:
    there = {str(p.relative_to(DOCS)) for p in DOCS.rglob("*.md")} - GENERATED
    named = Counter(pages(config()["nav"]))
    assert set(named) == there, "add the page to `nav` of mkdocs.yml and to docs/README.md"
    assert [page for page, times in named.items() if times > 1] == []


def test_the_navigation_goes_by_task() -> None:
    assert [name for entry in config()["nav"] for name in entry][1:] == TASKS


def test_each_page_is_reached_from_the_first() -> None:
    """By the tables of docs/README.md, and from there to the decisions and samples."""
    reached, ahead = set[Path](), [DOCS / "README.md"]
    while ahead:
        page = ahead.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        if page.name == "README.md":
            ahead += [(page.parent / t).resolve() for t, _ in links(page.read_text(encoding="utf-8")) if t]
    assert [str(p.relative_to(DOCS)) for p in DOCS.rglob("*.md") if p not in reached and p.name not in GENERATED] == []


def test_no_link_of_a_page_leaves_the_site() -> None:
    """Files beside docs/ are no part of the site: pages name them as code. That targets exist is in test_reference."""
    away = []
    for page in DOCS.rglob("*.md"):
        for target, _ in links(prose(page.read_text(encoding="utf-8"))):
            there = (page.parent / target).resolve()
            if target and (not there.is_relative_to(DOCS) or there.is_dir()):
                away.append((page.name, target))
    assert away == []


_ITEM = re.compile(r"(?:[-*]|\d+\.) ")


def misread(text: str) -> Iterator[tuple[int, str]]:
    """(line, why) of what the generator reads otherwise than a code host does. Blocks stay lines here."""
    fenced = in_list = False
    above = ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            item = _ITEM.match(line) is not None
            if item and above.strip() and not in_list and not above.startswith("#"):
                yield number, "a list begins behind a blank line"
            if re.match(r" {2,3}(?:[-*] |\d+\. )", line):
                yield number, "a list within an item is indented by four"
            elif in_list and not above.strip() and re.match(r" {1,3}\S", line):
                yield number, "a second paragraph of an item is indented by four"
            in_list = item or (in_list and (not line.strip() or line.startswith(" ") or bool(above.strip())))
        above = line


def test_pages_are_read_alike_by_the_site_and_by_a_code_host() -> None:
    found = {p.name: list(misread(p.read_text(encoding="utf-8"))) for p in DOCS.rglob("*.md")}
    assert {page: hits for page, hits in found.items() if hits} == {}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Words:\n- a\n- b", [2]),
        ("Words:\n\n- a\n  goes on\n- b\n\n  more", [7]),
        ("- a\n  - b", [2]),
        ("# H\n- a\nlazy\n- b\n\n    more\n\nText\n\n```text\nx\n- y\n```", []),
    ],
)
def test_what_would_be_misread_is_seen(text: str, lines: list[int]) -> None:
    assert [line for line, _ in misread(text)] == lines


def test_nothing_of_the_site_comes_from_another() -> None:
    theme = config()["theme"]
    assert theme["font"] is False
    assert not {"extra_javascript", "extra_css", "extra"} & config().keys()
    assert [name for plugin in config()["plugins"] for name in plugin] == ["search"]


@pytest.mark.slow
@pytest.mark.skipif(find_spec("material") is None, reason="the extra `docs` is not installed: make docs")
def test_the_site_is_built_strictly_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=3 * PATIENCE)
    assert done.returncode == 0, done.stderr
    for page in tmp_path.rglob("*.html"):
        loaded = re.findall(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=\"(https?:[^\"]+)", page.read_text())
        assert loaded == [], page.name
    index = json.loads((tmp_path / "search" / "search_index.json").read_text(encoding="utf-8"))
    assert index["config"]["lang"] == ["en", "zh"]
    assert re.search(index["config"]["separator"], "喜欢\u200b喝茶")
    assert any("\u200b" in entry["text"] for entry in index["docs"]), "Chinese is not split into words"
