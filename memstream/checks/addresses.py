"""Before anything is started: do the servers answer whose addresses are given?"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from memstream.checks.result import CheckResult, Status
from memstream.checks.run import run_checks
from memstream.settings import Settings

_STORES = ("kafka", "postgres", "redis", "milvus")


class AddressError(Exception):
    """Servers that are given and of no use; the message names each with its remedy."""


def check_given(settings: Settings) -> None:
    """All at once, in the time of the slowest. Raises AddressError, which names every one that fails."""
    with ThreadPoolExecutor(len(_STORES)) as pool:
        failed = [result for found in pool.map(lambda name: _failed(settings, name), _STORES) for result in found]
    if failed:
        raise AddressError("; ".join(f"{r.name}: {r.detail}: {r.remedy}" for r in failed))


def _failed(settings: Settings, store: str) -> list[CheckResult]:
    """Of the server itself: topics and the schema are made by whoever starts on it. Not given is skipped."""
    return [r for r in run_checks(settings, [store]) if r.name == store and r.status is Status.FAIL]
