"""The stores as a rebuild sees them: what each holds, and which topics feed it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from memstream.profiles import ProfileFollower
from memstream.reprocess.fold import READINGS, Fold, Reading, in_redis
from memstream.settings import Settings
from schemas.profile.model import load_profile
from schemas.storage.layouts import STORES, WITH_VECTORS
from sinks.clock import utc_now
from sinks.contents import Contents
from sinks.postgres.contents import PostgresContents
from sinks.postgres.sink import PostgresSink


@dataclass(frozen=True, slots=True)
class Store:
    """One store."""

    name: str
    topics: tuple[str, ...]
    contents: Contents
    reading: Reading | None = None

    def fold(self) -> Fold:
        clock = None if self.name == "postgres" else utc_now
        return Fold(self.reading or READINGS[self.name], f"sink-{self.name}", clock, self.contents.part)


def _postgres(s: Settings) -> Store:
    return Store("postgres", PostgresSink.topics, PostgresContents(s.postgres.get_secret_value()))


def _milvus(s: Settings) -> Store:
    from sinks.milvus.contents import MilvusContents
    from sinks.milvus.sink import MilvusSink

    return Store("milvus", MilvusSink.topics, MilvusContents(s.milvus_access))


def _redis(s: Settings) -> Store:
    from sinks.redis.contents import RedisContents
    from sinks.redis.session import as_idle
    from sinks.redis.sink import RedisSink

    ttl = as_idle(ProfileFollower(load_profile(s.profile, s.profiles_dir)).start(s.brokers).of)
    contents = RedisContents(s.redis.get_secret_value(), session_ttl=ttl)
    return Store("redis", RedisSink.topics, contents, partial(in_redis, session_ttl=ttl))


_MADE: Mapping[str, Callable[[Settings], Store]] = {"postgres": _postgres, "milvus": _milvus, "redis": _redis}


def store(settings: Settings, name: str) -> Store:
    return _MADE[name](settings)


__all__ = ["STORES", "WITH_VECTORS", "Store", "store"]
