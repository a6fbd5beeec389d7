"""A step decides alike however its records are batched and whatever it has in memory: what a record of a batch makes
another one need (a week that comes due, then the tick that closes it) is read, never taken for absent (N1, N2)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest

from processors.ports import Models, ProfileBook
from processors.reader.rules.rules import RuleExtractor
from schemas.events.documents import Document, DocumentBody, ProjectCommand, ProjectCommandBody
from schemas.events.memory import Feedback
from schemas.events.turns import TurnBody, TurnEvent
from schemas.log import topics
from schemas.log.codec import Event, header
from schemas.log.topics import Topic
from schemas.profile.model import Profile, load_profile
from streams.driver import TopologyDriver
from streams.runner import Message
from streams.topology import TOPOLOGY, Parts
from tests.unit.processors.talk import NoNames

SUNDAY = datetime(2026, 11, 8, 14, 0, tzinfo=UTC)
"""Two hours before the week ends in Shanghai, three before it is closed."""
STATEMENTS = (
    ("ann", "We decided to move the screening visits to Fridays."), ("bob", "患者P-102的化验结果从周二起一直缺失。"),
    ("ann", "当前入组人数45人。"), ("bob", "P-102缺失的化验结果已由中心补录。"),
    ("ann", "I live in Leeds and I prefer tea to coffee."), ("bob", "我们决定把筛选访视改到每周五。"),
    ("ann", "目前入组人数60人。"), ("bob", "I moved to York last week."),
)  # fmt: skip
Outcome = dict[Any, Any]


def profile() -> Profile:
    """Statements of the kind `fact` go after two hours, sessions are idle after half an hour."""
    base = load_profile("clinical_trial")
    retention = base.retention.model_copy(update={"classes": {**base.retention.classes, "fact": 0.08}})
    return base.model_copy(update={"retention": retention})


def parts(models: Models, *, ask_model: bool = False) -> Parts:
    own = Models(NoNames(), models.embedder, models.counter, models.language_of, models.terms, models.hash_key)
    return Parts(own, ProfileBook(profile()), RuleExtractor(), ask_model)


def turn_of(i: int, at: datetime, accepted: datetime) -> TurnEvent:
    who, text = STATEMENTS[i % len(STATEMENTS)]
    return TurnEvent(
        tenant="acme", user_id=who, session_id=f"{who}-{i // 5}", turn_id=f"t{i}", role="user", occurred_at=at,
        accepted_at=accepted, project_id="trial-7", sealed=TurnBody(content=f"{text} ({i})" if i >= 8 else text),
    )  # fmt: skip


def others(i: int, now: datetime) -> list[tuple[Topic, Event]]:
    """What comes beside turns."""
    put = ProjectCommand(
        tenant="acme", project_id="trial-7", command="put_hot", command_id=f"put-{i}", hot_type="meta",
        key="enrollment_target", accepted_at=now, sealed=ProjectCommandBody(value=100 + i),
    )  # fmt: skip
    rules = Document(
        tenant="acme", document_id="rules", version=f"v{i}", accepted_at=now,
        sealed=DocumentBody(title="Rules", markdown=f"# Rules\n\n## One\n\nThe rule {i} holds.\n\n## Two\n\nAs ever."),
    )  # fmt: skip
    rated = Feedback(tenant="acme", user_id="ann", feedback_id=f"f{i}", accepted_at=now, rating="good", adopted=True)
    return [(topics.PROJECT_EVENTS, put), (topics.DOCUMENTS, rules), (topics.LEDGER, rated)]


@pytest.fixture
async def recorded(models: Models) -> dict[tuple[str, int], list[Message]]:
    """Every topic of a talk over the end of a week, with late turns: one record at a time."""
    driver = TopologyDriver([spec.build(parts(models)) for spec in TOPOLOGY.values()], SUNDAY, batch=1)
    for i in range(40):
        driver.advance(timedelta(minutes=17))
        late = timedelta(hours=9) if i >= 16 else timedelta()
        driver.pipe(topics.TURNS, turn_of(i, driver.now - late, driver.now))
        if i % 6 == 0:
            for topic, event in others(i, driver.now):
                driver.pipe(topic, event)
        await driver.run()
        driver.tick()
        await driver.run()
    assert not driver.dead_letters()
    return dict(driver.log.partitions)


async def outcome(
    models: Models, name: str, logs: dict[tuple[str, int], list[Message]], batch: int, *, forgets: bool,
    ask_model: bool = False,
) -> Outcome:  # fmt: skip
    """What a step makes of its topic, by cause; of whole values the last of each key; and what it refuses. `forgets`:
    after every batch its memory is lost."""
    step = TOPOLOGY[name].build(parts(models, ask_model=ask_model))
    driver = TopologyDriver([step], SUNDAY, batch=batch)
    runner = driver.runners[name]
    for (source_topic, _), log in logs.items():
        if source_topic == step.source.name:
            for at in range(0, len(log), batch):
                await runner.process(log[at : at + batch])
                if forgets:
                    runner.forget()
    out: Outcome = {}
    for m in driver.dead_letters():
        source = header(m.headers, "source_partition"), header(m.headers, "source_offset")
        out["dead", source] = header(m.headers, "reason")
    for topic in step.outputs:
        for m in _of(driver, topic):
            whole = topic.name in step.coalesce
            cause = m.key if whole else header(m.headers, "src")
            out[topic.name, cause] = _plain(orjson.loads(m.value or b"null"))
    return out


def _of(driver: TopologyDriver, topic: Topic) -> Sequence[Message]:
    found = (m for (name, _), log in driver.log.partitions.items() if name == topic.name for m in log)
    return [m for m in found if header(m.headers, "ce_type") not in (b"memstream.marker.v1", b"memstream.tick.v1")]


def _plain(value: Any) -> Any:
    """Without vectors: those of another batch's company may round the last bit otherwise."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items() if k != "embedding"}
    return [_plain(v) for v in value] if isinstance(value, list) else value


@pytest.mark.slow
@pytest.mark.parametrize("name", ["screen", "extract", "gate", "session", "project", "chunk"])
async def test_n2_a_batch_with_nothing_in_memory_decides_as_record_by_record(
    models: Models, recorded: dict[tuple[str, int], list[Message]], name: str
) -> None:
    want = await outcome(models, name, recorded, 1, forgets=False)
    assert len(want) >= 10, "the talk gives this step something to do"
    for batch in (2, 7, 64):
        have = await outcome(models, name, recorded, batch, forgets=True)
        assert sorted(map(str, have)) == sorted(map(str, want)), f"batches of {batch}"
        assert [k for k in want if want[k] != have[k]] == [], f"batches of {batch}"


async def test_the_talk_closes_a_week_and_writes_it_again(recorded: dict[tuple[str, int], list[Message]]) -> None:
    """Else the above would not have met what it is for."""
    found = [m.value or b"null" for (topic, _), log in recorded.items() if topic == topics.UPDATES.name for m in log]
    values = [v for v in map(orjson.loads, found) if v]
    results = [(v["kind"], v["reason"]["rule"]) for v in values if "kind" in v]
    assert results.count(("report", "late_turns")) >= 2
    assert ("hot", "daily_status") in results
    assert any(v.get("state") in ("expired", "archived", "deleted") for v in values), "a statement's days ended"
