"""A step and a sink of a package at work: over the topology's driver, on the sinks' worker, under their contracts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, get_args

import pytest

from memstream.erasure.ways import ways
from memstream.reprocess.compare import GenerationSide, RevisionSide, compare
from memstream.reprocess.fold import Fold
from memstream.reprocess.stores import store as store_of
from memstream.settings import Settings
from memstream.workers.sink import built
from memstream.workers.sink_parts import parts_of
from processors.parts import Parts
from processors.ports import Models, ProfileBook
from processors.reader.rules.rules import RuleExtractor
from schemas.components.installed import Components, topic_named
from schemas.events.erasure import Erasure
from schemas.events.turns import TurnBody, TurnEvent
from schemas.log import topics
from schemas.log.codec import Codec, Event
from schemas.log.owner import partition, user
from schemas.profile.model import load_profile
from schemas.security.erasure_findings import place
from sinks.decode import decode
from sinks.parts import SinkParts
from sinks.protocol import Message, Sink
from streams.driver import TopologyDriver
from streams.topology import topology
from tests.dates import fixed
from tests.unit.sinks import events
from tests.unit.sinks.contract import SinkContract, Store
from tests.unit.sinks.fakes import FakeLog

START = fixed(2026, 11, 2, 9)
DAYS = "days.turns.v1"
TURNS = (("ann", "I live in Leeds."), ("bob", "我住在杭州。"), ("ann", "I work as a nurse."), ("ann", "I like tea."))


class Found:
    """Where a sink tells what an erasure removed."""

    def __init__(self) -> None:
        self.places: dict[str, dict[str, int]] = {}

    def __call__(self, erasure: Erasure, place: str, counts: dict[str, int]) -> None:
        self.places.setdefault(place, counts)


@pytest.fixture
def driver(found: Components, models: Models) -> TopologyDriver:
    parts = Parts(models, ProfileBook(load_profile("general")), RuleExtractor())
    return TopologyDriver([spec.build(parts) for spec in topology().values()], START)


def say(driver: TopologyDriver, texts: tuple[tuple[str, str], ...] = TURNS, first: int = 0) -> None:
    for n, (who, text) in enumerate(texts, first):
        driver.advance(timedelta(hours=7))
        driver.pipe(topics.TURNS, TurnEvent(
            tenant="acme", user_id=who, session_id=f"{who}-1", turn_id=f"t{n}", role="user", occurred_at=driver.now,
            accepted_at=driver.now, sealed=TurnBody(content=text),
        ))  # fmt: skip


def erase(driver: TopologyDriver, who: str) -> Erasure:
    driver.advance(timedelta(minutes=1))
    event = Erasure(tenant="acme", erasure_id=f"e-{who}", scope="user", user_id=who, accepted_at=driver.now)
    driver.pipe(topics.TURNS, event)
    return event


def counted(driver: TopologyDriver) -> dict[tuple[str, str], int]:
    """By user and day, as the newest value of each key says."""
    newest = {
        m.key: m.value for (topic, _), log in driver.log.partitions.items() if topic == DAYS for m in log
        if not topics.is_marker(m.key)
    }  # fmt: skip
    values: list[Any] = [driver.codec.decode(DAYS, value) for value in newest.values() if value is not None]
    return {(v.user_id, v.day): v.turns for v in values if v.type == "day_count"}


async def test_d9_a_step_of_a_package_counts_and_writes_to_a_topic_of_its_own(driver: TopologyDriver) -> None:
    say(driver)
    await driver.run()
    wanted = {("ann", "2026-11-02"): 1, ("bob", "2026-11-02"): 1, ("ann", "2026-11-03"): 2}
    assert counted(driver) == wanted
    assert driver.dead_letters() == []
    driver.restart(rewind=3)
    await driver.run()
    assert counted(driver) == wanted, "what is delivered again is counted once"
    marked = [m for (t, _), log in driver.log.partitions.items() if t == DAYS for m in log if topics.is_marker(m.key)]
    assert all(dict(m.headers)["src"].startswith(b"turns-a-day/") for m in marked)


async def test_c9_what_it_remembers_of_a_user_goes_and_stays_away(driver: TopologyDriver) -> None:
    say(driver)
    await driver.run()
    erase(driver, "ann")
    await driver.run()
    assert counted(driver) == {("bob", "2026-11-02"): 1}
    handed_on = [e for e in driver.read(topic_named(DAYS)) if isinstance(e, Erasure)]
    assert [(e.stage, e.found) for e in handed_on] == [("turns-a-day", {"days": 2})]
    say(driver, (("ann", "I am back."),), first=9)
    await driver.run()
    assert counted(driver) == {("bob", "2026-11-02"): 1, ("ann", "2026-11-03"): 1}


def parts(folder: Path, findings: Found | None = None, generation: int = 1) -> SinkParts:
    return replace(parts_of(Settings(data_dir=folder), generation), findings=findings or Found())


def sent(driver: TopologyDriver, log: FakeLog, sink: Sink) -> None:
    """All that the sink's topics hold, once."""
    for (topic, _), line in sorted(driver.log.partitions.items()):
        if topic in sink.topics:
            log.send(*(Message(m.topic, m.partition, m.offset, m.key, m.value, list(m.headers), m.timestamp_ms)
                       for m in line))  # fmt: skip


def drained(log: FakeLog, sink: Sink) -> None:
    worker = log.worker(sink)
    while worker.step():
        pass


def rows(folder: Path, view: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "days-g1.sqlite")) as db:
        return sorted(db.execute("SELECT owner, key, revision FROM rows WHERE view = ?", (view,)))


async def test_d9_a_sink_of_a_package_runs_on_the_worker(driver: TopologyDriver, tmp_path: Path) -> None:
    say(driver)
    await driver.run()
    log, sink = FakeLog(), built(parts(tmp_path), "sqlite")
    sent(driver, log, sink)
    drained(log, sink)
    assert rows(tmp_path, "days") == [
        ("acme/user/ann", "acme/user/ann/day/2026-11-02", 1), ("acme/user/ann", "acme/user/ann/day/2026-11-03", 2),
        ("acme/user/bob", "acme/user/bob/day/2026-11-02", 1),
    ]  # fmt: skip
    assert {owner for owner, _, _ in rows(tmp_path, "memories")} == {"acme/user/ann", "acme/user/bob"}
    assert log.dead_letters() == []
    assert {mark.stage for mark in sink.progress()} >= {f"turns-a-day:{DAYS}", f"gate:{topics.UPDATES.name}"}
    place_of_ann = DAYS, partition(user("acme", "ann"), topics.EMBEDDED_PARTITIONS)
    assert log.committed(*place_of_ann) == len(log.records[place_of_ann])


async def test_c9_it_confirms_an_erasure_at_every_place_that_is_waited_for(
    driver: TopologyDriver, found: Components, tmp_path: Path
) -> None:
    say(driver)
    await driver.run()
    findings = Found()
    log, sink = FakeLog(), built(parts(tmp_path, findings), "sqlite")
    sent(driver, log, sink)
    drained(log, sink)
    e = erase(driver, "ann")
    await driver.run()
    log.records.clear()
    log.offsets.clear()
    sent(driver, log, sink)
    drained(log, sink)
    count = topics.EMBEDDED_PARTITIONS
    own = partition(e.owner, count)
    wanted = {
        place("sqlite", 1, way.topic, way.stage, p)
        for way in ways(found) if way.store == "sqlite" for p in (range(count) if way.everywhere else (own,))
    }  # fmt: skip
    assert findings.places.keys() == wanted
    assert findings.places[place("sqlite", 1, DAYS, "turns-a-day", own)] == {"days": 2}
    assert {owner for view in ("days", "memories") for owner, _, _ in rows(tmp_path, view)} == {"acme/user/bob"}


async def test_n1_what_it_holds_agrees_with_the_log_and_with_another_generation(
    driver: TopologyDriver, tmp_path: Path
) -> None:
    say(driver)
    await driver.run()
    erase(driver, "bob")
    await driver.run()
    made = store_of(Settings(data_dir=tmp_path), "sqlite")
    fold, log = made.fold(), FakeLog()
    for number in (1, 2):
        sink = built(parts(tmp_path, generation=number), "sqlite")
        log = FakeLog()
        sent(driver, log, sink)
        drained(log, sink)
    fold.add(decode(Codec(), [m for line in log.records.values() for m in line], "sink-sqlite"))
    assert dict(compare(GenerationSide(made.contents, 1), GenerationSide(made.contents, 2), _nothing).different) == {}
    found = compare(RevisionSide(made.contents, 1), _Log(fold), _nothing)
    assert dict(found.different) == {}
    assert found.rows["days"] == (2, 2)
    made.contents.drop(2)
    assert made.contents.buckets(2) == {}


def _nothing() -> None:
    """All is read."""


class _Log:
    def __init__(self, fold: Fold) -> None:
        self.buckets, self.rows = fold.buckets, fold.rows


class _File:
    """A file as a store of the contract: each sink opens it anew."""

    def __init__(self, folder: Path, kind: str, found: Components) -> None:
        self._folder, self._kind = folder, kind
        self._count = get_args(get_args(found.events[DAYS])[0])[0]
        self._open: list[Sink] = []

    def sink(self) -> Sink:
        made = built(parts(self._folder), "sqlite")
        made.ensure()
        self._open.append(made)
        return made

    def record(self, n: int, revision: int, text: str, **changes: Any) -> Event:
        if self._kind == "memory":
            return events.memory(n, revision, text, **changes)
        values = {"tenant": "t1", "user_id": "u1", "day": f"2026-11-{n + 10}", "revision": revision}
        event: Event = self._count(**{**values, "turns": _number(text), "accepted_at": events.NOW, **changes})
        return event

    def read(self, record: Event) -> tuple[int, str] | None:
        view = "memories" if self._kind == "memory" else "days"
        key: str = f"{record.record_id}/{record.version}" if self._kind == "memory" else record.subject  # type: ignore[union-attr]
        with closing(sqlite3.connect(self._folder / "days-g1.sqlite")) as db:
            row = db.execute(
                "SELECT revision, value FROM rows WHERE view = ? AND tenant = ? AND key = ?",
                (view, getattr(record, "tenant", ""), key),
            ).fetchone()
        if row is None:
            return None
        topic = topics.UPDATES.name if self._kind == "memory" else DAYS
        event: Any = Codec().decode(topic, row[1])
        return row[0], event.sealed.text if self._kind == "memory" else _text(event.turns)

    def close(self) -> None:
        for sink in self._open:
            sink.close()


_TEXTS: list[str] = [""]
"""A count has no text: the texts of the contract are told by their number."""


def _number(text: str) -> int:
    if text not in _TEXTS:
        _TEXTS.append(text)
    return max(1, _TEXTS.index(text))


def _text(number: int) -> str:
    return _TEXTS[number]


class TestSqliteSink(SinkContract):
    @pytest.fixture(params=["memory", "day"])
    def store(self, request: pytest.FixtureRequest, found: Components, tmp_path: Path) -> Iterator[Store]:
        file = _File(tmp_path, request.param, found)
        yield file
        file.close()
