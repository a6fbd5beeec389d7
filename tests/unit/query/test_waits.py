"""What a reader asks to wait for, and for how long: bounded, and nobody else's trouble (N3)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from query.app import create_app
from query.config import QueryConfig
from query.deps import Deps
from query.errors import said_fresh, store_down
from query.freshness import Fresh, Needs, Place, ProgressWatch
from query.log_epochs import LogEpochs
from query.pipeline.everything_read import EverythingRead
from query.views import hot, memories
from query.views.db import Database
from query.writing.memories import _found
from schemas.log import topics
from schemas.log.owner import Owner, partition, project, user
from schemas.log.progress import FreshnessToken, Written
from schemas.security.scope import OwnerScope, Permission, TenantScope
from tests.patience import PATIENCE
from tests.unit.query.memory_log import MemoryLog

GOOD: Place = ("screen:conversation.history.v1", 1, "conversation.turns.v1/1")
BAD: Place = ("screen:conversation.history.v1", 2, "conversation.turns.v1/2")
READ = "/v1/turns/x?user_id=u"


def token(partition: int, project_partitions: tuple[int, ...] = ()) -> str:
    return str(FreshnessToken.of([Written(topic=topics.TURNS.name, partition=partition, offset=1,
                                          project_partitions=project_partitions)]))  # fmt: skip


@pytest.mark.parametrize("wait", ["0" * 9 + "9" * 400, "000000000600000", "-1", "1.5", "+5", "1_0", "999999999"])
async def test_n3_a_wait_is_bounded_however_it_is_written(client: httpx.AsyncClient, wait: str) -> None:
    answer = await client.get(READ, headers={"Memstream-Wait-Ms": wait})
    assert (answer.status_code, "Memstream-Wait-Ms" in answer.text) == (422, True)


@pytest.mark.parametrize("odd", [token(2**40), token(QueryConfig().partitions), token(0, (2**40,)), token(0, (-1,))])
async def test_n3_a_token_of_a_partition_that_there_is_not_is_refused(client: httpx.AsyncClient, odd: str) -> None:
    answer = await client.get(READ, headers={"Memstream-Wait-For": odd})
    assert (answer.status_code, "Memstream-Wait-For" in answer.text) == (422, True)


async def test_n3_a_look_that_fails_ends_its_own_waits_and_no_later_ones() -> None:
    async def fetch(places: list[Place]) -> Mapping[Place, int]:
        if BAD in places:
            raise RuntimeError
        return dict.fromkeys(places, 5)

    watch = ProgressWatch(fetch)
    async with asyncio.timeout(PATIENCE):  # the wait itself would take longer
        assert not await watch.wait({BAD: 1}, 2 * PATIENCE)
        assert await watch.wait({GOOD: 5}, 2 * PATIENCE)


@pytest.mark.parametrize(
    ("switches_at", "looked_in", "header"), [(None, [1], "true"), (1, [1, 2], "true"), ("read", [1], "false")]
)
async def test_n3_n1_what_was_waited_for_is_in_the_generation_that_is_read(
    switches_at: Any, looked_in: list[int], header: str
) -> None:
    """Readers move to a rebuilt generation during a wait: it waits for that one, too. Between the wait and the answer:
    which of both the rows are from is not known."""
    numbers, looks = {"postgres": 1}, list[int]()

    async def fetch(places: list[Place]) -> Mapping[Place, int]:
        looks.append(numbers["postgres"])
        if len(looks) == switches_at:
            numbers["postgres"] = 2
        return dict.fromkeys(places, 9)

    app = SimpleNamespace(state=SimpleNamespace(
        db=SimpleNamespace(last_live=lambda: SimpleNamespace(numbers=dict(numbers))),
        metrics=SimpleNamespace(fresh_wait=SimpleNamespace(observe=lambda took: None)),
    ))  # fmt: skip
    request: Any = SimpleNamespace(app=app, state=SimpleNamespace(fresh="true"))
    watches, epochs = {"postgres": ProgressWatch(fetch)}, LogEpochs(None, 1)
    fresh = Fresh(FreshnessToken.parse(token(1)), PATIENCE, watches, epochs, request)
    assert await fresh.wait("turns")
    if switches_at == "read":
        numbers["postgres"] = 2
    assert (looks, said_fresh(request)) == (looked_in, header)


@pytest.mark.parametrize(("method", "path", "body"), [
    ("PATCH", "/v1/memories/m", {"user_id": "ann", "text": "It stays at 70."}),
    ("DELETE", "/v1/memories/m?user_id=ann", None),
])  # fmt: skip
async def test_n3_the_token_of_a_command_about_a_memory_names_the_projects_that_may_show_it(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, method: str, path: str, body: Any
) -> None:
    """Where Postgres cannot say which (as here, at first), the write goes on without."""
    shown = ("alpha", "beta")
    wanted = tuple(sorted({partition(project("default", p), QueryConfig().partitions) for p in shown}))
    for expected in ((), wanted):
        answer = await client.request(method, path, json=body)
        assert answer.status_code == 202
        [written] = FreshnessToken.parse(answer.json()["freshness_token"]).writes
        assert (written.topic, written.project_partitions) == (topics.LEDGER.name, expected)

        async def projects(db: Database, scope: OwnerScope, record_id: str) -> tuple[str, ...]:
            return shown if (scope.owner.id, record_id) == ("ann", "m") else ()

        monkeypatch.setattr(hot, "projects", projects)


@pytest.mark.parametrize(("method", "path", "body"), [
    ("PATCH", "/v1/memories/{}", {"user_id": "ann", "text": "It stays at 70."}),
    ("DELETE", "/v1/memories/{}?user_id=ann", None),
])  # fmt: skip
async def test_d8_a_command_about_a_memory_says_whether_there_is_one(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, method: str, path: str, body: Any
) -> None:
    """It was a success for ids that never were. It is written all the same: what makes the memory may be on its way."""
    answer = await client.request(method, path.format("m"), json=body)
    assert (answer.status_code, answer.json()["found"]) == (202, None), "Postgres does not answer"

    async def found(db: Database, scope: OwnerScope, record_id: str) -> bool:
        return (scope.owner.id, record_id) == ("ann", "m")

    monkeypatch.setattr(memories, "found", found)
    for name, wanted in (("m", True), ("none-such", False)):
        answer = await client.request(method, path.format(name), json=body)
        assert (answer.status_code, answer.json()["found"]) == (202, wanted)


@pytest.mark.parametrize(("method", "path", "body"), [
    ("PATCH", "/v1/memories/{}", {"user_id": "ann", "text": "It stays at 70."}),
    ("DELETE", "/v1/memories/{}?user_id=ann", None),
])  # fmt: skip
@pytest.mark.parametrize(("everything", "stood", "name", "status"), [
    (True, False, "none-such", 404), (False, False, "none-such", 202), (True, False, "deleted", 202),
    (True, True, "m", 202), (True, None, "none-such", 202),
])  # fmt: skip
async def test_d8_an_id_that_never_was_is_404_and_nothing_is_written(
    client: httpx.AsyncClient, log: MemoryLog, monkeypatch: pytest.MonkeyPatch, method: str, path: str, body: Any,
    everything: bool, stood: bool | None, name: str, status: int,
) -> None:  # fmt: skip
    async def found(*_: Any) -> bool:
        if stood is None:
            raise store_down("postgres")
        return stood

    async def was_there(db: Database, scope: OwnerScope, record_id: str) -> bool:
        return record_id != "none-such"

    async def of(self: EverythingRead, owner: Owner) -> bool:
        assert owner == user("default", "ann")
        return everything

    monkeypatch.setattr(memories, "found", found)
    monkeypatch.setattr(memories, "was_there", was_there)
    monkeypatch.setattr(EverythingRead, "of", of)
    answer = await client.request(method, path.format(name), json=body)
    assert answer.status_code == status, answer.text
    assert len([r for r in log.records if r.topic == topics.LEDGER.name]) == (status == 202)
    if status == 404:
        assert answer.json()["type"] == "urn:memstream:error:not-found"


@pytest.mark.parametrize(("held", "wanted"), [
    ({Permission.WRITE}, None), ({Permission.READ, Permission.WRITE}, True),
])  # fmt: skip
async def test_c7_a_credential_that_may_not_read_is_not_told_whether_a_memory_is_there(
    monkeypatch: pytest.MonkeyPatch, held: set[Permission], wanted: bool | None
) -> None:
    """The id of a field's value is made of the field's name: it would tell what is known of whom."""

    async def found(*_: Any) -> bool:
        return True

    monkeypatch.setattr(memories, "found", found)
    scope = TenantScope("acme", "key", frozenset(held))
    assert await _found(SimpleNamespace(db=None), scope.user("ann"), "m") is wanted  # type: ignore[arg-type]


async def test_d9_the_scope_of_a_project_is_the_same_by_its_name_and_by_its_id(client: httpx.AsyncClient) -> None:
    fields = {"user_id": "ann", "kind": "preference", "field": "tone", "value": "brief", "text": "Brief, please.",
            "project_id": "trial-7"}  # fmt: skip
    answers = [(await client.post("/v1/memories", json={**fields, "scope": s})).json() for s in ("project", "trial-7")]
    assert answers[0]["memory_id"] == answers[1]["memory_id"]
    own = (partition(project("default", "trial-7"), QueryConfig().partitions),)
    for answer in answers:
        [written] = FreshnessToken.parse(answer["freshness_token"]).writes
        assert written.project_partitions == own


class Waits:
    """A store that has (or has not) got everything, and knows what was on the log when it was asked."""

    def __init__(self, log: MemoryLog, there: bool) -> None:
        self._log, self._there = log, there
        self.asked: list[tuple[Needs, int]] = []

    async def wait(self, needs: Needs, seconds: float) -> bool:
        self.asked.append((needs, len(self._log.records)))
        return self._there


@pytest.mark.parametrize(("there", "expected"), [(True, "true"), (False, "false")])
async def test_a6_a_report_that_is_asked_for_waits_for_the_turns_of_its_token(
    deps: Deps, log: MemoryLog, there: bool, expected: str
) -> None:
    app = create_app(QueryConfig(), deps)
    app.state.watches = {"postgres": (watch := Waits(log, there))}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://127.0.0.1") as client:
        answer = await client.post("/v1/projects/p/reports", headers={"Memstream-Wait-For": token(1, (3,))})
    assert (answer.status_code, answer.headers["Memstream-Fresh"]) == (202, expected)
    place = ("project:memory.updates.v1", 3, "conversation.turns.v1/1")
    assert watch.asked == [({place: 2}, 0)]  # before the command was written
    assert len(log.records) == 1  # and late turns leave the command as it is


async def test_a6_a_report_without_a_token_waits_for_nothing(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/projects/p/reports")
    assert (answer.status_code, answer.headers["Memstream-Fresh"]) == (202, "true")
