"""Erasure in Redis (C9): every key of an owner, and a cut-off that outlives them."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from urllib.parse import quote

import redis

from schemas.events.erasure import Erasure
from schemas.events.sessions import SessionState
from schemas.log.owner import OwnerKind
from schemas.storage.layouts import RedisLayout
from sinks.redis.session import GUARD_TTL, session_keys

_CHUNK = 500


def drop_erased(client: redis.Redis, layout: RedisLayout, e: Erasure) -> int:
    """How many keys went. The cut-off is written first: what the filler reads from here on is refused."""
    at = e.accepted_at.isoformat()
    client.set(layout.erased(e.owner, e.session_id), at, ex=int(GUARD_TTL.total_seconds()))
    if e.scope == "session":
        return int(_any(client.delete(*session_keys(layout, e.owner, e.session_id or ""))))
    tag = f"{{{e.owner.key}}}" if e.scope == "user" else f"{{{quote(e.tenant, safe='')}/"
    names: list[bytes] = []
    count = 0
    kept = layout.erased(e.owner, None).encode()
    # An owner's key is percent-encoded: nothing in it is special to a pattern.
    for name in client.scan_iter(f"{layout.prefix}{tag}*", count=1_000):
        if name == kept:
            continue
        names.append(name)
        if len(names) == _CHUNK:
            count, names = count + int(_any(client.delete(*names))), []
    return count + (int(_any(client.delete(*names))) if names else 0)


def is_erased(client: redis.Redis, layout: RedisLayout, s: SessionState) -> bool:
    """Did an erasure take this state of a session?"""
    tenant = layout.erased(s.owner._replace(kind=OwnerKind.TENANT, id=""), None)
    cuts: Any = client.mget(layout.erased(s.owner, None), layout.erased(s.owner, s.session_id), tenant)
    return any(cut is not None and s.updated_at <= datetime.fromisoformat(cut.decode()) for cut in cuts)


def _any(value: Any) -> Any:
    return value
