"""What became of each group of `make verify` at a tree, kept in an ignored folder: rounds are gathered."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from tests.runner.groups import Group
from tests.runner.part import Ran
from tests.runner.process import ROOT

FOLDER = ROOT / ".verify"


class State(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    """Every test was: nothing is shown."""
    ABSENT = "absent"
    """What the group calls is not there, or it has no tests."""
    SET_ASIDE = "set aside"
    """Tests in quarantine: whatever they did."""
    NOT_RUN = "not run"


class Kept(BaseModel):
    """A group's result."""

    model_config = ConfigDict(frozen=True)

    group: str
    state: State
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    when: str = ""
    """UTC, to the second: its end."""
    commit: str = ""
    complaints: tuple[str, ...] = ()
    """What failed, a line each."""
    log: str = ""

    @property
    def tests(self) -> int:
        return self.passed + self.failed + self.skipped

    @property
    def good(self) -> bool:
        return self.state in (State.PASSED, State.ABSENT, State.SET_ASIDE)

    def result(self) -> str:
        """One cell of the table."""
        if self.state is State.FAILED:
            return f"{self.failed} failed"
        skipped = f", {self.skipped} skipped" if self.skipped and self.state is State.PASSED else ""
        return f"{self.state}{skipped}"


def kept(ran: Ran, when: str, commit: str) -> Kept:
    """What is kept of a run."""
    state = State.FAILED if ran.failed else State.PASSED if ran.passed else State.SKIPPED
    complaints = ran.complaints()
    if state is State.SKIPPED:
        reasons = sorted({test.message for test in ran.results.tests.values()}) or ["see its log"]
        complaints = [f"{ran.group.name}: all its tests were skipped: {'; '.join(reasons)}"]
    if ran.group.name == "quarantine":
        state = State.SET_ASIDE
    return Kept(
        group=ran.group.name, state=state, passed=ran.passed, failed=ran.failed, skipped=ran.skipped,
        seconds=round(ran.seconds, 1), when=when, commit=commit, complaints=tuple(complaints), log=str(ran.log),
    )  # fmt: skip


class Store:
    """Results of one tree."""

    def __init__(self, tree: str, folder: Path = FOLDER) -> None:
        self.folder = folder / tree
        self.folder.mkdir(parents=True, exist_ok=True)

    def write(self, result: Kept) -> None:
        self._path(result.group).write_text(result.model_dump_json(indent=1), encoding="utf-8")

    def read(self, group: Group) -> Kept:
        path = self._path(group.name)
        if not path.exists():
            return Kept(group=group.name, state=State.NOT_RUN)
        return Kept.model_validate_json(path.read_text(encoding="utf-8"))

    def _path(self, group: str) -> Path:
        return self.folder / f"{group}.json"
