"""A model that answers late or never: nothing waits for it, and what the rules found stays (B7). The order of events
shows it, not the clock."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from processors.ports import Models
from tests.endpoint import Scripted
from tests.model.pipeline import Pipeline, by_rules
from tests.unit.jobs.support import Seen, Time, working

STATEMENTS = ("I live in Leeds and I am 32.", "我今年32岁，住在杭州。")
ARRIVAL = 60.0
"""Seconds until a call must have reached an endpoint on this machine."""


def job(request: dict[str, Any]) -> Any:
    statement = json.loads(request["messages"][-1]["content"])["MESSAGE"]
    if "chef" not in statement:
        return {"candidates": []}
    return {"candidates": [{"kind": "fact", "text": "User works in Leeds as a chef", "quote": statement, "fields": []}]}


async def until_asked(endpoint: Scripted, times: int) -> None:
    async with asyncio.timeout(ARRIVAL):
        while len(endpoint.seen) < times:  # noqa: ASYNC110 - the server offers no event
            await asyncio.sleep(0.01)


async def test_b7_turns_become_memory_while_the_endpoint_holds_a_call(models: Models) -> None:
    endpoint, pipeline = Scripted(["slow", job]), Pipeline(models)
    await pipeline.say("I live in Leeds and love the job there as a chef.")
    first = pipeline.texts()
    assert first == (await by_rules(models, "I live in Leeds and love the job there as a chef.")).texts()
    async with working(models, endpoint, patience=ARRIVAL, book=pipeline.book) as work:
        call = asyncio.create_task(pipeline.answer(work))
        await until_asked(endpoint, 1)
        await pipeline.say(*STATEMENTS, person="bob")
        behind = pipeline.texts("bob")
        assert behind, "turns behind the call are memory"
        assert not call.done()
        assert pipeline.texts() == first
        endpoint.released.set()
        await call
        await pipeline.answer(work)
    assert pipeline.texts("bob") == behind
    assert "User works in Leeds as a chef" in pipeline.texts() | first
    assert pipeline.rules_of_turns() == ["model_read"] * 3


@pytest.mark.parametrize(
    ("move", "reason"),
    [("slow", "slow"), (503, "away"), ("truncated", "truncated"), ("malformed", "not_json"), ("refusing", "refused"),
     ("empty", "no_answer"), (400, "rejected")],
)  # fmt: skip
async def test_b7_without_an_answer_the_rules_reading_stays_counted_and_visible(
    models: Models, move: str | int, reason: str
) -> None:
    pipeline, seen, time = Pipeline(models), Seen(), Time()
    await pipeline.say(*STATEMENTS)
    stood = pipeline.memories()
    assert stood
    time.now = pipeline.driver.now
    patience = 0.05 if move == "slow" else ARRIVAL
    async with working(models, Scripted([move]), seen, time, patience=patience, book=pipeline.book) as work:
        await pipeline.answer(work)
    assert pipeline.memories() == stood
    assert pipeline.rules_of_turns() == [f"model_gave_up_{reason}"] * 2
    assert seen.counts[f"gave_up_{reason}"] == 2


async def test_n1_n2_an_answer_that_comes_twice_and_a_restart_change_nothing(models: Models) -> None:
    pipeline = Pipeline(models)
    await pipeline.say("I am a chef and I live in Leeds.")
    jobs = pipeline.jobs()
    async with working(models, Scripted([job]), book=pipeline.book) as work:
        await pipeline.answer(work, jobs)
        once = pipeline.memories()
        pipeline.driver.restart(rewind=3)
        await pipeline.answer(work, jobs)
    assert pipeline.memories() == once
