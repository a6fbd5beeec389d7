"""Addresses of a running memstream: from the settings, else from the stack on the data folder."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

from pydantic import SecretStr

from memstream.settings import Settings
from memstream.stack import NoStackError, StackError
from memstream.stack.state import running_addresses

if TYPE_CHECKING:
    from memstream.cli.http import Service

_LISTENS = frozenset({"host", "port"})
"""Settings that say where a service listens that no stack of ours started."""


def with_addresses(settings: Settings, *, by_folder: bool = False) -> Settings:
    """Fill in what the settings leave open; with `by_folder` the data folder was named for this call, and what runs on
    it comes before what the settings give.

    Raises NoStackError when nothing runs on the folder and it was named, addresses are missing, or the servers on the
    folder do not serve yet.
    """
    given = {
        "kafka": settings.kafka,
        "postgres": settings.postgres.get_secret_value(),
        "redis": settings.redis.get_secret_value(),
        "milvus": settings.milvus,
    }
    if given["kafka"] and given["postgres"] and not by_folder:
        return settings
    found = running_addresses(settings.data_dir)
    if found is None and by_folder:
        raise NoStackError(
            f"nothing runs on {settings.data_dir}",
            f"start it with `memstream up --data {settings.data_dir}`, or leave --data out where the addresses are "
            "settings",
        )
    if found is None:
        missing = " and ".join(f"MEMSTREAM_{name.upper()}" for name in ("kafka", "postgres") if not given[name])
        raise NoStackError(
            f"{missing} must be set (and MEMSTREAM_REDIS, MEMSTREAM_MILVUS where those are read), or a stack must "
            f"run; nothing runs on {settings.data_dir}",
            "start it with `memstream up`, or name its folder with --data",
        )
    addresses = found if by_folder else {**found, **{name: address for name, address in given.items() if address}}
    if not all(addresses.get(name) for name in given):  # they are told once all of them serve
        raise NoStackError(
            f"the stack on {settings.data_dir} is still starting", "try again when `memstream up` says that it is up"
        )
    return settings.model_copy(
        update={
            "kafka": addresses["kafka"],
            "postgres": SecretStr(addresses["postgres"]),
            "redis": SecretStr(addresses["redis"]),
            "milvus": addresses["milvus"],
        }
    )


def service(settings: Settings, url: str | None = None) -> Service:
    """The query service at `url`, else that of the settings, called with the key that is configured."""
    from memstream.cli.http import Service  # an HTTP client, which no worker needs

    return Service(url or service_url(settings), settings.key.get_secret_value(), verify=verification(settings))


def scheme(settings: Settings) -> str:
    return "http" if settings.http_cert is None else "https"


def verification(settings: Settings) -> ssl.SSLContext | bool:
    """What our own calls check the service by: the authority that is set, else the system's."""
    return True if settings.http_ca is None else ssl.create_default_context(cafile=str(settings.http_ca))


def origin(settings: Settings, port: int) -> str:
    """Where a service that listens by these settings is called; one that listens everywhere, on this machine."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104 - called, not bound
    return f"{scheme(settings)}://{f'[{host}]' if ':' in host else host}:{port}"


def service_url(settings: Settings, *, by_folder: bool = False) -> str:
    """Where the query service answers: at the stack on the data folder where that folder was named for this call
    (`by_folder`); else at MEMSTREAM_URL, at the stack on the data folder of the settings, or where MEMSTREAM_HOST and
    MEMSTREAM_PORT say that one listens, if one of them is set.

    Raises StackError with the remedy where none of these names a service: a guess could reach another instance.
    """
    if settings.url and not by_folder:
        return settings.url
    found = (running_addresses(settings.data_dir) or {}).get("query")
    if found:
        return found
    if by_folder:
        raise StackError(
            f"no service runs on {settings.data_dir}: start it with `memstream up --data {settings.data_dir}`, or name "
            "one with --url in place of --data"
        )
    if settings.port and settings.model_fields_set & _LISTENS:
        return origin(settings, settings.port)
    raise StackError(
        f"no service is named, and none runs on {settings.data_dir}: start it with `memstream up`, or name one with "
        "--url, --data or MEMSTREAM_URL"
    )
