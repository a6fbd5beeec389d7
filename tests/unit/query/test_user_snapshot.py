"""E1: a session's user snapshot holds what is known of the user, and what a caller wrote before that."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from query.app import create_app
from query.config import QueryConfig
from query.deps import Deps
from query.errors import store_down
from query.reading import sessions
from query.views import memories, structured
from schemas.profile.model import load_profile

EMPTY = {"user_id": "ann", "name": "", "allergies": [], "history": [], "surgery_history": [], "preferences": []}


def row(field: str, value: Any, **over: Any) -> dict[str, Any]:
    return {
        "record_id": field, "field": field, "fields": [], "value": value, "text": f"{value}", "scope": "global",
        "attributes": {}, "kind": "fact", **over,
    }  # fmt: skip


KNOWN = [
    row("name", "Ann"), row("drug_allergies", "penicillin"), row("medical_history", "asthma"),
    row("medical_history", "gout", attributes={"about": "Li"}), row("surgeries", "appendectomy"),
    row("response_style", "short", kind="preference", text="Ann prefers short answers"),
]  # fmt: skip
FILLED = {
    "name": "Ann", "allergies": ["peanuts", "penicillin"], "history": ["asthma"], "surgery_history": ["appendectomy"],
    "preferences": ["Ann prefers short answers"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("profile", "written", "away", "shown"),
    [
        ("health", {}, False, FILLED),
        ("health", {"name": "Anna", "history": ["none"]}, False, FILLED | {"name": "Anna", "history": ["none"]}),
        ("health", {"name": "Anna"}, True, {**EMPTY, "name": "Anna"}),
        ("general", {}, False, EMPTY),
    ],
)
async def test_e1_a_session_shows_what_is_known_of_its_user(
    deps: Deps, monkeypatch: pytest.MonkeyPatch, profile: str, written: dict[str, Any], away: bool,
    shown: dict[str, Any],
) -> None:  # fmt: skip
    async def load(*_: Any) -> Any:
        return SimpleNamespace(value={"user_snapshot": {**EMPTY, **written}}, degraded=[], row=None)

    async def active(*_: Any) -> Any:
        if away:
            raise store_down("postgres")
        return KNOWN

    async def table(*_: Any) -> Any:
        value = {"allergies": ["peanuts", "penicillin"]}
        return [{"record_id": "row", "category": "health_profiles", "value": value, "attributes": {"written": value}}]

    monkeypatch.setattr(sessions, "load", load)
    monkeypatch.setattr(memories, "current_of_fields", active)
    monkeypatch.setattr(structured, "rows", table)
    app = create_app(QueryConfig(), replace(deps, profile=load_profile(profile)))
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        answer = await client.get("/v1/sessions/s1", params={"user_id": "ann"})
    assert answer.status_code == 200, answer.text
    assert answer.json()["user_snapshot"] == {"user_id": "ann", **shown}
