"""Settings: read once, here, from the environment (prefix MEMSTREAM_) and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from schemas.profile import PROFILES_DIR


class Settings(BaseSettings):
    """Every setting of every process. An empty address means: `memstream up` starts that server itself."""

    model_config = SettingsConfigDict(env_prefix="MEMSTREAM_", extra="ignore", frozen=True, validate_default=True)

    kafka: str = Field(default="", description="Kafka bootstrap servers, host:port[,host:port].")
    postgres: SecretStr = Field(default=SecretStr(""), description="Postgres DSN, postgresql://user:password@host/db.")
    redis: SecretStr = Field(default=SecretStr(""), description="Redis URL, redis://host:port/0.")
    milvus: str = Field(default="", description="Milvus URI, http://host:port.")
    data_dir: Path = Field(default=Path(".memstream"), description="Folder of the embedded servers and of state.")
    host: str = Field(default="127.0.0.1", description="Address that the query service listens on.")
    port: int = Field(default=8900, ge=0, le=65535, description="Port of the query service; 0 takes a free one.")
    partitions: int = Field(default=8, ge=1, le=1024, description="Partitions of owner-keyed topics; fixed for good.")
    replication: int = Field(default=1, ge=1, le=7, description="Replicas of each topic.")
    profile: str = Field(default="general", description="Profile of tenants that have none of their own.")
    profiles_dir: Path = Field(default=PROFILES_DIR, description="Folder of the profiles, one TOML each.")
    hash_key: SecretStr = Field(
        default=SecretStr(""),
        description="Key of keyed hashes and PII tokens, 16 bytes or more; empty: made once, kept in the data folder.",
    )
    batch: int = Field(default=64, ge=1, le=1000, description="Records that a step takes through together.")
    batch_wait_ms: int = Field(default=20, ge=1, le=5000, description="Longest wait for a batch to fill.")
    tick_seconds: float = Field(default=60.0, gt=0, description="Time between two ticks.")
    instance: str = Field(default="", description="Static group membership of this worker; unique a process.")
    screen_workers: int = Field(default=1, ge=1, le=64, description="Processes of the screen step in `memstream up`.")
    memory_workers: int = Field(
        default=1, ge=1, le=64, description="Processes of the steps behind screen in `memstream up`."
    )
    model_url: str = Field(
        default="",
        description="OpenAI-compatible endpoint of a language model, https://host/v1; empty: rules and extracts only.",
    )
    model_name: str = Field(default="", description="Model that the endpoint is asked for.")
    model_key: SecretStr = Field(default=SecretStr(""), description="Key of the endpoint, sent as a bearer token.")
    model_timeout_seconds: float = Field(default=60.0, gt=0, description="Longest wait for one answer.")
    model_concurrency: int = Field(default=4, ge=1, le=256, description="Jobs of model work that run at once.")
    model_prompt_price: float = Field(default=0.0, ge=0, description="Price of a million prompt tokens.")
    model_completion_price: float = Field(default=0.0, ge=0, description="Price of a million completion tokens.")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(default="INFO", description="Log level.")
    fault: str = Field(default="", description="Crash tests only: stage:point:count kills the process there.")

    @field_validator("model_name")
    @classmethod
    def _named(cls, name: str, info: ValidationInfo) -> str:
        if info.data.get("model_url") and not name:
            raise ValueError("must name a model where MEMSTREAM_MODEL_URL is set")
        return name
