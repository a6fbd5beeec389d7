"""N1: stored turns are read again by a newer reader, and what is remembered of them is restated; what people wrote,
corrected or confirmed stays (N4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memstream.reprocess.amend_log import Folded
from memstream.reprocess.reread import Findings, Only, What
from memstream.reprocess.reread_run import READ, Pace, Rereading
from processors.ports import Models, ProfileBook
from processors.reader.rereading import IN_TIME, Rereader, replies
from processors.reader.rules.protocol import Extractor, Reading, TurnView
from processors.reader.rules.rules import RuleExtractor
from processors.reader.step import AGREED
from schemas.events.erasure import Erasure
from schemas.events.memory import (
    Candidate,
    Extraction,
    Feedback,
    MemoryCommand,
    MemoryCommandBody,
    MemoryUpdate,
    Span,
)
from schemas.events.turns import ScreenedBody, ScreenedTurn, TurnBody, TurnEvent
from schemas.log import topics
from schemas.log.codec import Event
from schemas.log.owner import partition, user
from schemas.profile.model import Profile, load_profile
from schemas.profile.pii_policy import PiiAction
from sinks.protocol import Message
from streams.driver import TopologyDriver, inline
from streams.runner import RunnerConfig, StepRunner
from streams.state.memory import MemoryStateStore
from streams.topology import TOPOLOGY, Parts
from tests.unit.gate.bench import candidate

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
PHONE = "202-555-0143"
GENERAL = load_profile("general")
EVERYBODY = Only()


@dataclass
class Reader:
    """An extractor of a version that takes from each text what it is given. `seen`: the texts that it read."""

    version: int
    says: Mapping[str, Sequence[Candidate]]
    confirmed: Mapping[str, Sequence[Candidate]] = field(default_factory=dict)
    """Of texts whose turn got a reply that confirms."""
    name: str = "rules"
    seen: list[str] = field(default_factory=list)

    def extract(self, turn: TurnView, profile: Profile) -> list[Candidate]:
        return self.read(turn, profile).candidates

    def read(self, turn: TurnView, profile: Profile) -> Reading:
        self.seen.append(turn.content)
        found = (self.confirmed if turn.reply == AGREED else self.says).get(turn.content, ())
        return Reading([c.model_copy(update={"ordinal": n}) for n, c in enumerate(found)])


class Killed(Exception):  # noqa: N818 - what happens to the command
    """The command ends here."""


class Bench:
    """Screen, extract and gate without servers; and the command over what they hold."""

    def __init__(self, models: Models, reader: Extractor) -> None:
        self.models, self.store = models, MemoryStateStore()
        self.driver = TopologyDriver([], START, store=self.store)
        self.count = 0
        self.workers(reader)

    def workers(self, reader: Extractor) -> None:
        """Workers with this reader take over."""
        parts = Parts(self.models, ProfileBook(GENERAL), reader)
        for name in ("screen", "extract", "gate"):
            self.driver.runners[name] = StepRunner(
                TOPOLOGY[name].build(parts), self.store, self.driver.log, self.driver.codec, RunnerConfig(8),
                compute=inline,
            )  # fmt: skip

    async def say(self, text: str, who: str = "ann", role: Any = "user") -> None:
        self.driver.advance(timedelta(seconds=10))
        self.count += 1
        now = self.driver.now
        event = TurnEvent(
            tenant="acme", user_id=who, session_id=f"{who}-s", turn_id=f"t{self.count}", role=role, occurred_at=now,
            accepted_at=now, sealed=TurnBody(content=text),
        )  # fmt: skip
        self.driver.pipe(topics.TURNS, event)
        await self.run()

    async def run(self) -> None:
        await self.driver.run()
        assert not self.driver.dead_letters()

    async def command(self, command: Any, **fields: Any) -> None:
        self.driver.advance(timedelta(minutes=1))
        body = MemoryCommandBody(text=fields.pop("text", None), value=fields.pop("value", None))
        event = MemoryCommand(
            tenant="acme", user_id="ann", command=command, command_id=f"c{self.driver.now.isoformat()}",
            accepted_at=self.driver.now, sealed=body, **fields,
        )  # fmt: skip
        self.driver.pipe(topics.LEDGER, event)
        await self.run()

    async def judge(self, record: str, **fields: Any) -> None:
        self.driver.advance(timedelta(minutes=1))
        event = Feedback(
            tenant="acme", user_id="ann", feedback_id=f"f{self.driver.now.isoformat()}", memory_ids=(record,),
            accepted_at=self.driver.now, **fields,
        )  # fmt: skip
        self.driver.pipe(topics.LEDGER, event)
        await self.run()

    def rows(self, number: int) -> list[Event]:
        """The newest events of a partition, as the command folds them."""
        folded = Folded(self.driver.codec, READ)
        for topic in READ:
            log = self.driver.log.partitions[topic.name, number]
            folded.take(
                [Message(m.topic, m.partition, m.offset, m.key, m.value, m.headers, m.timestamp_ms) for m in log]
            )
        return list(folded.rows)

    async def reread(
        self, reader: Extractor, *, apply: bool = False, only: Only = EVERYBODY, profile: Profile = GENERAL,
        at: datetime | None = None, send: Callable[[Extraction], None] | None = None, who: str = "ann",
    ) -> Findings:  # fmt: skip
        """What the command finds in the partition of a user; applied, the workers take it in."""
        book = ProfileBook(profile)
        gate = TOPOLOGY["gate"].build(Parts(self.models, book, reader))
        number, found = partition(user("acme", who), 8), Findings()
        work = Rereading(
            number, 8, self.store, gate, Rereader(reader, self.models, book), Pace(1e9),
            send or ((lambda e: self.pipe(e)) if apply else (lambda e: None)),
        )
        await work.run(self.rows(number), at or self.driver.now, only, found)
        await self.run()
        return found

    def pipe(self, e: Extraction) -> None:
        self.driver.pipe(topics.LEDGER, e)

    def newest(self) -> dict[tuple[str, int], MemoryUpdate]:
        out: dict[tuple[str, int], MemoryUpdate] = {}
        for u in self.driver.read(topics.UPDATES):
            if isinstance(u, MemoryUpdate):
                out[u.record_id, u.version] = u
        return out

    def active(self) -> dict[str, str]:
        """Text -> record id."""
        return {u.sealed.text: u.record_id for u in self.newest().values() if u.state == "active"}


def groups(found: Findings) -> dict[tuple[What, str, str, str], int]:
    return dict(found.groups)


TALK = "I am 32, live in Mind and bought a red kayak"
AGE = candidate("User is 32", "age", 32, spans=(Span(start=0, end=7),))
HOME = candidate("Lives in Mind", "residence", "Mind", spans=(Span(start=9, end=21),))
KAYAK = candidate("Bought a kayak", spans=(Span(start=26, end=44),))
RED = candidate("Bought a red kayak", spans=(Span(start=26, end=43),))
WORK = candidate("Works as a nurse", "occupation", "nurse", spans=(Span(start=0, end=9),))
OTHER = "I work as a nurse"


async def talked(models: Models) -> Bench:
    bench = Bench(models, Reader(1, {TALK: [AGE, HOME, KAYAK]}))
    await bench.say(TALK)
    await bench.say(OTHER)
    assert set(bench.active()) == {"User is 32", "Lives in Mind", "Bought a kayak"}
    return bench


NEWER = Reader(2, {TALK: [AGE, RED], OTHER: [WORK]})
RESTATED: dict[tuple[What, str, str, str], int] = {
    ("kept", "fact", "age", ""): 1, ("retired", "fact", "residence", ""): 1, ("reworded", "episode", "", ""): 1,
    ("new", "fact", "occupation", ""): 1,
}  # fmt: skip


async def test_n1_without_apply_it_counts_and_changes_nothing(models: Models) -> None:
    bench = await talked(models)
    before, rows = bench.newest(), str(bench.store.rows)
    found = await bench.reread(NEWER)
    assert (found.turns, found.older, groups(found)) == (2, 2, RESTATED)
    assert bench.newest() == before
    assert str(bench.store.rows) == rows
    assert found.as_json()["memories"][0] == {
        "what": "kept", "kind": "fact", "field": "age", "differs": [], "records": 1,
        "examples": [bench.active()["User is 32"]],
    }  # fmt: skip


async def test_n1_what_is_said_again_keeps_its_id_and_the_rest_is_retired(models: Models) -> None:
    bench = await talked(models)
    ids = bench.active()
    assert groups(await bench.reread(NEWER, apply=True)) == RESTATED
    now = bench.active()
    assert set(now) == {"User is 32", "Bought a red kayak", "Works as a nurse"}
    assert now["User is 32"] == ids["User is 32"]
    assert now["Bought a red kayak"] == ids["Bought a kayak"]
    [home] = [u for u in bench.newest().values() if u.record_id == ids["Lives in Mind"]]
    assert (home.state, home.reason.rule) == ("superseded", "not_restated")


async def test_n1_a_second_run_finds_nothing_and_changes_nothing(models: Models) -> None:
    bench = await talked(models)
    await bench.reread(NEWER, apply=True)
    before, reader = bench.newest(), Reader(2, NEWER.says)
    again = await bench.reread(reader, apply=True)
    assert (again.older, groups(again), reader.seen) == (0, {}, [])
    assert bench.newest() == before


async def test_n1_a_reader_of_the_same_version_reads_nothing(models: Models) -> None:
    """Other rules or weights restate nothing by themselves."""
    bench = await talked(models)
    found = await bench.reread(Reader(1, NEWER.says), apply=True)
    assert (found.turns, found.older) == (2, 0)
    assert set(bench.active()) == {"User is 32", "Lives in Mind", "Bought a kayak"}


async def test_n1_a_run_that_was_killed_goes_on_with_what_is_left(models: Models) -> None:
    """And ends where one ends that was not."""
    whole, bench = await talked(models), await talked(models)
    await whole.reread(NEWER, apply=True)
    sent: list[Extraction] = []

    def one(e: Extraction) -> None:
        if sent:
            raise Killed
        sent.append(e)
        bench.pipe(e)

    with pytest.raises(Killed):
        await bench.reread(NEWER, send=one)
    await bench.run()
    assert set(bench.active()) == {"User is 32", "Bought a red kayak"}
    reader = Reader(2, NEWER.says)
    found = await bench.reread(reader, apply=True)
    assert (found.older, reader.seen) == (1, [OTHER])
    assert bench.active() == whole.active()
    for e in sent:  # sent once more before the gate had come to it
        bench.pipe(e)
    before = bench.newest()
    await bench.run()
    assert bench.newest() == before


LIKES, HOMES, RAN = "I like tea", "I moved to Leeds", "I ran ten miles"
SPOKEN = {
    LIKES: [
        candidate(
            "Prefers tea", "prefers", "tea", kind="preference", source="inferred", spans=(Span(start=0, end=10),)
        )
    ],
    HOMES: [candidate("Lives in Leeds", "residence", "Leeds", spans=(Span(start=0, end=16),))],
    RAN: [candidate("Ran ten miles", spans=(Span(start=0, end=15),))],
}  # fmt: skip


async def three(models: Models) -> tuple[Bench, dict[str, str]]:
    bench = Bench(models, Reader(1, SPOKEN))
    for text in SPOKEN:
        await bench.say(text)
    return bench, {u.sealed.text: u.record_id for u in bench.newest().values()}


@pytest.mark.parametrize(
    "says",
    [
        {},
        {LIKES: [candidate("Prefers coffee", "prefers", "coffee", kind="preference", spans=(Span(start=0, end=10),))],
         HOMES: [candidate("Lives in York", "residence", "York", spans=(Span(start=0, end=16),))],
         RAN: [candidate("Ran home", spans=(Span(start=0, end=14),))]},
        {HOMES: [candidate("Does not live in Leeds", "residence", "Leeds", negated=True)]},
    ],
    ids=["nothing", "something else", "the opposite"],
)  # fmt: skip
async def test_n4_what_people_corrected_or_confirmed_stays(
    models: Models, says: Mapping[str, Sequence[Candidate]]
) -> None:
    bench, ids = await three(models)
    await bench.judge(ids["Prefers tea"], adopted=True)
    await bench.judge(ids["Lives in Leeds"], rating="good")
    await bench.command("correct", memory_id=ids["Ran ten miles"], text="Ran ten kilometres")
    before = {k: u for k, u in bench.newest().items() if u.kind != "feedback"}
    await bench.reread(Reader(2, says), apply=True)
    kept = {k: u for k, u in bench.newest().items() if k in before}
    assert {k: (u.state, u.sealed.text) for k, u in kept.items()} == {
        k: (u.state, u.sealed.text) for k, u in before.items()
    }
    assert {"Prefers tea", "Lives in Leeds", "Ran ten kilometres"} <= set(bench.active())
    assert not {"Lives in York", "Ran home"} & set(bench.active())


async def test_n4_what_people_wrote_stays_beside_what_is_read_again(models: Models) -> None:
    bench = Bench(models, Reader(1, {}))
    await bench.command("remember", kind="fact", field="residence", value="Hull", text="Lives in Hull")
    await bench.say(HOMES)
    found = await bench.reread(Reader(2, SPOKEN), apply=True)
    assert set(bench.active()) == {"Lives in Hull"}
    assert (found.left["the_users_own"], groups(found)) == (1, {})


async def test_n4_what_a_rating_was_against_is_retired_where_it_is_said_no_more(models: Models) -> None:
    bench, ids = await three(models)
    await bench.judge(ids["Ran ten miles"], rating="bad")
    await bench.reread(Reader(2, {}), apply=True)
    assert "Ran ten miles" not in bench.active()


async def test_n4_what_was_forgotten_does_not_come_back(models: Models) -> None:
    bench, ids = await three(models)
    await bench.command("forget", memory_id=ids["Lives in Leeds"])
    found = await bench.reread(Reader(2, SPOKEN), apply=True)
    assert "Lives in Leeds" not in bench.active()
    assert found.left["rejected"] == 1


async def test_n6_what_was_read_before_an_erasure_is_refused_behind_it(models: Models) -> None:
    bench = await talked(models)
    read: list[Extraction] = []
    await bench.reread(NEWER, send=read.append)
    assert len(read) == 2
    bench.driver.advance(timedelta(minutes=1))
    erasure = Erasure(tenant="acme", erasure_id="e", scope="user", user_id="ann", accepted_at=bench.driver.now)
    bench.driver.pipe(topics.TURNS, erasure)
    await bench.run()
    before = bench.newest()
    for e in read:
        bench.pipe(e)
    await bench.run()
    assert bench.newest() == before


async def test_n1_whose_turns_are_read_can_be_narrowed(models: Models) -> None:
    bench = await talked(models)
    for only in (Only("other"), Only(None, "bob"), Only("acme", "bob")):
        assert (await bench.reread(NEWER, only=only)).older == 0
    assert (await bench.reread(NEWER, only=Only("acme", "ann"))).older == 2


async def test_n1_turns_that_the_gate_is_about_to_forget_are_left_alone(models: Models) -> None:
    """Behind that they would count as read for the first time."""
    bench = await talked(models)
    found = await bench.reread(NEWER, at=bench.driver.now + timedelta(days=29, hours=1))
    assert (found.older, found.left["forgotten_soon"]) == (0, 2)
    assert (await bench.reread(NEWER, at=bench.driver.now + timedelta(days=28))).older == 2


async def test_n1_a_turn_that_nobody_has_read_yet_is_left_to_the_stream(models: Models) -> None:
    bench = await talked(models)
    for rows in bench.store.rows.values():
        for mine in rows.values():
            for key in [k for k in mine if k.startswith("x/")]:
                del mine[key]
    found = await bench.reread(NEWER, apply=True)
    assert (found.older, found.left["not_read_yet"]) == (0, 2)


async def test_n1_memories_whose_turns_are_gone_are_counted_and_stay(models: Models) -> None:
    bench = await talked(models)
    await bench.command("correct", memory_id=bench.active()["Lives in Mind"], value="Hull", text="Lives in Hull")
    before = bench.active()
    bench.driver.log.partitions[topics.HISTORY.name, partition(user("acme", "ann"), 8)] = []
    found = await bench.reread(NEWER, apply=True)
    assert found.left["turns_are_gone"] == 2, "the kayak and the age: the user corrected the home"
    assert bench.active() == before


async def test_d5_a_turn_is_read_under_the_current_policy(models: Models) -> None:
    text = f"I live in Leeds, call {PHONE}"
    bench = Bench(models, Reader(1, {}))
    await bench.say(text)
    reader, policy = Reader(2, {}), {**GENERAL.pii, "PHONE_NUMBER": PiiAction.MASK}
    newer = GENERAL.model_copy(update={"version": GENERAL.version + 1, "pii": policy})
    sent: list[Extraction] = []
    await bench.reread(reader, profile=newer, send=sent.append)
    assert len(reader.seen) == 1
    assert "<PHONE_NUMBER>" in reader.seen[0]
    assert PHONE not in reader.seen[0]
    assert [(e.profile, e.profile_version) for e in sent] == [(newer.name, newer.version)]


ASKS = "I live in Leeds, right?"


async def test_d1_a_reply_that_confirmed_is_taken_into_account(models: Models) -> None:
    home = candidate("Lives in Leeds", "residence", "Leeds", spans=(Span(start=0, end=15),))
    bench = Bench(models, Reader(1, {}, {ASKS: [home]}))
    await bench.say(ASKS)
    await bench.say("Yes, you do.", role="assistant")
    assert set(bench.active()) == {"Lives in Leeds"}
    found = await bench.reread(Reader(2, {}, {ASKS: [home]}), apply=True)
    assert groups(found) == {("kept", "fact", "residence", ""): 1}
    assert set(bench.active()) == {"Lives in Leeds"}


def screened(name: str, role: Any, content: str, after: timedelta, interaction: str | None = None) -> ScreenedTurn:
    at = START + after
    return ScreenedTurn(
        tenant="acme", user_id="ann", session_id="s", turn_id=name, role=role, occurred_at=at, accepted_at=at,
        expires_at=at + timedelta(days=30), language="en", tokens=1, content_hash="", profile="general",
        profile_version=1, interaction_id=interaction, sealed=ScreenedBody(content=content),
    )  # fmt: skip


def test_d1_a_reply_is_the_next_turn_where_it_came_in_time() -> None:
    now, soon = timedelta(), timedelta(seconds=5)
    asked = screened("a", "user", "Right?", now, "i1")
    assert replies([asked, screened("b", "assistant", "Yes.", soon)]) == {"a": "Yes."}
    assert replies([asked, screened("b", "assistant", "Yes.", soon, "i1")]) == {"a": "Yes."}
    assert replies([asked, screened("b", "assistant", "Yes.", soon, "i2")]) == {}
    assert replies([asked, screened("b", "assistant", "Yes.", IN_TIME + soon)]) == {}
    assert replies([asked, screened("b", "user", "Or?", soon), screened("c", "assistant", "Yes.", soon)]) == {
        "b": "Yes."
    }
    assert replies([screened("t", "tool", "x", now), asked, screened("u", "tool", "x", soon),
                    screened("b", "assistant", "Yes.", soon)]) == {"a": "Yes."}  # fmt: skip


async def test_n1_a_rate_bounds_how_many_turns_are_read_a_second() -> None:
    now, slept = 100.0, []

    async def sleep(seconds: float) -> None:
        nonlocal now
        slept.append(seconds)
        now += seconds

    pace = Pace(4.0, lambda: now, sleep)
    for _ in range(3):
        await pace.turn()
    now += 10.0
    await pace.turn()
    assert slept == [0.25, 0.25], "what was not used is not saved up"


class Older(RuleExtractor):
    version = RuleExtractor.version - 1


async def test_n1_the_same_rules_under_a_newer_version_keep_all_that_they_said(models: Models) -> None:
    bench = Bench(models, Older())
    for text in ("I live in Leeds and I have two cats.", "我住在杭州，我喜欢喝茶。", "We went to Oslo last week."):
        await bench.say(text)
    before = bench.active()
    assert before
    found = await bench.reread(RuleExtractor(), apply=True)
    assert found.older == 3
    assert {what for what, *_ in found.groups} == {"kept"}
    assert bench.active() == before
