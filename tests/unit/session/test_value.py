"""The session step: window, anchors, patches, reset, idle, reopening, revisions (D6, E1, E2, E5, E8)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest

from processors.ports import Models, ProfileBook
from processors.session.step import Session
from processors.session.value import CALLERS_BYTES
from schemas.events.envelope import Tick
from schemas.events.sessions import SessionState
from schemas.events.turns import ScreenedBody, ScreenedTurn, SessionCommand, SessionCommandBody
from schemas.log import topics
from schemas.log.codec import header
from schemas.log.ids import content_hash
from schemas.profile.model import load_profile
from streams.batch_frame import MAX_OUTPUT_BYTES
from streams.driver import TopologyDriver

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


class Bench:
    def __init__(self, models: Models, batch: int = 1, profile: str = "general") -> None:
        self.driver = TopologyDriver([Session(models, ProfileBook(load_profile(profile)))], START, batch=batch)
        self.count = 0

    def turn(self, content: str, role: Any = "user", session: str = "s1", **kw: Any) -> None:
        self.count += 1
        self.driver.pipe(
            topics.HISTORY,
            ScreenedTurn(
                tenant="acme",
                user_id="ann",
                session_id=session,
                turn_id=f"t{self.count}",
                role=role,
                occurred_at=self.driver.now,
                accepted_at=self.driver.now,
                expires_at=self.driver.now + timedelta(days=30),
                language="en",
                tokens=kw.pop("tokens", 3),
                content_hash=content_hash(content),
                profile="general",
                profile_version=1,
                position=self.count,
                sealed=ScreenedBody(content=content),
                **kw,
            ),
        )

    def command(self, command: Any, session: str = "s1", **body: Any) -> None:
        self.count += 1
        self.driver.pipe(
            topics.HISTORY,
            SessionCommand(
                tenant="acme",
                user_id="ann",
                session_id=session,
                command=command,
                command_id=f"c{self.count}",
                accepted_at=self.driver.now,
                sealed=SessionCommandBody(**body),
            ),
        )

    def tick(self) -> None:
        """As the screen passes it on."""
        for p in range(8):
            made = self.driver.codec.encode(Tick(now=self.driver.now), "memstream/screen", f"{self.driver.now}/{p}")
            self.driver.log.append(topics.HISTORY.name, p, made.key, made.value, made.headers)

    async def states(self, session: str = "s1") -> list[SessionState]:
        """Every value sent, in order; revisions must go up by one."""
        await self.driver.run()
        sent = [e for e in self.driver.read(topics.SESSION_STATE) if isinstance(e, SessionState)]
        mine = [s for s in sent if s.session_id == session]
        assert [s.revision for s in mine] == sorted({s.revision for s in mine}), "E8: revisions go up"
        return mine

    async def last(self, session: str = "s1") -> SessionState:
        return (await self.states(session))[-1]

    def refusals(self) -> list[tuple[str, str]]:
        found = [(header(m.headers, "reason"), header(m.headers, "message")) for m in self.driver.dead_letters()]
        return [((r or b"").decode(), (m or b"").decode()) for r, m in found]


@pytest.fixture
def bench(models: Models) -> Bench:
    return Bench(models)


def contents(s: SessionState) -> Sequence[str]:
    return [m.content for m in s.sealed.window]


async def test_d6_the_window_holds_the_newest_messages_oldest_first(bench: Bench) -> None:
    for i in range(25):
        bench.turn(f"第{i}句", role="user" if i % 2 == 0 else "assistant")
    s = await bench.last()
    assert contents(s) == [f"第{i}句" for i in range(5, 25)]
    assert s.turn_count == 13
    assert s.sealed.last_bot_message == "第23句"
    assert (s.mode, s.status, s.revision) == ("FULL_HISTORY", "open", 25)


async def test_e1_a_patch_merges_and_null_removes(bench: Bench) -> None:
    bench.command(
        "patch", global_state={"a": 1, "b": {"x": 1}}, user_snapshot={"name": "Ann"}, current_agent_key="triage"
    )
    bench.command("patch", global_state={"b": {"y": None}, "a": None, "c": False})
    s = await bench.last()
    assert s.sealed.global_state == {"b": {"y": None}, "c": False}
    assert s.sealed.user_snapshot == {"name": "Ann"}
    assert s.current_agent_key == "triage"


async def test_e8_agents_that_write_a_slot_each_lose_nothing(bench: Bench) -> None:
    bench.command("patch", global_state={"agent_slots": {"triage": {"step": 1, "asked": True}}, "shared": {"x": 1}})
    bench.command("patch", global_state={"agent_slots": {"booking": {"day": 3}}, "shared": {"y": 2}})
    bench.command("patch", global_state={"agent_slots": {"triage": {"step": 2}}, "shared": {"x": None}})
    s = await bench.last()
    assert s.sealed.global_state == {
        "agent_slots": {"triage": {"step": 2}, "booking": {"day": 3}}, "shared": {"y": 2}
    }  # fmt: skip
    bench.command("patch", global_state={"agent_slots": None})
    assert (await bench.last()).sealed.global_state == {"shared": {"y": 2}}


@pytest.mark.parametrize(("text", "anchors"), [
    ("这次对话请用中文回答。", {"language_preference": "respond_in_chinese"}),
    ("接下来都用英文回复我。", {"language_preference": "respond_in_english"}),
    ("Please answer in Chinese in this conversation.", {"language_preference": "respond_in_chinese"}),
    ("OK. Let's switch to English", {"language_preference": "respond_in_english"}),
    ("请用英文写一封邮件给客户", {}), ("他用中文回复了我", {}), ("不要用英文回答", {}),
    ("How do you reply to a customer in German?", {}), ("She answered in Chinese", {}),
    ("这次聊天里不要改公共接口。", {"instructions": ["不要改公共接口"]}),
    ("For the rest of this chat, don't touch the public API.", {"instructions": ["don't touch the public API"]}),
    ("Assume Python 3.11 in this conversation.", {"instructions": ["Assume Python 3.11"]}),
    ("Only the leader writes in this discussion of Raft", {}),
])  # fmt: skip
async def test_d6_d17_a_users_turn_gives_the_session_its_anchors(
    models: Models, text: str, anchors: dict[str, Any]
) -> None:
    bench = Bench(models, profile="engineering")
    bench.turn("你好", role="user")
    bench.turn(text, role="assistant")
    assert (await bench.last()).sealed.anchors == {}, "a user's own"
    bench.turn(text)
    assert (await bench.last()).sealed.anchors == anchors
    bench.turn("The build is green again.")
    assert (await bench.last()).sealed.anchors == anchors, "as long as the session"
    bench.command("reset")
    assert (await bench.last()).sealed.anchors == {}


async def test_d6_of_anchors_the_newest_stands_whoever_gave_it(models: Models) -> None:
    bench = Bench(models, profile="engineering")
    bench.command("anchors", anchors={"language_preference": "respond_in_german", "tone": "brief"})
    bench.turn("Please answer in English.")
    english = {"language_preference": "respond_in_english", "tone": "brief"}
    assert (await bench.last()).sealed.anchors == english
    for n in range(7):
        bench.turn(f"In this session, always use port {n}")
    bench.turn("In this session, always use port 4")
    kept = [f"always use port {n}" for n in (2, 3, 5, 6, 4)]
    assert (await bench.last()).sealed.anchors == {**english, "instructions": kept}
    bench.command("anchors", anchors={"tone": "dry"})
    assert (await bench.last()).sealed.anchors == {"tone": "dry"}


async def test_d6_an_anchor_that_has_no_room_beside_what_callers_keep_is_not_taken(models: Models) -> None:
    bench = Bench(models, profile="engineering")
    whole = {f"k{n}": "x" * 60_000 for n in range(8)}
    whole["last"] = "x" * (CALLERS_BYTES - len(orjson.dumps([{**whole, "last": ""}, {}, {}])) - 1)
    for name, text in whole.items():
        bench.command("patch", global_state={name: text})
    bench.turn("Please answer in English.")
    s = await bench.last()
    assert (s.sealed.anchors, contents(s)) == ({}, ["Please answer in English."])
    assert bench.refusals() == []


async def test_d6_anchors_that_are_put_are_whole_and_a_patch_leaves_them(bench: Bench) -> None:
    bench.command("anchors", anchors={"language": "中文", "tone": "brief"})
    bench.command("anchors", anchors={"tone": "dry", "depth": None, "zero": 0})
    bench.command("patch", global_state={"a": 1})
    assert (await bench.last()).sealed.anchors == {"tone": "dry", "zero": 0}
    bench.command("anchors", anchors={})
    assert (await bench.last()).sealed.anchors == {}


async def test_e5_create_on_an_existing_session_is_a_reset(bench: Bench) -> None:
    bench.turn("hello")
    bench.command("patch", global_state={"a": 1})
    before = await bench.last()
    bench.command("create")
    s = await bench.last()
    assert (s.revision, s.segment) == (before.revision + 1, before.segment + 1)
    assert contents(s) == []
    assert s.sealed.global_state == {}
    assert s.turn_count == 0
    assert s.segment_start == 2, "behind the last turn of conversation.turns that came before"


async def test_e1_a_session_idles_by_tick_and_opens_again(bench: Bench) -> None:
    bench.turn("hello")
    bench.turn("other", session="s2")
    bench.driver.advance(20 * MINUTE)
    bench.turn("still here", session="s2")
    bench.driver.advance(10 * MINUTE)
    bench.tick()
    assert (await bench.last()).status == "idle"
    assert (await bench.last("s2")).status == "open"
    count = len(await bench.states())
    bench.tick()
    assert len(await bench.states()) == count, "closed once"
    bench.turn("back again")
    s = await bench.last()
    assert s.status == "open"
    assert contents(s) == ["hello", "back again"]


@pytest.mark.parametrize("batch", [1, 64])
async def test_e1_a_session_that_opens_and_idles_within_one_batch(models: Models, batch: int) -> None:
    bench = Bench(models, batch)
    bench.turn("hello")
    bench.driver.advance(31 * MINUTE)
    bench.tick()
    bench.turn("again")
    bench.driver.advance(31 * MINUTE)
    bench.tick()
    s = await bench.last()
    assert (s.status, s.revision, s.turn_count) == ("idle", 4, 2)


async def test_e5_closed_by_its_caller(bench: Bench) -> None:
    bench.turn("hello")
    bench.command("close")
    assert (await bench.last()).status == "closed"


@pytest.mark.parametrize("forget", [True, False])
async def test_e8_revisions_and_segments_go_on_after_the_session_was_swept(bench: Bench, forget: bool) -> None:
    """The rows in the views are still there, and refuse lower revisions."""
    bench.turn("hello")
    bench.command("create")
    bench.turn("hello again")
    bench.driver.advance(31 * MINUTE)
    bench.tick()
    before = await bench.last()
    bench.driver.advance(timedelta(days=31))
    bench.tick()
    await bench.driver.run()
    if forget:
        bench.driver.restart()
    bench.turn("a month later")
    s = await bench.last()
    assert s.revision == before.revision + 1
    assert s.segment >= before.segment
    assert contents(s) == ["a month later"], "whether it was still cached or not"


async def test_a_session_value_never_outgrows_a_message(bench: Bench) -> None:
    for _ in range(30):
        bench.turn("话" * 100_000, role="assistant")
        bench.command("checkpoint", summary="摘" * 100_000)
    bench.command("patch", global_state={"blob": "x" * 400_000})
    for _ in range(3):
        bench.turn("话" * 100_000, role="assistant")
    s = await bench.last()
    assert bench.refusals() == []
    assert len(bench.driver.codec.value(s)) < MAX_OUTPUT_BYTES
    assert len(s.sealed.window) == 1
    assert s.sealed.summaries[0] == s.sealed.summary


async def test_what_callers_keep_is_bounded_and_a_refusal_leaves_the_session_as_it_was(bench: Bench) -> None:
    bench.command("patch", global_state={"a": 1})
    bench.command("patch", global_state={"secret": "x" * 600_000})
    bench.turn("hello")
    s = await bench.last()
    assert s.sealed.global_state == {"a": 1}
    [(reason, message)] = bench.refusals()
    assert reason == "too_large"
    assert "secret" not in message


@pytest.mark.parametrize("batch", [3, 64])
async def test_coalesced_or_not_the_last_value_is_the_same(models: Models, batch: int) -> None:
    last = []
    for size in (1, batch):
        bench = Bench(models, size)
        for i in range(10):
            bench.turn(f"n{i}", session=f"s{i % 2}")
        bench.command("close", session="s1")
        last.append([await bench.last("s0"), await bench.last("s1")])
    assert last[0] == last[1]
