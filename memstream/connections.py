"""Settings of encrypted connections and their credentials (C7): TLS and SASL of the brokers; TLS of Postgres, Redis,
Milvus and the HTTP door. They hold for the addresses that are set; the embedded servers listen on loopback, without.

Postgres and Redis take them into their addresses, so that every client has them with the address; brokers and Milvus as
`schemas.storage.connections`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import parse_qs, quote, urlencode, urlsplit, urlunsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from pydantic import Field, FilePath, SecretStr, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from schemas.storage.connections import Brokers, MilvusAccess

Mechanism: TypeAlias = Literal["", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]
_CA = "PEM file of the authorities that {} certificate is checked by; empty: the system's."
_CERT = "PEM file of the certificate that clients show {}."
_KEY = "PEM file of its key."
_KEY_PASSWORD = "File of the key's password."  # noqa: S105 - a description


class Connections(BaseSettings):
    """Beside the addresses. Paths must name files that exist."""

    model_config = SettingsConfigDict(frozen=True)

    kafka_tls: bool = Field(default=False, description="TLS to the brokers; a file below says so too.")
    kafka_ca: FilePath | None = Field(default=None, description=_CA.format("the brokers'"))
    kafka_cert: FilePath | None = Field(default=None, description=_CERT.format("the brokers"))
    kafka_key: FilePath | None = Field(default=None, description=_KEY)
    kafka_key_password_file: FilePath | None = Field(default=None, description=_KEY_PASSWORD)
    kafka_sasl: Mechanism = Field(
        default="", description="SASL mechanism: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512; empty: none."
    )
    kafka_user: str = Field(default="", description="User of SASL.")
    kafka_password: SecretStr = Field(default=SecretStr(""), description="Password of SASL.")
    kafka_password_file: FilePath | None = Field(default=None, description="File of it.")
    postgres_ca: FilePath | None = Field(
        default=None,
        description="PEM file of the authorities of Postgres' certificate; connections are then sslmode=verify-full.",
    )
    postgres_cert: FilePath | None = Field(default=None, description=_CERT.format("Postgres"))
    postgres_key: FilePath | None = Field(default=None, description=_KEY)
    postgres_key_password_file: FilePath | None = Field(default=None, description=_KEY_PASSWORD)
    postgres_password_file: FilePath | None = Field(
        default=None, description="File of Postgres' password, in place of one in the DSN."
    )
    redis_ca: FilePath | None = Field(default=None, description=_CA.format("Redis'") + " The address is rediss://.")
    redis_cert: FilePath | None = Field(default=None, description=_CERT.format("Redis"))
    redis_key: FilePath | None = Field(default=None, description=_KEY)
    redis_key_password_file: FilePath | None = Field(default=None, description=_KEY_PASSWORD)
    redis_password_file: FilePath | None = Field(
        default=None, description="File of Redis' password, in place of one in the URL."
    )
    milvus_ca: FilePath | None = Field(default=None, description=_CA.format("Milvus'") + " The address is https://.")
    milvus_cert: FilePath | None = Field(
        default=None, description=_CERT.format("Milvus") + " Needs MEMSTREAM_MILVUS_CA."
    )
    milvus_key: FilePath | None = Field(default=None, description="PEM file of its key, not encrypted.")
    milvus_token: SecretStr = Field(default=SecretStr(""), description="Credential of Milvus, user:password.")
    milvus_token_file: FilePath | None = Field(default=None, description="File of it.")
    http_cert: FilePath | None = Field(
        default=None, description="PEM file of the query service's certificate: it then answers https only."
    )
    http_key: FilePath | None = Field(default=None, description=_KEY)
    http_key_password_file: FilePath | None = Field(default=None, description=_KEY_PASSWORD)
    http_client_ca: FilePath | None = Field(
        default=None, description="PEM file of authorities: callers must show a certificate of theirs."
    )
    http_ca: FilePath | None = Field(default=None, description="What the command line checks the service by.")

    @field_validator("kafka_key", "postgres_key", "redis_key", "milvus_key", "http_key")
    @classmethod
    def _pair(cls, key: Path | None, info: ValidationInfo) -> Path | None:
        own = f"{(info.field_name or '').removesuffix('_key')}_cert"
        if (info.data.get(own) is None) != (key is None):
            raise ValueError(f"a certificate and its key go together: set both or neither (MEMSTREAM_{own.upper()})")
        return key

    @field_validator("kafka_password_file")
    @classmethod
    def _credentials(cls, path: Path | None, info: ValidationInfo) -> Path | None:
        given = path is not None or bool(info.data["kafka_password"].get_secret_value())
        if info.data.get("kafka_sasl") and not (given and info.data.get("kafka_user")):
            raise ValueError("MEMSTREAM_KAFKA_SASL needs MEMSTREAM_KAFKA_USER and a password")
        return path

    @field_validator("milvus_key")
    @classmethod
    def _both_ways(cls, key: Path | None, info: ValidationInfo) -> Path | None:
        if key is not None and info.data.get("milvus_ca") is None:
            raise ValueError("a client's certificate needs MEMSTREAM_MILVUS_CA")
        return key


_BROKER = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\s:/@\[\]]+):(\d{1,5})")


def check_form(store: str, address: str) -> None:
    """Raises ValueError, without a secret in it, for an address that a client library would read as another one: what
    is missing in it is the default there (localhost, database 0), and that may be somebody else's server."""
    expected, fits = {
        "kafka": ("host:port[,host:port]", _is_brokers),
        "redis": ("redis://host:port/0 or rediss://host:port/0, the last a number", _is_redis),
        "milvus": ("http://host:port or https://host:port", _is_milvus),
    }.get(store, ("", bool))
    try:
        good = fits(address)
    except ValueError:  # the library's text may hold a password
        good = False
    if not good:
        raise ValueError(f"must be {expected}")


def _is_brokers(address: str) -> bool:
    found = [_BROKER.fullmatch(part.strip()) for part in address.split(",")]
    return all(m is not None and 0 < int(m[2]) <= 65_535 for m in found)


def _is_redis(address: str) -> bool:
    form = urlsplit(address)
    if form.scheme == "unix":
        return bool(form.path)
    place = form.scheme in ("redis", "rediss") and bool(form.hostname) and form.port != 0
    return place and re.fullmatch(r"(/\d*)?", form.path) is not None


def _is_milvus(address: str) -> bool:
    form = urlsplit(address)
    return form.scheme in ("http", "https") and bool(form.hostname) and form.port != 0


def service_address(text: str) -> str:
    """Of a memstream service: http(s)://host[:port][/path] without the slash at its end. Raises ValueError, which does
    not quote it: what somebody puts into an address may be a password."""
    try:
        form = urlsplit(text)
        good = form.scheme in ("http", "https") and bool(form.hostname) and form.port != 0
        good = good and not any(c.isspace() or not c.isprintable() or c in "?#" for c in text)
    except ValueError:  # the library's text may hold a password
        good = False
    if not good:
        raise ValueError("must be http://host:port or https://host:port")
    if "@" in form.netloc:
        raise ValueError("must have no user and password in it: the key is MEMSTREAM_KEY")
    return text.rstrip("/")


def brokers(address: str, s: Connections) -> Brokers:
    return Brokers(
        address,
        tls=s.kafka_tls or s.kafka_ca is not None or s.kafka_cert is not None,
        ca=str(s.kafka_ca or ""), cert=str(s.kafka_cert or ""), key=str(s.kafka_key or ""),
        key_password=secret(s.kafka_key_password_file), mechanism=s.kafka_sasl, user=s.kafka_user,
        password=s.kafka_password.get_secret_value() or secret(s.kafka_password_file),
    )  # fmt: skip


def milvus(address: str, s: Connections) -> MilvusAccess:
    return MilvusAccess(
        address, s.milvus_token.get_secret_value() or secret(s.milvus_token_file), str(s.milvus_ca or ""),
        str(s.milvus_cert or ""), str(s.milvus_key or ""),
    )  # fmt: skip


def postgres_dsn(dsn: str, s: Mapping[str, Any]) -> str:
    """The DSN with what is set and it does not say itself. Raises ValueError without a secret in it."""
    files = {"sslrootcert": "postgres_ca", "sslcert": "postgres_cert", "sslkey": "postgres_key"}
    more = {name: str(s[setting]) for name, setting in files.items() if s.get(setting)}
    if s.get("postgres_ca"):
        more["sslmode"] = "verify-full"
    more |= {"sslpassword": secret(s["postgres_key_password_file"])} if s.get("postgres_key_password_file") else {}
    more |= {"password": secret(s["postgres_password_file"])} if s.get("postgres_password_file") else {}
    if not more:
        return dsn
    try:
        return make_conninfo("", **{**more, **conninfo_to_dict(dsn)})
    except psycopg.ProgrammingError:
        raise ValueError("expected postgresql://user@host/db") from None


def redis_url(url: str, s: Mapping[str, Any]) -> str:
    """The same for Redis."""
    parts = urlsplit(url)
    files = {"ssl_ca_certs": "redis_ca", "ssl_certfile": "redis_cert", "ssl_keyfile": "redis_key"}
    more = {name: str(s[setting]) for name, setting in files.items() if s.get(setting)}
    if more and parts.scheme != "rediss":
        raise ValueError("must be rediss://host:port/0 where MEMSTREAM_REDIS_CA or a certificate is set")
    if s.get("redis_key_password_file"):
        more["ssl_password"] = secret(s["redis_key_password_file"])
    place = parts.netloc
    if s.get("redis_password_file") and parts.password is None:
        user, _, host = place.rpartition("@")
        place = f"{user}:{quote(secret(s['redis_password_file']), safe='')}@{host}"
    own = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    return urlunsplit(parts._replace(netloc=place, query=urlencode({**more, **own})))


def secret(path: Path | None) -> str:
    """The first line of a file. Raises ValueError naming it."""
    if path is None:
        return ""
    try:
        return path.read_text(encoding="utf-8").split("\n", 1)[0].strip()
    except (OSError, UnicodeDecodeError) as exc:
        raise ValueError(f"{path}: cannot be read ({type(exc).__name__})") from None
