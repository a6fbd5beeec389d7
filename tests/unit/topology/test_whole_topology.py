"""The whole topology over the driver: however it is batched and restarted, the same is remembered (N1, N2)."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from processors.ports import Models, ProfileBook
from processors.reader.rules.rules import RuleExtractor
from schemas.events.turns import SessionCommand, SessionCommandBody, TurnBody, TurnEvent
from schemas.log import topics
from schemas.log.codec import header
from schemas.profile.model import load_profile
from streams.driver import TopologyDriver
from streams.state.memory import MemoryStateStore
from streams.topology import TOPOLOGY, Parts

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
STATEMENTS = (
    ("ann", "I live in Leeds and I work as a nurse.", None), ("bob", "我今年32岁，住在杭州。", None),
    ("ann", "We decided to ship the beta on Friday.", "trial-7"), ("bob", "我们决定周五发布测试版。", "trial-7"),
    ("ann", "I moved to York last week.", None), ("bob", "我搬到上海了。", None),
    ("ann", "We decided to ship the beta on Friday.", "trial-7"), ("cat", "My email is cat@example.com.", None),
    ("bob", "我喜欢喝茶。", None), ("ann", "I prefer tea to coffee.", None),
)  # fmt: skip


async def remembered(models: Models, batch: int, restart: bool) -> tuple[Any, Any]:
    """State rows of every step, and the newest value of every key of every topic, in the order of its partition."""
    parts = Parts(models, ProfileBook(load_profile("general")), RuleExtractor())
    store = MemoryStateStore()
    driver = TopologyDriver([spec.build(parts) for spec in TOPOLOGY.values()], START, batch=batch, store=store)
    for i, (who, text, project) in enumerate(STATEMENTS):
        driver.advance(timedelta(minutes=7))
        driver.pipe(
            topics.TURNS,
            TurnEvent(
                tenant="acme", user_id=who, session_id=f"{who}-1", turn_id=f"t{i}", role="user",
                occurred_at=driver.now, accepted_at=driver.now, project_id=project, sealed=TurnBody(content=text),
            ),
        )  # fmt: skip
        if i == 5:
            patch = SessionCommandBody(global_state={"step": 2})
            driver.pipe(
                topics.TURNS,
                SessionCommand(
                    tenant="acme", user_id="ann", session_id="ann-1", command="patch", command_id="c1",
                    accepted_at=driver.now, sealed=patch,
                ),
            )  # fmt: skip
        if restart and i % 3 == 2:
            await driver.run()
            driver.restart(rewind=2)
    await driver.run()
    assert not driver.dead_letters()
    values: dict[str, dict[str, Any]] = defaultdict(dict)
    for (topic, _), log in sorted(driver.log.partitions.items()):
        for m in log:
            if m.key is not None and not topics.is_marker(m.key) and header(m.headers, "src") is not None:
                values[topic][(m.key or b"").decode()] = _without_vectors(orjson.loads(m.value or b"null"))
    rows = {
        place: {o: {k: _without_vectors(orjson.loads(v)) for k, v in r.items()} for o, r in table.items() if r}
        for place, table in store.rows.items()
        if any(table.values())  # whoever takes a partition over sends markers to partitions that nothing else reaches
    }
    # These are keyed by the place of what caused them, and how many markers lie before it there is a matter of batches:
    # what was said, and how often, is not.
    fields = {
        topic: sorted(orjson.dumps(v, option=orjson.OPT_SORT_KEYS).decode() for v in values.pop(topic, {}).values())
        for topic in (topics.LEDGER.name, topics.PROJECT_EVENTS.name)
    }
    return rows, {**values, **fields}


def _without_vectors(value: Any) -> Any:
    """A batch of another size may round the last bit of a vector otherwise; ids, values and outcomes stay."""
    if isinstance(value, dict):
        return {k: _without_vectors(v) for k, v in value.items() if k != "embedding"}
    return [_without_vectors(v) for v in value] if isinstance(value, list) else value


async def test_n2_batches_and_restarts_change_nothing_that_is_remembered(models: Models) -> None:
    want = await remembered(models, 1, restart=False)
    assert len(want[1][topics.UPDATES.name]) >= 8
    for batch, restart in ((64, False), (3, False), (2, True)):
        rows, values = await remembered(models, batch, restart)
        assert values == want[1]
        assert rows == want[0]
