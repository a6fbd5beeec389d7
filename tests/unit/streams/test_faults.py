"""Aborts at every point of every step, and starts again: as if nothing had been (N2, delivery rule 4).

The whole topology with its real steps and encoder, without servers. Only the taggers of names are left out: they are
stateless, and slow to load.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest

from inference.language import language_of
from inference.protocols import EntitySpan
from inference.terms import terms
from inference.tokens import token_counter
from memstream.workers.models import default_embedder
from processors.ports import Models, ProfileBook
from processors.reader.rules.rules import RuleExtractor
from schemas.events.memory import Feedback, FeedbackBody, MemoryCommand, MemoryCommandBody, MemoryUpdate
from schemas.events.turns import SessionCommand, SessionCommandBody, TurnBody, TurnEvent
from schemas.log import topics
from schemas.profile.model import load_profile
from streams.driver import TopologyDriver
from streams.faults import Faults, Point
from streams.state.memory import MemoryStateStore
from streams.topology import TOPOLOGY, Parts
from tests.crash.compare import unlike
from tests.crash.log import without_redelivered

START = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)
STEPS = ("screen", "extract", "gate", "session", "project")
# Where the loop of a step passes; the app that commits is not in the driver.
POINTS = [p for p in Point if p is not Point.AFTER_COMMIT]
STATEMENTS = (
    ("ann", "p1", "I live in Lisbon and I work as a nurse."), ("li", None, "我叫李雷，住在杭州。"),
    ("ann", None, "I love sushi."), ("li", None, "我喜欢吃火锅。"), ("ann", None, "I moved to Oslo last month."),
    ("bob", None, "I am allergic to peanuts."), ("ann", "p1", "We decided to use Kafka for the pipeline."),
    ("li", None, "我上个月搬到成都了。"), ("bob", None, "I am allergic to peanuts."), ("ann", None, "I love sushi!"),
    ("li", None, "我喜欢吃火锅！"), ("bob", None, "Yesterday I went hiking with my sister in the Alps."),
    ("bob", None, "I went hiking with my sister in the Alps yesterday."),
)  # fmt: skip


class Abort(BaseException):
    """What kill -9 is to a process; no `except Exception` may hold it up."""


class AbortAt(Faults):
    """Aborts the n-th time that a stage passes a point, once."""

    def __init__(self, stage: str, point: Point, count: int) -> None:
        self._left = count
        self._stage, self._point = stage, point
        self.done = False

    def hit(self, stage: str, point: str) -> None:
        if self.done or stage != self._stage or point != self._point:
            return
        self._left -= 1
        if self._left == 0:
            self.done = True
            raise Abort


class NoNames:
    def analyze(self, texts: Any, languages: Any) -> list[list[EntitySpan]]:
        return [[] for _ in texts]


def driver(faults: Faults | None = None, batch: int = 4) -> TopologyDriver:
    models = Models(NoNames(), default_embedder(), lambda name: token_counter(name), language_of, terms, b"k" * 32)
    parts = Parts(models, ProfileBook(load_profile("general")), RuleExtractor())
    return TopologyDriver([TOPOLOGY[s].build(parts) for s in STEPS], START, batch=batch, faults=faults)


def pipe_turn(d: TopologyDriver, number: int) -> None:
    user, project, text = STATEMENTS[number % len(STATEMENTS)]
    body = TurnBody(content=text)
    event = TurnEvent(
        tenant="acme", user_id=user, session_id=f"{user}-{number % 2}", turn_id=f"t{number}", role="user",
        occurred_at=d.now - timedelta(hours=1), accepted_at=d.now, project_id=project, sealed=body,
    )  # fmt: skip
    d.pipe(topics.TURNS, event)
    if number % 4 == 0:
        d.pipe(topics.TURNS, event)  # a client that repeats its call


def current(d: TopologyDriver, user: str) -> str | None:
    """The first standing memory of a user by id, as the updates say."""
    last = {e.record_id: e for e in d.read(topics.UPDATES) if isinstance(e, MemoryUpdate) and e.owner_id == user}
    return min((r for r, e in last.items() if e.state == "active"), default=None)


def pipe_others(d: TopologyDriver, word: str) -> None:
    command: dict[str, Any] = {"tenant": "acme", "user_id": "ann", "accepted_at": d.now}
    text = MemoryCommandBody(text="I live in Porto.", value="Porto")
    d.pipe(topics.LEDGER, MemoryCommand(command="remember", command_id=f"r{word}", kind="fact", sealed=text, **command))
    if (memory := current(d, "ann")) is not None:
        ids: dict[str, Any] = {"feedback_id": f"f{word}", "memory_ids": (memory,), "rating": "bad"}
        d.pipe(topics.LEDGER, Feedback(**command, **ids, sealed=FeedbackBody(correction="not so")))
        d.pipe(
            topics.LEDGER,
            MemoryCommand(command="correct", command_id=f"c{word}", memory_id=memory, sealed=text, **command),
        )
    if (memory := current(d, "bob")) is not None:
        bob = {**command, "user_id": "bob"}
        d.pipe(topics.LEDGER, MemoryCommand(command="forget", command_id=f"x{word}", memory_id=memory, **bob))
    patch = SessionCommandBody(global_state={"step": word})
    d.pipe(
        topics.TURNS,
        SessionCommand(session_id="ann-0", command="patch", command_id=f"p{word}", sealed=patch, **command),
    )


async def scenario(d: TopologyDriver, run: Callable[[], Any]) -> None:
    """Turns, repeats, commands, feedback and ticks, in three waves; what a wave names comes from the one before."""
    for wave in range(3):
        for n in range(10):
            pipe_turn(d, wave * 10 + n)
        await run()
        pipe_others(d, str(wave))
        d.advance(timedelta(minutes=40))
        d.tick()
        await run()


_UNDISTURBED: list[TopologyDriver] = []


async def undisturbed() -> TopologyDriver:
    if not _UNDISTURBED:
        d = driver()
        await scenario(d, d.run)
        _UNDISTURBED.append(d)
    return _UNDISTURBED[0]


async def disturbed(faults: AbortAt, rewind: int, batch: int = 4) -> TopologyDriver:
    d = driver(faults, batch)

    async def run() -> None:
        while True:
            try:
                await d.run()
            except Abort:
                d.restart(rewind)
            else:
                return

    await scenario(d, run)
    return d


def state(d: TopologyDriver) -> dict[Any, Any]:
    store = d.store
    assert isinstance(store, MemoryStateStore)
    return {
        (place, owner, key): orjson.loads(value)
        for place, owners in store.rows.items()
        for owner, rows in owners.items()
        for key, value in rows.items()
    }


def outputs(d: TopologyDriver, topic: topics.Topic) -> dict[int, list[Any]]:
    """Values by partition, what was redelivered dropped as every reader does, without markers and ticks."""
    out: dict[int, list[Any]] = {}
    for (name, p), log in sorted(d.log.partitions.items()):
        if name == topic.name:
            values = [orjson.loads(m.value or b"null") for m in without_redelivered(log)]
            out[p] = [v for v in values if v["type"] not in ("marker", "tick")]
    return out


def last_by_key(d: TopologyDriver, topic: topics.Topic) -> dict[Any, Any]:
    """What a compacted topic holds in the end."""
    return {
        (p, m.key): orjson.loads(m.value or b"null")
        for (name, p), log in sorted(d.log.partitions.items())
        if name == topic.name
        for m in log
        if not topics.is_marker(m.key)
    }


def assert_same(a: TopologyDriver, b: TopologyDriver) -> None:
    """Vectors are compared up to rounding: their batch company differs."""
    want, have = state(a), state(b)
    assert want.keys() == have.keys()
    assert {k: d for k in want if (d := _unlike(want[k], have[k]))} == {}
    for topic in (topics.HISTORY, topics.LEDGER, topics.PROJECT_EVENTS, topics.UPDATES, topics.DECISIONS):
        want, have = outputs(a, topic), outputs(b, topic)
        for p in want:
            assert len(want[p]) == len(have[p]), (topic.name, p)
            assert [d for x, y in zip(want[p], have[p], strict=True) if (d := _unlike(x, y))] == []
    for topic in (topics.UPDATES, topics.SESSION_STATE):
        want, have = last_by_key(a, topic), last_by_key(b, topic)
        assert want.keys() == have.keys()
        assert {k: d for k in want if (d := _unlike(want[k], have[k]))} == {}
    assert a.dead_letters() == b.dead_letters() == []


def _unlike(a: Any, b: Any) -> list[str]:
    return [d for d in unlike(a, b) if not d.endswith("score")]


@pytest.mark.parametrize("count", [1, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("stage", STEPS)
async def test_n2_an_abort_at_any_point_changes_nothing(stage: str, point: Point, count: int) -> None:
    """Rule 4: a redelivered offset sends the outbox again and never recomputes. The consumer comes back three
    records early, as a commit that lags behind would have it."""
    faults = AbortAt(stage, point, count)
    hurt = await disturbed(faults, rewind=3)
    if not faults.done:
        pytest.skip(f"{stage} passes {point} fewer than {count} times here")
    assert_same(await undisturbed(), hurt)


@pytest.mark.parametrize("batch", [1, 7, 64])
async def test_n2_the_size_of_a_batch_decides_nothing(batch: int) -> None:
    faults = AbortAt("gate", Point.MID_DELIVERY, 2)
    hurt = await disturbed(faults, rewind=10_000, batch=batch)
    assert_same(await undisturbed(), hurt)


async def test_n2_the_scenario_reaches_every_kind_of_outcome() -> None:
    """Else the comparison would compare little."""
    d = await undisturbed()
    updates = [e for e in d.read(topics.UPDATES) if isinstance(e, MemoryUpdate)]
    assert {e.state for e in updates} >= {"active", "superseded", "deleted"}
    rules = {e["reason"]["outcome"] for log in outputs(d, topics.DECISIONS).values() for e in log}
    assert rules >= {"kept", "superseding", "retired", "skipped"}
    assert {e.user_id for e in updates} >= {"ann", "li", "bob"}
    assert any(outputs(d, topics.PROJECT_EVENTS).values())
