"""Addresses of a running memstream: from the settings, else from the stack on the data folder."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

from pydantic import SecretStr

from memstream.settings import Settings
from memstream.stack import StackError
from memstream.stack.state import running_addresses

if TYPE_CHECKING:
    from memstream.cli.http import Service

_NAMES_A_SERVICE = frozenset({"host", "port", "kafka", "postgres"})
"""Settings that say which memstream is meant where no stack runs on the data folder."""


def with_addresses(settings: Settings) -> Settings:
    """Fill in what the settings leave open. Raises StackError with the remedy when nothing runs and none is given."""
    if settings.kafka and settings.postgres.get_secret_value():
        return settings
    found = running_addresses(settings.data_dir)
    if found is None:
        given = {"MEMSTREAM_KAFKA": settings.kafka, "MEMSTREAM_POSTGRES": settings.postgres.get_secret_value()}
        missing = " and ".join(name for name, address in given.items() if not address)
        raise StackError(
            f"{missing} must be set (and MEMSTREAM_REDIS, MEMSTREAM_MILVUS where those are read), or a stack must "
            f"run; nothing runs on {settings.data_dir}: start it with `memstream up`, or name its folder with --data"
        )
    return settings.model_copy(
        update={
            "kafka": settings.kafka or found["kafka"],
            "postgres": SecretStr(settings.postgres.get_secret_value() or found["postgres"]),
            "redis": SecretStr(settings.redis.get_secret_value() or found["redis"]),
            "milvus": settings.milvus or found["milvus"],
        }
    )


def service(settings: Settings, url: str | None = None) -> Service:
    """The query service, called with the key that is configured."""
    from memstream.cli.http import Service  # an HTTP client, which no worker needs

    return Service(service_url(settings, url or ""), settings.key.get_secret_value(), verify=verification(settings))


def scheme(settings: Settings) -> str:
    return "http" if settings.http_cert is None else "https"


def verification(settings: Settings) -> ssl.SSLContext | bool:
    """What our own calls check the service by: the authority that is set, else the system's."""
    return True if settings.http_ca is None else ssl.create_default_context(cafile=str(settings.http_ca))


def service_url(settings: Settings, url: str = "", *, by_folder: bool = False) -> str:
    """Where the query service answers: at `url`, at the stack that runs on the data folder where that folder was named
    for this call (`by_folder`), at MEMSTREAM_URL, at the stack on the data folder of the settings, or at
    MEMSTREAM_HOST and MEMSTREAM_PORT where one of them, or the address of a server, is set.

    Raises StackError with the remedy where none of these names a service: a guess could reach another instance.
    """
    if url:
        return url.rstrip("/")
    found = (running_addresses(settings.data_dir) or {}).get("query")
    if by_folder and not found:
        raise StackError(
            f"nothing runs on {settings.data_dir}: start it with `memstream up --data {settings.data_dir}`, "
            "or name the service with --url"
        )
    if settings.url and not by_folder:
        return settings.url.rstrip("/")
    if found:
        return found
    if not settings.model_fields_set & _NAMES_A_SERVICE:
        raise StackError(
            f"no service is named, and nothing runs on {settings.data_dir}: start it with `memstream up`, or name one "
            "with --url, --data or MEMSTREAM_URL"
        )
    return f"{scheme(settings)}://{settings.host}:{settings.port}"
