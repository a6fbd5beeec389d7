"""What was unstable in the last runs of `make test`, kept in an ignored folder: a line of JSON a run."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from tests.runner.process import ROOT

FILE = "TEST_HISTORY"
"""Names another file: for runs in folders that do not stay."""
RUNS = 10


class Run(BaseModel):
    """One run."""

    model_config = ConfigDict(frozen=True)

    when: str
    """UTC, to the second."""
    tree: str
    unstable: tuple[str, ...] = ()


def path() -> Path:
    return Path(os.environ.get(FILE) or ROOT / ".verify" / "history.jsonl")


def runs(file: Path) -> list[Run]:
    """The last ones, oldest first."""
    if not file.exists():
        return []
    return [Run.model_validate(json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()][-RUNS:]


def repeated(before: Iterable[Run], unstable: Iterable[str]) -> set[str]:
    """Which of those that are unstable now were so in one of the nine runs before."""
    seen = {name for run in list(before)[-(RUNS - 1) :] for name in run.unstable}
    return seen & set(unstable)


def add(file: Path, run: Run) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    kept = [*runs(file), run][-RUNS:]
    file.write_text("".join(f"{r.model_dump_json()}\n" for r in kept), encoding="utf-8")
