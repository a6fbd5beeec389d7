"""What holds today holds on any day: no fixed date is a real server's clock, and who reads the clock is known."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import calendar_days
from tests.calendar_days import DAYS, Day, DayResult, command
from tests.clocks import OTHERS, PRODUCT, ROOT, _module, modules, on_calendar, trees
from tests.runner.process import Children, Ended
from tests.runner.results import Outcome, Result, Results

DATING = {"timestamp", "timestamp_ms"}
"""Arguments by which a Kafka client dates a record."""
SENDING = {"produce", "send", "send_and_wait"}
DATED: dict[str, str] = {
    "memstream/grown_logs.py": "what is sent again keeps the time that the broker had given it: erasures go by that",
}
"""File -> why its records carry a time of their own. Retention counts by it: a fixed one is older than the topic keeps
records on some day, and then the broker deletes it before anybody reads it."""
READ_CLOCK = {
    "memstream.erasure.roll": "when the cleaning of segments began",
    "memstream.erasure.worker": "the clock of the process, which the eraser is given",
    "memstream.evaluation.retrieval": "a name for a run",
    "memstream.keys": "keys end by the wall clock; behind a command",
    "memstream.reprocess.amending": "when a run began: the time of all that it amends",
    "memstream.reprocess.regate_run": "a time for records in memory, which nobody reads",
    "query.agents.tools": "the default of `clock`",
    "query.deps": "the default of `clock`",
    "query.limits": "the end of a window of the library, which counts by the wall clock",
    "sinks.clock": "the default of `now`",
    "streams.suspects": "the default of a clock, for tests",
}
"""Product modules that read the system's clock, and what for. Any other takes a clock as an argument; commands and the
processes' own main modules (memstream.cli, memstream.workers) are where it comes from."""
FRONT = ("memstream.cli.", "memstream.workers.")
_DATE = re.compile(r"\b20[0-9]{2}-[01][0-9]-[0-3][0-9]")


def dating_calls(tree: ast.AST) -> Iterator[int]:
    """Lines on which a record is sent with a time of its own, or with arguments that cannot be seen."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SENDING:
            keywords = {k.arg for k in node.keywords}
            hidden = None in keywords and node.func.attr == "produce"
            sixth = node.func.attr == "produce" and len(node.args) > 5
            if keywords & DATING or hidden or sixth:
                yield node.lineno


def fixed_dates(tree: ast.AST) -> Iterator[int]:
    """Lines with a date of this century that says its year."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            first = node.args[0] if node.args else None
            if name in ("datetime", "date") and isinstance(first, ast.Constant):
                yield node.lineno
        elif isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            text = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
            if _DATE.search(text):
                yield node.lineno


def test_no_record_is_sent_to_a_broker_under_a_time_of_its_own() -> None:
    senders = trees(*PRODUCT, *OTHERS, word="|".join(SENDING))
    found = {path: list(lines) for path, tree in senders if (lines := list(dating_calls(tree)))}
    assert found.keys() == DATED.keys(), found


@pytest.mark.parametrize(
    "call",
    [
        "producer.produce(t, v, timestamp=at)", "self._producer.produce(t, v, k, p, done, at)",
        "producer.produce(t, **more)", "producer.send(t, v, timestamp_ms=at)",
    ],
)  # fmt: skip
def test_a_record_that_is_dated_is_seen(call: str) -> None:
    assert list(dating_calls(ast.parse(call))) == [1]
    assert list(dating_calls(ast.parse("producer.produce(t, v, k, p, done, headers=h)"))) == []


def test_fixed_dates_of_the_running_tests_come_from_one_place() -> None:
    """tests/dates.py, which moves them; the sinks' events are theirs, too."""
    events = ROOT / "tests/unit/sinks/events.py"
    running = [*trees("tests/integration", "tests/crash"), (events.name, ast.parse(events.read_text(encoding="utf-8")))]
    found = {path: list(lines) for path, tree in running if (lines := list(fixed_dates(tree)))}
    assert found == {}


DATES = "datetime(2026, 1, 2)", "datetime.date(2026, 1, 2)", "'at 2026-01-02'", "b'2026-01-02'"


@pytest.mark.parametrize("text", DATES)
def test_a_fixed_date_is_seen(text: str) -> None:
    assert list(fixed_dates(ast.parse(text))) == [1]
    assert list(fixed_dates(ast.parse("datetime(*parts), datetime.now(UTC), fixed(2026, 1, 2), '2026'"))) == []


def test_fixed_dates_go_back_together_and_mondays_stay_mondays() -> None:
    request = "from tests.dates import *; print(fixed(2026, 11, 21, 8), fixed_monday(2026, 11, 2).strftime('%F %a'))"
    fields = {
        back: subprocess.run(
            [sys.executable, "-c", request], env={"TEST_DAYS_BACK": back, "LC_ALL": "C"}, cwd=ROOT, check=True,
            capture_output=True, text=True,
        ).stdout
        for back in ("0", "400")
    }  # fmt: skip
    assert fields["0"] == "2026-11-21 08:00:00+00:00 2026-11-02 Mon\n"
    assert fields["400"] == "2025-10-17 08:00:00+00:00 2025-09-29 Mon\n"


def test_product_modules_that_read_the_clock_are_known() -> None:
    product = {n: m for n, m in modules().items() if n.split(".")[0] in PRODUCT and not n.startswith(FRONT)}
    assert {n: m.clock_lines for n, m in product.items() if m.clock_lines}.keys() == READ_CLOCK.keys()


@pytest.mark.parametrize(
    "text",
    [
        "from datetime import datetime\nf(datetime.now)", "import datetime\ndatetime.datetime.now()",
        "import datetime as d\nd.date.today()", "from datetime import datetime as moment\nmoment.utcnow()",
        "from time import time\ntime()", "from time import time_ns as now\nf(clock=now)",
        "import time as t\nt.time()",
    ],
)  # fmt: skip
def test_a_clock_is_seen_under_any_name(text: str) -> None:
    assert _module(text, frozenset()).clock_lines == (2,)


def test_what_is_no_clock_is_not_seen() -> None:
    text = "from time import monotonic\nimport time\nmonotonic(), time.monotonic(), event.time, datetime(2026, 1, 1)"
    assert not _module(text, frozenset()).reads_clock


def test_tests_that_read_a_clock_are_found_through_what_they_import() -> None:
    found = on_calendar()
    assert "tests.unit.query.test_tokens" in found, "it reads the clock itself"
    assert "tests.unit.query.test_lag" in found
    assert "tests.unit.sinks.test_worker" in found, "sinks.clock, which its subject imports"
    assert "tests.unit.docs.test_ci" in found, "it starts programs"
    assert "tests.unit.test_timeexpr" not in found, "its subject is given every time"


def test_days_are_what_a_calendar_breaks(tmp_path: Path) -> None:
    whole = [d for d in DAYS if d.whole]
    assert [d.moment for d in whole] == ["+400 days"]
    line = command(whole[0], "/usr/bin/faketime", tmp_path, {})
    assert line[:2] == ["/usr/bin/faketime", "+400 days"]
    assert [word for word in line if word.startswith("tests/")] == ["tests/unit"]
    assert "-m" not in line[4:], "the slow ones, too"


def test_other_days_have_the_files_that_can_come_to_a_clock(tmp_path: Path) -> None:
    line = command(Day("x", "2028-02-29 12:00:00"), "/usr/bin/faketime", tmp_path, {})
    given = {word for word in line if word.startswith("tests/")}
    assert "tests/unit/query/test_lag.py" in given
    assert "tests/unit/test_timeexpr.py" not in given
    assert all((ROOT / path).is_file() for path in given)
    assert calendar_days.SAME_ON_ANY_DAY.keys() < on_calendar()
    assert len(given) == len(on_calendar()) - len(calendar_days.SAME_ON_ANY_DAY)


def of_day(code: int = 0, late: bool = False, **outcomes: Outcome) -> DayResult:
    tests = {name: Result(name, "", outcome, message="assert 1") for name, outcome in outcomes.items()}
    return DayResult(Ended(code, 1.0, late), Results(tests), ["boom"])


def test_a_day_has_passed_where_all_tests_have() -> None:
    passed, failed, running = Outcome.PASSED, Outcome.FAILED, Outcome.RUNNING
    assert of_day(a=passed).passed
    assert not of_day().passed, "nothing is shown"
    done = of_day(1, a=passed, b=failed)
    assert (done.passed, done.complaints()) == (False, ["FAILED b: assert 1"])
    late = of_day(-2, late=True, a=passed, c=running)
    assert (late.passed, late.complaints()) == (False, ["not done after 1 seconds; c still ran"])
    assert of_day(3).complaints() == ["boom"]
    assert calendar_days.line(DAYS[0], done).splitlines()[0].endswith("1 passed, 1 failed in 1 s: FAILED (status 1)")


def test_a_day_that_takes_too_long_ends_with_all_that_it_has_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`faketime` waits for pytest in another process: when it alone was ended, pytest ran on, and was waited for."""
    program = tmp_path / "faketime"
    program.write_text("#!/bin/sh\nsleep 3600 & wait\n")
    program.chmod(0o700)
    monkeypatch.setattr(calendar_days, "DAY_SECONDS", 0.5)
    children = Children()
    with children.ended():
        result = calendar_days.run(DAYS[1], str(program), tmp_path / "no-library.so", children, {})
    assert (result.passed, result.ended.late) == (False, True)
    assert "not done after" in result.complaints()[0]


def test_without_faketime_or_a_compiler_the_skip_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    program = tmp_path / "faketime"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    for path in ("", str(tmp_path)):
        monkeypatch.setenv("PATH", path)
        assert calendar_days.report([]) == 0
    statement = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in statement] == ["SKIPPED calendar", "calendar"] * 2
    assert statement[-1] == f"calendar: 0 passed, 0 failed, {len(DAYS)} skipped"


def test_a_day_that_is_none_is_refused() -> None:
    with pytest.raises(SystemExit, match="no such day: yesterday"):
        calendar_days.report(["yesterday"])
