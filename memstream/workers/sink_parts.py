"""What sinks are built from, made of the settings."""

from __future__ import annotations

from functools import cache

from memstream.profiles import ProfileFollower
from memstream.settings import Settings
from memstream.workers.models import embedder_named
from schemas.profile.model import load_profile
from schemas.security.sealed_rows import Seals, by_profile, everything
from schemas.storage.layouts import MilvusLayout
from sinks.parts import SinkParts
from sinks.postgres.erasure import PostgresFindings


def parts_of(s: Settings, generation: int = 1, embedder: str = "") -> SinkParts:
    """`embedder`: the model whose vectors the generation holds, empty for those that the records bring."""

    @cache
    def profiles() -> ProfileFollower:
        return ProfileFollower(load_profile(s.profile, s.profiles_dir)).start(s.brokers)

    def seals() -> Seals:
        """What the stores keep sealed; where nothing is, no profile need be followed."""
        return by_profile(profiles().of) if s.encryption == "sealed" else everything

    dsn = s.postgres.get_secret_value()
    return SinkParts(
        generation=generation, postgres=dsn, redis=s.redis.get_secret_value(), milvus=s.milvus_access,
        milvus_reserve=s.milvus_reserve, data_dir=s.data_dir, profiles=profiles, seals=seals,
        dimensions=lambda: embedder_named(embedder).dimensions if embedder else MilvusLayout().dimensions,
        findings=PostgresFindings(dsn),
    )  # fmt: skip
