"""A user, a session or a project of a tenant erased mid-stream, over the whole topology without servers (C9, N6)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from processors.extract.rules import RuleExtractor
from processors.ports import Models, ProfileBook
from schemas import topics
from schemas.dead_letters import REPLAY_FOR, REPLAY_OF
from schemas.documents import ProjectCommand, ProjectCommandBody
from schemas.erasure import Erasure
from schemas.memory import MemoryCommand, MemoryCommandBody, MemoryUpdate
from schemas.owner import partition
from schemas.profile import load_profile
from schemas.turns import (
    CheckpointResult,
    CheckpointResultBody,
    SessionCommand,
    SessionCommandBody,
    TurnBody,
    TurnEvent,
)
from streams.driver import TopologyDriver
from streams.state_memory import MemoryStateStore
from streams.topology import TOPOLOGY, Parts

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
PLANTED = ("zebrawood", "Kurrajong", "琥珀巷", "quillback")
"""Words of ann, and of nobody else."""


class Bench:
    def __init__(self, models: Models, profile: str = "general") -> None:
        parts = Parts(models, ProfileBook(load_profile(profile)), RuleExtractor())
        self.store = MemoryStateStore()
        steps = [spec.build(parts) for spec in TOPOLOGY.values()]
        self.driver = TopologyDriver(steps, START, store=self.store)
        self.count = 0

    def say(self, who: str, text: str, session: str = "s1", project: str | None = None, **over: Any) -> TurnEvent:
        self.driver.advance(timedelta(minutes=1))
        self.count += 1
        event = TurnEvent(
            tenant="acme", user_id=who, session_id=f"{who}-{session}", turn_id=f"t{self.count}", role="user",
            occurred_at=self.driver.now, accepted_at=self.driver.now, project_id=project, sealed=TurnBody(content=text),
        ).model_copy(update=over)  # fmt: skip
        self.driver.pipe(topics.TURNS, event)
        return event

    def erase(self, who: str, session: str | None = None) -> Erasure:
        self.driver.advance(timedelta(minutes=1))
        event = Erasure(
            tenant="acme", erasure_id=f"e-{who}", scope="session" if session else "user", user_id=who,
            session_id=f"{who}-{session}" if session else None, accepted_at=self.driver.now,
        )  # fmt: skip
        self.driver.pipe(topics.TURNS, event)
        return event

    def held(self) -> dict[str, list[str]]:
        """Planted words that stand: in state rows, and in the newest value of each key of a compacted topic."""
        out: dict[str, list[str]] = {}

        def look(place: str, raw: bytes | None) -> None:
            text = (raw or b"").decode(errors="ignore")
            found = [w for w in PLANTED if w in text or w.encode("unicode_escape").decode() in text]
            if found:
                out.setdefault(place, []).extend(found)

        for step, table in self.store.rows.items():
            for owner, rows in table.items():
                for key, value in rows.items():
                    look(f"state {step} {owner}", key.encode() + bytes(value))
        for (topic, p), log in self.driver.log.partitions.items():
            if topic in topics.BY_NAME and topics.BY_NAME[topic].cleanup is not topics.Cleanup.DELETE:
                newest = {m.key: m.value for m in log}
                for name, last in newest.items():
                    look(f"{topic}/{p} {name!r}", last)
        return out

    def memories(self, who: str) -> list[MemoryUpdate]:
        newest: dict[str, MemoryUpdate] = {}
        for e in self.driver.read(topics.UPDATES):
            if isinstance(e, MemoryUpdate) and e.owner_id == who:
                newest[e.row_key] = e
        return [u for u in newest.values() if u.op == "upsert"]

    def report(self, project: str) -> MemoryUpdate | None:
        found = [e for e in self.driver.read(topics.UPDATES) if isinstance(e, MemoryUpdate) and e.kind == "report"]
        return next((e for e in reversed(found) if e.owner_id == project), None)


@pytest.fixture
async def bench(models: Models) -> Bench:
    b = Bench(models)
    b.say("ann", "My favourite wood is zebrawood and I live in Kurrajong.")
    b.say("ann", "我住在琥珀巷，我喜欢喝茶。", "s2")
    b.say("ann", "We decided to ship the quillback build on Friday.", "s2", "trial-7")
    b.say("bob", "We decided to hold the review on Monday.", "s1", "trial-7")
    b.say("bob", "我住在杭州。")
    at = b.driver.now
    b.driver.pipe(
        topics.TURNS,
        SessionCommand(
            tenant="acme", user_id="ann", session_id="ann-s1", command="checkpoint", command_id="c1", accepted_at=at,
            sealed=SessionCommandBody(summary="ann likes zebrawood"),
        ),
    )  # fmt: skip
    b.driver.pipe(
        topics.LEDGER,
        MemoryCommand(
            tenant="acme", user_id="ann", command="put_item", command_id="c2", namespace=("memories", "ann"), key="k",
            accepted_at=at, sealed=MemoryCommandBody(value={"likes": "zebrawood"}),
        ),
    )  # fmt: skip
    b.driver.pipe(
        topics.PROJECT_EVENTS,
        ProjectCommand(
            tenant="acme", project_id="other", user_id="ann", command="put_hot", command_id="c3", hot_type="status",
            key="zebrawood_street", accepted_at=at, sealed=ProjectCommandBody(value="Kurrajong"),
        ),
    )  # fmt: skip
    await b.driver.run()
    b.driver.pipe(
        topics.PROJECT_EVENTS,
        ProjectCommand(tenant="acme", project_id="trial-7", command="report", command_id="c4", accepted_at=at),
    )
    await b.driver.run()
    assert not b.driver.dead_letters()
    return b


async def test_c9_an_erased_user_leaves_state_and_compacted_topics_and_others_keep_theirs(bench: Bench) -> None:
    report = bench.report("trial-7")
    assert report is not None
    assert "quillback" in report.sealed.text, "there was something to take out"
    bench.erase("ann")
    await bench.driver.run()
    assert not bench.driver.dead_letters()
    stays = bench.held()
    # The ledger and project.events are kept by key: the eraser nulls what was there before (memstream/eraser.py).
    assert {p.split("/")[0] for p in stays} <= {topics.LEDGER.name, topics.PROJECT_EVENTS.name}
    report = bench.report("trial-7")
    assert report is not None
    assert report.op == "upsert"
    assert report.reason.rule == "erased"
    assert "review" in report.sealed.text
    assert "quillback" not in str(report.model_dump())
    assert "ann" not in report.sealed.value["metrics"]["turns_by_user"]
    assert any("杭州" in str(u.sealed.value) for u in bench.memories("bob"))


async def test_c9_a_project_only_of_the_erased_user_loses_its_report(bench: Bench) -> None:
    bench.say("ann", "We decided to buy zebrawood for the shelf.", "s3", "solo")
    await bench.driver.run()
    at = bench.driver.now
    bench.driver.pipe(
        topics.PROJECT_EVENTS,
        ProjectCommand(tenant="acme", project_id="solo", command="report", command_id="c9", accepted_at=at),
    )
    await bench.driver.run()
    before = bench.report("solo")
    bench.erase("ann")
    await bench.driver.run()
    after = bench.report("solo")
    assert before is not None
    assert after is not None
    assert (before.op, after.op) == ("upsert", "delete")
    assert after.revision == before.revision + 1


async def test_n6_the_erasure_reaches_every_view_topic_with_what_was_found(bench: Bench) -> None:
    bench.erase("ann")
    await bench.driver.run()
    seen = {t.name: [e for e in bench.driver.read(t) if isinstance(e, Erasure)] for t in topics.CATALOGUE[:7]}
    assert [e.stage for e in seen[topics.HISTORY.name]] == ["screen"]
    assert [e.stage for e in seen[topics.SESSION_STATE.name]] == ["session"]
    assert sorted(e.stage for e in seen[topics.UPDATES.name]) == ["gate"] + ["project"] * 8
    gate = next(e for e in seen[topics.UPDATES.name] if e.stage == "gate")
    assert gate.found["records"] >= 3
    assert sum(e.found.get("hot", 0) for e in seen[topics.UPDATES.name]) >= 1


async def test_n6_what_was_accepted_before_is_dropped_however_late_it_comes(bench: Bench) -> None:
    old = bench.say("ann", "I keep my zebrawood in Kurrajong.")
    await bench.driver.run()
    bench.erase("ann")
    await bench.driver.run()
    count = len(bench.driver.log.partitions)
    bench.driver.pipe(topics.TURNS, old)  # a replayed dead letter, a client's retry
    answer = CheckpointResult(
        tenant="acme", user_id="ann", session_id="ann-s1", segment=0, last_turn_id="t1", recent_turns=8, status="done",
        extractive=False, job_id="j", asked_at=old.accepted_at, sealed=CheckpointResultBody(summary="zebrawood"),
    )  # fmt: skip
    bench.driver.pipe(topics.TURNS, answer)
    late = MemoryCommand(
        tenant="acme", user_id="ann", command="remember", command_id="late", kind="fact", accepted_at=old.accepted_at,
        sealed=MemoryCommandBody(text="I own a quillback."),
    )  # fmt: skip
    bench.driver.pipe(topics.LEDGER, late)
    await bench.driver.run()
    assert count == len(bench.driver.log.partitions)
    assert not bench.driver.dead_letters()
    assert not [p for p in bench.held() if p.startswith("state") or topics.UPDATES.name in p]
    assert not [p for p in bench.held() if "late" in p], "a refused record of a kept topic is nulled"
    history = bench.driver.read(topics.HISTORY)
    erased_at = max(i for i, e in enumerate(history) if isinstance(e, Erasure))
    assert not [e for e in history[erased_at + 1 :] if getattr(e, "user_id", "") == "ann"]


async def test_n6_a_user_who_returns_starts_anew(bench: Bench) -> None:
    bench.erase("ann")
    await bench.driver.run()
    bench.say("ann", "I live in Leeds.")
    await bench.driver.run()
    lives = [u for u in bench.memories("ann") if "Leeds" in u.sealed.text]
    assert [(u.version, u.revision, u.state) for u in lives] == [(1, 1, "active")]
    assert not bench.driver.dead_letters()


@pytest.mark.parametrize("rewind", [1, 40])
async def test_n6_a_restart_and_redelivery_do_not_bring_it_back(bench: Bench, rewind: int) -> None:
    bench.erase("ann")
    await bench.driver.run()
    bench.driver.restart(rewind=rewind)
    bench.say("bob", "我喜欢喝茶。")
    await bench.driver.run()
    assert not [p for p in bench.held() if p.startswith("state") or topics.UPDATES.name in p]


async def test_c9_a_session_takes_its_memories_and_leaves_the_others(bench: Bench) -> None:
    bench.erase("ann", "s2")
    await bench.driver.run()
    words = {w for found in (v for p, v in bench.held().items() if p.startswith("state")) for w in found}
    assert not words & {"琥珀巷", "quillback"}
    assert {"zebrawood", "Kurrajong"} <= words
    bench.say("ann", "我搬到上海了。", "s2")
    await bench.driver.run()
    assert any("上海" in u.sealed.text for u in bench.memories("ann"))
    assert not bench.driver.dead_letters()


async def _study(models: Models, *said: tuple[str, str, str]) -> Bench:
    """What users say of one study, and the day after it."""
    b = Bench(models, "clinical_trial")
    for who, session, text in said:
        b.say(who, text, session, "trial-7")
    await b.driver.run()
    await _next_day(b)
    return b


async def _next_day(b: Bench) -> None:
    b.driver.advance(timedelta(days=1))
    b.driver.tick()
    await b.driver.run()
    assert not b.driver.dead_letters()


def _hot(b: Bench) -> dict[str | None, Any]:
    newest: dict[str, MemoryUpdate] = {}
    for e in b.driver.read(topics.UPDATES):
        if isinstance(e, MemoryUpdate) and e.kind == "hot":
            newest[e.record_id] = e
    return {e.key: e.sealed.value for e in newest.values() if e.op == "upsert"}


async def test_c9_a_figure_that_follows_from_an_erased_users_goes_with_it(models: Models) -> None:
    b = await _study(models, ("bob", "s1", "目标入组是120例。"), ("ann", "s1", "目前已入组45例。"))
    assert _hot(b) == {"enrollment_target": 120, "enrolled_count": 45, "progress": 37.5}
    b.erase("ann")
    await b.driver.run()
    assert _hot(b) == {"enrollment_target": 120}
    await _next_day(b)
    assert _hot(b) == {"enrollment_target": 120}
    places = [(o, k) for o, rows in b.store.rows["project"].items() for k, v in rows.items() if b"37.5" in bytes(v)]
    assert not places
    b.say("bob", "目前已入组60例。", "s1", "trial-7")
    await b.driver.run()
    await _next_day(b)
    assert _hot(b)["progress"] == 50, "it comes back with figures of others"


async def test_c9_a_figure_of_before_is_made_anew_where_the_erased_users_was_replaced(models: Models) -> None:
    b = await _study(models, ("bob", "s1", "目标入组是120例。"), ("ann", "s1", "目前已入组45例。"))
    b.say("bob", "目前已入组60例。", "s1", "trial-7")
    await b.driver.run()
    b.erase("ann")
    await b.driver.run()
    assert _hot(b) == {"enrollment_target": 120, "enrolled_count": 60}, "37.5 and 120 told 45"
    b.driver.tick()
    await b.driver.run()
    assert _hot(b)["progress"] == 50


async def test_c9_a_session_takes_the_figures_that_follow_from_it_and_no_others(models: Models) -> None:
    b = await _study(models, ("bob", "s1", "目标入组是120例。"), ("ann", "s1", "目前已入组45例。"))
    b.erase("ann", "s2")
    await b.driver.run()
    assert _hot(b)["progress"] == 37.5
    b.erase("ann", "s1")
    await b.driver.run()
    assert _hot(b) == {"enrollment_target": 120}


async def test_c9_a_figure_that_somebody_else_stated_stays(models: Models) -> None:
    b = await _study(models, ("bob", "s1", "目标入组是120例。"), ("ann", "s1", "目前已入组45例。"))
    b.driver.pipe(
        topics.PROJECT_EVENTS,
        ProjectCommand(
            tenant="acme", project_id="trial-7", command="put_hot", command_id="c1", hot_type="status", key="progress",
            accepted_at=b.driver.now, sealed=ProjectCommandBody(value="on hold"),
        ),
    )  # fmt: skip
    await b.driver.run()
    b.erase("ann")
    await b.driver.run()
    assert _hot(b) == {"enrollment_target": 120, "progress": "on hold"}


def _narrative(bench: Bench) -> MemoryUpdate:
    """The newest that stands on the topic; a null would fail here."""
    found = [e for e in bench.driver.read(topics.UPDATES) if isinstance(e, MemoryUpdate) and e.kind == "profile"]
    return found[-1]


async def test_c9_a_session_leaves_the_narrative_with_what_was_said_in_it(bench: Bench) -> None:
    bench.say("cid", "I live in Kurrajong.", "s1")
    bench.say("cid", "My favourite wood is zebrawood.", "s2")
    await bench.driver.run()
    bench.driver.pipe(
        topics.LEDGER,
        MemoryCommand(tenant="acme", user_id="cid", command_id="c1", command="summarize", accepted_at=bench.driver.now),
    )
    await bench.driver.run()
    before = _narrative(bench)
    assert "zebrawood" in before.sealed.text
    assert "Kurrajong" in before.sealed.text
    bench.erase("cid", "s2")
    await bench.driver.run()
    after = _narrative(bench)
    assert after.revision > before.revision
    assert "zebrawood" not in str(after.sealed)
    assert "Kurrajong" in after.sealed.text
    bench.erase("cid", "s1")
    await bench.driver.run()
    assert _narrative(bench).op == "delete"
    assert not bench.driver.dead_letters()


async def test_c9_a_tenant_goes_owner_by_owner_and_nothing_of_before_comes_back(bench: Bench) -> None:
    old = bench.say("ann", "I keep my zebrawood in Kurrajong.")
    await bench.driver.run()
    bench.driver.advance(timedelta(minutes=1))
    whole = Erasure(tenant="acme", erasure_id="e", scope="tenant", accepted_at=bench.driver.now, everywhere=True)
    for p in range(8):
        bench.driver.pipe_raw(topics.TURNS, p, bench.driver.codec.value(whole))
    await bench.driver.run()
    part: dict[str, Any] = {"tenant": "acme", "erasure_id": "e", "accepted_at": bench.driver.now, "part": True}
    for name in ("trial-7", "other"):
        bench.driver.pipe(topics.PROJECT_EVENTS, Erasure(**part, scope="project", project_id=name))
    await bench.driver.run()
    for name in ("ann", "bob"):
        bench.driver.pipe(topics.TURNS, Erasure(**part, scope="user", user_id=name))
    await bench.driver.run()
    left = [(o, k) for rows in bench.store.rows.values() for o, r in rows.items() for k in r if k != "deny"]
    assert [place for place in left if not place[0].startswith("@")] == []
    bench.driver.pipe(topics.TURNS, old)
    await bench.driver.run()
    assert not [p for p in bench.held() if p.startswith("state")]
    assert not bench.driver.dead_letters()


async def test_n6_what_a_clock_dated_ahead_goes_with_the_rest_and_what_is_said_after_is_kept(bench: Bench) -> None:
    ahead = bench.driver.now + timedelta(hours=3)
    wrong = bench.say("ann", "I keep my zebrawood in Kurrajong.", accepted_at=ahead)
    command = MemoryCommand(
        tenant="acme", user_id="ann", command="remember", command_id="c9", kind="fact",
        accepted_at=ahead + timedelta(minutes=1), sealed=MemoryCommandBody(text="I own a quillback."),
    )  # fmt: skip
    bench.driver.pipe(topics.LEDGER, command)
    await bench.driver.run()
    assert [m for m in bench.memories("ann") if "quillback" in m.sealed.text]
    bench.erase("ann")
    await bench.driver.run()
    assert not [p for p in bench.held() if p.startswith("state") or topics.UPDATES.name in p]
    cuts = {t: [e for e in bench.driver.read(t) if isinstance(e, Erasure)] for t in (topics.HISTORY, topics.UPDATES)}
    assert {e.accepted_at for e in cuts[topics.HISTORY]} == {ahead}, "stores delete by this time"
    assert {e.accepted_at for e in cuts[topics.UPDATES]} == {ahead}
    answer = CheckpointResult(
        tenant="acme", user_id="ann", session_id="ann-s1", segment=0, last_turn_id="t1", recent_turns=8, status="done",
        extractive=False, job_id="j", asked_at=wrong.accepted_at, sealed=CheckpointResultBody(summary="zebrawood"),
    )  # fmt: skip
    bench.driver.pipe(topics.TURNS, answer)
    bench.say("ann", "I live in Leeds.")
    await bench.driver.run()
    assert [u for u in bench.memories("ann") if "Leeds" in u.sealed.text and u.version == u.revision == 1]
    assert not [p for p in bench.held() if p.startswith("state") or topics.UPDATES.name in p]
    assert not bench.driver.dead_letters()


async def test_n6_what_is_dated_before_an_erasure_stays_out_however_late_it_comes(bench: Bench) -> None:
    """A mirror that lags, a topic put back from a backup, a letter replayed: the words of before look like those of a
    user whose clock was set back since, who is therefore heard again when that clock has passed the erasure."""
    old = bench.say("ann", "I keep my zebrawood in Kurrajong.")
    await bench.driver.run()
    back = bench.driver.now
    bench.driver.advance(timedelta(hours=3))
    cut = bench.erase("ann").accepted_at
    await bench.driver.run()
    bench.driver.pipe(topics.TURNS, old)
    p = partition(old.owner, topics.EMBEDDED_PARTITIONS)
    letter = bench.driver.codec.encode(old, "memstream/replay", "dead-letter/0:0")
    bench.driver.pipe_raw(topics.TURNS, p, letter.value, [(REPLAY_OF, b"0:0"), (REPLAY_FOR, b"screen")])
    bench.driver.now = back
    bench.driver.pipe(topics.TURNS, old.model_copy(update={"turn_id": "mirrored", "accepted_at": None}))
    bench.say("ann", "I live in Leeds.")
    await bench.driver.run()
    assert not [u for u in bench.memories("ann") if "Leeds" in u.sealed.text]
    assert not [p for p in bench.held() if p.startswith("state") or topics.UPDATES.name in p]
    bench.driver.now = cut
    bench.say("ann", "I live in York.")
    await bench.driver.run()
    assert [u for u in bench.memories("ann") if "York" in u.sealed.text]
    assert not [p for p in bench.held() if p.startswith("state") or topics.UPDATES.name in p]
    assert not bench.driver.dead_letters()
