"""A candidate that says what stands already: the record is renewed, lowered or left."""

from __future__ import annotations

from processors.dedupe.window import Match
from processors.memory.certainty import is_confirmed, less_sure, lowered, raised, surer
from processors.memory.emit import Changes, because, changed, decision, sources, update
from processors.memory.marks import holds_again
from processors.memory.readings import of_people
from processors.memory.records_of_turn import TurnRecords
from processors.memory.rules import DUPLICATE_IMPORTANCE, MAX_SOURCES, bounded, readable
from processors.memory.store import text_features
from processors.step import Emit
from schemas.events.memory import Candidate, MemoryUpdate, Outcome


class Repetition(TurnRecords):
    """What is said again."""

    def _said_again(
        self, c: Candidate, twin: MemoryUpdate, rule: str = "same_value", score: float | None = None,
        only: tuple[str, ...] = (), told_more: bool = False,
    ) -> list[Emit]:  # fmt: skip
        """A duplicate renews last_accessed_at, adds to importance, and adds its source turn. `told_more`: the later
        text has a detail that the earlier lacks, so its words are kept."""
        if self._withdraws(c, twin):
            return self._lower(c, twin, rule, only)
        of_this_turn = any(s.turn_id == self._source.turn.turn_id for s in twin.sources)
        sure = surer(c, twin) or (is_confirmed(c, twin) and not of_this_turn)
        repeated = sure and twin.record_id in self._before and not of_people(twin)  # than the extractor before
        if of_this_turn and not repeated:
            return [decision(self._source, c, because("skipped", "dedupe", rule, score), twin, only)]
        outcome: Outcome = "skipped" if only else "merged"
        renewed = changed(
            twin,
            **(raised(twin, c, again=not self._said_here(twin)) if sure else {}),
            last_accessed_at=max(twin.last_accessed_at, self._source.accepted_at),
            importance=twin.importance if of_this_turn else bounded(twin.importance + DUPLICATE_IMPORTANCE),
            sources=sources(twin.sources, self._source.turn, MAX_SOURCES),
        )
        features = self._store.features(twin.record_id)
        body: Changes = {}
        if told_more and not of_this_turn and twin.extractor != "command":
            body |= {"text": c.text, "terms": c.terms, "embedding": c.embedding}
            features = text_features(c.text)
            renewed = renewed.model_copy(update={"model_id": self._model_id(c)})
        renewed = renewed.model_copy(update={"sealed": renewed.sealed.model_copy(update=body)})
        occurred_at = self._source.turn.occurred_at
        renewed, outlived = holds_again(self._store, renewed, occurred_at) if readable(c.confidence) else (renewed, [])
        self._store.put(renewed, features)
        reason = because(outcome, "dedupe", rule, score)
        return [update(renewed), *outlived, decision(self._source, c, reason, renewed, only)]

    def _lower(self, c: Candidate, twin: MemoryUpdate, rule: str, only: tuple[str, ...]) -> list[Emit]:
        """What the newer extractor says of the turn stands, how sure it is as well as what it says."""
        held = changed(twin, **lowered(c))
        self._store.put(held, self._store.features(twin.record_id))
        reason = held.reason if held.state == "observed" else because("merged", "dedupe", rule)
        return [update(held), decision(self._source, c, reason, held, only)]

    def _said_vaguely(self, c: Candidate, held: MemoryUpdate, only: tuple[str, ...]) -> list[Emit]:
        """Cited, and as little news as the same value; what stands is neither reworded nor believed more for it."""
        held = self._store.get(held.record_id) or held  # another field of the candidate may have renewed it
        if any(s.turn_id == self._source.turn.turn_id for s in held.sources):
            return [decision(self._source, c, because("skipped", "dedupe", "vaguer_value"), held, only)]
        renewed = changed(
            held,
            last_accessed_at=max(held.last_accessed_at, self._source.accepted_at),
            sources=sources(held.sources, self._source.turn, MAX_SOURCES),
        )
        self._store.put(renewed, self._store.features(held.record_id))
        return [update(renewed), decision(self._source, c, because("merged", "dedupe", "vaguer_value"), renewed, only)]

    def _said_elsewhere(self, c: Candidate, match: Match | None) -> list[Emit] | None:
        other = None if match is None else self._store.get(match.record_id)
        if match is None or other is None or match.verdict.kind != "duplicate":
            return None
        verdict = match.verdict
        return self._said_again(c, other, verdict.rule, verdict.score, told_more=verdict.adds)

    def _withdraws(self, c: Candidate, twin: MemoryUpdate) -> bool:
        """Is what stands believed for no other reason than what the extractor before read here, which this one reads
        and is less sure of? Of several candidates that say the same the surest counts."""
        if self._again is None or twin.record_id in self._decided:
            return False
        return less_sure(c, twin) and self._again.rests_on(twin)
