"""Feedback on memories, by their ids or by the answer that was made from them (D4, D16). The table of what each kind
does is in docs/quality.md."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal

from processors.memory.citations import AnswerFeedback, CitationIndex, PendingFeedback
from processors.memory.emit import because, changed, plain_decision, update
from processors.memory.low_readings import is_doubted
from processors.memory.rules import ADOPTED, CORRECTED, RATING_IMPORTANCE, SHARE, bounded, clamp, readable
from processors.memory.store import UserMemoryStore
from processors.step import Emit
from schemas.events.memory import Feedback, MemoryUpdate
from schemas.log.ids import keyed_hash
from schemas.log.owner import Owner


class FeedbackGate:
    """Judges standing records of one user."""

    def __init__(self, owner: Owner, store: UserMemoryStore, at: datetime, hash_key: bytes) -> None:
        self._owner = owner
        self._store = store
        self._at = at
        self._hash_key = hash_key

    def feedback(self, f: Feedback, book: CitationIndex, terms: Callable[[str], list[str]]) -> list[Emit]:
        """Counts once. Memories named by id are judged alone; where none is, those that the answer was given."""
        if self._store.applied(f"feedback/{f.feedback_id}", self._at):
            return []
        pending = self._pending(f, terms)
        named = tuple(dict.fromkeys((*f.memory_ids, *((f.record_id,) if f.record_id else ()))))
        out: list[Emit] = []
        for name in named:
            target = self._store.named(name)
            out += self._unknown(pending, name) if target is None else self._judged(pending, target, CORRECTED, 1.0)
        if named:
            return out
        found = book.judge(pending, f.context_id, f.interaction_id)
        if found is None or not found.reached:
            rule = "names_no_memory" if found is None else "awaits_its_answer"
            reason = because("skipped", "feedback", rule)
            return [plain_decision(self._owner, f.feedback_id, "feedback", reason, None, self._at)]
        return self.spread(found)

    def spread(self, answer: AnswerFeedback) -> list[Emit]:
        """Judge what an answer was given: a rating is shared among them, a correction falls on what it speaks of."""
        given = {u.record_id: u for name in answer.given if (u := self._store.get(name)) is not None}
        share = max(SHARE, 1.0 / max(1, len(given)))
        corrected = self._corrected(answer.feedback, list(given.values()))
        out: list[Emit] = []
        for name in answer.reached:
            if name not in given:
                continue
            # One after the other: the same feedback may reach a record only once, but two may meet in one event.
            target = self._store.get(name) or given[name]
            out += self._judged(answer.feedback, target, CORRECTED if name in corrected else None, share)
        return out

    def _corrected(self, feedback: PendingFeedback, given: Sequence[MemoryUpdate]) -> set[str]:
        """What a correction of an answer speaks of: the memories that share most words with it, words that most of
        them hold left out; where none shares any, those that were inferred once. What the user stated is not doubted
        because an answer went wrong somehow."""
        words = set(feedback.words)
        if not feedback.corrects:
            return set()
        mine = {u.record_id: {self._hash(t) for t in u.sealed.terms} for u in given}
        common = {w for w in words if len(given) > 1 and sum(w in m for m in mine.values()) > len(given) / 2}
        shared = {name: len((words - common) & m) for name, m in mine.items()}
        most = max(shared.values(), default=0)
        if most:
            return {name for name, n in shared.items() if n == most}
        return {u.record_id for u in given if u.source != "explicit"}

    def _judged(
        self, feedback: PendingFeedback, target: MemoryUpdate, corrected: Decimal | None, share: float
    ) -> list[Emit]:
        confidence, source = target.confidence, target.source
        rule = f"rating_{feedback.rating}" if feedback.rating else "comment"
        if feedback.adopted:
            confidence, rule = clamp(confidence + ADOPTED), "adopted"
            source = "confirmed" if source == "inferred" else source
        if feedback.corrects and corrected is not None:
            confidence, rule = clamp(confidence + corrected), "corrected"
        state = target.state
        if state in ("active", "observed"):
            state = "active" if readable(confidence) else "observed"
        reason = because("observed" if state == "observed" else "kept", "feedback", rule, float(confidence))
        importance = target.importance + share * RATING_IMPORTANCE.get(feedback.rating or "neutral", 0.0)
        waits = is_doubted(target) and state == "observed"  # judged, and still not said again
        judged = changed(
            target, confidence=confidence, source=source, state=state, reason=target.reason if waits else reason,
            last_accessed_at=max(target.last_accessed_at, self._at), importance=bounded(importance),
        )  # fmt: skip
        self._store.put(judged, self._store.features(target.record_id))
        name = f"{feedback.feedback_id}/{target.record_id}"
        return [update(judged), plain_decision(self._owner, name, "feedback", reason, judged, self._at)]

    def _unknown(self, feedback: PendingFeedback, name: str) -> list[Emit]:
        reason = because("skipped", "feedback", "unknown_memory")
        return [plain_decision(self._owner, f"{feedback.feedback_id}/{name}", "feedback", reason, None, self._at)]

    def _pending(self, f: Feedback, terms: Callable[[str], list[str]]) -> PendingFeedback:
        correction = f.sealed.correction
        words = sorted({self._hash(t) for t in terms(correction)}) if correction else []
        return PendingFeedback(
            feedback_id=f.feedback_id, rating=f.rating, adopted=bool(f.adopted), corrects=bool(correction),
            words=tuple(words[:100]),
        )  # fmt: skip

    def _hash(self, term: str) -> str:
        return keyed_hash(self._hash_key, term)[:12]
