"""What a read of a project waits for comes, wherever batches end (N3)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from processors.ports import Models, ProfileBook
from processors.reader.rules.rules import RuleExtractor
from query.freshness import needs_of
from schemas.events.memory import MemoryCommand, MemoryCommandBody, MemoryUpdate
from schemas.events.turns import SessionCommand, TurnBody, TurnEvent
from schemas.log import topics
from schemas.log.codec import header
from schemas.log.owner import partition, project, user
from schemas.log.progress import FreshnessToken, Written, load_progress, root_partition
from schemas.profile.model import load_profile
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


def say(driver: TopologyDriver, who: str, name: str, about: str | None = None, text: str = "I live in Leeds.") -> None:
    driver.pipe(
        topics.TURNS,
        TurnEvent(
            tenant="acme", user_id=who, session_id="s", turn_id=name, role="user", occurred_at=driver.now,
            accepted_at=driver.now, project_id=about, sealed=TurnBody(content=text),
        ),
    )  # fmt: skip


def whole(models: Models, *, ahead: bool = True) -> TopologyDriver:
    parts = Parts(models, ProfileBook(load_profile("general")), RuleExtractor())
    return TopologyDriver([spec.build(parts) for spec in TOPOLOGY.values()], START, batch=100 if ahead else 1)


def reached(driver: TopologyDriver, about: str, root: topics.Topic = topics.TURNS) -> int:
    """How far the views of a project have heard of what ann's partition holds."""
    to = partition(project("acme", about), topics.EMBEDDED_PARTITIONS)
    results = [
        load_progress(header(m.headers, "progress")).get(root_partition(root.name, P), 0)
        for m in driver.log.partitions[topics.UPDATES.name, to]
        if (header(m.headers, "src") or b"").startswith(b"project/")
    ]
    return max(results, default=0)


@pytest.mark.parametrize(("quiet", "same"), [(1, False), (3, False), (3, True)])
async def test_n3_a_project_gets_the_progress_of_a_turn_behind_which_only_others_speak(
    models: Models, quiet: int, same: bool
) -> None:
    """Screen tells its progress on the last record of its batch; the steps behind it end theirs in the middle of that,
    and what comes at its end has nothing for the project."""
    driver = whole(models)
    about = of_partition(same)
    say(driver, "ann", "t0", about)
    for n in range(quiet):
        say(driver, beside(), f"b{n}")
    await driver._run_step(driver.runners["screen"])
    driver._batch = 1
    await driver.run()
    to = partition(project("acme", about), topics.EMBEDDED_PARTITIONS)
    assert reached(driver, about) >= 1, "a read that waits for the turn is answered"
    markers = [m for m in driver.log.partitions[topics.PROJECT_EVENTS.name, to] if b'"marker"' in (m.value or b"")]
    assert len(markers) == 1, "paid once"


@pytest.mark.parametrize("ahead", [True, False])
@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("text", ["I live in Leeds.", "I live in York."])
async def test_n3_a_project_hears_of_a_turn_that_was_sent_again_or_refused(
    models: Models, text: str, same: bool, ahead: bool
) -> None:
    """The same turn again is dropped, with other words it is a dead letter: a read that waits for it waits for what
    comes of it in the project, which is nothing."""
    driver, about = whole(models, ahead=ahead), of_partition(same)
    say(driver, "ann", "t0", about)
    await driver.run()
    assert reached(driver, about) == 1
    for n in (1, 2, 3):
        say(driver, "ann", "t0", about, text)
        await driver.run()
        assert len(driver.dead_letters()) == (0 if text == "I live in Leeds." else n)
        assert reached(driver, about) == n + 1


async def test_n3_a_project_hears_of_a_turn_sent_again_in_one_batch_with_others(models: Models) -> None:
    driver, about = whole(models), of_partition(False)
    say(driver, "ann", "t0", about)
    for n in range(3):
        say(driver, beside(), f"b{n}")
        await driver.run()
    say(driver, "ann", "t0", about)
    say(driver, beside(), "b3")
    await driver._run_step(driver.runners["screen"])
    driver._batch = 1
    await driver.run()
    assert reached(driver, about) >= 5


async def test_n3_a_token_of_several_writes_wants_of_a_project_what_it_hears(models: Models) -> None:
    """Each in a batch of its own: of turns behind the one for the project it hears nothing."""
    driver, about = whole(models, ahead=False), of_partition(False)
    to = partition(project("acme", about), topics.EMBEDDED_PARTITIONS)
    say(driver, "ann", "t0", about)
    for n in range(3):
        say(driver, beside(), f"b{n}")
    await driver.run()
    reach = {0: (to,)}
    token = FreshnessToken.of(
        Written(topic=topics.TURNS.name, partition=P, offset=n, project_partitions=reach.get(n, ())) for n in range(4)
    )
    [wanted] = needs_of(token, ["projects"]).values()
    assert wanted == 1
    assert wanted <= reached(driver, about) < 4


async def test_n3_a_project_hears_of_a_memory_that_a_caller_wrote_for_it(models: Models) -> None:
    """It is nothing that a project keeps."""
    driver, about = whole(models), of_partition(False)
    driver.pipe(
        topics.LEDGER,
        MemoryCommand(
            tenant="acme", user_id="ann", command_id="c1", command="remember", kind="fact", project_id=about,
            accepted_at=driver.now, sealed=MemoryCommandBody(text="The study begins in May."),
        ),
    )  # fmt: skip
    await driver.run()
    assert reached(driver, about, topics.LEDGER) == 1


@pytest.mark.parametrize("name", ["correct", "forget"])
async def test_n3_projects_hear_of_a_command_about_a_memory_whatever_it_comes_to(models: Models, name: Any) -> None:
    """One of the two shows the memory, the other might have; and nothing is known of the second memory at all."""
    driver, about, other = whole(models), of_partition(True), of_partition(False)
    say(driver, "ann", "t0", about, "We decided to raise the age limit to 75.")
    await driver.run()
    [statement] = [u for u in driver.read(topics.UPDATES) if isinstance(u, MemoryUpdate) and u.kind == "episode"]
    for n, memory in enumerate((statement.record_id, "unknown")):
        driver.pipe(
            topics.LEDGER,
            MemoryCommand(
                tenant="acme", user_id="ann", command_id=f"c{n}", command=name, memory_id=memory,
                project_ids=(about, other), accepted_at=driver.now, sealed=MemoryCommandBody(text="It stays at 70."),
            ),
        )  # fmt: skip
        end = len(driver.log.partitions[topics.LEDGER.name, P])
        await driver.run()
        assert [reached(driver, p, topics.LEDGER) for p in (about, other)] == [end, end]


async def test_n3_a_turn_that_reaches_its_project_sends_nothing_more(models: Models) -> None:
    driver, about = whole(models), of_partition(False)
    say(driver, "ann", "t0", about)
    await driver.run()
    to = partition(project("acme", about), topics.EMBEDDED_PARTITIONS)
    assert not [m for m in driver.log.partitions[topics.PROJECT_EVENTS.name, to] if b'"marker"' in (m.value or b"")]


async def test_n3_the_end_of_a_session_claims_nothing_that_extraction_still_owes(models: Models) -> None:
    """It writes into the ledger, where the progress of turns is told by the step that reads them."""
    driver = whole(models)
    say(driver, "ann", "t1")
    driver.pipe(
        topics.TURNS,
        SessionCommand(tenant="acme", user_id="ann", session_id="s", command="close", command_id="c",
                       accepted_at=driver.now),
    )  # fmt: skip
    say(driver, "ann", "t2", text="I live in York.")
    await driver.run()
    results = [(header(m.headers, "src") or b"", m) for m in driver.log.partitions[topics.LEDGER.name, P]]
    ended = [m for source, m in results if source.startswith(b"session/")]
    assert ended
    assert all(header(m.headers, "progress") is None for m in ended)
    claims = [load_progress(header(m.headers, "progress")) for source, m in results if source.startswith(b"extract/")]
    assert claims[-1] == {root_partition(topics.TURNS.name, P): 3}
