"""What a statement without a field repeats or denies: within 7 days (D3), and what waits for its low reading longer."""

from __future__ import annotations

import numpy as np

from processors.dedupe.compare import Verdict, compare
from processors.dedupe.features import Features
from processors.dedupe.window import COMPARED, NEAR, Match
from processors.memory.index import vector
from processors.memory.places import Places
from processors.memory.store import UserMemoryStore
from schemas.events.memory import Candidate, Extraction, MemoryUpdate


class Repeats:
    """Of one extraction."""

    def __init__(self, source: Extraction, store: UserMemoryStore, places: Places) -> None:
        self._source = source
        self._store = store
        self._places = places

    def nearest(self, c: Candidate, features: Features, reworded: MemoryUpdate | None) -> Match | None:
        """What says the same, or denies it. `reworded`: what the words are given to, were they said nowhere else; what
        that said is lost with its old words, so they are looked for only in what says no less."""
        besides = self._places.being_reworded(c) | ({reworded.record_id} if reworded is not None else set())
        s, project = self._source, c.project_id or self._source.project_id
        match = self._store.nearest(
            features, c.embedding, c.kind, project, s.accepted_at, s.turn.occurred_at, besides=besides,
            merges=None if reworded is None else self._says_all,
        )  # fmt: skip
        if match is not None and match.verdict.kind == "duplicate":
            return match
        near = self._store.doubted.near(c.embedding, c.kind, project, COMPARED, besides)
        found = (self._waiting(name, c, features, all_of_it=reworded is not None) for name in near)
        return next((m for m in found if m is not None), match)

    def _waiting(self, record: str, c: Candidate, features: Features, *, all_of_it: bool) -> Match | None:
        """A record that waits to be said again, where a statement does so. `all_of_it`: and loses nothing there."""
        held, record_features = self._store.get(record), self._store.features(record)
        own, query = vector(held.sealed.embedding) if held is not None else None, vector(c.embedding)
        if record_features is None or own is None or query is None:
            return None
        cosine = round(float(np.dot(own.astype(np.float32), query.astype(np.float32))), 6)
        verdict = compare(record_features, features, cosine, self._store.calibration)
        same = cosine >= NEAR and verdict.kind == "duplicate" and (not all_of_it or self._says_all(record, verdict))
        return Match(record, verdict) if same else None

    def _says_all(self, record: str, verdict: Verdict) -> bool:
        """Does a record say all of a text that it repeats? Two statements of one turn are two unless every word is the
        same."""
        other = self._store.get(record)
        if other is None or verdict.rule == "identical":
            return other is not None
        return not verdict.loses and all(s.turn_id != self._source.turn.turn_id for s in other.sources)
