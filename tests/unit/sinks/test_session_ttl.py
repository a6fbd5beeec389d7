"""E1: Redis holds a session for as long as its tenant's profile says that it is not idle."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from schemas.profile.model import Profile, SessionSpec, load_profile
from sinks.redis.fill import Filler
from sinks.redis.held import SOON, in_redis
from sinks.redis.session import GUARD_TTL, as_idle
from sinks.redis.sink import RedisSink
from tests.unit.sinks.events import NOW, session

GENERAL = load_profile("general")
IDLE = {"slow": 90.0, "quick": 5.0, "month": 43_200.0}


def profile_of(tenant: str) -> Profile:
    minutes = IDLE.get(tenant)
    return GENERAL if minutes is None else GENERAL.model_copy(update={"session": SessionSpec(idle_minutes=minutes)})


HELD = [("t1", timedelta(minutes=30)), ("slow", timedelta(minutes=90)), ("quick", timedelta(minutes=5)),
        ("month", GUARD_TTL)]  # fmt: skip
"""Tenant -> how long; never longer than the revision that guards it."""


@pytest.mark.parametrize(("tenant", "held"), HELD)
def test_e1_a_session_is_held_for_the_idle_time_of_its_profile(
    monkeypatch: pytest.MonkeyPatch, tenant: str, held: timedelta
) -> None:
    seen: list[Any] = []
    later = timedelta(minutes=2)
    sink = RedisSink(
        "redis://127.0.0.1:1/0", fill_from="postgresql://127.0.0.1:1/none", session_ttl=as_idle(profile_of),
        now=lambda: NOW + later,
    )  # fmt: skip
    monkeypatch.setattr(sink, "_session", lambda keys, args, client: seen.append(args[1]))
    s = session(1, tenant=tenant, updated_at=NOW)
    sink._write_session(None, s, None)
    assert seen == [(held - later) / timedelta(milliseconds=1)]
    filler = sink._filler
    assert isinstance(filler, Filler)
    row = {**s.model_dump(exclude={"sealed", "type", "schema_version"}), "body": {}, "sealed": None, "sealed_for": None}
    monkeypatch.setattr(filler, "_read", lambda *_: [row])
    monkeypatch.setattr("sinks.redis.fill.is_erased", lambda *_: False)
    monkeypatch.setattr(filler, "_session", lambda keys, args: seen.append(args[1]))
    assert filler._fill_session(s.owner, s.session_id)
    assert seen[1:] == [held / timedelta(milliseconds=1)], "put back, whole: it is read now"
    sink.close()


@pytest.mark.parametrize(("tenant", "held"), HELD)
def test_n1_a_rebuild_expects_a_session_for_as_long(tenant: str, held: timedelta) -> None:
    result = in_redis(session(1, tenant=tenant, updated_at=NOW), as_idle(profile_of))
    assert result is not None
    assert result.until == NOW + held - SOON


