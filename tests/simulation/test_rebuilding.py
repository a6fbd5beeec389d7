"""N1 in the simulation: a store is rebuilt at any moment, whatever strikes the command and the new writer."""

from __future__ import annotations

import pytest

from sinks.memory import MemorySink
from sinks.protocol import SinkBatch
from streams.topology import Parts
from tests.simulation.acts import Act, rebuilds
from tests.simulation.plan import Plan
from tests.simulation.round import Result, run

SEED = 2
AT = 8.0
"""Virtual seconds from the first call at which the command is typed."""


def rebuilt(parts: Parts, *acts: Act, store: str = "postgres") -> Result:
    """The calls of a seed, a rebuild, and no other fault than these."""
    return run(Plan.exactly(SEED, Plan(SEED).calls, [Act(AT, "rebuild", store), *acts]), parts)


@pytest.mark.parametrize("store", ["postgres", "redis", "milvus"])
def test_n1_what_is_rebuilt_under_load_is_what_the_log_says(store: str, parts: Parts) -> None:
    result = rebuilt(parts, store=store)
    assert not result.failures, "\n".join(result.failures)
    assert result.checked["rebuilds"] == 1
    assert any(line.endswith(f"rebuild-{store} switches") for line in map(_plain, result.history))


def test_n1_a_command_that_is_killed_at_each_of_its_steps_comes_to_its_end_when_it_is_run_again(parts: Parts) -> None:
    kills = [Act(AT + 1.0 * n, "kill", "rebuild-postgres", count=n % 3, busy=True) for n in range(6)]
    result = rebuilt(parts, *kills, Act(AT + 3.0, "kill", "sink-postgres-g2", count=2, busy=True))
    assert not result.failures, "\n".join(result.failures)
    assert result.checked["rebuilds"] == 1
    assert sum("rebuild-postgres" in line and "dies: killed" in line for line in result.history) >= 3


def test_rounds_of_the_seed_rebuild(parts: Parts) -> None:
    seeds = [seed for seed in range(1, 11) if any(a.kind == "rebuild" for a in Plan(seed).acts)]
    assert seeds == [seed for seed in range(1, 11) if rebuilds(seed)] == [2, 7]


def test_n1_a_new_writer_that_leaves_something_out_is_found(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = MemorySink.write

    def write(self: MemorySink, batch: SinkBatch) -> int:
        kept = batch.items[1:] if self._generation > 1 and len(batch.items) > 1 else batch.items
        return whole(self, SinkBatch(kept, batch.progress, batch.sweep))

    monkeypatch.setattr(MemorySink, "write", write)
    assert any(line.startswith("rebuild: postgres does not agree") for line in rebuilt(parts).failures)


def _plain(line: str) -> str:
    """Without its time."""
    return " ".join(line.split()[1:])
