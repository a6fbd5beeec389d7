"""A pytest plugin (`-p tests.clock_reads`) that notes which tests depend on the day: `--clock-reads FILE` writes them,
with what they depend on, where the run came to its end; `--tests-of FILE` runs only those of such a file.

A test depends on the day where it, a fixture that it uses, or a module that it imports, at its import, reads the wall
clock or the machine's time zone, or starts a program, which may read both.
"""

from __future__ import annotations

import ctypes
import datetime
import gc
import json
import multiprocessing.process
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.clocks import importing
from tests.runner.results import split_id

NO_DAY = {
    "_pytest": "how long tests take",
    "hypothesis": "how long examples take",
    "http.cookiejar": "which cookies have expired; none is sent",
    "limits": "windows of ten seconds",
    "logging.LogRecord": "when a line is logged; who formats that time is noted",
    "prometheus_client": "when a metric was made; no test looks at it",
    "uvicorn": "the header `date`",
    "xdist": "how long tests take",
}
"""Readers, by the beginning of their dotted name, of which no outcome of a test depends -> what they read."""
_NO_DAY = tuple(f"{name}." for name in NO_DAY)
_PROGRAMS = {"subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system"}
"""Audit events."""
Fixture = tuple[str, str]
"""Where it is defined, and its name."""


@dataclass(slots=True)
class Reads:
    """What was noted, each with its first reader."""

    tests: dict[str, str] = field(default_factory=dict)
    fixtures: dict[Fixture, str] = field(default_factory=dict)
    modules: dict[str, str] = field(default_factory=dict)
    """That read at their import."""
    test: str = ""
    """The test that runs now."""
    setting_up: list[Fixture] = field(default_factory=list)
    """Fixtures that are being set up now, one for another."""

    def note(self, frame: FrameType | None) -> None:
        """`frame`: of who reads."""
        if frame is None or (reader := _name(frame)).startswith(_NO_DAY):
            return
        if self.test:
            self.tests.setdefault(self.test, reader)
        for fixture in self.setting_up:
            self.fixtures.setdefault(fixture, reader)
        while frame is not None and frame.f_code.co_name != "<module>":
            frame = frame.f_back
        if frame is not None:
            self.modules.setdefault(str(frame.f_globals.get("__name__")), reader)

    def of(self, items: list[pytest.Item]) -> dict[str, str]:
        """Of these tests those that depend on the day, with their reader."""
        found = dict(self.tests)
        modules = {test: why for name, why in self.modules.items() for test in importing(name)} | self.modules
        for item in items:
            whys = [self.fixtures[f] for f in _fixtures(item) if f in self.fixtures]
            whys += filter(None, [modules.get(getattr(item, "module", pytest).__name__)])
            if whys:
                found.setdefault(split_id(item.nodeid)[0], whys[0])
        return found


READS = Reads()
_FOUND = pytest.StashKey[dict[str, str]]()
_WHOLE = pytest.StashKey[bool]()
"""Whether every process of the run has said what it noted."""


def pytest_addoption(parser: pytest.Parser) -> None:
    options = parser.getgroup("memstream")
    options.addoption("--clock-reads", type=Path, help="where to write which tests depend on the day, as JSON")
    options.addoption("--tests-of", type=Path, help="run only the tests that such a file names")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_FOUND], config.stash[_WHOLE] = {}, True
    if config.getoption("--clock-reads"):
        watch(READS.note)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if (path := config.getoption("--tests-of")) is not None:
        wanted = json.loads(path.read_text(encoding="utf-8")).keys()
        others = [item for item in items if split_id(item.nodeid)[0] not in wanted]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if split_id(item.nodeid)[0] in wanted]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    READS.test = split_id(item.nodeid)[0]
    try:
        return (yield)
    finally:
        READS.test = ""


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
    READS.setting_up.append((fixturedef.baseid, fixturedef.argname))
    try:
        return (yield)
    finally:
        READS.setting_up.pop()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Each worker of pytest-xdist has collected all tests: it hands over those that depend on what it has noted."""
    config = session.config
    config.stash[_WHOLE] = config.stash[_WHOLE] and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    if config.getoption("--clock-reads"):
        config.stash[_FOUND].update(READS.of(getattr(session, "items", [])))
        if (output := getattr(config, "workeroutput", None)) is not None:
            output["clock_reads"] = config.stash[_FOUND]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    found = getattr(node, "workeroutput", {}).get("clock_reads")
    node.config.stash[_FOUND].update(found or {})
    node.config.stash[_WHOLE] = node.config.stash[_WHOLE] and found is not None and error is None


def pytest_unconfigure(config: pytest.Config) -> None:
    path: Path | None = config.getoption("--clock-reads")
    if path is not None and config.stash[_WHOLE] and not hasattr(config, "workerinput"):
        path.write_text(json.dumps(config.stash[_FOUND], indent=1, sort_keys=True), encoding="utf-8")


def watch(note: Callable[[FrameType | None], None]) -> None:
    """Calls `note` with the frame of whoever reads the wall clock or the time zone, or starts a program, from now on in
    this process. `date.today` and `datetime.today` ask `time.time`; names that were bound before are not seen."""
    for name in ("time", "time_ns", "localtime", "gmtime", "ctime", "strftime", "mktime"):
        setattr(time, name, _watched(getattr(time, name), note, _given(name)))
    for name in ("clock_gettime", "clock_gettime_ns"):
        setattr(time, name, _watched(getattr(time, name), note, lambda args, _: args[:1] == (time.CLOCK_REALTIME,)))
    moment = datetime.datetime
    _replace(moment, {
        "now": _of_class(moment, "now", note, lambda args, more: True),
        "utcnow": _of_class(moment, "utcnow", note, lambda args, more: True),
        "fromtimestamp": _of_class(moment, "fromtimestamp", note, lambda args, more: not _zones(*args[1:], **more)),
        "astimezone": _watched(
            moment.astimezone, note, lambda args, more: not _zones(*args[1:], **more) or args[0].tzinfo is None
        ),
        "timestamp": _watched(moment.timestamp, note, lambda args, _: args[0].tzinfo is None),
    })  # fmt: skip
    day = datetime.date
    _replace(day, {"fromtimestamp": _of_class(day, "fromtimestamp", note, lambda args, more: True)})
    start = multiprocessing.process.BaseProcess.start
    multiprocessing.process.BaseProcess.start = _watched(start, note, lambda args, _: True)  # type: ignore[method-assign]
    sys.addaudithook(lambda event, _: note(sys._getframe(1)) if event in _PROGRAMS else None)


_When = Callable[[tuple[Any, ...], Mapping[str, Any]], bool]
"""Whether a call with such arguments depends on the clock or the zone."""


def _zones(*args: Any, **more: Any) -> list[Any]:
    """The time zones among arguments."""
    return [zone for zone in (*args, *more.values()) if zone is not None]


def _given(name: str) -> _When:
    """`gmtime` of a time that is given depends on neither."""
    return (lambda args, _: not args) if name == "gmtime" else (lambda args, _: True)


def _watched(function: Callable[..., Any], note: Callable[[FrameType | None], None], when: _When) -> Any:
    def watched(*args: Any, **more: Any) -> Any:
        if when(args, more):
            note(sys._getframe(1))
        return function(*args, **more)

    return watched


def _of_class(owner: type, name: str, note: Callable[[FrameType | None], None], when: _When) -> Any:
    """A class method, for subclasses, too."""
    original = owner.__dict__[name]

    def watched(cls: type, *args: Any, **more: Any) -> Any:
        if when(args, more):
            note(sys._getframe(1))
        return original.__get__(None, cls)(*args, **more)

    return classmethod(watched)


def _replace(owner: type, attributes: Mapping[str, Any]) -> None:
    """Attributes of a type of C, which Python does not let set."""
    (inner,) = gc.get_referents(owner.__dict__)
    inner.update(attributes)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(owner))


def _name(frame: FrameType) -> str:
    return f"{frame.f_globals.get('__name__')}.{frame.f_code.co_qualname}"


def _fixtures(item: pytest.Item) -> Iterator[Fixture]:
    info = getattr(item, "_fixtureinfo", None)
    if info is not None:
        for name, definitions in info.name2fixturedefs.items():
            yield from ((definition.baseid, name) for definition in definitions)
