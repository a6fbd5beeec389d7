"""What follows from a declaration, of this release and of a package: processes, groups, topics, picture, erasures (D9).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from typer.testing import CliRunner

from memstream import reference
from memstream.cli import app
from memstream.erasure.ways import Way, ways
from memstream.reprocess.errors import RebuildError
from memstream.reprocess.stores import rebuildable, store
from memstream.settings import Settings
from memstream.stack import Addresses
from memstream.stack.up import children
from memstream.workers import sink as sink_process
from memstream.workers import worker as worker_process
from memstream.workers.sink import built
from memstream.workers.sink_parts import parts_of
from processors.parts import Parts
from processors.ports import Models, ProfileBook
from processors.reader.rules.rules import RuleExtractor
from query.ops.flow import COLUMNS, MOST_ROWS, NODES, Picture, picture
from query.pipeline.groups import GROUPS, Group, groups, live_groups
from schemas.components.declared import StepDeclaration
from schemas.components.installed import BUILT_IN, ComponentError, Components, catalogue, components, topic_named
from schemas.log import topics
from schemas.profile.model import load_profile
from streams.topology import TOPOLOGY, topology, writers_of

DAYS = "days.turns.v1"


def test_d9_up_runs_a_step_and_a_sink_of_a_package(found: Components) -> None:
    own = {c.name: c for c in children(Settings(), Addresses(), 8900)}
    ours = {c.name for c in children(Settings(), Addresses(), 8900, found=BUILT_IN)}
    assert own.keys() - ours == {"worker-turns-a-day", "sink-sqlite"}
    assert own["worker-turns-a-day"].argv[-2:] == ("worker", "turns-a-day")
    assert own["sink-sqlite"].argv[-2:] == ("sink", "sqlite")
    assert (own["worker-turns-a-day"].nice, own["sink-sqlite"].nice) == (15, 15)


def test_d9_a_step_may_share_the_process_of_the_memory_steps(found: Components) -> None:
    shared = replace(found.steps["turns-a-day"], process="memory")
    own = replace(found, steps={**found.steps, "turns-a-day": shared})
    settings = Settings(memory_workers=2, screen_workers=2)
    argv = {c.name: c.argv[4:] for c in children(settings, Addresses(), 8900, found=own) if "worker" in c.argv}
    memory = ("extract", "gate", "session", "project", "chunk", "turns-a-day")
    assert argv == {
        "worker-screen-1": ("screen",), "worker-screen-2": ("screen",), "worker-memory-1": memory,
        "worker-memory-2": memory, "worker-jobs": ("jobs",), "worker-audit": ("audit",), "timer": ("timer",),
        "eraser": ("eraser",),
    }  # fmt: skip


def test_d9_their_groups_are_watched(found: Components) -> None:
    assert groups(BUILT_IN) == GROUPS
    added = [g for g in groups() if g not in GROUPS]
    assert added == [
        Group("turns-a-day", "step", (topics.HISTORY.name,)), Group("sink-sqlite", "sink", (topics.UPDATES.name, DAYS))
    ]
    assert [g.group_id for g in added] == ["memstream-turns-a-day", "memstream-sink-sqlite"]
    live = {g.name: g.group_id for g in live_groups(lambda name: 3 if name == "sqlite" else 1)}
    assert live["sink-sqlite"] == "memstream-sink-sqlite-g3"


def test_d9_a_topic_of_a_package_is_in_the_catalogue(found: Components) -> None:
    assert [t.name for t in catalogue()] == [*topics.BY_NAME, DAYS]
    assert topic_named(DAYS).cleanup is topics.Cleanup.COMPACT
    assert writers_of(topic_named(DAYS)) == {"turns-a-day"}
    assert reference.topics_table().splitlines()[-1] == (
        f"| `{DAYS}` | user | compacted |  | turns a day of each user |"
    )


@pytest.mark.parametrize(("arguments", "run"), [
    (["worker", "turns-a-day"], [("worker", ["turns-a-day"])]),
    (["worker", "all"], [("worker", [*TOPOLOGY, "turns-a-day"])]),
    (["sink", "sqlite"], [("sink", "sqlite")]),
])  # fmt: skip
def test_d9_the_command_line_takes_their_names(
    found: Components, monkeypatch: pytest.MonkeyPatch, arguments: list[str], run: list[Any]
) -> None:
    runs: list[Any] = []

    async def worker(settings: Settings, steps: list[str]) -> None:
        runs.append(("worker", steps))

    monkeypatch.setattr(worker_process, "run_worker", worker)
    monkeypatch.setattr(sink_process, "run_sink", lambda settings, name, number: runs.append(("sink", name)))
    monkeypatch.setattr(app, "running", lambda data=None: Settings())
    monkeypatch.setattr("memstream.logs.configure", lambda *_: None)
    monkeypatch.setattr("memstream.stack.up.single_threaded", lambda: None)
    result = CliRunner().invoke(app.app, arguments, catch_exceptions=False)
    assert (result.exit_code, runs) == (0, run)


def test_d9_a_name_that_nobody_declares_is_refused_with_those_that_there_are(
    found: Components, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "running", lambda data=None: Settings())
    monkeypatch.setattr("memstream.logs.configure", lambda *_: None)
    monkeypatch.setattr("memstream.stack.up.single_threaded", lambda: None)
    with pytest.raises(app.UsageError, match=r"no step 'nothing': expected screen, .*, chunk, turns-a-day, all"):
        CliRunner().invoke(app.app, ["worker", "nothing"], catch_exceptions=False)
    with pytest.raises(app.UsageError, match="no sink 'nothing': expected postgres, milvus, redis, sqlite or all"):
        CliRunner().invoke(app.app, ["sink", "nothing"], catch_exceptions=False)


def test_d9_the_picture_of_the_release_is_as_it_was_placed() -> None:
    assert picture(BUILT_IN) == Picture()
    assert Picture().rows == 4


def test_d9_the_picture_has_a_place_for_what_packages_bring(found: Components) -> None:
    drawn = picture(found)
    at = {n.name: n for n in drawn.nodes}
    assert drawn.nodes[: len(NODES)] == NODES
    step, sink = at["turns-a-day"], at["sink-sqlite"]
    assert (step.title, step.says, step.column, step.row, step.kind) == (
        "Turns a day", "turns of each day", 2, 3, "step"
    )
    assert (sink.title, sink.column, sink.row, sink.kind) == ("Sqlite", 4, 4, "store")
    assert ("screen", "turns-a-day") in drawn.between
    assert ("turns-a-day", "sink-sqlite") in drawn.between
    assert "sink-sqlite" in drawn.from_bus
    assert "turns-a-day" not in drawn.to_bus
    assert drawn.rows == 5
    assert [e for e in drawn.edges({}, frozenset({"sink-sqlite"})) if e["bad"]] == [
        {"d": "M582.0,280.0 C700.0,280.0 700.0,360.0 818.0,360.0", "weight": 0, "bad": True},
        {"d": "M795.0,360.0 L818.0,360.0", "weight": 0, "bad": True},
    ]


def test_d9_no_two_stages_of_a_picture_share_a_place(found: Components) -> None:
    """However many steps read each other, also in a circle."""
    own = found.steps["turns-a-day"]
    ours = {f"s{chr(97 + n)}": n for n in range(8)}
    reads = (topics.HISTORY, own.writes[0], topics.UPDATES, topics.LEDGER, topics.TURNS, topics.DECISIONS)
    steps = {
        name: StepDeclaration(name, reads[n % len(reads)], (own.writes[0], topics.UPDATES), "json:dumps")
        for name, n in ours.items()
    }
    drawn = picture(replace(found, steps={**found.steps, **steps}))
    places = Counter((n.column, n.row) for n in drawn.nodes)
    assert max(places.values()) == 1
    assert max(n.column for n in drawn.nodes) < COLUMNS
    assert drawn.rows <= MOST_ROWS
    assert {a for a, _ in drawn.between} | {b for _, b in drawn.between} <= {n.name for n in drawn.nodes}


def test_c9_every_store_confirms_an_erasure_by_each_step_that_hands_it_on() -> None:
    """The list as it stood before it followed from the declarations."""
    wanted = {
        ("postgres", topics.HISTORY, "screen"), ("postgres", topics.SESSION_STATE, "session"),
        ("postgres", topics.UPDATES, "gate"), ("postgres", topics.DECISIONS, "gate"),
        ("postgres", topics.UPDATES, "project"), ("postgres", topics.DECISIONS, "project"),
        ("milvus", topics.HISTORY, "screen"), ("milvus", topics.UPDATES, "gate"),
        ("milvus", topics.UPDATES, "project"), ("redis", topics.SESSION_STATE, "session"),
        ("redis", topics.UPDATES, "gate"), ("redis", topics.UPDATES, "project"),
    }  # fmt: skip
    found = ways(BUILT_IN)
    assert {(w.store, topics.BY_NAME[w.topic], w.stage) for w in found} == wanted
    assert len(found) == len(wanted)
    assert {w.stage for w in found if w.everywhere} == {"project"}


def test_c9_a_store_of_a_package_confirms_too(found: Components) -> None:
    assert [w for w in ways(found) if w.store == "sqlite"] == [
        Way("sqlite", topics.UPDATES.name, "gate", False), Way("sqlite", topics.UPDATES.name, "project", True),
        Way("sqlite", DAYS, "turns-a-day", False),
    ]
    behind_updates = replace(found.steps["turns-a-day"], reads=topics.UPDATES)
    later = ways(replace(found, steps={**found.steps, "turns-a-day": behind_updates}))
    assert Way("sqlite", DAYS, "turns-a-day", True) in later, "the project step's come in every partition"
    unreached = replace(found.steps["turns-a-day"], reads=topics.DOCUMENTS)
    assert not [w for w in ways(replace(found, steps={**found.steps, "turns-a-day": unreached})) if w.topic == DAYS]


def test_n1_a_store_that_says_what_it_holds_can_be_rebuilt(found: Components, tmp_path: Any) -> None:
    assert rebuildable() == ("postgres", "milvus", "redis", "sqlite")
    made = store(Settings(data_dir=tmp_path), "sqlite")
    assert (made.name, made.topics) == ("sqlite", (topics.UPDATES.name, DAYS))
    assert made.contents.buckets(1) == {}
    with pytest.raises(RebuildError, match="no store 'nothing' that can be rebuilt: expected postgres, milvus, redis"):
        store(Settings(), "nothing")


def test_d9_every_step_is_what_it_is_declared_to_be(found: Components, models: Models) -> None:
    """A builder compares the step with its declaration; so do these of this release."""
    parts = Parts(models, ProfileBook(load_profile("general")), RuleExtractor())
    for name, spec in topology().items():
        assert spec.build(parts).name == name


@pytest.mark.parametrize(("changes", "expected"), [
    ({"reads": topics.LEDGER}, "expected source memory.ledger.v1, the step has conversation.history.v1"),
    ({"writes": (topics.JOBS,), "erasures_to": ()}, r"expected outputs \['memory.jobs.v1'\], the step has \['days"),
    ({"erasures_to": ()}, r"expected passes_to of its eraser \[\], the step has \['days.turns.v1'\]"),
    ({"build": "memstream_days.step:nothing"}, "memstream_days.step:nothing cannot be imported"),
])  # fmt: skip
def test_d9_a_step_that_is_another_than_declared_ends_its_worker(
    found: Components, models: Models, changes: dict[str, Any], expected: str
) -> None:
    wrong = replace(found.steps["turns-a-day"], **changes)
    parts = Parts(models, ProfileBook(load_profile("general")), RuleExtractor())
    with pytest.raises(ComponentError, match=rf"package memstream-days 1\.0, entry point turns-a-day.*{expected}"):
        topology(replace(found, steps={"turns-a-day": wrong}))["turns-a-day"].build(parts)


def test_d9_a_sink_is_built_as_it_is_declared(
    found: Components, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = built(parts_of(Settings(data_dir=tmp_path)), "sqlite")
    assert (made.name, tuple(made.topics)) == ("sqlite", (topics.UPDATES.name, DAYS))
    made.close()
    fewer = replace(found.sinks["sqlite"], feed=replace(found.sinks["sqlite"].feed, topics=(topics.UPDATES.name,)))
    monkeypatch.setattr("memstream.workers.sink.sink_named", lambda name: fewer)
    with pytest.raises(ComponentError, match=r"package memstream-days 1\.0, entry point sqlite .*: expected topics"):
        built(parts_of(Settings(data_dir=tmp_path)), "sqlite")


def test_a_package_that_is_removed_leaves_nothing() -> None:
    assert components() is BUILT_IN
    with pytest.raises(KeyError):
        topic_named(DAYS)
