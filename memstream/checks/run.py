"""Runs the checks one after another; one that finds something wrong never stops the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from memstream.checks import external_services, local, stores
from memstream.checks.components import components_
from memstream.checks.result import CheckFailedError, CheckResult, Status
from memstream.checks.sealed_texts import sealed_texts
from memstream.settings import Settings
from memstream.stack import NoStackError

Check = Callable[[Settings], Iterator[CheckResult]]


def _encryption(settings: Settings) -> Iterator[CheckResult]:
    yield from sealed_texts(settings)
    yield from local.encryption(settings)


CHECKS: dict[str, Check] = {
    "settings": local.names,
    "components": components_,
    "kafka": stores.kafka,
    "topics": stores.topics_,
    "postgres": stores.postgres,
    "durability": stores.durability,
    "locks": stores.locks,
    "redis": stores.redis,
    "milvus": stores.milvus,
    "profiles": local.profiles,
    "encryption": _encryption,
    "models": local.models,
    "endpoint": local.endpoint,
    "traces": external_services.traces,
    "tokens": external_services.tokens,
    "embedded": local.embedded,
    "service": local.service,
}
_ADDRESSES = ("kafka", "topics", "postgres", "durability", "locks", "redis", "milvus")


def run_checks(
    settings: Settings, only: Iterable[str] = (), *, by_folder: bool = False, missing: NoStackError | None = None
) -> Iterator[CheckResult]:
    """Results as they come. `by_folder`: the data folder was named, and service and stores are those of it and of no
    other. `missing`: why no stack gives their addresses; then those of a folder that was named fail, and others without
    an address are skipped."""
    checks: dict[str, Check] = {**CHECKS, "service": partial(local.service, by_folder=by_folder)}
    names = list(only) or list(CHECKS)
    for name in names:
        if name in _ADDRESSES and by_folder and missing is not None:
            yield CheckResult(name, Status.FAIL, missing.what, missing.remedy)
            continue
        if name in _ADDRESSES and not _address(settings, name):
            yield CheckResult(name, Status.SKIP, "no address, and no stack on the data folder gives one")
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
        "locks": settings.postgres.get_secret_value(),
        "redis": settings.redis.get_secret_value(),
        "milvus": settings.milvus,
    }[name]
