"""N8: a value that was told after its successor, beside the one that it took over from: one value at any time."""

from __future__ import annotations

from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from processors.ports import Models
from query.reading import users
from query.views import memories
from query.views.db import Row
from query.views.documents import memories_as_of
from query.views.temporal_values import without_overtaken
from schemas.events.memory import Candidate, MemoryUpdate
from tests.unit.gate.bench import DAY, START, GateBench, candidate, study


def lives(city: str, day: int, **kw: Any) -> Candidate:
    return candidate(f"Moved to {city}", "residence", city, occurred_from=START + day * DAY, **kw)


def columns(u: MemoryUpdate) -> Row:
    """As the view shows it."""
    shown = u.model_dump(exclude={"sealed"}) | {"also": [], "reason": u.reason.model_dump(mode="json")}
    return {**shown, "text": u.sealed.text, "value": u.sealed.value, "attributes": u.sealed.attributes,
            "sources": [s.model_dump(mode="json") for s in u.sources]}  # fmt: skip


def true_at(gate: GateBench, when: datetime) -> list[Row]:
    """What the statements of `as_of` find, newest known first."""
    held = [
        u for u in gate.view.values()
        if u.op == "upsert" and u.state in ("active", "superseded")
        and (u.valid_from or u.occurred_at) <= when and (u.valid_to is None or u.valid_to > when)
    ]  # fmt: skip
    held.sort(key=lambda u: (u.known_at, u.record_id, u.version), reverse=True)
    return [columns(u) for u in held]


def values(rows: list[Row]) -> list[Any]:
    return [r["value"] for r in rows]


@pytest.fixture
async def moved(models: Models) -> GateBench:
    """Leeds since day -20, Oslo since day -10; then York, since day -15, and Bath, since day -30."""
    gate = GateBench(models)
    for city, day in (("Leeds", -20), ("Oslo", -10), ("York", -15), ("Bath", -30)):
        await gate.say(lives(city, day))
        gate.later(timedelta(hours=1))
    return gate


WHERE = pytest.mark.parametrize(
    ("day", "city"), [(-25, "Bath"), (-18, "Leeds"), (-12, "York"), (-5, "Oslo"), (-15, "York"), (-10, "Oslo")]
)


@WHERE
async def test_n8_where_somebody_lived_is_one_place_at_any_time(moved: GateBench, day: int, city: str) -> None:
    assert values(without_overtaken(true_at(moved, START + day * DAY))) == [city]


async def test_n8_of_people_scopes_and_fields_each_has_its_own(models: Models) -> None:
    gate = GateBench(models)
    await gate.say(lives("Leeds", -20), lives("Rome", -20, attributes={"about": "Tom"}), lives("Kyiv", -20, scope="p1"))
    await gate.say(lives("Oslo", -10))
    await gate.say(candidate("Has a cat", "pet", "cat", occurred_from=START - 20 * DAY))
    await gate.say(candidate("Has a dog", "pet", "dog", occurred_from=START - 14 * DAY))
    await gate.say(lives("York", -15))
    then = without_overtaken(true_at(gate, START - 12 * DAY))
    assert sorted(values(then)) == ["Kyiv", "Rome", "York", "cat", "dog"]


async def test_n8_a_statement_of_several_fields_stays_while_one_of_them_holds(models: Models) -> None:
    gate = GateBench(models)
    first = study("Leeds", "MSc", "Physics").model_copy(update={"occurred_from": START - 20 * DAY})
    await gate.say(first)
    await gate.say(candidate("Major is music", "major", "Music", occurred_from=START - 10 * DAY))
    await gate.say(candidate("Major was law", "major", "Law", occurred_from=START - 15 * DAY))
    then = true_at(gate, START - 12 * DAY)
    assert len(then) == 2
    assert without_overtaken(then) == then


@WHERE
async def test_n8_the_list_of_a_time_says_what_its_profile_says(
    moved: GateBench, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, day: int, city: str
) -> None:
    async def as_of(_: Any, __: Any, kinds: Any, when: datetime, limit: int, after: memories.After) -> list[Row]:
        rows = [r for r in true_at(moved, when) if r["kind"] in kinds]
        start = next((i for i, r in enumerate(rows, 1) if r["record_id"] == after.record_id), 0)
        return rows[start : start + limit]

    monkeypatch.setattr(memories, "as_of", as_of)
    monkeypatch.setattr(users, "MANY", 1)  # what overtook a value stands on another page
    request = {"as_of": (START + day * DAY).isoformat(), "limit": "1"}
    found: list[Any] = []
    while True:
        answer = await client.get("/v1/users/ann/memories", params=request)
        assert answer.status_code == 200, answer.text
        found += [m["value"] for m in answer.json()["memories"]]
        if (cursor := answer.json()["cursor"]) is None:
            break
        request["cursor"] = cursor
    assert found == [city]


async def test_n8_a_search_as_of_a_time_reads_why_a_version_stands_and_leaves_out_what_was_overtaken(
    moved: GateBench,
) -> None:
    when = START - 12 * DAY

    async def of_owner(_: Any, statement: Any, **values: Any) -> list[Row]:
        assert "reason FROM" in statement.text
        return true_at(moved, values["as_of"])

    db: Any = SimpleNamespace(of_owner=of_owner)
    scope: Any = None
    assert values(await memories_as_of(db, scope, when)) == ["York"]
