"""Tests that stayed unstable after an honest day's search (tests/quarantine.toml): at most 5, for at most 14 days."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from datetime import date, timedelta
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

FILE = Path(__file__).parents[1] / "quarantine.toml"
MOST = 5
DAYS = 14
NEVER = ("tests/crash", "tests/integration/sealed", "test_tenants", "erasure", "power_cut", "_is_lost", "doubled")
"""Parts of ids of tests about loss, doubling, erasure and tenants' walls: those are mended, never set aside."""


class Quarantined(BaseModel):
    """One entry, `[[test]]`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    since: date
    cause: str
    """What is known of it."""
    log: str
    """The first failure, its error and the lines around it."""


def entries(text: str) -> tuple[Quarantined, ...]:
    return tuple(Quarantined.model_validate(entry) for entry in tomllib.loads(text).get("test", ()))


@cache
def ids() -> frozenset[str]:
    return frozenset(entry.id for entry in entries(FILE.read_text(encoding="utf-8")))


def faults(tests: Iterable[Quarantined], today: date) -> list[str]:
    """What is wrong with the list, a sentence each."""
    tests = list(tests)
    found = [f"{len(tests)} tests are in quarantine, {MOST} may be"] if len(tests) > MOST else []
    for test in tests:
        if today - test.since > timedelta(days=DAYS):
            found.append(f"{test.id} is in quarantine since {test.since}, {DAYS} days are allowed: mend it")
        if any(word in test.id for word in NEVER):
            found.append(f"{test.id} is about loss, doubling, erasure or tenants' walls: it cannot be set aside")
        if not test.cause.strip() or not test.log.strip():
            found.append(f"{test.id} has no cause or no log")
    return found
