"""The single-threaded oracle: the same pure steps over the same records, one at a time, in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from inference.language import language_of
from inference.protocols import Embedder
from inference.terms import terms
from memstream.secretfile import key_from
from memstream.settings import Settings
from memstream.workers.models import LazyAnalyzer, counter, default_embedder
from processors.ports import Models, ProfileBook
from processors.reader.rules.rules import RuleExtractor
from processors.step import Step
from schemas.log import topics
from schemas.log.topics import Topic
from schemas.profile.model import load_profile
from streams.driver import TopologyDriver
from streams.runner import Message
from streams.topology import TOPOLOGY, Parts
from tests.crash.log import Log

STEPS: tuple[str, ...] = ("screen", "extract", "gate", "session", "project")


class NoVectors:
    """Stands in for the encoder where vectors decide nothing: under screen and extract they only pass through (the
    ledger carries them), and are compared by length alone."""

    def __init__(self, like: Embedder) -> None:
        self.model_id = like.model_id
        self.dimensions = like.dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.zeros((len(texts), self.dimensions), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Expected:
    """What a step must have emitted over its input: topic partition -> records in order, dead letters apart."""

    step: str
    outputs: Log = field(default_factory=dict)
    dead: list[Message] = field(default_factory=list)


class Oracle:
    """Built once for several rounds: models take seconds to load."""

    def __init__(self) -> None:
        self._embedder = default_embedder()
        self._analyzer = LazyAnalyzer()

    async def run(self, name: str, settings: Settings, records: Log) -> Expected:
        """One step over the whole of its source topic, record by record."""
        step = self._step(name, settings)
        start = datetime.fromtimestamp(0, UTC)
        driver = TopologyDriver([step], start, partitions=settings.partitions, batch=1)
        for place, found in records.items():
            driver.log.partitions[place] = list(found)
        await driver.run()
        outputs = {
            (t.name, p): driver.log.partitions[t.name, p] for t in step.outputs for p in range(settings.partitions)
        }
        return Expected(name, outputs, driver.dead_letters())

    def _step(self, name: str, settings: Settings) -> Step:
        key = key_from(settings.hash_key.get_secret_value(), settings.data_dir)
        embedder: Embedder = NoVectors(self._embedder) if name in ("screen", "extract") else self._embedder
        models = Models(self._analyzer, embedder, counter, language_of, terms, key)
        book = ProfileBook(load_profile(settings.profile, settings.profiles_dir))
        return TOPOLOGY[name].build(Parts(models, book, RuleExtractor()))


def source_topic(name: str) -> Topic:
    return {
        "screen": topics.TURNS,
        "extract": topics.HISTORY,
        "gate": topics.LEDGER,
        "session": topics.HISTORY,
        "project": topics.PROJECT_EVENTS,
    }[name]
