"""Hot memory of a project: one writer, newest said wins, deleted stays deleted for what was said before (A3, A4)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import orjson
import pytest

from processors.ports import Models, ProfileBook
from processors.project import hot_keys
from processors.project.step import Project
from schemas.events.documents import (
    ProjectCandidate,
    ProjectCandidateBody,
    ProjectCommand,
    ProjectCommandBody,
    TurnDigest,
    TurnDigestBody,
)
from schemas.events.envelope import SourceTurn
from schemas.events.memory import Candidate, Decision, HotValue, MemoryUpdate
from schemas.log import topics
from schemas.profile.model import load_profile
from streams.driver import TopologyDriver

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


class Bench:
    def __init__(self, models: Models) -> None:
        self.driver = TopologyDriver([Project(models, ProfileBook(load_profile("general")))], START)
        self.count = 0

    def said(self, value: Any, at: datetime = START, key: str = "release", priority: int = 5) -> None:
        self.count += 1
        hot = HotValue(type="decision", key=key, value=value, priority=priority)
        made = Candidate(
            ordinal=0,
            kind="episode",
            text=f"{key} is {value}",
            importance=0.5,
            confidence=Decimal(1),
            source="explicit",
            hot=hot,
        )
        self.driver.pipe(
            topics.PROJECT_EVENTS,
            ProjectCandidate(
                tenant="acme", project_id="p", user_id="ann", record_id=f"r{self.count}", accepted_at=self.driver.now,
                turn=SourceTurn(turn_id=f"t{self.count}", occurred_at=at, content_hash="x"), profile="general",
                profile_version=1, sealed=ProjectCandidateBody(candidate=made),
            ),
        )  # fmt: skip

    def restated(self, turn: str, *hot: str) -> None:
        """A newer extractor has read a turn anew; of hot memory it still says these."""
        self.driver.pipe(
            topics.PROJECT_EVENTS,
            TurnDigest(
                tenant="acme", project_id="p", user_id="ann", accepted_at=self.driver.now, role="user", language="en",
                turn=SourceTurn(turn_id=turn, occurred_at=START, content_hash="x"), restated=True,
                sealed=TurnDigestBody(content="what was said", hot=hot),
            ),
        )  # fmt: skip

    def command(self, command: Any, value: Any = None, key: str = "release", **kw: Any) -> None:
        self.count += 1
        self.driver.pipe(
            topics.PROJECT_EVENTS,
            ProjectCommand(
                tenant="acme", project_id="p", command=command, command_id=f"c{self.count}", hot_type="decision",
                key=key, accepted_at=self.driver.now, sealed=ProjectCommandBody(value=value), **kw,
            ),
        )  # fmt: skip

    async def updates(self) -> list[MemoryUpdate]:
        await self.driver.run()
        assert not self.driver.dead_letters()
        found = [e for e in self.driver.read(topics.UPDATES) if isinstance(e, MemoryUpdate)]
        for key in {u.row_key for u in found}:
            revisions = [u.revision for u in found if u.row_key == key]
            assert revisions == list(range(1, len(revisions) + 1))
        return found

    def rules(self) -> list[str]:
        return [e.reason.rule for e in self.driver.read(topics.DECISIONS) if isinstance(e, Decision)]


@pytest.fixture
def bench(models: Models) -> Bench:
    return Bench(models)


async def test_a4_a_newer_value_replaces_and_the_same_is_skipped(bench: Bench) -> None:
    bench.said("周五")
    bench.said("周五", START + HOUR)
    bench.said("周一", START + 2 * HOUR)
    assert [(u.revision, u.sealed.value) for u in await bench.updates()] == [(1, "周五"), (2, "周一")]
    assert bench.rules() == ["hot_memory", "same_value", "hot_memory"]


async def test_a4_an_older_event_changes_nothing(bench: Bench) -> None:
    bench.said("Monday", START + HOUR)
    bench.said("Friday", START)
    assert [u.sealed.value for u in await bench.updates()] == ["Monday"]
    assert bench.rules()[-1] == "older_than_standing"


async def test_a3_a_priority_alone_is_news(bench: Bench) -> None:
    bench.said("Friday")
    bench.said("Friday", START + HOUR, priority=9)
    assert [u.priority for u in await bench.updates()] == [5, 9]


async def test_a3_a_deleted_key_does_not_come_back_from_what_was_said_before(bench: Bench) -> None:
    bench.said("Friday")
    await bench.updates()
    bench.driver.advance(5 * HOUR)
    bench.command("delete_hot")
    bench.said("Thursday", START + HOUR)
    removed = (await bench.updates())[-1]
    assert (removed.op, removed.state, removed.revision, removed.sealed.text) == ("delete", "deleted", 2, "")
    bench.driver.advance(HOUR)
    bench.said("Sunday", bench.driver.now)
    assert (await bench.updates())[-1].sealed.value == "Sunday"
    bench.command("delete_hot", key="unknown")
    assert len(await bench.updates()) == 3


async def test_a5_what_a_caller_puts_stands_whatever_a_turn_dated_ahead_had_said(bench: Bench) -> None:
    bench.said(45, START + 8 * HOUR)  # the door takes turns dated up to a day ahead
    await bench.updates()
    bench.driver.advance(timedelta(minutes=5))
    bench.command("put_hot", 50)
    bench.command("delete_hot")
    bench.command("put_hot", 51)
    assert [(u.state, u.sealed.value) for u in (await bench.updates())[1:]] == [
        ("active", 50), ("deleted", None), ("active", 51),
    ]  # fmt: skip
    bench.said(52, START + 9 * HOUR)
    assert (await bench.updates())[-1].sealed.value == 52


@pytest.mark.parametrize("value", [None, False, 0, "", [], {"人数": 48}])
async def test_a3_any_json_is_a_value(bench: Bench, value: Any) -> None:
    bench.command("put_hot", value, priority=3)
    [put] = await bench.updates()
    assert put.sealed.value == value


async def test_d5_a_put_value_goes_through_the_screen(bench: Bench) -> None:
    bench.command("put_hot", {"contact": "ann@example.com"})
    bench.command("put_hot", "api_key=sk-proj-abcdefghijklmnopqrstuvwxyz123456ABCDEFGHIJ", key="other")
    bench.command("put_hot", "<CREDENTIAL>", key="masked_at_the_door", refused_for="credential")
    [put] = await bench.updates()
    assert put.sealed.value == {"contact": "<EMAIL_ADDRESS>"}
    assert bench.rules() == ["hot_memory", "credential", "credential"]


async def test_a3_a_key_too_many_takes_the_place_of_the_least(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hot_keys, "MOST", 3)
    for n, priority in enumerate((5, 2, 2)):
        bench.said(f"v{n}", START + n * HOUR, key=f"k{n}", priority=priority)
    bench.said("v1 again", START + 3 * HOUR, key="k1", priority=2)  # a change of what stands needs no room
    bench.said("v3", START + 4 * HOUR, key="k3", priority=2)  # k2 is the longest unchanged of the least
    bench.said("v4", START + 5 * HOUR, key="k4", priority=1)  # all stand above it
    found = await bench.updates()
    newest = {u.record_id: u for u in found}.values()
    assert {u.key: u.sealed.value for u in newest if u.state == "active"} == {"k0": "v0", "k1": "v1 again", "k3": "v3"}
    [removed] = [u for u in newest if u.op == "delete"]
    assert (removed.reason.rule, removed.sealed.value, removed.key) == ("made_room", None, None)
    assert bench.rules()[-1] == "hot_memory_full"
    # What left may come back, under the revision that comes after its end; a deletion makes room, too.
    bench.command("delete_hot", key="k3")
    bench.said("v2 again", START + 6 * HOUR, key="k2", priority=2)
    back = [u for u in await bench.updates() if u.record_id == removed.record_id]
    assert [(u.revision, u.sealed.value) for u in back] == [(1, "v2"), (2, None), (3, "v2 again")]
    bench.said("v4", START + 7 * HOUR, key="k4", priority=9)
    await bench.updates()
    rows = bench.driver.store.rows  # type: ignore[attr-defined]
    held = [keys[hot_keys.INDEX] for owners in rows.values() for keys in owners.values() if hot_keys.INDEX in keys]
    [index] = map(orjson.loads, held)
    assert set(index) == {"hot/decision/k0", "hot/decision/k2", "hot/decision/k4"}


async def test_a4_what_a_newer_extractor_does_not_say_leaves_unless_another_turn_says_it(bench: Bench) -> None:
    bench.said("Friday")  # t1
    bench.said("Redis", key="cache")  # t2
    bench.said("Monday", key="review")  # t3
    bench.said("Tuesday", START + HOUR, key="review")  # t4
    for turn, *hot in (("t1",), ("t2", "hot/decision/cache"), ("t3",)):
        bench.restated(turn, *hot)
    found = await bench.updates()
    newest = {u.record_id: u for u in found}.values()
    assert {u.key: u.sealed.value for u in newest if u.state == "active"} == {"cache": "Redis", "review": "Tuesday"}
    [removed] = [u for u in newest if u.op == "delete"]
    assert (removed.reason.rule, removed.key, removed.sealed.value) == ("not_restated", None, None)
    assert bench.rules()[-1] == "not_restated"
    bench.restated("t1")  # once more changes nothing
    bench.said("Thursday", START + HOUR)
    back = [u for u in await bench.updates() if u.record_id == removed.record_id]
    assert [(u.revision, u.sealed.value) for u in back] == [(1, "Friday"), (2, None), (3, "Thursday")]
