"""What the gate counts of each reading of a turn, once: turns, outcomes, lost references, calibrated readings."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memstream.workers.observe import ProcessStats, StepObserver
from processors.ports import Models, ProfileBook
from processors.reader.rules.rules import RuleExtractor
from schemas.events.memory import Candidate, Dropped
from schemas.events.turns import TurnBody, TurnEvent
from schemas.log import topics
from schemas.profile.model import ReadingSpec, load_profile
from schemas.reading_stats import ReadingStats, in_buckets
from streams.driver import TopologyDriver
from streams.topology import TOPOLOGY, Parts
from tests.unit.gate.bench import START, GateBench, candidate

LOW = load_profile("general").model_copy(update={"reading": ReadingSpec(kept=0.5)})


class Counted:
    """A gate and what its worker counts."""

    def __init__(self, models: Models) -> None:
        self._stats = ProcessStats(lambda: START)
        self.gate = GateBench(models, profile=LOW, observer=StepObserver(self._stats))

    def read(self) -> list[ReadingStats]:
        return list(self._stats.heartbeat().reading)


@pytest.fixture
def counted(models: Models) -> Counted:
    return Counted(models)


def dropped(text: str, label: str = "unresolved") -> Dropped:
    return Dropped.model_validate({"label": label, "candidate": candidate(text, ordinal=7)})


def stats(**more: object) -> ReadingStats:
    key = {"language": "en", "profile": "general", "reader": "rules", "version": 1, "turns": 1}
    return ReadingStats.model_validate({**key, **more})


async def test_statements_are_counted_by_what_became_of_them_and_readings_where_there_are_any(counted: Counted) -> None:
    await counted.gate.say(
        candidate("Lives in Leeds", "residence", "Leeds"),
        candidate("Bought a piano in May", reading=0.4),
        candidate("Sold the caravan at the coast", reading=0.75),
    )
    read = stats(outcomes={"kept": 2, "observed": 1}, readings=in_buckets([0.4, 0.75]), reading_total=1.15)
    assert counted.read() == [read]
    assert read.readings == (0, 0, 0, 1, 0, 0, 0, 1, 0, 0)
    await counted.gate.say(candidate("Lives in Leeds", "residence", "Leeds"))
    [both] = counted.read()
    assert both.turns == 2
    assert sum(both.outcomes.values()) == 4
    assert both.outcomes["kept"] == 2


async def test_a_turn_without_statements_counts_and_one_that_policy_refuses_as_one_refused(counted: Counted) -> None:
    await counted.gate.say()
    await counted.gate.say(refused=True, refused_for="credential")
    assert counted.read() == [stats(turns=2, outcomes={"refused": 1})]


async def test_what_was_rejected_counts_as_refused(counted: Counted) -> None:
    [home] = await counted.gate.say(candidate("Lives in Leeds", "residence", "Leeds"), turn="t")
    await counted.gate.do("forget", home.record_id)
    await counted.gate.say(candidate("Lives in Leeds", "residence", "Leeds"), turn="t", version=2)
    assert [(s.version, s.outcomes) for s in counted.read()] == [(1, {"kept": 1}), (2, {"refused": 1})]


async def test_one_version_of_one_turn_counts_once_and_another_by_itself(counted: Counted) -> None:
    for version in (1, 1, 2, 1):
        await counted.gate.say(candidate("Lives in Leeds", "residence", "Leeds"), turn="t", version=version)
    counted.gate.restart()
    await counted.gate.run()
    assert [(s.version, s.turns) for s in counted.read()] == [(1, 1), (2, 1)]


@pytest.mark.parametrize("unread", [{"role": "assistant"}, {"extractor": "model", "reason": "away"}])
async def test_neither_an_assistants_turn_nor_one_without_an_answer_is_read(
    counted: Counted, unread: dict[str, str]
) -> None:
    counted.gate.pipe(counted.gate.extraction().model_copy(update=unread))
    await counted.gate.run()
    assert counted.read() == []


async def test_statements_lost_by_a_reference_are_counted_by_what_it_was_to(counted: Counted) -> None:
    lost = (dropped("She works at the hospital in Leeds"), dropped("They moved to Cardiff in March"))
    others = (dropped("User thinks it is great"), dropped("Went there in May", "light"))
    await counted.gate.say(dropped=(*lost, *others))
    assert counted.read() == [stats(lost={"person": 1, "several": 1})]


async def test_through_the_whole_topology_each_language_profile_reader_and_version_has_its_own_counts(
    models: Models,
) -> None:
    worker = ProcessStats(lambda: START)
    parts = Parts(models, ProfileBook(load_profile("general")), RuleExtractor())
    steps = [spec.build(parts) for spec in TOPOLOGY.values()]
    driver = TopologyDriver(steps, START, observer=StepObserver(worker))
    for n, text in enumerate(("I live in Leeds.", "She works at the hospital in Leeds.", "我今年32岁，住在杭州。")):
        driver.advance(timedelta(minutes=7))
        driver.pipe(
            topics.TURNS,
            TurnEvent(
                tenant="acme", user_id="ann", session_id=f"s{n}", turn_id=f"t{n}", role="user",
                occurred_at=driver.now, accepted_at=driver.now, sealed=TurnBody(content=text),
            ),
        )  # fmt: skip
    await driver.run()
    driver.restart(rewind=2)
    await driver.run()
    en, zh = worker.heartbeat().reading
    assert en.key == ("en", "general", "rules", RuleExtractor.version)
    assert (en.turns, en.outcomes, en.lost) == (2, {"kept": 1, "observed": 1}, {"person": 1})
    assert zh.key == ("zh", "general", "rules", RuleExtractor.version)
    assert (zh.turns, zh.outcomes, zh.lost) == (1, {"kept": 1, "superseding": 1}, {})
    assert worker.heartbeat().reading_days == {"2026-11-02": (en, zh)}


def test_a_candidate_has_no_reading_of_its_own_in_a_bucket_that_is_not_there() -> None:
    assert in_buckets([0.0, 0.1, 0.11, 1.0]) == (2, 1, 0, 0, 0, 0, 0, 0, 0, 1)
    assert Candidate.model_fields["reading"].default is None
