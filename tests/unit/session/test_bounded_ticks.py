"""A tick closes a bounded number of sessions, and the next one goes on: what it writes is one transaction."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from processors.ports import Models
from schemas.events.sessions import SessionState
from schemas.log import topics
from sinks.postgres.sink import _sweep
from tests.unit.session.test_value import Bench

SECOND = timedelta(seconds=1)
IDLE = timedelta(minutes=31)


async def closed(bench: Bench) -> list[str]:
    await bench.driver.run()
    sent = [e for e in bench.driver.read(topics.SESSION_STATE) if isinstance(e, SessionState)]
    return [s.session_id for s in sent if s.status == "idle"]


@pytest.mark.parametrize("batch", [1, 64])
async def test_a_tick_closes_those_idle_longest_and_the_next_one_goes_on(models: Models, batch: int) -> None:
    bench = Bench(models, batch)
    names = [f"s{n:03d}" for n in range(520)]
    for name in names:
        bench.turn("hello", session=name)
        bench.driver.advance(SECOND)
    bench.driver.advance(IDLE)
    bench.tick()
    assert sorted(await closed(bench)) == names[:500]
    bench.turn("back again", session=names[510])
    bench.tick()
    left = [*names[:510], *names[511:]]
    assert sorted(await closed(bench)) == left, "none twice, and not the one that is open again"
    bench.tick()
    assert sorted(await closed(bench)) == left


class Statements:
    """A connection that notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def execute(self, query: str, params: Any = None) -> None:
        self.asked.append(query)


def test_a_sweep_of_the_views_is_bounded() -> None:
    conn = Statements()
    _sweep(cast(Any, conn), "views_g1", datetime(2026, 11, 21, tzinfo=UTC), timedelta(days=30))
    tables = ("turns", "decisions", "sessions", "checkpoints")
    assert [q.split()[2] for q in conn.asked] == [f"views_g1.{t}" for t in tables]
    assert all("LIMIT 50000" in q for q in conn.asked)
