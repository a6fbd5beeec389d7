"""Logs that were cut and have grown over it while steps run on (C1)."""

from __future__ import annotations

import pytest

from schemas.log import topics
from streams.source_log import SourceLog
from streams.topology import Parts
from tests.simulation.acts import Act
from tests.simulation.plan import Plan
from tests.simulation.round import Result, run


def _round(seed: int, topic: topics.Topic, past: bool, parts: Parts) -> Result:
    act = Act(9.0, "regrown", topic.name, 300.0, 4, past)
    return run(Plan.exactly(seed, Plan(seed).calls, [act]), parts)


@pytest.mark.parametrize("past", [True, False], ids=["past its readers", "not as far as its readers"])
@pytest.mark.parametrize("seed", [1, 4])
def test_c1_a_step_that_runs_notices_before_it_stores_a_batch(seed: int, past: bool, parts: Parts) -> None:
    result = _round(seed, topics.TURNS, past, parts)
    assert not result.failures, "\n".join(result.failures)
    assert any("screen cannot go on" in line for line in result.history)
    assert any(topics.TURNS.name in line and "has grown" in line for line in result.lost)


def test_c1_without_a_look_at_each_batch_turns_are_skipped(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(*_: object) -> None: ...

    monkeypatch.setattr(SourceLog, "require_unbroken", nothing)
    result = _round(1, topics.TURNS, True, parts)
    assert result.lost == []
    assert any(line.startswith("accepted turns: lost ('client-") for line in result.failures)
