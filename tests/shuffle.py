"""A pytest plugin: `pytest -p tests.shuffle --shuffle SEED` runs the test files in another order, and the tests of each
file in another order. The same seed gives the same order. A test that fails then builds on another one."""

from __future__ import annotations

from itertools import groupby
from random import Random

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("memstream").addoption("--shuffle", type=int, metavar="SEED", help="run in an order of this number")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if (seed := config.getoption("--shuffle")) is not None:
        items[:] = shuffled(items, seed)


def shuffled(items: list[pytest.Item], seed: int) -> list[pytest.Item]:
    """Files stay whole: what they share is set up once."""
    random = Random(seed)
    files = [list(tests) for _, tests in groupby(items, key=lambda item: item.path)]
    random.shuffle(files)
    for tests in files:
        random.shuffle(tests)
    return [test for tests in files for test in tests]
