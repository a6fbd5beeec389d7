"""Settings: read once, here, from the environment (prefix MEMSTREAM_) and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import SettingsConfigDict

from memstream import connections
from memstream.connections import Connections
from memstream.endpoint_url import public_and_plain
from schemas.profile.model import PROFILES_DIR
from schemas.security.sealing import Bound
from schemas.storage.connections import Brokers, MilvusAccess
from schemas.storage.disk import MB, Reserve

SECRETS_DIR = Path("/run/secrets")
"""Where containers mount their secrets: a file named as a setting (memstream_postgres) is that setting. The
environment wins over it."""


class Settings(Connections):
    """Every setting of every process. An empty address means: `memstream up` starts that server itself."""

    model_config = SettingsConfigDict(
        env_prefix="MEMSTREAM_",
        extra="ignore",
        frozen=True,
        validate_default=True,
        secrets_dir=SECRETS_DIR if SECRETS_DIR.is_dir() else None,
    )

    kafka: str = Field(default="", description="Kafka bootstrap servers, host:port[,host:port].")
    postgres: SecretStr = Field(default=SecretStr(""), description="Postgres DSN, postgresql://user:password@host/db.")
    redis: SecretStr = Field(default=SecretStr(""), description="Redis URL, redis://host:port/0.")
    milvus: str = Field(default="", description="Milvus URI, http://host:port.")
    milvus_folder: Path | None = Field(
        default=None, description="Folder of an embedded Milvus, whose disk is watched; `memstream up` sets it."
    )
    milvus_reserve_mb: int = Field(
        default=256, ge=1, description="Megabytes that must be free there; below them its sink waits."
    )
    data_dir: Path = Field(default=Path(".memstream"), description="Folder of the embedded servers and of state.")
    host: str = Field(default="127.0.0.1", description="Address that the query service listens on.")
    port: int = Field(default=8900, ge=0, le=65535, description="Port of the query service; 0 takes a free one.")
    url: str = Field(
        default="",
        description="Address of the service that the command line calls, http(s)://host:port; empty: that of the stack "
        "on the data folder.",
    )
    key: SecretStr = Field(
        default=SecretStr(""), description="API key that the command line sends to the service, where keys are needed."
    )
    encryption: Literal["off", "sealed"] = Field(
        default="off",
        description="sealed: topic values, state and stored text under a data key of their owner; see encryption.md.",
    )
    sealed_to: Bound = Field(
        default="place",
        description="What new sealed texts are bound to: place (owner and place); owner (as releases before wrote it, "
        "while some of them still run); place_only (place, and texts bound to their owner alone are refused).",
    )
    master_key: SecretStr = Field(
        default=SecretStr(""),
        description="Master key of the keyring, 64 hex digits; while rotating several, the current first, by commas.",
    )
    master_key_file: Path | None = Field(
        default=None, description="File of master keys; neither set: made once, kept in the data folder."
    )
    jwt_issuer: str = Field(
        default="", description="Issuer of bearer tokens (JWT) that are taken beside API keys; empty: API keys only."
    )
    jwt_audience: str = Field(default="", description="Audience that a token must name.")
    jwt_jwks: str = Field(default="", description="The issuer's JSON Web Key Set: a file, or an https address.")
    jwt_tenant_claim: str = Field(default="tenant", description="Claim that names the tenant.")
    jwt_scope_claim: str = Field(default="scope", description="Claim with read, write, operator, admin.")
    jwt_users_claim: str = Field(
        default="", description='Claim that binds a token to users (string or list, "*" for all); empty: not bound.'
    )
    jwt_projects_claim: str = Field(
        default="", description='The same for projects; empty: a token that is bound to users reaches none.'
    )
    reads_per_second: float = Field(
        default=1_000, ge=0, description="Reads of one tenant, counted over ten seconds; beyond it 429. 0: no limit."
    )
    writes_per_second: float = Field(default=1_000, ge=0, description="Writing requests of one tenant, likewise.")
    turns_per_second: float = Field(default=5_000, ge=0, description="Turns of one tenant, likewise.")
    bytes_per_second: float = Field(
        default=5_000_000, ge=0, description="Bytes of records that one tenant writes to the log, likewise."
    )
    failures_per_second: float = Field(
        default=5, ge=0, description="Refused credentials of one address, likewise; valid ones are not slowed."
    )
    streams_per_tenant: int = Field(default=16, ge=1, description="Open update streams of one tenant.")
    max_body_bytes: int = Field(
        default=8 * 1024 * 1024, ge=1_024, description="Largest body of a request, in bytes; beyond it 413."
    )
    partitions: int = Field(default=8, ge=1, le=1024, description="Partitions of owner-keyed topics; fixed for good.")
    replication: int = Field(default=1, ge=1, le=7, description="Replicas of each topic.")
    profile: str = Field(default="general", description="Profile of tenants that have none of their own.")
    profiles_dir: Path = Field(default=PROFILES_DIR, description="Folder of the profiles, one TOML each.")
    hash_key: SecretStr = Field(
        default=SecretStr(""),
        description="Key of keyed hashes and PII tokens, 16 bytes or more; empty: made once, kept in the data folder. "
        "Workers and query service need the same one: set it where they share no data folder.",
    )
    audit_key: SecretStr = Field(
        default=SecretStr(""),
        description="Key that seals the access log, 16 bytes or more; empty: made once, kept in the data folder.",
    )
    report_key: SecretStr = Field(
        default=SecretStr(""),
        description="Key that signs erasure reports, 64 hex digits; empty: made once, kept in the data folder.",
    )
    audit_days: int = Field(default=365, ge=1, le=36_500, description="Days that an entry of the access log is kept.")
    batch: int = Field(default=64, ge=1, le=1000, description="Records that a step takes through together.")
    batch_wait_ms: int = Field(
        default=60, ge=1, le=5000,
        description="Longest wait for a batch to fill, where records come often; else it is 20 at most.",
    )  # fmt: skip
    record_seconds: float = Field(
        default=300.0, ge=5, le=86_400,
        description="Longest time that a step computes on a record, or on several of 256 KiB together (by its size for "
        "a larger one); then its worker ends, and each is worked on alone.",
    )  # fmt: skip
    tick_seconds: float = Field(default=60.0, gt=0, description="Time between two ticks.")
    instance: str = Field(default="", description="Static group membership of this worker; unique a process.")
    screen_workers: int = Field(default=1, ge=1, le=64, description="Processes of the screen step in `memstream up`.")
    memory_workers: int = Field(
        default=1, ge=1, le=64, description="Processes of the steps behind screen in `memstream up`."
    )
    learned_gate: bool = Field(
        default=False,
        description="A learned gate reads the turns from which the rules took a free statement; where it finds nothing "
        "worth keeping, the statement is only observed; see extraction.md.",
    )
    learned_fields: bool = Field(
        default=True,
        description="A learned tagger points at values of the profile's fields that the rules do not see; see "
        "extraction.md.",
    )
    model_url: str = Field(
        default="",
        description="OpenAI-compatible endpoint of a language model, https://host/v1; empty: rules and extracts only.",
    )
    model_name: str = Field(default="", description="Model that the endpoint is asked for.")
    model_key: SecretStr = Field(
        default=SecretStr(""),
        description="Key of the endpoint, sent as a bearer token: over https, or within your network.",
    )
    model_timeout_seconds: float = Field(default=60.0, gt=0, description="Longest wait for one answer.")
    model_tries: int = Field(default=10, ge=1, le=1_000, description="Most calls of a model for one turn or text.")
    model_age_seconds: float = Field(
        default=3_600, gt=0, le=20 * 86_400, description="Age of a turn or text beyond which no model is asked."
    )
    model_concurrency: int = Field(default=4, ge=1, le=256, description="Jobs of model work that run at once.")
    model_prompt_price: float = Field(default=0.0, ge=0, description="Price of a million prompt tokens.")
    model_completion_price: float = Field(default=0.0, ge=0, description="Price of a million completion tokens.")
    otlp_endpoint: str = Field(
        default="",
        description="OpenTelemetry collector for traces, http://host:4318; needs the extra `otel`; empty: no traces.",
    )
    otlp_share: float = Field(
        default=1.0, ge=0, le=1, description="Share of requests without a trace of their caller that begin one."
    )
    ranking: Literal["adaptive", "sum", "rrf", "bm25", "dense"] = Field(
        default="adaptive", description="How searches are fused that do not name it (header Memstream-Ranking)."
    )
    hyde: bool = Field(
        default=False, description="Search complex questions by an answer that the model imagines."
    )
    reranker: str = Field(
        default="",
        description="Cross-encoder (sentence-transformers) for the best 50 hits; needs the extra `transformers`.",
    )
    reranker_seconds: float = Field(
        default=2.0, gt=0, description="Longest wait for the cross-encoder; later the order of the fusion is kept."
    )
    store_seconds: float = Field(
        default=2.0, gt=0,
        description="Longest wait of the service for one answer of one store, where no latency budget is shorter.",
    )  # fmt: skip
    nice: bool = Field(
        default=True,
        description="`memstream up` gives workers, sinks and Milvus less of a busy machine than the service, Postgres "
        "and the broker; false: all alike.",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(default="INFO", description="Log level.")
    fault: str = Field(default="", description="Crash tests only: stage:point:count kills the process there.")

    @field_validator("url")
    @classmethod
    def _service(cls, address: str) -> str:
        return connections.service_address(address) if address else ""

    @field_validator("kafka", "milvus")
    @classmethod
    def _named_where_secured(cls, address: str, info: ValidationInfo) -> str:
        name = info.field_name or ""
        secured = [n for n, v in info.data.items() if n.startswith(f"{name}_") and v]
        if secured and not address:
            raise ValueError(f"must be set where MEMSTREAM_{secured[0].upper()} is: the embedded server has no TLS")
        if name == "milvus" and info.data.get("milvus_ca") and not address.startswith("https://"):
            raise ValueError("must be https://host:port where MEMSTREAM_MILVUS_CA is set")
        if address:
            connections.check_form(name, address)
        return address

    @field_validator("postgres", "redis")
    @classmethod
    def _secured(cls, address: SecretStr, info: ValidationInfo) -> SecretStr:
        """Every client gets TLS and password with the address."""
        name, url = info.field_name or "", address.get_secret_value()
        secured = [n for n, v in info.data.items() if n.startswith(f"{name}_") and v]
        if secured and not url:
            raise ValueError(f"must be set where MEMSTREAM_{secured[0].upper()} is: the embedded server has no TLS")
        if url:
            connections.check_form(name, url)
        fold = connections.postgres_dsn if name == "postgres" else connections.redis_url
        return SecretStr(fold(url, info.data)) if secured else address

    @property
    def brokers(self) -> Brokers:
        """What every Kafka client is made with."""
        return connections.brokers(self.kafka, self)

    @property
    def milvus_reserve(self) -> Reserve | None:
        """Room that an embedded Milvus needs; None for a server of your own."""
        return Reserve(self.milvus_folder, self.milvus_reserve_mb * MB) if self.milvus_folder else None

    @property
    def milvus_access(self) -> MilvusAccess:
        """What every Milvus client is made with."""
        return connections.milvus(self.milvus, self)

    @field_validator("jwt_audience", "jwt_jwks")
    @classmethod
    def _whole(cls, value: str, info: ValidationInfo) -> str:
        if info.data.get("jwt_issuer") and not value:
            raise ValueError("must be set where MEMSTREAM_JWT_ISSUER is")
        return value

    @field_validator("hyde")
    @classmethod
    def _imagined(cls, wanted: bool, info: ValidationInfo) -> bool:
        if wanted and not info.data.get("model_url"):
            raise ValueError("needs a model: set MEMSTREAM_MODEL_URL")
        return wanted

    @field_validator("model_key")
    @classmethod
    def _sealed_on_its_way(cls, key: SecretStr, info: ValidationInfo) -> SecretStr:
        if key.get_secret_value() and public_and_plain(str(info.data.get("model_url", ""))):
            raise ValueError(
                "is sent with every call: MEMSTREAM_MODEL_URL must begin with https://, or name a host of your network"
                " (a private address, a name without a dot, or one that ends in .internal, .local, .lan or .svc)"
            )
        return key

    @field_validator("model_name")
    @classmethod
    def _named(cls, name: str, info: ValidationInfo) -> str:
        if info.data.get("model_url") and not name:
            raise ValueError("must name a model where MEMSTREAM_MODEL_URL is set")
        return name


def unknown_names(environment: Mapping[str, str]) -> list[tuple[str, str]]:
    """(variable, the setting that it may mean or "") for each MEMSTREAM_ variable that is no setting."""
    known = {f"MEMSTREAM_{name.upper()}" for name in Settings.model_fields}
    given = {name.upper(): name for name in environment if name.upper().startswith("MEMSTREAM_")}
    return [
        (given[name], next(iter(get_close_matches(name, known, 1)), "")) for name in sorted(given) if name not in known
    ]
