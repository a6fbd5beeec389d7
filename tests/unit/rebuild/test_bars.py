"""What the commands that do it again show while they run: how far, how long yet, and a full bar at the end."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console

from memstream.cli.rebuild import Bars, Phases


def shown(output: io.StringIO) -> str:
    return output.getvalue().rstrip().splitlines()[-1]


def console(output: io.StringIO) -> Console:
    return Console(file=output, width=120)


def test_a_bar_is_full_when_all_was_read_though_the_last_came_meanwhile() -> None:
    output = io.StringIO()
    with Bars(console(output)) as bars:
        bars.left("postgres", 15_164, 60, 1.0)
        bars.step("postgres", "comparing generations 1 and 2")
        bars.full("postgres")
        bars.step("postgres", "generation 2 is read from now on")
    assert "15164/15164 generation 2 is read from now on" in shown(output)


def test_an_empty_log_is_no_bar_without_an_end() -> None:
    output = io.StringIO()
    with Bars(console(output)) as bars:
        bars.left("redis", 0, 0, 0.0)
        bars.full("redis")
    assert "0/0" in shown(output)


def test_each_phase_has_its_own_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 10.0, 20.0, 24.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    seen: list[tuple[str, int, float | None]] = []

    class RecordingBars(Bars):
        def left(self, store: str, total: int, left: int, seconds: float | None, what: str = "") -> None:
            seen.append((what, left, seconds))

    phases = Phases(RecordingBars(console(io.StringIO())), "rescreen")
    for what, left in (("rescreening", 8), ("rescreening", 6), ("looking again", 8), ("looking again", 4)):
        phases(what, 8, left)
    assert seen == [
        ("rescreening", 8, None), ("rescreening", 6, 30.0), ("looking again", 8, None), ("looking again", 4, 4.0),
    ]  # fmt: skip


def test_the_time_left_is_said_beside_what_is_done() -> None:
    output = io.StringIO()
    with Bars(console(output)) as bars:
        bars.left("rescreen", 8, 6, 90.0, "rescreening")
    assert "2/8" in shown(output)
    assert "rescreening, about 1 min 30 s left" in shown(output)
