"""`make verify`: every group at this tree that has not passed yet, a line each while it runs, a table at the end."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec

from tests.runner import page, quarantine
from tests.runner.groups import BY_NAME, GROUPS, Group
from tests.runner.part import Runner
from tests.runner.process import Children, say
from tests.runner.schedule import run_all
from tests.runner.store import Kept, State, Store, kept
from tests.runner.tree import Tree, tree
from tests.runner.verdict import counts

LIMIT = 12 * 3600.0
STRICT = {"TEST_STRICT_WAITS": "1"}
"""A wait over 30 s fails, and an exit of a process that no test asked for (tests/patience.py)."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked for."""

    only: tuple[str, ...] = ()
    """Names of groups; empty: all. A group that is named runs, passed or not."""
    again: bool = False
    """Also what has passed at this tree."""
    long: bool = False
    """The groups of `make verify-long` in place of the others."""
    lanes: int = 2

    def groups(self) -> list[Group]:
        if self.only:
            return [BY_NAME[name] for name in self.only]
        return [group for group in GROUPS if group.long == self.long]


def run(wish: Wish) -> int:
    """The exit status: 0 where every group that was asked for has passed at this tree."""
    here = tree()
    store = Store(here.name)
    groups = wish.groups()
    if faults := quarantine.faults(
        quarantine.entries(quarantine.FILE.read_text(encoding="utf-8")), datetime.now(UTC).date()
    ):
        for fault in faults:
            say(f"FAILED: {fault}")
        return 1
    due = [g for g in groups if wish.again or g.name in wish.only or not store.read(g).good]
    say(f"tree {here.name}: {len(due)} groups to run, {len(groups) - len(due)} have passed already")
    children = Children()
    with children.ended():
        runner = Runner(store.folder, children, time.monotonic() + LIMIT, dict(STRICT))
        run_all(due, lambda group: _one(group, runner, store, here), wish.lanes)
    return _tell([store.read(group) for group in groups])


def all_results(here: Tree) -> list[Kept]:
    """What is known of every group but the long ones at a tree."""
    store = Store(here.name)
    return [store.read(group) for group in GROUPS if not group.long]


def _one(group: Group, runner: Runner, store: Store, here: Tree) -> None:
    if why := _absent(group):
        store.write(Kept(group=group.name, state=State.ABSENT, when=_now(), commit=here.commit))
        say(f"{group.name}: {why}")
        return
    say(f"{group.name}: begins")
    # Its tests have their home where they say; those in quarantine are named one by one.
    tests = sorted(quarantine.ids()) if group.name == "quarantine" else ()
    result = kept(runner.run(group, tests), _now(), here.commit)
    store.write(result)
    say(f"{group.name}: {result.tests} tests, {result.seconds:.0f} s, {result.result()}")


def _absent(group: Group) -> str:
    if group.module and find_spec(group.module) is None:
        return f"there is no {group.module}"
    if group.name == "quarantine" and not quarantine.ids():
        return "no test is in it"
    return ""


def _tell(results: Sequence[Kept]) -> int:
    """The table, what failed, and the sums."""
    say("")
    for line in page.table(results):
        say(line)
    for result in results:
        for complaint in result.complaints:
            say(f"{'QUARANTINE' if result.state is State.SET_ASIDE else 'FAILED'}: {complaint}")
        if result.complaints:
            say(f"  its log: {result.log}")
    counted = [r for r in results if r.state is not State.SET_ASIDE]
    failed = sum(r.failed for r in counted) + sum(r.state is State.SKIPPED for r in results)
    say(counts(sum(r.passed for r in counted), failed, sum(r.skipped for r in counted)))
    return 0 if all(r.good for r in results) else 1


def _now() -> str:
    return f"{datetime.now(UTC):%FT%TZ}"
