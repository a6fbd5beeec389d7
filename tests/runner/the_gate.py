"""`make test-the-gate`: each break of tests/runner/breaks.py, alone in a copy, must turn the smoke tests red."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.runner.breaks import BREAKS, Break
from tests.runner.part import PLUGIN
from tests.runner.process import ROOT, Children, Ended, say
from tests.runner.results import Outcome, read
from tests.runner.tree import git

LIMIT = 900.0
"""Seconds a break has: a start, and a test that waits in vain."""
PATIENCE = {"TEST_PATIENCE": "0.25"}
"""A test that waits for what is broken need not wait long (tests/patience.py)."""
_FOLDER = ROOT / ".verify" / "breaks"


class NoPlaceError(ValueError):
    """The line that a break replaces is not there, or there more than once."""


def broken(text: str, change: Break) -> str:
    """The file's text with the break in it; raises NoPlaceError."""
    if (found := text.count(change.line)) != 1:
        raise NoPlaceError(f"{change.name}: {change.file} holds {change.line!r} {found} times, not once")
    return text.replace(change.line, change.instead)


def copy(to: Path, root: Path = ROOT) -> None:
    """The files of the tree, those that are not committed included; the environment is the original's."""
    listed = git(root, "ls-files", "--cached", "--others", "--exclude-standard", "-z").split("\0")
    for name in filter(None, listed):
        source = root / name
        if source.is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, to / name)
    (to / ".venv").symlink_to(Path(sys.prefix))


def red(ended: Ended, failed: int) -> bool:
    """Tests ran and one of them failed: an error of collection or a run that was cut off shows nothing."""
    return ended.code == 1 and failed > 0 and not ended.late


def run(only: Sequence[str] = ()) -> int:
    """The exit status: 0 where every break that was asked for was seen."""
    changes = [change for change in BREAKS if not only or change.name in only]
    if unknown := set(only) - {change.name for change in BREAKS}:
        say(f"no such break: {', '.join(sorted(unknown))}; there are {', '.join(c.name for c in BREAKS)}")
        return 2
    _FOLDER.mkdir(parents=True, exist_ok=True)
    children, seen = Children(), 0
    with children.ended():
        for change in changes:
            seen += _one(change, children)
    say(f"red for {seen} of {len(changes)}")
    return 0 if seen == len(changes) else 1


def _one(change: Break, children: Children) -> bool:
    """Whether the smoke tests that are about it see the break."""
    log, results = _FOLDER / f"{change.name}.log", _FOLDER / f"{change.name}.jsonl"
    for old in (log, results):
        old.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="memstream-break-") as folder:
        place = Path(folder)
        copy(place)
        file = place / change.file
        file.write_text(broken(file.read_text(encoding="utf-8"), change), encoding="utf-8")
        words = ["python", "-m", "pytest", *change.tests, "-x", "-p", "no:cacheprovider", *PLUGIN]
        ended = children.run(
            [*words, "--results", str(results)], log, time.monotonic() + LIMIT,
            # Before what is installed, which is the original.
            {**PATIENCE, "PYTHONPATH": str(place), "PYTHONDONTWRITEBYTECODE": ""}, place,
        )  # fmt: skip
    failed = read(results).of(Outcome.FAILED)
    seen = red(ended, len(failed))
    result = failed[0].id if failed else f"pytest ended with {ended.code}, see {log}"
    say(f"{change.name}: {'red' if seen else 'NOT SEEN'}, {ended.seconds:.0f} s: {result}")
    return seen
