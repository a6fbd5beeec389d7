"""Runs the checks one after another; one that finds something wrong never stops the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from memstream.checks import local, outside, stores
from memstream.checks.result import CheckFailedError, CheckResult, Status
from memstream.settings import Settings

Check = Callable[[Settings], Iterator[CheckResult]]
CHECKS: dict[str, Check] = {
    "settings": local.names,
    "kafka": stores.kafka,
    "topics": stores.topics_,
    "postgres": stores.postgres,
    "durability": stores.durability,
    "redis": stores.redis,
    "milvus": stores.milvus,
    "profiles": local.profiles,
    "models": local.models,
    "endpoint": local.endpoint,
    "traces": outside.traces,
    "tokens": outside.tokens,
    "embedded": local.embedded,
    "service": local.service,
}
_ADDRESSES = ("kafka", "topics", "postgres", "durability", "redis", "milvus")


def run_checks(settings: Settings, only: Iterable[str] = (), *, by_folder: bool = False) -> Iterator[CheckResult]:
    """Results as they come. Stores without an address are skipped: nothing runs and none is given. `by_folder`: the
    service is that of the data folder, which was named."""
    checks: dict[str, Check] = {**CHECKS, "service": partial(local.service, by_folder=by_folder)}
    names = list(only) or list(CHECKS)
    for name in names:
        if name in _ADDRESSES and not _address(settings, name):
            yield CheckResult(name, Status.SKIP, "no address, and nothing runs on the data folder")
            continue
        try:
            yield from checks[name](settings)
        except CheckFailedError as exc:
            yield CheckResult(name, Status.FAIL, str(exc), exc.remedy)


def _address(settings: Settings, name: str) -> str:
    return {
        "kafka": settings.kafka,
        "topics": settings.kafka,
        "postgres": settings.postgres.get_secret_value(),
        "durability": settings.postgres.get_secret_value(),
        "redis": settings.redis.get_secret_value(),
        "milvus": settings.milvus,
    }[name]
