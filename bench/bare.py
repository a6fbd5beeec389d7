"""The bare loop: the same models over the same turns, batch 64, same number of processes; no Kafka, no stores.

What the pipeline is measured against: it does everything that makes a turn dear, and keeps nothing.
"""

from __future__ import annotations

import multiprocessing as mp
import time
from datetime import UTC, datetime
from multiprocessing.synchronize import Barrier
from typing import Any

BATCH = 64


def run(turns: list[dict[str, Any]], processes: int) -> float:
    """Turns per second of wall time from the moment that every process has its models."""
    context = mp.get_context("spawn")
    barrier = context.Barrier(processes + 1)
    parts = [turns[i::processes] for i in range(processes)]
    workers = [context.Process(target=_work, args=(part, barrier)) for part in parts]
    for w in workers:
        w.start()
    barrier.wait(300)
    start = time.monotonic()
    for w in workers:
        w.join()
    if any(w.exitcode for w in workers):
        raise RuntimeError("a process of the bare loop failed")
    return len(turns) / (time.monotonic() - start)


def _work(turns: list[dict[str, Any]], barrier: Barrier) -> None:
    from memstream.workers.models import default_models
    from processors.pii.redaction import redact
    from processors.ports import ProfileBook, vectors
    from processors.reader.rules.protocol import TurnView
    from processors.reader.rules.rules import RuleExtractor
    from schemas.profile.model import load_profile

    models = default_models(b"bench-key-of-16b")
    book = ProfileBook(load_profile("general"))
    extractor = RuleExtractor()
    redact(models, book, ["default", "default"], ["Anna lives in Rome.", "王伟住在北京。"])  # loads the recognisers
    barrier.wait(300)
    now = datetime.now(UTC)
    for i in range(0, len(turns), BATCH):
        batch = turns[i : i + BATCH]
        clean = redact(models, book, ["default"] * len(batch), [t["content"] for t in batch])
        vectors(models.embedder, [c.text for c in clean])
        counter = models.counter(book.default.encoding)
        statements = []
        for t, c in zip(batch, clean, strict=True):
            counter.count(c.text)
            models.terms(c.text)
            if t["role"] != "user" or c.refused:
                continue
            view = TurnView(c.text, "user", models.language_of(c.text), now, entities=c.entities)
            statements += [x.text for x in extractor.extract(view, book.default)]
        vectors(models.embedder, statements)
        for s in statements:
            models.terms(s)
