"""What the Redis sink and its filler share: the client, its errors, and a session as keys and arguments."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeAlias

import orjson
import redis
from redis import exceptions as errors
from redis.backoff import NoBackoff
from redis.retry import Retry

from schemas.events.session_value import history_list, sealed_value, session_value
from schemas.events.sessions import SessionState
from schemas.log import topics
from schemas.log.owner import Owner
from schemas.profile.model import Profile
from schemas.security.sealed_rows import SealedPart
from schemas.storage.layouts import RedisLayout
from sinks.protocol import Permanent, Transient

GUARD_TTL = timedelta(days=topics.SESSION_STATE.retention_days or 2)
"""How long a session's revision is remembered: as long as the log can redeliver an older one."""
SessionTtl: TypeAlias = Callable[[str], timedelta]
"""Tenant -> how long after its last event a session is held."""
_SERVER = (
    errors.NoScriptError,
    errors.OutOfMemoryError,
    errors.ReadOnlyError,
    errors.NoPermissionError,
    errors.MasterDownError,
    errors.TryAgainError,
    errors.ClusterDownError,
)
_SERVER_WORDS = ("MISCONF", "NOREPLICAS", "BUSY", "UNKILLABLE")


def as_idle(profile_of: Callable[[str], Profile]) -> SessionTtl:
    """As long as a session of the tenant's profile is not idle (E1); at most as long as its revision is remembered."""
    return lambda tenant: min(timedelta(minutes=profile_of(tenant).session.idle_minutes), GUARD_TTL)


def thirty_minutes(tenant: str) -> timedelta:
    """The default of a profile."""
    return timedelta(minutes=30)


def connect(url: str) -> redis.Redis:
    """A client that gives up within seconds: waiting is the worker's part."""
    never = Retry(NoBackoff(), 0)
    return redis.Redis.from_url(url, socket_timeout=5.0, socket_connect_timeout=2.0, retry=never)


def classified(exc: errors.RedisError) -> Transient | Permanent:
    """What the server says of one command (a foreign type under our key, a value too large) is the record's fault;
    away, loading, full, read-only, scripts flushed and missing rights are the server's."""
    answered = isinstance(exc, errors.ResponseError) and not isinstance(exc, _SERVER)
    if isinstance(exc, errors.DataError) or (answered and not str(exc).startswith(_SERVER_WORDS)):
        return Permanent("redis_refused", type(exc).__name__)
    return Transient(type(exc).__name__)


def session_keys(layout: RedisLayout, owner: Owner, session_id: str) -> list[str]:
    return [
        layout.session(owner, session_id),
        layout.history(owner, session_id),
        layout.summary(owner, session_id),
        layout.anchors(owner, session_id),
        layout.revision(owner, session_id),
    ]


def session_args(s: SessionState, ttl: timedelta, sealed: SealedPart | None = None) -> list[Any]:
    """Arguments of the session script. Sealed (C7), the value alone is held, for readers who have the key: the seed's
    lists are for clients that read Redis by themselves."""
    lasts = [s.revision, max(0, int(ttl.total_seconds() * 1000)), int(GUARD_TTL.total_seconds() * 1000)]
    if sealed is not None:
        return [*lasts, orjson.dumps(sealed_value(s, sealed)), 0, 0]
    history = [orjson.dumps(m) for m in history_list(s)]
    anchors = [x for k, v in s.sealed.anchors.items() for x in (k, v if isinstance(v, str) else orjson.dumps(v))]
    return [
        *lasts, orjson.dumps(session_value(s)), len(history), *history, len(s.sealed.summaries), *s.sealed.summaries,
        *anchors,
    ]  # fmt: skip
