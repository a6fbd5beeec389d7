"""A pytest plugin (`-p tests.runner.plugin`): the tests of one group only, and a file of what became of each."""

from __future__ import annotations

from pathlib import Path
from typing import IO

import pytest

from tests.runner.groups import Collected, home
from tests.runner.results import Event, Outcome, split_id


def pytest_addoption(parser: pytest.Parser) -> None:
    options = parser.getgroup("memstream")
    options.addoption("--group", help="only the tests of this group of `make verify`")
    options.addoption("--results", type=Path, help="where to write what becomes of each test, a JSON line an event")
    options.addoption("--collected", type=Path, help="where to write the collected tests, a JSON line each")


def pytest_configure(config: pytest.Config) -> None:
    path: Path | None = config.getoption("--results")
    if path is not None and not hasattr(config, "workerinput"):  # a worker of pytest-xdist reports to its controller
        config.pluginmanager.register(Recorder(path), "memstream-recorder")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if name := config.getoption("--group"):
        others = [item for item in items if home(collected(item)) != name]
        if others:
            config.hook.pytest_deselected(items=others)
            items[:] = [item for item in items if home(collected(item)) == name]


def pytest_collection_finish(session: pytest.Session) -> None:
    path: Path | None = session.config.getoption("--collected")
    if path is not None and not hasattr(session.config, "workerinput"):
        path.write_text("".join(f"{collected(item).model_dump_json()}\n" for item in session.items), encoding="utf-8")


def collected(item: pytest.Item) -> Collected:
    return Collected(id=split_id(item.nodeid)[0], marks=sorted({m.name for m in item.iter_markers()}))


class Recorder:
    """Writes each event as it comes, so that a run that is killed says what ran."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file: IO[str] = path.open("w", encoding="utf-8")

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._write(nodeid, Outcome.RUNNING)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # What a worker reports that ended in the middle of a test has no phase of its own.
        self._write(report.nodeid, _outcome(report), str(report.when), report.duration, _message(report))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._write(report.nodeid, Outcome.FAILED, "collection", 0.0, _message(report))

    def pytest_unconfigure(self) -> None:
        self._file.close()

    def _write(self, nodeid: str, outcome: Outcome, phase: str = "", seconds: float = 0.0, message: str = "") -> None:
        test, stack = split_id(nodeid)
        event = Event(id=test, stack=stack, outcome=outcome, phase=phase, seconds=seconds, message=message)
        self._file.write(f"{event.model_dump_json()}\n")
        self._file.flush()


def _outcome(report: pytest.TestReport) -> Outcome:
    if report.failed:
        return Outcome.FAILED
    if report.skipped:
        return Outcome.SKIPPED
    return Outcome.PASSED


def _message(report: pytest.TestReport | pytest.CollectReport) -> str:
    """The first line of what was raised."""
    if report.passed:
        return ""
    if isinstance(report.longrepr, tuple):  # a skip: file, line, reason
        return str(report.longrepr[2]).partition("\n")[0]
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash is not None else report.longreprtext.strip().rpartition("\n")[2]
    return str(text).partition("\n")[0][:300]
