"""What the query service is told. It never reads the environment."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from pydantic import Field

from query.search.ranking.types import Mode
from schemas.base import Frozen
from schemas.log.topics import EMBEDDED_PARTITIONS
from schemas.storage.connections import Bootstrap
from schemas.storage.disk import Reserve


class ConfigError(ValueError):
    """The service must not start like this; the message says what to change."""


class TokenConfig(Frozen):
    """How bearer tokens (JWT) are checked and read. `jwks`: a file, or an https address. A claim that is named is
    required; `users` and `projects` are a string or a list, "*" for all of the tenant; an empty name leaves callers
    unbound."""

    issuer: str
    audience: str
    jwks: str
    tenant_claim: str = "tenant"
    scope_claim: str = "scope"
    users_claim: str = ""
    projects_claim: str = ""
    leeway_seconds: float = Field(default=30.0, ge=0, le=600)


class Limits(Frozen):
    """What one tenant may ask of one service, a second over ten seconds; 0: without a limit. `failures`: refused
    credentials of one address. `streams`: open streams of updates."""

    reads_per_second: float = Field(default=1_000, ge=0)
    writes_per_second: float = Field(default=1_000, ge=0)
    turns_per_second: float = Field(default=5_000, ge=0)
    bytes_per_second: float = Field(default=5_000_000, ge=0)
    """Of records on their way to the log."""
    failures_per_second: float = Field(default=5, ge=0)
    streams: int = Field(default=16, ge=1)


class QueryConfig(Frozen):
    """Addresses, limits and budgets. Sizes in bytes, times in seconds unless the name says milliseconds."""

    host: str = "127.0.0.1"
    port: int = Field(default=8900, ge=0, le=65_535)
    tenant: str = "default"
    """Whose data it is where no keys are configured (loopback only)."""
    keys_exist: bool = False
    """API keys had been made when the service started: the door stays closed also where they cannot be read."""
    tokens: TokenConfig | None = None
    """The identity provider whose tokens are taken beside keys."""
    keys_seconds: float = Field(default=2.0, gt=0)
    """Time between two readings of the keys: a revoked key ends within it."""
    keys_stale_seconds: float = 300.0
    """Keys are honoured for so long while Postgres does not answer."""
    limits: Limits = Limits()
    kafka: Bootstrap = ""
    """Bootstrap servers, for lag and the stream of updates."""
    partitions: int = Field(default=EMBEDDED_PARTITIONS, ge=1)
    profile: str = ""
    """Name of the profile in force."""
    max_body_bytes: int = 8 * 1024 * 1024
    body_seconds: float = Field(default=60.0, gt=0)
    """In which a whole body has to come."""
    max_turns: int = 1_000
    max_record_bytes: int = 2_000_000
    """Largest encoded event; the topics take 2 MiB with headers."""
    max_queued: int = 20_000
    """Records waiting for the broker above which writes are turned away."""
    max_accesses_waiting: int = 50_000
    """Access records (C10) waiting for the broker above which memory is neither read nor written."""
    delivery_seconds: float = Field(default=10.0, gt=0)
    """How long a write waits for the brokers."""
    future_seconds: float = 86_400.0
    """How far ahead of our clock an event may lie."""
    wait_ms: int = 2_000
    max_wait_ms: int = 30_000
    generation_seconds: float = 1.0
    """How long the live generation of the views is remembered."""
    max_limit: int = 200
    ranking: Mode = "adaptive"
    """How searches are fused that do not say so (header Memstream-Ranking)."""
    hyde_seconds: float = Field(default=2.0, gt=0)
    """Longest wait for an imagined answer (D12)."""
    reranker_seconds: float = Field(default=2.0, gt=0)
    """Longest wait for the cross-encoder's scores (D14)."""
    scope_cache_documents: int = 200_000
    """Documents held in memory for ranking, all scopes together (about 3 kB each)."""
    scope_bound: int = 20_000
    """A scope with more documents is searched through Milvus."""
    store_timeout: float = 2.0
    """Longest wait for one answer of one store outside a latency budget."""
    max_streams: int = Field(default=32, ge=1)
    """Open streams of updates, a thread and a consumer each."""
    milvus_reserve: Reserve | None = None
    """Room on the disk of an embedded Milvus, below which its sink waits."""
    poll_seconds: float = 2.0
    stalled_seconds: float = 30.0
    """A stage with lag that has not advanced for this long is standing still."""
    behind_seconds: float = 60.0
    """A sink whose lag would take longer than this is behind."""


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(url: str) -> str:
    """The host that a client of this address asks, whatever stands before an `@`; empty where it names none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
