"""What the service works with: clients and models, made by the wiring and handed in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol
from uuid import uuid4

from psycopg_pool import AsyncConnectionPool
from redis.asyncio import Redis

from inference.protocols import Embedder, LanguageModel, Reranker, TokenCounter
from query.auth.boundary import Authenticator
from query.key_threads import KeyThreads
from query.producer import Log
from schemas.events.envelope import Envelope
from schemas.log.codec import Codec
from schemas.log.owner import Owner
from schemas.profile.model import Profile
from schemas.security.encrypted_values import Original, Originals
from schemas.security.sealing import KeysAway
from schemas.storage.connections import MilvusAddress


def utc_now() -> datetime:
    return datetime.now(UTC)


def random_id() -> str:
    return str(uuid4())


class Screen(Protocol):
    """Policy over what callers write themselves (D5), before it is written."""

    def concerns(self, event: Envelope) -> bool:
        """Is there a text to look at?"""

    def text(self, tenant: str, text: str) -> str | None:
        """What may leave the system of a text; None: nothing. Takes CPU time, too."""

    def __call__(self, events: Sequence[Envelope]) -> Sequence[Envelope]:
        """The events in their order, redacted. Takes CPU time: not for the loop. Raises OutgrownError."""


def no_originals(owner: Owner, turn_id: str, kept: Originals) -> list[Original]:
    """Of a service without a keyring."""
    raise KeysAway("no keyring")


@dataclass(slots=True)
class Deps:
    """Clients are open; who made them closes them. `milvus` is an address: its client cannot be made while the
    server is away, so the service connects when it first asks. `counter` gives the token counter of an encoding."""

    pool: AsyncConnectionPool[Any]
    redis: Redis
    log: Log
    embedder: Embedder
    counter: Callable[[str], TokenCounter]
    profile: Profile
    screen: Screen
    codec: Codec = field(default_factory=Codec)
    milvus: MilvusAddress = ""
    embedder_named: Callable[[str], Embedder] | None = None
    """The model of a generation with vectors of its own (reembed), by the name that `ops.generations` holds."""
    reranker: Reranker | None = None
    hyde: LanguageModel | None = None
    """Imagines answers to search with (D12); None: not wanted."""
    tenant_profiles: Mapping[str, Profile] = field(default_factory=dict)
    keys: Authenticator | None = None
    clock: Callable[[], datetime] = utc_now
    new_id: Callable[[], str] = random_id
    """Names an event."""
    new_keys: Callable[[Owner], timedelta] | None = None
    """Where values are sealed: a new key generation for an owner that is being erased; from when on all use it."""
    originals: Callable[[Owner, str, Originals], list[Original]] = no_originals
    """Opens what the PII policy `encrypt` took out of a turn: (owner, turn id, ciphertext). SealedError, KeysAway."""

    key_threads: KeyThreads = field(default_factory=KeyThreads)

    def profile_of(self, tenant: str) -> Profile:
        """The profile in force for a tenant."""
        return self.tenant_profiles.get(tenant, self.profile)
