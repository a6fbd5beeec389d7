"""What arrives wrong, twice, in another order, late, or from another time (N2): each topic of each step."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from processors.ports import Models, ProfileBook
from processors.reader.rules.rules import RuleExtractor
from schemas.events.amendments import Amendment
from schemas.events.documents import (
    Document,
    DocumentBody,
    ProjectCommand,
    ProjectCommandBody,
    ReportResult,
    ReportResultBody,
)
from schemas.events.envelope import SourceTurn
from schemas.events.erasure import Erasure
from schemas.events.memory import (
    Candidate,
    Extraction,
    ExtractionBody,
    Feedback,
    FeedbackBody,
    Given,
    JobResult,
    JobResultBody,
    MemoryCommand,
    MemoryCommandBody,
    MemoryUpdate,
)
from schemas.events.turns import CheckpointResult, CheckpointResultBody, SessionCommand, TurnBody, TurnEvent
from schemas.log import topics
from schemas.log.codec import Event, header
from schemas.log.owner import partition, user
from schemas.log.topics import Topic
from schemas.profile.model import load_profile
from streams.driver import TopologyDriver
from streams.topology import TOPOLOGY, Parts, writers_of
from tests.examples import examples

PARTITIONS = topics.EMBEDDED_PARTITIONS
START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
STATEMENTS = (
    ("ann", "I live in Leeds."), ("bob", "我住在杭州。"), ("ann", "I moved to York last week."),
    ("bob", "我喜欢喝茶。"), ("ann", "I prefer tea to coffee."), ("bob", "我搬到上海了。"),
)  # fmt: skip
POISON: dict[str, bytes] = {
    "not JSON": b"{", "not UTF-8": b'{"type": "\xff\xfe"}', "an array": b"[]", "a bare word": b"null", "empty": b"",
    "of a later schema": b'{"schema_version": 2, "type": "tick", "now": "2026-11-02T09:00:00Z"}',
    "of no type": b'{"schema_version": 1}', "of a foreign type": b'{"type": "hello"}',
    "nested": b'{"type":' + b"[" * 5_000 + b"]" * 5_000 + b"}", "a huge number": b'{"type": 1e999}',
    "sealed elsewhere": b'{"type": "turn", "tenant": "t", "user_id": "u", "sealed": {"alg": "x", "kid": "1", "ct":""}}',
}  # fmt: skip


def driver_of(models: Models) -> TopologyDriver:
    parts = Parts(models, ProfileBook(load_profile("general")), RuleExtractor())
    return TopologyDriver([spec.build(parts) for spec in TOPOLOGY.values()], START)


def turn(n: int, at: datetime, accepted: datetime | None = None) -> TurnEvent:
    who, text = STATEMENTS[n]
    return TurnEvent(
        tenant="acme", user_id=who, session_id="s", turn_id=f"t{n}", role="user", occurred_at=at,
        accepted_at=accepted or at, sealed=TurnBody(content=text),
    )  # fmt: skip


def known(driver: TopologyDriver) -> dict[str, list[tuple[Any, ...]]]:
    """User -> what stands, without ids of offsets, and without what idle time alone brings."""
    newest: dict[str, MemoryUpdate] = {}
    for event in driver.read(topics.UPDATES):
        if isinstance(event, MemoryUpdate) and event.kind in ("fact", "preference"):
            newest[f"{event.record_id}/{event.version}"] = event
    out: dict[str, list[tuple[Any, ...]]] = {}
    for u in newest.values():
        out.setdefault(u.owner_id, []).append((u.kind, u.field, u.sealed.text, u.state, u.valid_from, u.valid_to))
    return {who: sorted(rows, key=str) for who, rows in out.items()}


@pytest.mark.parametrize("step", TOPOLOGY)
async def test_n2_poison_in_each_topic_costs_itself_and_nobody_else(models: Models, step: str) -> None:
    driver = driver_of(models)
    source: Topic = driver.runners[step].step.source
    place = partition(user("acme", "ann"), PARTITIONS)
    for n in range(4):
        driver.pipe(topics.TURNS, turn(n, START + timedelta(minutes=n)))
        for value in list(POISON.values())[3 * n : 3 * n + 3]:
            driver.pipe_raw(source, place, value)
    await driver.run()
    dead = [m for m in driver.dead_letters() if header(m.headers, "step") == step.encode()]  # two steps may read one
    assert sorted(m.value or b"" for m in dead) == sorted(POISON.values()), "their bytes are kept"
    result = b"".join(v for m in dead for k, v in m.headers if k in ("reason", "message"))
    assert b"hello" not in result
    calm = driver_of(models)
    for n in range(4):
        calm.pipe(topics.TURNS, turn(n, START + timedelta(minutes=n)))
    await calm.run()
    assert known(driver) == known(calm) != {}


@settings(max_examples=examples(15), deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 4))
async def test_n2_repeated_and_interleaved_as_it_may_be_the_same_is_remembered(
    models: Models, rng: random.Random, batch: int
) -> None:
    """Each user's turns in their order, the users' among each other in any; each turn sent up to three times."""
    calm = driver_of(models)
    for n in range(len(STATEMENTS)):
        calm.pipe(topics.TURNS, turn(n, START + timedelta(minutes=n)))
    await calm.run()
    wild = driver_of(models)
    left = {"ann": [0, 2, 4], "bob": [1, 3, 5]}
    sent: list[int] = []
    while any(left.values()):
        n = left[rng.choice([w for w, turns in left.items() if turns])].pop(0)
        sent.append(n)
        again = rng.sample(sent, rng.randint(0, min(2, len(sent))))
        for one in (n, *again):
            wild.pipe(topics.TURNS, turn(one, START + timedelta(minutes=one)))
        if rng.random() < 0.3:
            await wild.run()
            wild.restart(rewind=batch)
    await wild.run()
    assert known(wild) == known(calm)
    assert wild.dead_letters() == []


async def test_n8_what_arrives_late_takes_its_place_in_time_and_no_other(models: Models) -> None:
    """Ann said Leeds first and York later; the older turn arrives last."""
    late = driver_of(models)
    late.pipe(topics.TURNS, turn(2, START, START))
    late.pipe(topics.TURNS, turn(0, START - timedelta(days=30), START + timedelta(minutes=1)))
    await late.run()
    active = [u.sealed.text for u in late.read(topics.UPDATES) if isinstance(u, MemoryUpdate) and u.valid_to is None]
    assert "York" in active[0]
    newest = {(u.record_id, u.version): u for u in late.read(topics.UPDATES) if isinstance(u, MemoryUpdate)}
    current = [u.sealed.text for u in newest.values() if u.state == "active" and u.valid_to is None]
    assert any("York" in t for t in current)
    assert not any("Leeds" in t for t in current), "the older statement is no news"


@pytest.mark.parametrize("jump", [timedelta(days=-400), timedelta(hours=-2), timedelta(hours=3)])
async def test_n2_a_clock_that_jumps_and_comes_back_undoes_nothing(models: Models, jump: timedelta) -> None:
    driver, calm = driver_of(models), driver_of(models)
    for n in range(3):
        for d in (driver, calm):
            d.pipe(topics.TURNS, turn(n, START + timedelta(minutes=n)))
    await driver.run()
    driver.advance(jump)
    driver.tick()
    await driver.run()
    driver.advance(-jump)
    driver.tick()
    for n in range(3, len(STATEMENTS)):
        for d in (driver, calm):
            d.pipe(topics.TURNS, turn(n, START + timedelta(minutes=n)))
    await driver.run()
    await calm.run()
    assert known(driver) == known(calm)
    assert driver.dead_letters() == []


FAR = datetime(8990, 1, 1, tzinfo=UTC)
ANNS: dict[str, Any] = {"tenant": "acme", "user_id": "ann"}


def answered(accepted_at: datetime = START, of: datetime = START) -> Extraction:
    """What a model said of a turn, as the jobs write it: first-hand, without a step's headers."""
    source = SourceTurn(turn_id="t0", session_id="s", occurred_at=of, content_hash="h")
    statement = Candidate(
        ordinal=0, kind="fact", text="Lives in Leeds.", field="residence", value="Leeds", importance=0.7,
        confidence=Decimal(1), source="explicit",
    )  # fmt: skip
    return Extraction(
        **ANNS, session_id="s", turn=source, role="user", accepted_at=accepted_at, language="en", extractor="model",
        extractor_version=1, profile="general", profile_version=1, sealed=ExtractionBody(candidates=(statement,)),
    )  # fmt: skip


AHEAD: dict[str, tuple[Topic, Event, str]] = {
    "a turn": (topics.TURNS, turn(0, FAR), "accepted_at"),
    "a session command": (
        topics.TURNS,
        SessionCommand(**ANNS, session_id="s", command="create", command_id="c", accepted_at=FAR),
        "accepted_at",
    ),
    "a command": (
        topics.LEDGER,
        MemoryCommand(**ANNS, command="remember", command_id="c", kind="fact", field="residence", accepted_at=FAR,
                      sealed=MemoryCommandBody(text="I live in Leeds.", value="Leeds")),
        "accepted_at",
    ),
    "what was remembered of then": (
        topics.LEDGER,
        MemoryCommand(**ANNS, command="remember", command_id="c", kind="fact", field="residence", occurred_at=FAR,
                      sealed=MemoryCommandBody(text="I live in Leeds.", value="Leeds")),
        "occurred_at",
    ),
    "a client's summary": (
        topics.LEDGER, MemoryCommand(**ANNS, command="summarize", command_id="c", accepted_at=FAR), "accepted_at"
    ),
    "feedback": (topics.LEDGER, Feedback(**ANNS, feedback_id="f", rating="bad", accepted_at=FAR), "accepted_at"),
    "a context": (topics.LEDGER, Given(**ANNS, context_id="x", accepted_at=FAR), "accepted_at"),
    "hot memory": (
        topics.PROJECT_EVENTS,
        ProjectCommand(tenant="acme", project_id="p", command="put_hot", command_id="c", hot_type="status", key="phase",
                       accepted_at=FAR, sealed=ProjectCommandBody(value="done")),
        "accepted_at",
    ),
    "a model's answer": (topics.LEDGER, answered(accepted_at=FAR), "accepted_at"),
    "a model's answer of a turn of then": (topics.LEDGER, answered(of=FAR), "occurred_at"),
    "a document": (
        topics.DOCUMENTS,
        Document(tenant="acme", document_id="d", version="v9", accepted_at=FAR,
                 sealed=DocumentBody(title="Rules", markdown="# Rules\n\nThe rule holds.")),
        "accepted_at",
    ),
    "a session's summary": (
        topics.TURNS,
        CheckpointResult(**ANNS, session_id="s", segment=0, last_turn_id="t0", recent_turns=2, status="done",
                         extractive=False, job_id="j", accepted_at=FAR, sealed=CheckpointResultBody(summary="Leeds")),
        "accepted_at",
    ),
    "a narrative": (
        topics.LEDGER,
        JobResult(**ANNS, job_id="j", job="narrative", status="done", model="m", accepted_at=FAR,
                  sealed=JobResultBody(result={"narrative": "Lives in Leeds."})),
        "accepted_at",
    ),
    "a report": (
        topics.PROJECT_EVENTS,
        ReportResult(tenant="acme", project_id="p", job_id="j", week_start="2026-11-02", status="done", model="m",
                     accepted_at=FAR, sealed=ReportResultBody(result={"summary": "A week."})),
        "accepted_at",
    ),
    "an amended session": (
        topics.TURNS,
        Amendment(**ANNS, amendment_id="a", cause="rescreen", what="session", target="s", session_id="s",
                  accepted_at=FAR),
        "accepted_at",
    ),
    "an amended memory": (
        topics.LEDGER,
        Amendment(**ANNS, amendment_id="a", cause="regate", what="memory", target="m", accepted_at=FAR),
        "accepted_at",
    ),
    "an erasure of a user": (
        topics.TURNS, Erasure(**ANNS, erasure_id="e", scope="user", accepted_at=FAR), "accepted_at"
    ),
    "an erasure that says a step passed it on": (
        topics.TURNS, Erasure(**ANNS, erasure_id="e", scope="user", stage="screen", accepted_at=FAR), "accepted_at"
    ),
    "an erasure of a session": (
        topics.TURNS, Erasure(**ANNS, erasure_id="e", scope="session", session_id="s", accepted_at=FAR), "accepted_at"
    ),
    "an erasure of a project": (
        topics.PROJECT_EVENTS,
        Erasure(tenant="acme", erasure_id="e", scope="project", project_id="p", accepted_at=FAR),
        "accepted_at",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", AHEAD)
async def test_n2_what_is_dated_years_ahead_is_a_dead_letter(models: Models, what: str) -> None:
    driver = driver_of(models)
    topic, event, reason = AHEAD[what]
    driver.pipe(topic, event)
    await driver.run()
    assert [header(m.headers, "reason") for m in driver.dead_letters()] == [reason.encode()]
    assert driver.read(topics.UPDATES) == driver.read(topics.DECISIONS) == driver.read(topics.SESSION_STATE) == []


@pytest.mark.parametrize("what", AHEAD)
async def test_n2_nothing_is_lost_around_what_is_dated_years_ahead(models: Models, what: str) -> None:
    driver, calm = driver_of(models), driver_of(models)
    for n in range(len(STATEMENTS)):
        for d in (driver, calm):
            d.pipe(topics.TURNS, turn(n, START + timedelta(minutes=n)))
        driver.pipe(*AHEAD[what][:2])
    await driver.run()
    await calm.run()
    assert known(driver) == known(calm) != {}
    assert len(driver.dead_letters()) == len(STATEMENTS), "each sending"


PROSE = " ".join(f"Anna Kowalski of 12 Rose Street said {n}." for n in range(2_000))
OUTGROWN: dict[str, tuple[Topic, Any, str]] = {
    "a store item": (
        topics.LEDGER,
        MemoryCommand(**ANNS, command="put_item", command_id="big", namespace=("notes", "ann"), key="k",
                      sealed=MemoryCommandBody(value={"note": PROSE})),
        "sealed.value",
    ),
    "the value of a memory": (
        topics.LEDGER,
        MemoryCommand(**ANNS, command="remember", command_id="big", kind="fact", field="city",
                      sealed=MemoryCommandBody(text="Lives in Leeds.", value=[PROSE])),
        "sealed.value",
    ),
    "traits of feedback": (
        topics.LEDGER,
        Feedback(**ANNS, feedback_id="big", rating="good", sealed=FeedbackBody(traits={"tone": PROSE})),
        "sealed.traits",
    ),
    "an entry of hot memory": (
        topics.PROJECT_EVENTS,
        ProjectCommand(tenant="acme", project_id="p", command="put_hot", command_id="big", hot_type="status", key="k",
                       sealed=ProjectCommandBody(value=PROSE)),
        "sealed.value",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", OUTGROWN)
async def test_n2_a_value_of_a_megabyte_holds_nobody_up(
    models: Models, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused before anything in it is looked for: the steps take their records one after the other."""
    driver = driver_of(models)
    topic, event, field = OUTGROWN[what]
    looked: list[int] = []
    analyse = models.analyzer.analyze

    def analyzed(texts: Any, *more: Any) -> Any:
        looked.extend(len(t) for t in texts)
        return analyse(texts, *more)

    monkeypatch.setattr(models.analyzer, "analyze", analyzed)
    driver.pipe(topics.TURNS, turn(0, START))
    driver.pipe(topic, event)
    await driver.run()
    [letter] = driver.dead_letters()
    assert header(letter.headers, "reason") == b"too_large"
    assert field.encode() in (header(letter.headers, "message") or b"")
    assert 0 < max(looked) < 1_000
    assert list(known(driver)) == ["ann"]
    assert not [e for e in driver.read(topics.UPDATES) if isinstance(e, MemoryUpdate) and e.kind in ("item", "hot")]


async def test_n2_a_command_from_the_far_future_bars_nothing_for_good(models: Models) -> None:
    """A forget of 8990 refused every later word of the value, whatever was said when."""
    driver = driver_of(models)
    driver.pipe(topics.TURNS, turn(0, START))
    await driver.run()
    named = next(e.record_id for e in driver.read(topics.UPDATES) if isinstance(e, MemoryUpdate) and e.kind == "fact")
    forget = MemoryCommand(tenant="acme", user_id="ann", command="forget", command_id="f", memory_id=named)
    driver.pipe(topics.LEDGER, forget.model_copy(update={"accepted_at": FAR}))
    await driver.run()
    assert known(driver)["ann"][0][3] == "active"
    driver.pipe(topics.LEDGER, forget.model_copy(update={"accepted_at": START + timedelta(hours=23)}))
    await driver.run()
    assert known(driver)["ann"][0][3] != "active", "a clock may be hours ahead"
    assert len(driver.dead_letters()) == 1


def test_the_table_tells_what_each_step_writes(models: Models) -> None:
    built = driver_of(models).runners
    assert {name: set(spec.writes) for name, spec in TOPOLOGY.items()} == {
        name: set(runner.step.outputs) for name, runner in built.items()
    }
    assert writers_of(topics.TURNS) == set()
    assert writers_of(topics.LEDGER) == {"extract", "session"}


async def test_n2_a_client_that_copies_a_steps_headers_loses_no_turn_unsaid(models: Models) -> None:
    """Were they believed, its second turn would pass for a redelivery of the first."""
    driver = driver_of(models)
    place = partition(user("acme", "ann"), PARTITIONS)
    for n, source in ((0, b"screen/3:900:0"), (2, b"screen/3:800:0")):
        value = driver.codec.value(turn(0, START).model_copy(update={"turn_id": f"copied-{n}"}))
        driver.pipe_raw(topics.TURNS, place, value, [("src", source)])
    driver.pipe(topics.TURNS, turn(2, START))
    await driver.run()
    assert [header(m.headers, "reason") for m in driver.dead_letters()] == [b"headers", b"headers"]
    assert [getattr(e, "turn_id", "") for e in driver.read(topics.HISTORY)] == ["t2"]
