"""Which group runs when: two side by side, tests of running stacks wait more than they compute, but some alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from tests.runner.groups import Group


def run_all(groups: Sequence[Group], run: Callable[[Group], None], lanes: int = 2) -> None:
    """In their order, as many at a time as there are lanes; one that is alone waits until nothing runs, and is waited
    for. What `run` raises is raised here, when those that run have ended."""
    with ThreadPoolExecutor(lanes) as pool:
        running: set[Future[None]] = set()
        for group in groups:
            room = 0 if group.alone else lanes - 1
            while len(running) > room:
                running = _one_less(running)
            running.add(pool.submit(run, group))
            if group.alone:
                running = _one_less(running)
        while running:
            running = _one_less(running)


def _one_less(running: set[Future[None]]) -> set[Future[None]]:
    done, rest = wait(running, return_when=FIRST_COMPLETED)
    for future in done:
        future.result()
    return rest
