"""Figures of weekly reports when the user who told them is erased (C9, A6)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from processors.ports import Models
from schemas.events.memory import MemoryUpdate
from schemas.log import topics
from tests.unit.topology.erasure_bench import Bench

WEEK = timedelta(days=7)


def figures(bench: Bench) -> dict[str, list[tuple[Any, Any, Any]]]:
    """By week, the newest report's (value, of, before)."""
    results = [e for e in bench.driver.read(topics.UPDATES) if isinstance(e, MemoryUpdate) and e.kind == "report"]
    last = {str(u.key): u for u in results}
    held: dict[str, Any] = {week: u.sealed.value or {} for week, u in last.items()}
    return {w: [(f["value"], f["of"], f["before"]) for f in v.get("figures", [])] for w, v in sorted(held.items())}


async def test_c9_no_later_report_keeps_the_whole_that_an_erased_user_told(models: Models) -> None:
    bench = Bench(models, "clinical_trial")
    texts = (("ann", "Enrolled so far: 36 patients, the target is 60."), ("bob", "Enrolled so far: 38 patients."),
            ("bob", "Enrolled so far: 41 patients."))  # fmt: skip
    for who, text in texts:
        bench.say(who, text, project="trial-7")
        await bench.driver.run()
        bench.driver.advance(WEEK)
        bench.driver.tick()
        await bench.driver.run()
    assert list(figures(bench).values()) == [[(36, 60, None)], [(38, 60, 36)], [(41, 60, 38)]]
    bench.erase("ann")
    await bench.driver.run()
    assert not bench.driver.dead_letters()
    assert list(figures(bench).values())[1:] == [[(38, None, None)], [(41, None, 38)]]
