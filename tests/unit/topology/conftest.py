"""Somebody to erase."""

from __future__ import annotations

import pytest

from processors.ports import Models
from schemas.events.documents import ProjectCommand, ProjectCommandBody
from schemas.events.memory import MemoryCommand, MemoryCommandBody
from schemas.events.turns import (
    SessionCommand,
    SessionCommandBody,
)
from schemas.log import topics
from tests.unit.topology.erasure_bench import Bench


@pytest.fixture
async def bench(models: Models) -> Bench:
    b = Bench(models)
    b.say("ann", "My favourite wood is zebrawood and I live in Kurrajong.")
    b.say("ann", "我住在琥珀巷，我喜欢喝茶。", "s2")
    b.say("ann", "We decided to ship the quillback build on Friday.", "s2", "trial-7")
    b.say("bob", "We decided to hold the review on Monday.", "s1", "trial-7")
    b.say("bob", "我住在杭州。")
    at = b.driver.now
    b.driver.pipe(
        topics.TURNS,
        SessionCommand(
            tenant="acme", user_id="ann", session_id="ann-s1", command="checkpoint", command_id="c1", accepted_at=at,
            sealed=SessionCommandBody(summary="ann likes zebrawood"),
        ),
    )  # fmt: skip
    b.driver.pipe(
        topics.LEDGER,
        MemoryCommand(
            tenant="acme", user_id="ann", command="put_item", command_id="c2", namespace=("memories", "ann"), key="k",
            accepted_at=at, sealed=MemoryCommandBody(value={"likes": "zebrawood"}),
        ),
    )  # fmt: skip
    b.driver.pipe(
        topics.PROJECT_EVENTS,
        ProjectCommand(
            tenant="acme", project_id="other", user_id="ann", command="put_hot", command_id="c3", hot_type="status",
            key="zebrawood_street", accepted_at=at, sealed=ProjectCommandBody(value="Kurrajong"),
        ),
    )  # fmt: skip
    await b.driver.run()
    b.driver.pipe(
        topics.PROJECT_EVENTS,
        ProjectCommand(tenant="acme", project_id="trial-7", command="report", command_id="c4", accepted_at=at),
    )
    await b.driver.run()
    assert not b.driver.dead_letters()
    return b
