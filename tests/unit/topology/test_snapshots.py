"""Every example payload runs through every step that reads its topic, with the default models; what comes out is
compared with a snapshot. `MEMSTREAM_UPDATE_SNAPSHOTS=1 pytest tests/unit/topology` writes them anew: read the diff."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest

from processors.knowledge.step import ChunkStep
from processors.memory.step import Gate
from processors.ports import Models, ProfileBook
from processors.project.step import Project
from processors.reader.rules.rules import RuleExtractor
from processors.reader.step import Extract
from processors.screen.step import Screen
from processors.session.step import Session
from processors.step import PlainStep
from schemas.events.envelope import Envelope
from schemas.log import topics
from schemas.log.codec import header
from schemas.log.owner import partition
from schemas.log.topics import Topic
from schemas.profile.model import load_profile
from streams.driver import TopologyDriver
from streams.topology import TOPOLOGY, Parts
from tests.unit.schemas.examples import Example, valid

SNAPSHOTS = Path(__file__).parent / "snapshots"
UPDATE = os.environ.get("MEMSTREAM_UPDATE_SNAPSHOTS") == "1"
NOW = datetime(2026, 11, 2, 9, 0, 2, tzinfo=UTC)
PROFILE = "general"


STEPS: tuple[type[PlainStep], ...] = (Screen, Extract, Gate, Session, Project, ChunkStep)


@pytest.fixture(scope="module")
def parts(models: Models) -> Parts:
    return Parts(models, ProfileBook(load_profile(PROFILE)), RuleExtractor())


def cases() -> list[tuple[str, Example]]:
    sources = {name: _source(name) for name in TOPOLOGY}
    return [(step, e) for step, topic in sources.items() for e in valid(topic)]


def _source(step: str) -> str:
    """The topic that a step reads, from its class: building it would load models."""
    source: Topic = next(s.source for s in STEPS if s.name == step)  # type: ignore[attr-defined]
    return source.name


async def outcome(parts: Parts, step: str, example: Example) -> dict[str, Any]:
    """What a fresh step makes of one record: events by topic, dead letters, and how many rows it keeps."""
    driver = TopologyDriver([TOPOLOGY[step].build(parts)], NOW)
    event = driver.codec.decode(example.topic, example.value)
    place = partition(event.owner, 8) if isinstance(event, Envelope) else 0
    driver.pipe_raw(topics.BY_NAME[example.topic], place, example.value)
    await driver.run()
    out: dict[str, Any] = {}
    for (topic, p), log in sorted(driver.log.partitions.items()):
        if topic == example.topic and log and header(log[0].headers, "src") is None:
            log = log[1:]
        for m in log:
            if topic == topics.DEAD_LETTERS.name:
                data: dict[str, Any] = {"reason": (header(m.headers, "reason") or b"").decode()}
            else:
                data = _readable(orjson.loads(m.value or b"null"))
                data["@key"] = (m.key or b"").decode()
            data["@partition"] = p
            out.setdefault(topic, []).append(data)
    return out


def _readable(value: Any) -> Any:
    """Embeddings differ in their last bits from one CPU to the next: their length stands for them."""
    if isinstance(value, dict):
        return {k: f"{len(v)} characters" if k == "embedding" and v else _readable(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_readable(v) for v in value]
    return value


@pytest.mark.parametrize(("step", "example"), cases(), ids=str)
async def test_an_example_gives_what_its_snapshot_says(parts: Parts, step: str, example: Example) -> None:
    path = SNAPSHOTS / step / f"{example.name}.json"
    have = await outcome(parts, step, example)
    assert topics.DEAD_LETTERS.name not in have, "a valid example is no dead letter"
    if UPDATE:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(have, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    assert path.is_file(), "no snapshot yet: MEMSTREAM_UPDATE_SNAPSHOTS=1 writes it"
    assert have == json.loads(path.read_text(encoding="utf-8"))


def test_every_snapshot_belongs_to_an_example() -> None:
    known = {(step, example.name) for step, example in cases()}
    assert {(p.parent.name, p.stem) for p in SNAPSHOTS.rglob("*.json")} == known


async def test_a_step_is_deterministic(parts: Parts) -> None:
    step, example = next((s, e) for s, e in cases() if s == "gate" and e.name == "extraction_zh")
    assert await outcome(parts, step, example) == await outcome(parts, step, example)
