"""What all tests share: programs that must be there are, and what a run waited for is said at its end."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests import patience
from tests.tools import REQUIRE, missing

SLOW_BY_NATURE = ("crash", "rebuild")
"""Markers of files whose waits may take longer than a calm machine needs elsewhere."""
_EXEMPT = pytest.StashKey[set[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Before anything is collected: a suite that would be skipped where it must run is no success."""
    if absent := missing(os.environ):
        raise pytest.UsageError(f"{REQUIRE}: {'; '.join(absent)}")
    os.environ.pop(REQUIRE, None)  # no setting of memstream: the processes under test would call it misspelt
    config.addinivalue_line("markers", "rebuild: builds stores or a whole system anew; long")
    config.stash[_EXEMPT] = set()
    if "TEST_PATIENCE" in os.environ:
        os.environ.setdefault("PYTEST_TIMEOUT", str(4 * patience.PATIENCE))


def pytest_collection_finish(session: pytest.Session) -> None:
    slow = {i.nodeid.split("::")[0] for i in session.items if any(i.get_closest_marker(m) for m in SLOW_BY_NATURE)}
    session.config.stash[_EXEMPT].update(slow)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """A worker of pytest-xdist hands over what it has recorded."""
    if result := getattr(node, "workeroutput", {}).get("patience"):
        patience.RECORD.add(result)
        node.config.stash[_EXEMPT].update(node.workeroutput["patience_exempt"])


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    config = session.config
    output = getattr(config, "workeroutput", None)
    exempt: set[str] = config.stash[_EXEMPT]
    if output is not None:
        output["patience"] = patience.RECORD.told()
        output["patience_exempt"] = sorted(exempt)
    elif patience.STRICT and session.exitstatus == pytest.ExitCode.OK and _faults(config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    lines = patience.summary(patience.RECORD)
    if patience.STRICT:
        lines += _faults(config)
    if lines:
        terminalreporter.section("patience")
        for line in lines:
            terminalreporter.line(line)


def _faults(config: pytest.Config) -> list[str]:
    exempt = config.stash[_EXEMPT]
    return patience.faults(patience.RECORD, lambda test: test.split("::")[0] in exempt)
