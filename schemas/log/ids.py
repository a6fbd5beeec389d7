"""Deterministic ids (DESIGN, delivery rule 3): the same input names the same record on every replay."""

from __future__ import annotations

import hashlib
import hmac
from datetime import datetime
from uuid import UUID, uuid5

import orjson

from schemas.base import Json
from schemas.log.owner import Owner

NAMESPACE = UUID("6d656d73-7472-5561-8d00-6d656d6f7279")


def _uuid(*parts: Json) -> str:
    """uuid5 over a JSON array: no separator can be imitated by a part."""
    return str(uuid5(NAMESPACE, orjson.dumps(parts).decode()))


def content_hash(text: str) -> str:
    """SHA-256 of the UTF-8 text, 32 hex digits: identity of content, not a secret."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def keyed_hash(key: bytes, text: str) -> str:
    """HMAC-SHA-256, 32 hex digits: equality of personal values without keeping them (N4)."""
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()[:32]


def turn_id(tenant: str, user: str, session: str, role: str, occurred_at: datetime, content: str) -> str:
    """The id of a turn that came without one."""
    return _uuid("turn", tenant, user, session, role, occurred_at.isoformat(), content_hash(content))


def record_id(owner: Owner, kind: str, *identity: Json) -> str:
    """The id of a memory: its owner, its kind, and what identifies it (a field and scope, or source turn and
    ordinal)."""
    return _uuid("record", owner.key, kind, *identity)


def event_id(step: str, partition: int, offset: int, ordinal: int) -> str:
    """CloudEvents id of an emitted record: the same when it is delivered again."""
    return f"{step}/{partition}/{offset}/{ordinal}"


def writer_of(event_id: str) -> str:
    """`step/partition`: who wrote the record of such an id."""
    return event_id.rsplit("/", 2)[0]
