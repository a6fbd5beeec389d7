"""What is wrong with an encrypted connection, in words: clients of stores say only that nobody answers."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient

from memstream.checks.result import CheckFailedError
from memstream.connections import secret
from memstream.settings import Settings
from schemas.storage.connections import Brokers, librdkafka

SECONDS = 5.0
_PASSWORD = ("Authentication", "WRONGPASS", "NOAUTH", "password authentication failed", "SaslAuthentication")
_POSTGRES: Mapping[str, str] = {
    "certificate verify failed": "its certificate is not of the authority in MEMSTREAM_POSTGRES_CA",
    "does not match host name": "its certificate names another host",
    "does not support SSL": "it speaks no TLS",
    "password authentication failed": "it refuses user or password",
    "certificate required": "it wants a client's certificate (MEMSTREAM_POSTGRES_CERT, _KEY)",
}


@contextmanager
def explained(settings: Settings, store: str) -> Iterator[None]:
    """Before a check: does the TLS handshake come about, is the password taken?"""
    if why := reason(settings, store):
        name = store.upper()
        raise CheckFailedError(f"{store} is not reached: {why}", f"check MEMSTREAM_{name} and MEMSTREAM_{name}_*")
    try:
        yield
    except CheckFailedError as exc:
        if any(word in str(exc) for word in _PASSWORD):
            raise CheckFailedError(f"{exc}: it refuses user or password", exc.remedy) from None
        raise


def reason(settings: Settings, store: str) -> str | None:
    """Of the first address, where the handshake fails; None where it is no matter of TLS."""
    b: Brokers | None = None
    match store:
        case "kafka":
            b = settings.brokers
            place = urlsplit(f"//{b.servers.split(',', 1)[0]}")
        case "redis":
            place = urlsplit(settings.redis.get_secret_value())
            if place.scheme == "rediss":
                b = Brokers(
                    "", True, str(settings.redis_ca or ""), str(settings.redis_cert or ""),
                    str(settings.redis_key or ""), secret(settings.redis_key_password_file),
                )  # fmt: skip
        case "milvus":
            place = urlsplit(settings.milvus)
            if place.scheme == "https":
                b = Brokers(
                    "", True, str(settings.milvus_ca or ""), str(settings.milvus_cert or ""),
                    str(settings.milvus_key or ""),
                )  # fmt: skip
        case _:
            return None
    if b is None or not place.hostname:
        return None
    why = handshake(place.hostname, place.port or 443, b, f"MEMSTREAM_{store.upper()}_CA") if b.tls else None
    return why or (_sasl(b) if b.mechanism else None)


def handshake(host: str, port: int, b: Brokers, setting: str) -> str | None:
    """Why no TLS connection comes about; None where one does, or nobody listens."""
    try:
        context = b.ssl_context()
    except OSError as exc:
        return f"a certificate or key file cannot be used ({type(exc).__name__})"
    try:
        with (
            socket.create_connection((host, port), SECONDS) as plain,
            context.wrap_socket(plain, server_hostname=host),
        ):
            return None
    except ssl.SSLCertVerificationError as exc:
        return f"its certificate is not accepted ({exc.verify_message}): see {setting}"
    except ssl.SSLError:
        return "it speaks no TLS at this port, or wants a client's certificate"
    except OSError:
        return None


def _sasl(b: Brokers) -> str | None:
    """librdkafka tells a refused password from a broker that does not answer."""
    errors: list[int] = []
    config: dict[str, Any] = {**librdkafka(b), "log_level": 0, "error_cb": lambda error: errors.append(error.code())}
    admin = AdminClient(config)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and KafkaError._AUTHENTICATION not in errors:
        with suppress(KafkaException):
            admin.list_topics(timeout=1)
            return None
        admin.poll(0.1)
    return "it refuses user or password" if KafkaError._AUTHENTICATION in errors else None


def postgres_reason(text: str) -> str | None:
    """From what libpq says, of which nothing is shown."""
    return next((words for part, words in _POSTGRES.items() if part in text), None)
