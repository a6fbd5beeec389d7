"""A failure that was made smaller is written as a test, which fails as long as what it found does."""

from __future__ import annotations

from pathlib import Path

import pytest

from streams.batch_frame import BatchFrame
from streams.topology import Parts
from tests.simulation.found import readable, written
from tests.simulation.plan import Plan
from tests.simulation.round import run
from tests.simulation.shrink import shrink


def test_what_was_found_becomes_a_test_of_ten_lines(
    parts: Parts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(BatchFrame, "_paid", lambda self, batch, rows: [])
        failed = next(r for r in (run(Plan(seed), parts) for seed in range(1, 12)) if r.failures)
        small = shrink(failed, lambda p: run(p, parts), most=40)
        assert len(small.plan.calls) + len(small.plan.acts) <= 3
        text = written(small)
        assert len(text.splitlines()) <= 10
        (tmp_path / "test_found.py").write_text(text, encoding="utf-8")
        names: dict[str, object] = {}
        exec(compile(text, tmp_path / "test_found.py", "exec"), names)  # noqa: S102 - it is what was written
        found = names[f"test_seed_{small.plan.seed}"]
        assert callable(found)
        with pytest.raises(AssertionError, match="never fresh"):
            found()
    found()


def test_by_value_it_is_the_same_round_to_the_byte(parts: Parts) -> None:
    drawn = Plan(9).keeping(range(8), range(len(Plan(9).acts)))
    exact = Plan.exactly(9, drawn.calls, drawn.acts)
    assert run(exact, parts).digest == run(drawn, parts).digest


def test_the_history_says_what_was_sent_what_struck_and_who_did_what(parts: Parts) -> None:
    result = run(Plan(3).keeping(range(3), range(1)), parts)
    text = "\n".join(readable(result))
    assert all(call.text in text and call.user in text for call in result.plan.calls)
    assert all(str(act) in text for act in result.plan.acts)
    assert result.history[-1] in text
