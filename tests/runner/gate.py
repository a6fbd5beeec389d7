"""`make test`: lint beside the unit tests, the smoke tests on running servers, then a second try of what failed."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import UTC, datetime
from pathlib import Path

from tests.runner import again, history
from tests.runner.groups import GATE_UNIT, LINT, SMOKE, SMOKE_AGAIN, Group
from tests.runner.part import Ran, Runner
from tests.runner.process import ROOT, Children, say
from tests.runner.results import Outcome, Results
from tests.runner.tree import tree
from tests.runner.verdict import Verdict, verdict

LIMIT = 2400.0
"""Seconds until the run ends itself, naming what ran."""
FOLDER = ROOT / ".verify" / "test"
UNSTABLE_FILE = "TEST_UNSTABLE_FILE"
"""Names a file for a line each time a stack needed a second start (tests/integration)."""
_TELL_EVERY = 60.0
_KEPT_LOGS = 10


def run(folder: Path = FOLDER) -> int:
    """The exit status: 0 where nothing failed."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    starts = folder / "unstable.txt"
    began = time.monotonic()
    children = Children()
    with children.ended():
        environment = {UNSTABLE_FILE: str(starts)} if UNSTABLE_FILE not in os.environ else {}
        runner = Runner(folder, children, began + LIMIT, environment)
        ran = [*_side_by_side(runner, (GATE_UNIT, LINT)), *_side_by_side(runner, (SMOKE,))]
        refused, tried = _second_try(runner, ran[-1])
        found = _judge(ran, tried, _lines(Path(os.environ.get(UNSTABLE_FILE, starts))), refused)
    say(f"\nafter {time.monotonic() - began:.0f} s; logs and results are in {folder}")
    for line in found.lines():
        say(line)
    return 0 if found.good else 1


def _side_by_side(runner: Runner, groups: Sequence[Group]) -> list[Ran]:
    """Each group's log is printed when it has ended; until then, what it is at."""
    with ThreadPoolExecutor(len(groups)) as pool:
        futures = {pool.submit(runner.run, group): group for group in groups}
        for group in groups:
            say(f"{group.name}: begins")
        waiting = set(futures)
        while waiting:
            done, waiting = wait(waiting, _TELL_EVERY, return_when="FIRST_COMPLETED")
            for future in done:
                _show(future.result())
            if not done:
                for future in waiting:
                    say(_progress(futures[future], runner.results(futures[future])))
        return [future.result() for future in futures]


def _progress(group: Group, results: Results) -> str:
    running = [test.id for test in results.of(Outcome.RUNNING)]
    ended = len(results.tests) - len(running)
    return f"{group.name}: {ended} tests have ended; now {', '.join(running[:4]) or 'none'}"


def _show(ran: Ran) -> None:
    """The log, with the file's end as it was printed."""
    say(f"--- {ran.group.name}: {ran.seconds:.0f} s")
    if ran.log.exists():
        say(ran.log.read_text(encoding="utf-8", errors="replace").rstrip())


def _second_try(runner: Runner, first: Ran) -> tuple[str, list[again.Twice]]:
    """Why there is none, or what came of it. `first`: of the running tests."""
    failed = first.results.of(Outcome.FAILED)
    if not failed:
        return "", []
    if first.fault:
        return "none, since the smoke tests were not run to their end", []
    distinct = again.messages(failed)
    if len(distinct) > again.MOST_MESSAGES:
        return f"none, since {len(distinct)} different errors are no chance", []
    second = Results()
    for number, attempt in enumerate(again.attempts(first.results), 1):
        say(f"second try on a new stack: {', '.join(attempt.tests)}")
        ran = runner.run(SMOKE_AGAIN, attempt.tests, name=f"again-{number}")
        _show(ran)
        second.tests.update(ran.results.tests)
    return "", again.compare(first.results, second)


def _judge(ran: Sequence[Ran], tried: Sequence[again.Twice], starts: Sequence[str], refused: str) -> Verdict:
    """The verdict; what was unstable goes into the history, with the log of its first failure."""
    names = [*(t.id for t in tried if not t.stable), *starts]
    before = history.runs(history.path())
    now = datetime.now(UTC)
    history.add(history.path(), history.Run(when=f"{now:%FT%TZ}", tree=tree().name, unstable=tuple(names)))
    if names:
        _keep(ran[-1].log, history.path().parent / "unstable", f"{now:%Y%m%dT%H%M%SZ}.log")
    return verdict(ran, tried, starts, history.repeated(before, names), refused)


def _keep(log: Path, folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(log, folder / name)
    for old in sorted(folder.glob("*.log"))[:-_KEPT_LOGS]:
        old.unlink()


def _lines(path: Path) -> list[str]:
    if not path.exists():
        return []
    return [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
