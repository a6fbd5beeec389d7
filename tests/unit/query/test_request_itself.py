"""A8: a request that was stored as a turn before it is asked about is no memory of itself."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from query.deps import Deps
from query.prompt.endpoint import ContextIn, ContextRequest, _pieces
from query.prompt.intents import Routed
from query.reading.common import Context
from schemas.security.scope import TenantScope

QUERY = "My budget is 2000 euros, which laptop did we choose?"
NOW = datetime(2026, 11, 22, tzinfo=UTC)


def turn(turn_id: str, content: str) -> dict[str, Any]:
    return {"turn_id": turn_id, "content": content, "role": "user", "speaker": None, "occurred_at": NOW,
            "user_id": "ann"}  # fmt: skip


def memory(record_id: str, *sources: str) -> dict[str, Any]:
    return {
        "record_id": record_id, "kind": "episode", "text": f"Memory {record_id}", "value": None, "episode_type": "qa",
        "sources": [{"turn_id": t} for t in sources], "occurred_at": NOW,
    }  # fmt: skip


@pytest.mark.parametrize("stored", ["in the window", "among the hits", "not"])
def test_a8_the_request_is_no_memory_of_itself(deps: Deps, stored: str) -> None:
    tenant = TenantScope("default", "test", frozenset())
    request = ContextRequest(ContextIn(query=QUERY, user_id="ann"), tenant, tenant.user("ann"), None, Routed([], None))
    hits = [memory("own", "now"), memory("older", "then"), memory("both", "now", "then"), memory("remembered")]
    if stored == "among the hits":
        hits.append(turn("now", QUERY))
    window = [turn("now", QUERY)] if stored == "in the window" else []
    session = {"mode": "FULL_HISTORY", "body": {"window": window, "anchors": {}}}
    ctx = Context.__new__(Context)
    ctx.deps = deps
    pieces = _pieces(request, session, {}, [], [(h, 1.0) for h in hits], ctx)
    shown = [p.citation["id"] for p in pieces if p.citation and p.section == "retrieved_memories"]
    assert shown == (["own"] if stored == "not" else []) + ["older", "both", "remembered"]
