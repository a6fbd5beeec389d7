"""Commands that help texts and pages show are ones that the command line takes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from memstream.cli.app import app, application
from tests.pages import every_block

ROOT = Path(__file__).resolve().parents[3]
APPLICATION = application()
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def _leaves(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _leaves(command, (*path, name))
        else:
            yield (*path, name), command


LEAVES = dict(_leaves(APPLICATION))


def parsed(line: str) -> tuple[str, ...]:
    """The command of `memstream LINE`; raises click's usage error where an option or an argument is none of its."""
    words = shlex.split(line)
    path = next((tuple(words[:n]) for n in (2, 1) if tuple(words[:n]) in LEAVES), None)
    assert path is not None, f"no command: memstream {line}"
    given = words[len(path) :]
    LEAVES[path].make_context(" ".join(path), [w for w in given if w != "--help"])
    return path


@pytest.mark.parametrize("path", LEAVES, ids=" ".join)
def test_every_help_text_has_an_example_that_is_taken(path: tuple[str, ...]) -> None:
    examples = re.findall(r"Example: memstream (.*)", LEAVES[path].help or "")
    assert examples, "the docstring ends with `Example: memstream ...`"
    assert [parsed(e) for e in examples] == [path] * len(examples)


def _blocks(page: Path) -> list[str]:
    """Lines of a page's code blocks that call memstream."""
    found = [b.text for b in every_block([page])]
    lines = "\n".join(found).replace("\\\n", " ").splitlines()
    return [
        call for line in lines for call in re.findall(r"(?:^|; |\$ |/)memstream ([a-z][^;|#>]*)", line.strip())
    ]  # fmt: skip


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_what_a_page_shows_to_type_is_taken(page: Path) -> None:
    for call in _blocks(page):
        parsed(call)


def test_pages_show_commands() -> None:
    assert sum(len(_blocks(page)) for page in PAGES) > 25


def test_the_version_is_told() -> None:
    done = CliRunner().invoke(app, ["--version"])
    assert (done.exit_code, done.stdout.strip()) == (0, version("memstream"))
