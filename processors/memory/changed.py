"""What a statement without a field changes of what stands, once it is read itself (docs/quality.md)."""

from __future__ import annotations

from datetime import datetime

from processors.dedupe.features import Features
from processors.memory.changes.judge import changes
from processors.memory.changes.nearest import NEAREST
from processors.memory.emit import because, update
from processors.memory.index import slots_of
from processors.memory.marks import marked, newest_marks
from processors.memory.restate import note_replaced
from processors.memory.store import Standing
from processors.memory.versions import Versions
from processors.step import Emit
from schemas.events.memory import MemoryUpdate, Outcome

CHANGED = "changed"
"""Rule of what a free statement changes, without a field that says so."""


class Changing:
    """For one event of one user, which came `at` a time of the log."""

    def __init__(self, standing: Standing, versions: Versions, at: datetime) -> None:
        self._standing = standing
        self._versions = versions
        self._at = at

    def by(self, kept: MemoryUpdate, when: datetime) -> tuple[MemoryUpdate, list[Emit]]:
        """A statement, which the store does not hold as it is yet, with its marks. What it changes ends where its words
        say so and the head agrees, at the time `when`; else both stand, and each names the other. What feedback made of
        it stays its reason."""
        out: list[Emit] = []
        said, turns = last_said(kept), {s.turn_id for s in kept.sources}
        named, ended, score = list(kept.conflicts_with), list[MemoryUpdate](), kept.reason.score
        for change in changes(self._standing, kept.model_copy(update={"occurred_at": said}), kept.sources[-1].turn_id):
            old = change.old
            if not turns.isdisjoint(s.turn_id for s in old.sources):
                continue  # one breath says both
            score = change.score
            if change.outcome == "retired":
                reason = because("superseding", "dedupe", CHANGED, score)
                out += self._versions.end(old, when, self._at, reason)
                ended.append(old)
            else:
                out.append(marked(self._standing, old, kept.record_id, said))
                named.append(old.record_id)
        if not out:
            return kept, out
        note_replaced(self._standing, kept.record_id, ended, kept.sources[-1].turn_id, self._at)
        outcome: Outcome = "superseding" if ended else kept.reason.outcome
        names = newest_marks(n for n in named if self._standing.get(n) is not None)
        denied = bool(kept.conflicts_with) and not ended  # said so already, and why
        why = kept.reason if denied or kept.reason.gate == "feedback" else because(outcome, "dedupe", CHANGED, score)
        return kept.model_copy(update={"conflicts_with": names, "reason": why}), out

    def put(self, was: MemoryUpdate, now: MemoryUpdate, features: Features | None, when: datetime) -> list[Emit]:
        """The store holds a record as it is `now`, and says so last. A free statement that was only observed and is
        read from now on is judged as a new one is, and by what was said after it."""
        if now.state != "active" or was.state == "active" or slots_of(now) or not now.sources:
            self._standing.put(now, features)
            return [update(now)]
        now, out = self.by(now, when)
        self._standing.put(now, features)
        return [*out, update(now), *self._since(now)]

    def _since(self, u: MemoryUpdate) -> list[Emit]:
        """Marks beside what was said after a statement and changes it."""
        said, turns = last_said(u), {s.turn_id for s in u.sources}
        later: dict[str, MemoryUpdate] = {}

        def takes(name: str) -> bool:
            other = self._standing.get(name)
            if other is None or last_said(other) <= said or name in u.conflicts_with:
                return False
            if not other.sources or not turns.isdisjoint(s.turn_id for s in other.sources):
                return False
            later[name] = other
            return True

        out: list[Emit] = []
        for name in self._standing.near(u.sealed.embedding, takes, NEAREST):
            new = later[name]
            if any(c.old.record_id == u.record_id for c in changes(self._standing, new, new.sources[-1].turn_id)):
                out.append(marked(self._standing, new, u.record_id))
                held = self._standing.get(u.record_id) or u
                out.append(marked(self._standing, held, name, last_said(new)))
        return out


def last_said(u: MemoryUpdate) -> datetime:
    return max((s.occurred_at for s in u.sources), default=u.occurred_at)
