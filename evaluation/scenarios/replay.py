"""A scenario through the whole topology in memory, in its own time, and what is kept of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from evaluation.scenarios.scenario import Place, Scenario
from processors.ports import Models, ProfileBook
from processors.project.report_value import lists_of
from processors.reader.rules.protocol import Extractor
from schemas.base import JsonValue
from schemas.events.memory import MemoryUpdate
from schemas.log import topics
from schemas.profile.model import load_profile
from streams.driver import TopologyDriver
from streams.topology import TOPOLOGY, Parts

MOST_BETWEEN_TICKS = timedelta(hours=12)
SETTLED = timedelta(minutes=5)
WEEK_OVER = timedelta(days=8)
"""After the last turn, so that its week has its report."""
FIELD_KINDS = frozenset({"fact", "preference", "intent"})
DONE = ("## Done\n", "## 已完成\n")
KEPT = frozenset({"active", "superseded"})


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that is in a place. `value`: what it holds, without the words around it."""

    place: Place
    key: str | None
    who: str
    value: str
    text: str = ""


async def replay(scenario: Scenario, models: Models, extractor: Extractor) -> list[Entry]:
    """Raises RuntimeError for a turn that a step refused."""
    turns = scenario.events()
    parts = Parts(models, ProfileBook(load_profile(scenario.profile)), extractor)
    steps = [spec.build(parts) for spec in TOPOLOGY.values()]
    driver = TopologyDriver(steps, turns[0].occurred_at, partitions=2)  # a tick goes through each of them
    for turn in turns:
        await _pass_time(driver, turn.occurred_at - driver.now)
        driver.pipe(topics.TURNS, turn)
        await driver.run()
    await _pass_time(driver, WEEK_OVER if scenario.project else SETTLED)
    if driver.dead_letters():
        raise RuntimeError(f"{len(driver.dead_letters())} dead letters in {scenario.name}")
    newest = {e.row_key: e for e in driver.read(topics.UPDATES) if isinstance(e, MemoryUpdate)}
    return entries_of([u for u in newest.values() if u.op == "upsert"])


async def _pass_time(driver: TopologyDriver, span: timedelta) -> None:
    """With ticks; the last one is at the end of the span."""
    while span > timedelta(0):
        driver.advance(min(span, MOST_BETWEEN_TICKS))
        span -= MOST_BETWEEN_TICKS
        driver.tick()
        await driver.run()


def entries_of(updates: Sequence[MemoryUpdate]) -> list[Entry]:
    """What is kept of these records, each in every place where a label may look for it."""
    return [entry for u in updates for entry in _entries(u)]


def _entries(u: MemoryUpdate) -> Iterator[Entry]:
    who = u.user_id or u.owner_id
    value = plain(u.sealed.value) or u.sealed.text
    if u.kind in FIELD_KINDS and u.state in KEPT:
        yield from _of_fields(u, who)
    if u.kind == "episode" and u.state in KEPT:
        if u.episode_type == "task":
            yield Entry("task", None, who, u.sealed.text)
        elif u.episode_type == "decision" and u.state == "active":
            yield Entry("decision", None, who, u.sealed.text)
    if u.state != "active":
        return
    if u.kind == "hot":
        yield Entry("hot_memory", u.key, who, value, u.sealed.text)
        if u.category == "status":
            yield Entry("status", u.key, who, value, u.sealed.text)
        if u.category == "decision":
            yield Entry("decision", u.key, who, value, u.sealed.text)
    elif u.kind == "pattern":
        yield Entry("habit", u.key, who, u.sealed.text, value)
    elif u.kind == "report":
        yield Entry("report", u.key, who, u.sealed.text)
        lists = lists_of(u)
        for task in lists.open_tasks:
            yield Entry("task", u.key, task.owner or task.by or who, task.text)
        for line in done_lines(u.sealed.text):
            yield Entry("task", u.key, who=line.partition(": ")[0], value=line)
        for problem in lists.problems:
            yield Entry("problem", u.key, who, " ".join(filter(None, (problem.text, problem.solution))))


def done_lines(report: str) -> list[str]:
    """The tasks that a report tells as done: its text alone lists them."""
    _, _, rest = next((report.partition(h) for h in DONE if h in report), ("", "", ""))
    return [line.removeprefix("- ") for line in rest.partition("\n##")[0].splitlines() if line.startswith("- ")]


def _of_fields(u: MemoryUpdate, who: str) -> Iterator[Entry]:
    """Under each of its fields; an intent without a field is a task."""
    names = u.fields or ((u.field,) if u.field else ())
    if u.kind == "intent" and not names:
        yield Entry("task", None, who, u.sealed.text)
    for name in names:
        whole = u.sealed.value
        value = plain(whole.get(name) if u.fields and isinstance(whole, dict) else whole) or u.sealed.text
        text = "" if u.fields else u.sealed.text
        yield Entry("reading", name, who, value, text)
        if u.state == "active" and not u.negated:
            yield Entry("field", name, who, value, text)


def plain(value: JsonValue) -> str:
    """A value as text that words are looked for in."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)
