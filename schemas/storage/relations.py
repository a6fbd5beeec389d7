"""Names of the relations of structured tables: a space of each tenant's in a generation's schema, so that no name meets
one of ours, or another tenant's (C2, C7).

The tenant of an installation without keys has the names of its profile as they are; any other's have the tenant before
them: `views_g1."acme/diagnosis_records"`. No name of a profile holds `/`, `#` or `~`.
"""

from __future__ import annotations

import hashlib

from schemas.log.owner import tenant_owner

HOME = "default"
"""The tenant of an installation without keys."""
_MOST = 63
"""Bytes of an identifier; Postgres cuts off what is longer."""
_MOST_SPACE = 20


def space(tenant: str) -> str:
    """What stands before a tenant's names. An id that is long, or has characters that need escaping, is a hash."""
    if tenant == HOME:
        return ""
    encoded = tenant_owner(tenant).key.partition("/")[0]
    return f"{encoded}/" if len(encoded) <= _MOST_SPACE and "%" not in encoded else f"#{_hash(tenant, 12)}/"


def relation(tenant: str, name: str) -> str:
    """A table or index of a tenant's profile."""
    whole = space(tenant) + name
    return whole if len(whole) <= _MOST else f"{whole[: _MOST - 9]}~{_hash(name, 8)}"


def foreign(tenant: str, found: str) -> bool:
    """Whether a relation of the schema is in another tenant's space."""
    return "/" in found and not (space(tenant) and found.startswith(space(tenant)))


def _hash(text: str, digits: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:digits]
