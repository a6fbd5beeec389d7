"""What sinks are built from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from schemas.profile.model import Profile
from schemas.security.sealed_rows import Seals
from schemas.storage.connections import MilvusAccess
from schemas.storage.disk import Reserve
from sinks.protocol import Findings


class Profiles(Protocol):
    """The profiles in force, as the log tells them."""

    @property
    def default(self) -> Profile: ...

    @property
    def tenants(self) -> Mapping[str, Profile]:
        """Of those that have their own."""
        ...

    def of(self, tenant: str) -> Profile: ...


@dataclass(frozen=True, slots=True)
class SinkParts:
    """`generation`: the one to write. `postgres`, `redis`: addresses with their passwords. `profiles`: followed from
    the first call on. `seals`: what the store keeps sealed. `dimensions`: of the vectors of this generation.
    `findings`: where a store reports what an erasure removed from it, which the eraser waits for. `data_dir`: the
    folder of state."""

    generation: int
    postgres: str = field(repr=False)
    redis: str = field(repr=False)
    milvus: MilvusAccess = field(repr=False)
    milvus_reserve: Reserve | None
    data_dir: Path
    profiles: Callable[[], Profiles]
    seals: Callable[[], Seals]
    dimensions: Callable[[], int]
    findings: Findings
