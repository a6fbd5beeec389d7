"""What README.md shows is what the steps make of those words, and its picture is there."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from evaluation.in_memory import STEPS, evaluation_models
from processors.ports import Models, ProfileBook
from processors.reader.rules.rules import RuleExtractor
from query.events import turn_event
from query.models import TurnIn
from schemas.events.memory import MemoryUpdate
from schemas.events.turns import ScreenedTurn
from schemas.log import topics
from schemas.profile.model import load_profile
from streams.driver import TopologyDriver
from streams.topology import TOPOLOGY, Parts
from tests.pages import ROOT, blocks

README = (ROOT / "README.md").read_text(encoding="utf-8")
SAID_AT = datetime(2026, 11, 21, 9, tzinfo=UTC)
_SUPERSEDED = re.compile(r" \((.+) is superseded\)")


@pytest.fixture(scope="module")
def models() -> Models:
    return evaluation_models()


async def processed(models: Models, turns: Sequence[TurnIn]) -> TopologyDriver:
    """Turns as the service writes them, through screen, extract and gate."""
    parts = Parts(models, ProfileBook(load_profile("general")), RuleExtractor())
    driver = TopologyDriver([TOPOLOGY[name].build(parts) for name in STEPS], SAID_AT + timedelta(hours=1))
    for turn in turns:
        driver.pipe(topics.TURNS, turn_event("default", turn, turn.occurred_at))
    await driver.run()
    assert driver.dead_letters() == []
    return driver


def newest(driver: TopologyDriver) -> list[MemoryUpdate]:
    updates = {e.row_key: e for e in driver.read(topics.UPDATES) if isinstance(e, MemoryUpdate)}
    return list(updates.values())


def shown() -> list[tuple[str, list[str], list[str]]]:
    """(said, remembered, superseded by it) of each row of the table."""
    table = README[README.index("| said | remembered |") :].split("\n\n")[0].splitlines()[2:]
    rows = []
    for text, remembered in ([cell.strip() for cell in line.strip("|").split("|")] for line in table):
        ended = _SUPERSEDED.findall(remembered)
        rows.append((text, [m for m in _SUPERSEDED.sub("", remembered).split(" / ") if m], ended))
    return rows


async def test_the_table_of_the_readme_is_what_is_remembered(models: Models) -> None:
    rows = shown()
    assert len(rows) >= 7
    turns = [
        TurnIn(user_id="ana", session_id="s1", turn_id=f"t{n}", role="user", content=statement,
               occurred_at=SAID_AT + timedelta(minutes=n), project_id=None if n + 1 < len(rows) else "proj_1")
        for n, (statement, _, _) in enumerate(rows)
    ]  # fmt: skip
    driver = await processed(models, turns)
    made = newest(driver)
    for n, (statement, remembered, _) in enumerate(rows):
        of_turn = [m.sealed.text for m in made if m.sources[0].turn_id == f"t{n}"]
        assert list(dict.fromkeys(of_turn)) == remembered, statement
    ended = [text for _, _, texts in rows for text in texts]
    current = {m.sealed.text for m in made if m.state == "active"}
    assert sorted({m.sealed.text for m in made if m.state == "superseded"} - current) == sorted(ended)
    stored = [t.sealed.content for t in driver.read(topics.HISTORY) if isinstance(t, ScreenedTurn)]
    assert [f"`{text}`" in README for text in stored if "<EMAIL_ADDRESS>" in text] == [True]


async def test_the_answer_of_the_readme_is_a_memory_of_its_turns(models: Models) -> None:
    """Ids and all: the service makes them of the same words."""
    [answer] = map(json.loads, blocks("README.md", "json"))
    body = next(re.search(r"-d '(.+)'", b, re.S) for b in blocks("README.md", "sh") if "/v1/turns" in b)
    assert body is not None
    turns = [TurnIn.model_validate(turn) for turn in json.loads(body[1])["turns"]]
    made = [
        {"id": str(m.record_id), "kind": m.kind, "state": m.state, "text": m.sealed.text,
         "reason": m.reason.model_dump(mode="json"), "source_turn_ids": [s.turn_id for s in m.sources]}
        for m in newest(await processed(models, turns))
    ]  # fmt: skip
    assert answer in made


def test_the_picture_is_small_and_there() -> None:
    [(words, target)] = re.findall(r"!\[(.+?)\]\((.+?)\)", README)
    picture = ROOT / target
    assert len(words) > 20
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert picture.stat().st_size < 200_000
