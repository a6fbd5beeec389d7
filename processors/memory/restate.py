"""One turn, extracted anew: a newer extractor keeps the ids of what it restates and retires what it does not
(DESIGN, delivery rule 3). Why so: docs/decisions/2026-11-22-restating.md."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import cast

from processors.memory.emit import because, changed, plain_decision, update
from processors.memory.index import since, slots_of
from processors.memory.rules import MAX_BEFORE
from processors.memory.store import Standing
from processors.memory.versions import VERSIONED
from processors.step import Emit
from schemas.events.documents import KeptMemory
from schemas.events.memory import CandidateKind, Extraction, MemoryUpdate

RULES = "rules"
LEARNED = VERSIONED | {"episode", "relation"}


def outranks(new: tuple[str, int], old: tuple[str, int]) -> bool:
    """Does an extractor speak for a turn that another one has spoken for? A newer version does; a model does for what
    the rules said; the rules never do for what a model said."""
    if new[0] == old[0]:
        return new[1] > old[1]
    return new[0] != RULES


class Restated:
    """A turn that was extracted before: what stands of it, and what becomes of that."""

    def __init__(self, source: Extraction, standing: Standing) -> None:
        self._source = source
        self._standing = standing
        turn = source.turn.turn_id
        self.before = [u for u in standing.all() if u.kind in LEARNED and any(s.turn_id == turn for s in u.sources)]

    def kept(self) -> list[KeptMemory]:
        """What stands of what this turn was the first to say, as a project's report counts it."""
        turn = self._source.turn.turn_id
        return [
            KeptMemory(
                kind=cast(CandidateKind, u.kind), episode_type=u.episode_type, text=u.sealed.text, record_id=u.record_id
            )
            for u in self._standing.all()
            if u.kind in LEARNED and u.state == "active" and u.sources and u.sources[0].turn_id == turn
        ]

    def retire(self, claimed: Collection[str]) -> list[Emit]:
        """What the extractor before took from the turn and this one does not. What the user confirmed or wrote stays;
        what other turns say as well loses this citation only."""
        out: list[Emit] = []
        turn = self._source.turn.turn_id
        for name in (u.record_id for u in self.before if u.record_id not in claimed):
            u = self._standing.get(name)
            if u is None or u.extractor == "command" or u.source == "confirmed":
                continue
            others = tuple(s for s in u.sources if s.turn_id != turn)
            if others:
                kept = changed(u, sources=others)
                self._standing.put(kept, self._standing.features(name))
                out.append(update(kept))
            else:
                out += self._retired(u)
        return out

    def _retired(self, u: MemoryUpdate) -> list[Emit]:
        reason = because("retired", "extraction", "not_restated")
        # Of what went on without a field, or holds again, this version began later than it has been true.
        ended = max(since(u), u.valid_from or since(u)) if u.kind in VERSIONED else u.valid_to
        closed = changed(u, state="superseded", valid_to=ended, reason=reason)
        self._standing.remove(closed)
        at = self._source.accepted_at
        name = f"{self._source.turn.turn_id}/{self._source.extractor}/{self._source.extractor_version}/{u.record_id}"
        told = plain_decision(self._source.owner, name, u.kind, reason, closed, at, self._source.turn)
        return [update(closed), told, *self._brought_back(u)]

    def _brought_back(self, u: MemoryUpdate) -> Iterable[Emit]:
        """What the retired record had replaced holds again, where nothing else has taken its place."""
        for old in self._standing.replaced.by(u.record_id, self._source.accepted_at):
            if any(self._standing.holders(slot) for slot in slots_of(old)):
                continue
            version, revision = self._standing.next_numbers(old.record_id)
            body = old.sealed.model_copy(
                update={"attributes": {**old.sealed.attributes, "since": since(old).isoformat()}}
            )
            again = old.model_copy(
                update={
                    "version": version, "revision": revision, "valid_from": since(u), "valid_to": None,
                    "known_at": self._source.accepted_at, "reason": because("kept", "extraction", "holds_again"),
                    "sealed": body,
                }
            )  # fmt: skip
            self._standing.put(again)
            yield update(again)


def note_replaced(
    standing: Standing, record: str, replaced: Sequence[MemoryUpdate], source: Extraction, at: datetime
) -> None:
    """Remember for a while what a turn's statement replaced. What the same turn had said before is no such thing: it
    was never true; what that had replaced is."""
    turn = source.turn.turn_id
    true = [u for u in replaced if any(s.turn_id != turn for s in u.sources)]
    if true:
        standing.replaced.note(record, true[:MAX_BEFORE], at)
