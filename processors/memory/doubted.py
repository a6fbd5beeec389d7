"""What is only observed for its low reading: the same, said in another turn at any time while it waits, lifts it.

Near-duplicates are looked for among what was said within 7 days (D3); what waits to be said again waits longer.
"""

from __future__ import annotations

from heapq import nlargest

import numpy as np

from processors.dedupe.compare import compare
from processors.dedupe.features import Features
from processors.dedupe.window import COMPARED, NEAR, Match
from processors.memory.rules import MAX_DOUBTED
from processors.memory.store import Standing, vector


def said_before(
    standing: Standing, features: Features, embedding: bytes, kind: str, project: str | None
) -> Match | None:
    """The waiting record of that kind and project that a text repeats; of many the newest are looked at, the nearest
    first."""
    waiting = [(at, name) for name, (of, where, at) in standing.doubted.items() if (of, where) == (kind, project)]
    query = vector(embedding)
    near: list[tuple[float, str]] = []
    for _, name in nlargest(MAX_DOUBTED, waiting):
        held = standing.get(name)
        own = None if held is None else vector(held.sealed.embedding)
        if query is None or own is None or own.shape != query.shape:
            continue
        cosine = float(np.dot(own.astype(np.float32), query.astype(np.float32)))
        if cosine >= NEAR:
            near.append((cosine, name))
    for cosine, name in nlargest(COMPARED, near):
        told = standing.features(name)
        verdict = None if told is None else compare(told, features, cosine, standing.calibration)
        if verdict is not None and verdict.kind == "duplicate":
            return Match(name, verdict)
    return None
