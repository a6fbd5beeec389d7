"""Turns through screen, extract and gate in memory: what stands of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from inference.reader.field_tagger import FieldTagger
from inference.reader.tagger_card import FOLDER as TAGGER
from inference.reader.turn_gate import LearnedGate
from memstream.workers.models import default_embedder, default_models
from processors.memory.restate import LEARNED
from processors.ports import Models, ProfileBook
from processors.reader.learned_gate import GatedExtractor
from processors.reader.rules.protocol import Extractor
from processors.reader.rules.rules import RuleExtractor
from schemas.events.memory import MemoryUpdate
from schemas.events.turns import TurnEvent
from schemas.log import topics
from schemas.profile.model import load_profile
from streams.driver import TopologyDriver
from streams.topology import TOPOLOGY, Parts

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
STEPS = ("screen", "extract", "gate")
STANDING = ("active", "superseded")
"""States that a reader of the history sees."""


def evaluation_models() -> Models:
    """The default models, under a key that no installation has."""
    return default_models(b"evaluation-hash-key-of-32-bytes!")


def rules(*, fields: bool = True, tagger: Path = TAGGER) -> RuleExtractor:
    """The rules, with the tagger of fields of a folder (tagger.npz, tagger.json) or without. Raises WeightsError."""
    return RuleExtractor(FieldTagger.of(default_embedder(), tagger) if fields else None)


def extractor_behind(gate: Path | None) -> Extractor:
    """The rules with the tagger; behind the gate of a folder (gate.npz, gate.json) where one is given. Raises
    WeightsError."""
    if gate is None:
        return rules()
    learned = LearnedGate.of(gate)
    return GatedExtractor(rules(), learned, learned.card)


async def remembered(
    turns: Sequence[TurnEvent], models: Models, extractor: Extractor, profile: str = "general"
) -> list[MemoryUpdate]:
    """The newest update of every learned memory that stands, or stood. Turns go in as they are given; ones that wait
    for a reply are closed. Raises RuntimeError for a turn that a step refused."""
    parts = Parts(models, ProfileBook(load_profile(profile)), extractor)
    driver = TopologyDriver([TOPOLOGY[name].build(parts) for name in STEPS], START)
    for turn in turns:
        driver.pipe(topics.TURNS, turn)
    await driver.run()
    for _ in range(3):
        driver.advance(timedelta(minutes=1))
        driver.tick()
        await driver.run()
    if driver.dead_letters():
        raise RuntimeError(f"{len(driver.dead_letters())} dead letters under the profile {profile}")
    newest = {e.row_key: e for e in driver.read(topics.UPDATES) if isinstance(e, MemoryUpdate)}
    return [u for u in newest.values() if u.op == "upsert" and u.kind in LEARNED and u.state in STANDING]
