"""N1: the ledger through another gate, beside what stands; what a user took back stays away (N4)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from memstream.profiles import BookOfNow, ProfileFollower
from memstream.reprocess.offsets import Place
from memstream.reprocess.regate import (
    Difference,
    Findings,
    Name,
    Remembered,
    Versions,
    amendments,
    left_alone,
    screened,
)
from memstream.reprocess.regate_run import Live, Replay, twice
from processors.pii.redaction import redact
from processors.ports import Models, ProfileBook
from processors.reader.rules.rules import RuleExtractor
from schemas.events.erasure import Erasure
from schemas.events.memory import Dropped, MemoryUpdate, Span
from schemas.log import topics
from schemas.log.owner import partition, user
from schemas.profile.model import Profile, load_profile
from schemas.profile.pii_policy import PiiAction
from sinks.protocol import Message
from streams.driver import TopologyDriver, inline
from streams.runner import RunnerConfig, StepRunner
from streams.topology import TOPOLOGY, Parts
from tests.unit.gate.bench import DAY, GateBench, candidate

PHONE = "202-555-0143"


def plain() -> Profile:
    return load_profile("general")


def many(*names: str) -> Profile:
    """The same profile, under which these fields hold several values beside each other."""
    return plain().model_copy(
        update={"fields": tuple(f.model_copy(update={"many": True}) if f.name in names else f for f in plain().fields)}
    )


def updates(driver: TopologyDriver) -> list[MemoryUpdate]:
    return [u for u in driver.read(topics.UPDATES) if isinstance(u, MemoryUpdate)]


class Places:
    """A partition of the driver's log as `LogReader` reads one."""

    def __init__(self, driver: TopologyDriver, place: Place) -> None:
        self._log, self._place, self._next = driver.log, place, 0

    def to_end(self, report_left: Callable[[int], None] = lambda left: None) -> Iterator[list[Message]]:
        found = self._log.partitions[self._place][self._next :]
        report_left(len(found))
        self._next += len(found)
        yield [Message(m.topic, m.partition, m.offset, m.key, m.value, m.headers, m.timestamp_ms) for m in found]

    def position(self, place: Place) -> int:
        return self._next


class Bench(GateBench):
    """The gate behind the cut-off, and regates of what it decided. Of one user."""

    def __init__(self, models: Models) -> None:
        super().__init__(models)
        self.told = Findings()
        self.replay: Replay
        self.becomes(plain())

    def becomes(self, profile: Profile) -> None:
        """Workers of another profile take over."""
        step = TOPOLOGY["gate"].build(Parts(self.models, ProfileBook(profile), RuleExtractor()))
        self.driver.runners["gate"] = StepRunner(
            step, self.store, self.driver.log, self.driver.codec, RunnerConfig(8), compute=inline
        )

    def do_all(self, *calls: Awaitable[Any]) -> None:
        async def each() -> None:
            for call in calls:
                await call

        asyncio.run(each())

    def regate(self, profile: Profile, between: Callable[[], None] = lambda: None) -> list[Difference]:
        """What a regate under a profile would change. `between`: done between the two looks."""
        number = partition(user("acme", "ann"), 8)
        book = BookOfNow(ProfileFollower(profile))
        ledger, updates = (Places(self.driver, (t.name, number)) for t in (topics.LEDGER, topics.UPDATES))
        replay = Replay(ledger, Parts(self.models, book, RuleExtractor()), book, self.driver.codec, number, 8)
        self.told, looks = Findings(), iter([between])

        class Looked(Live):
            def advance(self, until: int) -> None:
                super().advance(until)
                next(looks, lambda: None)()

        live = Looked(updates, self.driver.codec, number)
        found, active = twice(replay, live, lambda left: None, self.told)
        replay.close()
        self.stands, self.said, self.replay = active, replay.step.said, replay
        kept = [d for d in found if self._left(d, active) is None]
        return screened(kept, active, lambda t, x: redact(self.models, book, t, x))

    def _left(self, d: Difference, active: dict[Name, Versions]) -> str | None:
        rows = {k: v for owner in self.store.rows.values() for k, v in owner.get(d.owner.key, {}).items()}
        remembered = Remembered.of(rows, self.replay.read_at(d.owner.key))
        why = left_alone(d, active.get(d.name, {}), self.said, remembered, self.models.hash_key)
        self.told.left[why or "sent"] += 1
        return why

    def apply(self, found: list[Difference]) -> None:
        for d in found:
            for a in amendments(d, self.driver.now):
                self.driver.pipe(topics.LEDGER, a)
        asyncio.run(self.driver.run())

    def now(self, name: str = "residence") -> list[Any]:
        """Values of a field that the views show as true."""
        newest: dict[tuple[str, int], MemoryUpdate] = {}
        for u in updates(self.driver):
            old = newest.get((u.record_id, u.version))
            if old is None or u.revision > old.revision:
                newest[u.record_id, u.version] = u
        return sorted(
            str(u.sealed.value) for u in newest.values()
            if u.op == "upsert" and u.state == "active" and u.field == name and u.kind == "fact"
        )  # fmt: skip


@pytest.fixture
def bench(models: Models) -> Bench:
    return Bench(models)


def moved(b: Bench) -> None:
    """Ann lives in Leeds, then in York, likes tennis, and tells of a day."""
    b.do_all(b.say(candidate("Lives in Leeds", "residence", "Leeds"), candidate("Went rowing on the lake", ordinal=1)))
    b.later(DAY)
    b.do_all(b.say(candidate("Lives in York", "residence", "York")))
    b.later(DAY)
    b.do_all(b.say(candidate("Enjoys tennis", "hobby", "tennis")))


def test_n1_the_same_gate_decides_the_same(bench: Bench) -> None:
    moved(bench)
    [lives] = bench.active("residence")
    bench.do_all(bench.do("correct", memory_id=lives.record_id, value="Hull", text="Lives in Hull"))
    bench.driver.tick()
    bench.do_all(bench.run())
    assert bench.regate(plain()) == []
    assert bench.told.looked_at >= 3
    assert sum(bench.told.left.values()) == 0, "nothing differed, so nothing was left alone"


def test_n1_another_profile_decides_anew_and_the_gate_writes_it(bench: Bench) -> None:
    moved(bench)
    assert bench.now() == ["York"]
    wide = many("residence")
    found = bench.regate(wide)
    assert {(d.what, d.field) for d in found} == {("added", "residence"), ("retired", "residence")}
    assert bench.now() == ["York"], "looking changes nothing"
    bench.becomes(wide)
    bench.apply(found)
    assert bench.now() == ["Leeds", "York"]
    assert bench.regate(wide) == [], "a second run finds nothing more"
    # The gate's state is that of the views: what is said again is known.
    bench.later(DAY)
    bench.do_all(bench.say(candidate("Lives in Leeds", "residence", "Leeds")))
    assert bench.now() == ["Leeds", "York"]
    # And back again, from a ledger that now holds the amendments too.
    back = bench.regate(plain())
    bench.becomes(plain())
    bench.apply(back)
    assert bench.now() == ["Leeds"], "the newest of all, where only one may stand"
    assert bench.regate(plain()) == []


def test_n4_what_was_read_where_a_rejected_one_was_does_not_come_back_under_another_id(bench: Bench) -> None:
    """Whatever the gate of now makes of it."""
    place = (Span(start=0, end=20),)
    bench.do_all(bench.say(candidate("User bought a kayak", spans=place), turn="t"))
    [kept] = bench.active()
    bench.do_all(bench.do("forget", memory_id=kept.record_id))
    again = candidate("A boat, owned", spans=place)
    bench.pipe(bench.extraction(again, turn="t", version=2))
    asyncio.run(bench.run())
    assert bench.active() == []
    rows = {k: v for owner in bench.store.rows.values() for k, v in owner.get(kept.owner.key, {}).items()}
    other = kept.model_copy(
        update={"record_id": "other", "sealed": kept.sealed.model_copy(update={"text": again.text, "terms": ()})}
    )
    d = Difference(kept.owner, "other", "episode", "", "added", (), 0, (other,))
    for read_at, why in (({"other": {"t": place}}, "rejected"), ({"other": {"u": place}}, None), ({}, None)):
        remembered = replace(Remembered.of(rows, read_at), known=())
        assert left_alone(d, {}, set(), remembered, bench.models.hash_key) == why


def test_n1_a_replay_tells_where_it_read_each_record(bench: Bench) -> None:
    place = (Span(start=3, end=20),)
    bench.do_all(bench.say(candidate("User bought a kayak", spans=place), turn="t"))
    [kept] = bench.active()
    bench.regate(plain())
    assert bench.replay.read_at(kept.owner.key) == {kept.record_id: {"t": place}}


def test_n4_what_was_corrected_forgotten_or_erased_does_not_come_back(bench: Bench) -> None:
    moved(bench)
    [lives], [likes] = bench.active("residence"), bench.active("hobby")
    bench.do_all(bench.do("correct", memory_id=lives.record_id, value="Hull", text="Lives in Hull"))
    bench.do_all(bench.do("forget", memory_id=likes.record_id))
    wide = many("residence")
    found = bench.regate(wide)
    assert bench.told.left["rejected"] == 1, "York, under another id"
    assert bench.told.left["the_users_own"] == 1, "Hull"
    bench.becomes(wide)
    bench.apply(found)
    assert bench.now() == ["Hull", "Leeds"], "Leeds was true once and nobody took it back"
    assert bench.now("hobby") == []
    erasure = Erasure(tenant="acme", erasure_id="e", scope="user", user_id="ann", accepted_at=bench.driver.now)
    bench.driver.pipe(topics.LEDGER, erasure)
    asyncio.run(bench.driver.run())
    for profile in (wide, plain()):
        assert [d for d in bench.regate(profile) if d.what != "retired"] == []


def test_n4_an_amendment_from_before_an_erasure_is_refused(bench: Bench) -> None:
    moved(bench)
    wide = many("residence")
    found = bench.regate(wide)
    erasure = Erasure(tenant="acme", erasure_id="e", scope="user", user_id="ann", accepted_at=bench.driver.now)
    bench.driver.pipe(topics.LEDGER, erasure)
    asyncio.run(bench.driver.run())
    before = len(updates(bench.driver))
    bench.becomes(wide)
    bench.apply(found)
    assert len(updates(bench.driver)) == before


def test_n1_a_record_that_changes_meanwhile_is_left_to_the_next_run(bench: Bench) -> None:
    moved(bench)
    wide = many("residence")

    def again() -> None:
        bench.later(DAY)
        bench.do_all(bench.say(candidate("Lives in York", "residence", "York")))

    found = bench.regate(wide, between=again)
    assert bench.told.left["changed_meanwhile"] >= 1
    assert all(d.what == "added" for d in found), "what was said again meanwhile is retired by the next run"
    late = bench.regate(wide)
    bench.do_all(bench.say(candidate("Lives in York", "residence", "York")))
    bench.becomes(wide)
    bench.apply(late)
    assert "York" in bench.now(), "an amendment of a revision that is gone changes nothing"
    bench.apply(bench.regate(wide))
    assert bench.now() == ["Leeds", "York"]
    assert bench.regate(wide) == []


def test_n1_policy_of_now_masks_what_a_regate_brings(bench: Bench) -> None:
    bench.do_all(bench.say(candidate(f"Lives in Leeds, call {PHONE}", "residence", "Leeds")))
    bench.later(DAY)
    bench.do_all(bench.say(candidate("Lives in York", "residence", "York")))
    wide = many("residence")
    wide = wide.model_copy(update={"pii": {**wide.pii, "PHONE_NUMBER": PiiAction.MASK}})
    found = bench.regate(wide)
    texts = [u.sealed.text for d in found for u in d.versions if u.state == "active"]
    assert texts
    assert not any(PHONE in t for t in texts)
    assert any("<PHONE_NUMBER>" in t for t in texts)


def test_n1_what_the_ledger_does_not_hold_is_left_alone(bench: Bench) -> None:
    moved(bench)
    bench.driver.log.partitions[topics.LEDGER.name, partition(user("acme", "ann"), 8)] = []
    # An empty ledger: the replay holds nothing, and nothing is retired for that.
    assert bench.regate(plain()) == []
    assert bench.told.left["not_in_the_ledger"] >= 3


def homes(*values: str) -> Profile:
    """The same profile, whose field for homes takes these alone."""
    fields = [f.model_copy(update={"values": values}) if f.name == "residence" else f for f in plain().fields]
    return plain().model_copy(update={"fields": tuple(fields)})


def test_n1_what_the_reader_dropped_comes_back_under_a_profile_that_takes_it(bench: Bench) -> None:
    """And leaves again under the one of before."""
    statement = candidate("Lives in York", kind="fact", spans=(Span(start=0, end=13),))
    left = Dropped(label="no_field", candidate=statement, slots={"residence": "York"})
    bench.becomes(homes("Leeds"))
    bench.do_all(bench.say(candidate("Enjoys tennis", "hobby", "tennis"), dropped=(left,)))
    assert bench.now() == []
    assert bench.regate(homes("Leeds")) == []
    found = bench.regate(homes("Leeds", "York"))
    assert [(d.what, d.field) for d in found] == [("added", "residence")]
    bench.becomes(homes("Leeds", "York"))
    bench.apply(found)
    assert bench.now() == ["York"]
    assert bench.regate(homes("Leeds", "York")) == []
    back = bench.regate(homes("Leeds"))
    assert [(d.what, d.field) for d in back] == [("retired", "residence")]
    bench.becomes(homes("Leeds"))
    bench.apply(back)
    assert bench.now() == []
