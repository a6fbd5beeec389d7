"""Owners and the one partition function (DESIGN "One owner, one writer").

A record has one owner for life. Every producer computes the partition here and sends it
explicitly, so that records of one owner meet in one partition whatever client sent them.
"""

from __future__ import annotations

import struct
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote


class OwnerKind(StrEnum):
    USER = "user"
    PROJECT = "project"
    DOCUMENT = "document"
    TENANT = "tenant"


class Owner(NamedTuple):
    """tenant/user, tenant/project, tenant/document or the tenant itself (id is then empty)."""

    tenant: str
    kind: OwnerKind
    id: str

    @property
    def key(self) -> str:
        """Stable text form `tenant/kind/id`, each part percent-encoded, so that no part can imitate another."""
        return _key(self)

    @classmethod
    def parse(cls, key: str) -> Owner:
        """The inverse of `key`. Raises ValueError on anything that `key` never produces."""
        parts = key.split("/")
        if len(parts) != 3:
            raise ValueError("an owner key has the form tenant/kind/id")
        owner = cls(unquote(parts[0]), OwnerKind(parts[1]), unquote(parts[2]))
        if owner.key != key:
            raise ValueError("an owner key has percent-encoded parts")
        return owner


def user(tenant: str, user_id: str) -> Owner:
    return Owner(tenant, OwnerKind.USER, user_id)


def project(tenant: str, project_id: str) -> Owner:
    return Owner(tenant, OwnerKind.PROJECT, project_id)


def document(tenant: str, document_id: str) -> Owner:
    return Owner(tenant, OwnerKind.DOCUMENT, document_id)


def tenant_owner(tenant: str) -> Owner:
    return Owner(tenant, OwnerKind.TENANT, "")


@lru_cache(maxsize=65_536)
def _key(owner: Owner) -> str:
    return f"{quote(owner.tenant, safe='')}/{owner.kind.value}/{quote(owner.id, safe='')}"


@lru_cache(maxsize=65_536)
def partition(owner: Owner, count: int) -> int:
    """Kafka's Java hash (murmur2, sign bit cleared) of the owner key, modulo the partition count."""
    return (murmur2(owner.key.encode()) & 0x7FFFFFFF) % count


def murmur2(data: bytes) -> int:
    """The hash of Kafka's Java clients (`org.apache.kafka.common.utils.Utils.murmur2`), as an unsigned 32-bit number.

    Our own, because the one of kafka-python brings its whole admin client: half a second at every process's start.
    """
    m, mask = 0x5BD1E995, 0xFFFFFFFF
    h = 0x9747B28C ^ len(data)
    whole = len(data) & ~3
    for (k,) in struct.iter_unpack("<I", data[:whole]):
        k = k * m & mask
        k = (k ^ k >> 24) * m & mask
        h = (h * m & mask) ^ k
    if rest := data[whole:]:
        h = (h ^ int.from_bytes(rest, "little")) * m & mask
    h = (h ^ h >> 13) * m & mask
    return h ^ h >> 15
