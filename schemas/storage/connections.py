"""How brokers and Milvus are reached: address, TLS, credentials. Every client of them is made with what stands here.

Postgres and Redis need none of it: their addresses take TLS and credentials (`memstream.settings`).
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from typing import Any, TypeAlias

SCRAM_AND_PLAIN = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")


@dataclass(frozen=True, slots=True)
class Brokers:
    """Bootstrap servers, host:port[,host:port]. `ca`, `cert`, `key`: PEM files, empty: the system's authorities, no
    certificate of our own. `mechanism`: of SASL, empty for none."""

    servers: str
    tls: bool = False
    ca: str = ""
    cert: str = ""
    key: str = ""
    key_password: str = field(default="", repr=False)
    mechanism: str = ""
    user: str = ""
    password: str = field(default="", repr=False)

    @property
    def protocol(self) -> str:
        return ("SASL_" if self.mechanism else "") + ("SSL" if self.tls else "PLAINTEXT")

    def __str__(self) -> str:
        return self.servers

    def ssl_context(self) -> ssl.SSLContext:
        """Host names are checked. Raises OSError (ssl.SSLError among them) for a file that cannot be used."""
        context = ssl.create_default_context(cafile=self.ca or None)
        if self.cert:
            context.load_cert_chain(self.cert, self.key, self.key_password or None)
        return context


Bootstrap: TypeAlias = str | Brokers
"""A bare address is one without TLS and credentials."""


def brokers_of(bootstrap: Bootstrap) -> Brokers:
    return Brokers(bootstrap) if isinstance(bootstrap, str) else bootstrap


def librdkafka(bootstrap: Bootstrap) -> dict[str, Any]:
    """Settings of confluent-kafka."""
    b = brokers_of(bootstrap)
    named = {
        "ssl.ca.location": b.ca, "ssl.certificate.location": b.cert, "ssl.key.location": b.key,
        "ssl.key.password": b.key_password, "sasl.mechanism": b.mechanism, "sasl.username": b.user,
        "sasl.password": b.password,
    }  # fmt: skip
    # A broker whose host vanished is found by the kernel; requests have a deadline of their own (socket.timeout.ms).
    out = {"bootstrap.servers": b.servers, "socket.keepalive.enable": True}
    out.update({name: value for name, value in named.items() if value})
    if b.protocol != "PLAINTEXT":
        out["security.protocol"] = b.protocol
    return out


def kafka_python(bootstrap: Bootstrap) -> dict[str, Any]:
    """Settings of kafka-python."""
    b = brokers_of(bootstrap)
    out: dict[str, Any] = {"bootstrap_servers": b.servers.split(",")}
    if b.protocol != "PLAINTEXT":
        out["security_protocol"] = b.protocol
    if b.tls:
        out["ssl_context"] = b.ssl_context()
    if b.mechanism:
        out |= {"sasl_mechanism": b.mechanism, "sasl_plain_username": b.user, "sasl_plain_password": b.password}
    return out


@dataclass(frozen=True, slots=True)
class MilvusAccess:
    """`uri`: https://host:port for TLS. `token`: user:password, or a key. Files as above; a client's key must not be
    encrypted, which gRPC does not read."""

    uri: str
    token: str = field(default="", repr=False)
    ca: str = ""
    cert: str = ""
    key: str = ""

    def __str__(self) -> str:
        return self.uri


MilvusAddress: TypeAlias = str | MilvusAccess


_SELDOM_PINGED = {"grpc.keepalive_time_ms": 330_000, "grpc.keepalive_permit_without_calls": 0}
"""pymilvus pings every ten seconds, idle or not; a gRPC server that was told nothing else, as the embedded Milvus,
takes one in five minutes and closes the connection at the third too many, under whatever call comes then. A peer that
is gone is told by each call's own time limit."""


def milvus_options(address: MilvusAddress) -> dict[str, Any]:
    """Arguments of MilvusClient."""
    a = MilvusAccess(address) if isinstance(address, str) else address
    named = {"token": a.token, "client_pem_path": a.cert, "client_key_path": a.key}
    out: dict[str, Any] = {"uri": a.uri, **{name: value for name, value in named.items() if value}}
    out["grpc_options"] = dict(_SELDOM_PINGED)
    if a.uri.startswith("https://"):
        out["secure"] = True
        if a.ca:
            out["ca_pem_path" if a.cert else "server_pem_path"] = a.ca
    return out
