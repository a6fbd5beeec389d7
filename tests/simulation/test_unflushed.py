"""State that is ahead of its outputs: a topic of steps has lost in a power cut what its disk had acknowledged."""

from __future__ import annotations

import pytest

from schemas.log import topics
from streams.kept_outboxes import KeptOutboxes
from streams.topology import Parts
from tests.simulation.acts import Act
from tests.simulation.plan import Plan
from tests.simulation.round import Result, run

ALL = 10_000
"""More batches than there are: what may not have been flushed goes."""


def _round(seed: int, topic: topics.Topic, batches: int, parts: Parts, at: float = 22.0) -> Result:
    return run(Plan.exactly(seed, Plan(seed).calls, [Act(at, "unflushed", topic.name, 3.0, batches)]), parts)


@pytest.mark.parametrize("batches", [1, 2, 5, ALL])
@pytest.mark.parametrize(
    "topic", [topics.HISTORY, topics.UPDATES, topics.DECISIONS, topics.SESSION_STATE], ids=lambda t: t.name
)
def test_c1_outputs_that_a_log_has_lost_are_sent_again(topic: topics.Topic, batches: int, parts: Parts) -> None:
    result = _round(1, topic, batches, parts)
    assert not result.failures, "\n".join(result.failures)
    assert result.outputs_lost >= batches or batches == ALL


def test_c1_nothing_is_lost_of_what_is_older_than_the_flush(parts: Parts) -> None:
    """A round of more than twice as long as outboxes are kept."""
    calls = Plan(20, 200).calls
    result = run(Plan.exactly(20, calls, [Act(95.0, "unflushed", topics.HISTORY.name, 3.0, ALL)]), parts)
    assert not result.failures, "\n".join(result.failures)
    assert result.outputs_lost > 0


def test_c1_twice_in_a_row(parts: Parts) -> None:
    """The second cut takes what was sent again after the first."""
    acts = [Act(at, "unflushed", topics.HISTORY.name, 3.0, ALL) for at in (20.0, 24.5)]
    result = run(Plan.exactly(1, Plan(1).calls, acts), parts)
    assert not result.failures, "\n".join(result.failures)


def test_c1_of_the_last_outbox_alone_the_log_stays_short(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it was: each step sends its last batch again, and nothing older."""

    async def nothing(*_: object) -> dict[int | None, object]:
        return {}

    monkeypatch.setattr(KeptOutboxes, "_restore", nothing)
    result = _round(1, topics.HISTORY, ALL, parts)
    assert any("lost" in line and topics.HISTORY.name in line for line in result.failures), result.failures
