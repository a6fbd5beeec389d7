"""What a read of a project waits for comes, wherever batches end (N3)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from processors.extract.rules import RuleExtractor
from processors.ports import Models, ProfileBook
from schemas import topics
from schemas.codec import header
from schemas.owner import partition, project, user
from schemas.profile import load_profile
from schemas.progress import load_progress, root_partition
from schemas.turns import TurnBody, TurnEvent
from streams.driver import TopologyDriver
from streams.topology import TOPOLOGY, Parts

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
P = partition(user("acme", "ann"), topics.EMBEDDED_PARTITIONS)


def beside() -> str:
    """Somebody else in ann's partition."""
    return next(n for n in map(str, range(100)) if partition(user("acme", n), topics.EMBEDDED_PARTITIONS) == P)


def of_partition(same: bool) -> str:
    """A project in ann's partition, or in another."""
    places = ((n, partition(project("acme", n), topics.EMBEDDED_PARTITIONS)) for n in map(str, range(100)))
    return next(n for n, p in places if (p == P) is same)


def say(driver: TopologyDriver, who: str, name: str, about: str | None = None) -> None:
    driver.pipe(
        topics.TURNS,
        TurnEvent(
            tenant="acme", user_id=who, session_id="s", turn_id=name, role="user", occurred_at=driver.now,
            accepted_at=driver.now, project_id=about, sealed=TurnBody(content="I live in Leeds."),
        ),
    )  # fmt: skip


@pytest.mark.parametrize(("quiet", "same"), [(1, False), (3, False), (3, True)])
async def test_n3_a_project_gets_the_progress_of_a_turn_behind_which_only_others_speak(
    models: Models, quiet: int, same: bool
) -> None:
    """Screen tells its progress on the last record of its batch; the steps behind it end theirs in the middle of that,
    and what comes at its end has nothing for the project."""
    parts = Parts(models, ProfileBook(load_profile("general")), RuleExtractor())
    driver = TopologyDriver([spec.build(parts) for spec in TOPOLOGY.values()], START)
    about = of_partition(same)
    say(driver, "ann", "t0", about)
    for n in range(quiet):
        say(driver, beside(), f"b{n}")
    await driver._run_step(driver.runners["screen"])
    driver._batch = 1
    await driver.run()
    to = partition(project("acme", about), topics.EMBEDDED_PARTITIONS)
    told = [
        load_progress(header(m.headers, "progress")).get(root_partition(topics.TURNS.name, P), 0)
        for m in driver.log.partitions[topics.UPDATES.name, to]
        if (header(m.headers, "src") or b"").startswith(b"project/")
    ]
    assert max(told, default=0) >= 1, "a read that waits for the turn is answered"
    markers = [m for m in driver.log.partitions[topics.PROJECT_EVENTS.name, to] if b'"marker"' in (m.value or b"")]
    assert len(markers) == 1, "paid once"
