"""H12: Postgres is put back from a backup, and the log is newer. Nothing that was accepted is lost, nothing is doubled,
and who was erased since the backup stays erased."""

from __future__ import annotations

import pytest

from streams.faust import step_loop
from streams.topology import Parts
from tests.simulation.acts import Act
from tests.simulation.plan import Plan
from tests.simulation.round import Result, run
from tests.simulation.test_erasing import BACK

CALM, ERASING = (5, 8), (3, 11)
"""Seeds of rounds without erasures, and with some before the backup, behind it and behind the restore."""


def restored(seed: int, parts: Parts) -> Result:
    """The calls of the seed, and no other fault than the restore."""
    calls = Plan(seed).calls
    seconds = sum(call.pause for call in calls)
    acts = Act(0.3 * seconds, "back_up"), Act(0.8 * seconds, "restore", "", 3.0)
    return run(Plan.exactly(seed, calls, acts), parts)


@pytest.mark.parametrize("seed", [*CALM, *ERASING])
def test_h12_what_was_accepted_since_a_backup_is_read_again(seed: int, parts: Parts) -> None:
    result = restored(seed, parts)
    assert any("Postgres is back as it was" in line for line in result.history)
    assert not result.failures, "\n".join(result.failures)
    assert result.checked["fresh reads"] > 10
    assert (result.checked["erased words"] > 0) is (seed in ERASING)


def test_h12_c9_an_erasure_that_was_done_since_a_backup_is_done_again(parts: Parts) -> None:
    """The backup knows nothing of it: neither that it was asked for, nor that it was done."""
    result = run(Plan.exactly(3, BACK, [Act(5.0, "back_up"), Act(60.0, "restore", "", 3.0)]), parts)
    assert not result.failures, "\n".join(result.failures)
    assert sum(line.endswith("eraser finishes") for line in result.history) == 2
    assert result.checked["erased words"] == 2


def test_h12_a_consumer_that_stays_at_its_commits_is_found(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it was in compacted topics: what callers had written to the ledger since the backup was stepped over."""
    monkeypatch.setattr(step_loop, "_just_come", lambda intake, tp: tp in intake.sought)
    assert any(line.startswith("state gate: ") and ": lost " in line for line in restored(CALM[0], parts).failures)
