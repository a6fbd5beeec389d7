"""Logs that were cut and have grown over it while nothing of ours ran (C1)."""

from __future__ import annotations

import pytest

from schemas.log import topics
from streams.source_log import SourceLog
from streams.topology import Parts
from tests.simulation import recovered
from tests.simulation.acts import Act
from tests.simulation.plan import Plan
from tests.simulation.round import Result, run


def _round(seed: int, topic: topics.Topic, past: bool, parts: Parts) -> Result:
    act = Act(9.0, "outgrown", topic.name, 3.0, 4, past)
    return run(Plan.exactly(seed, Plan(seed).calls, [act]), parts)


@pytest.mark.parametrize("past", [True, False], ids=["past its readers", "not as far as its readers"])
@pytest.mark.parametrize("topic", [topics.TURNS, topics.LEDGER], ids=lambda t: t.name)
@pytest.mark.parametrize("seed", [1, 4])
def test_c1_what_is_written_over_a_loss_is_read(seed: int, topic: topics.Topic, past: bool, parts: Parts) -> None:
    result = _round(seed, topic, past, parts)
    assert not result.failures, "\n".join(result.failures)
    assert any(topic.name in line and "has grown" in line for line in result.lost)


def test_c1_without_the_leaders_of_positions_it_is_skipped(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it was: the log reaches as far as it was read, so nothing seems to be missing, and no step compares."""

    async def nothing(*_: object) -> None: ...

    monkeypatch.setattr(recovered, "cuts", lambda *_: {})
    monkeypatch.setattr(SourceLog, "require_unbroken", nothing)
    result = _round(1, topics.TURNS, True, parts)
    assert result.lost == []
    assert any(line.startswith("accepted turns: lost ('client-") for line in result.failures)
