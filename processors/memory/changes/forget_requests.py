"""What a user asks to have forgotten: it ends what says the same and is kept nowhere itself, for its words are those
that are to go."""

from __future__ import annotations

from datetime import datetime

from processors.memory.changes.judge import changes
from processors.memory.emit import because, decision
from processors.memory.replaced_versions import CHANGED
from processors.memory.store import UserMemoryStore
from processors.memory.versions import Versions
from processors.step import Emit
from schemas.events.memory import Candidate, Extraction, MemoryUpdate

NOTHING = "nothing_to_withdraw"


def taken_back(
    source: Extraction, c: Candidate, as_said: MemoryUpdate, store: UserMemoryStore, versions: Versions, when: datetime
) -> list[Emit] | None:
    """`as_said`: the candidate as a record, which is compared with what stands. None: it is kept beside what it only
    names, or what people corrected or confirmed, and says no more than that."""
    found = changes(store, as_said)
    if not found:
        return [decision(source, c, because("skipped", "dedupe", NOTHING), None)]
    out: list[Emit] = []
    for change in found:
        if change.outcome == "retired":
            reason = because("superseding", "dedupe", CHANGED, change.score)
            out += versions.end(change.old, when, source.accepted_at, reason)
            out.append(decision(source, c, reason, change.old))
    return out or None
