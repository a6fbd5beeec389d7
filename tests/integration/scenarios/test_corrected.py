"""A memory that its user corrects (N4): the new value stands, the old one is not learned again."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.integration.scenario import World

pytestmark = pytest.mark.integration


def ages(running: World, user: str) -> list[Any]:
    found = running.get(f"/v1/users/{user}/memories", limit=200)["memories"]
    return [m["value"] for m in found if m["field"] == "age" and m["state"] == "active"]


@pytest.mark.parametrize(
    ("user", "text", "again"), [("rut", "I'm 41.", "I'm 41, as I said."), ("ru", "我今年41岁。", "我41岁，我说过。")]
)
def test_n4_a_correction_stands_against_what_was_said_before(running: World, user: str, text: str, again: str) -> None:
    running.run_on("general")
    running.say(user, text)
    memories = running.get(f"/v1/users/{user}/memories", limit=200)["memories"]
    [age] = [m for m in memories if m["field"] == "age"]
    running.call("PATCH", f"/v1/memories/{age['id']}", {"user_id": user, "value": 42})
    assert ages(running, user) == [42]
    running.say(user, again, at=datetime.fromisoformat(age["occurred_at"]) - timedelta(days=1))
    assert ages(running, user) == [42]
