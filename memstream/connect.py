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

    return Service(url or service_url(settings), settings.key.get_secret_value(), verify=verification(settings))


def scheme(settings: Settings) -> str:
    return "http" if settings.http_cert is None else "https"


def verification(settings: Settings) -> ssl.SSLContext | bool:
    """What our own calls check the service by: the authority that is set, else the system's."""
    return True if settings.http_ca is None else ssl.create_default_context(cafile=str(settings.http_ca))


def service_url(settings: Settings) -> str:
    """Where the query service answers."""
    found = running_addresses(settings.data_dir) or {}
    return found.get("query") or f"{scheme(settings)}://{settings.host}:{settings.port}"
