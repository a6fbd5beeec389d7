"""What a caller has remembered again is the record that stands: said once (D3). Why so: docs/http.md."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from processors.dedupe.window import WINDOW
from processors.memory.emit import Changes, because, changed
from processors.memory.index import saying_of, values_of
from processors.memory.rules import DUPLICATE_IMPORTANCE, EXPLICIT, MAX_SOURCES, bounded
from processors.memory.store import UserMemoryStore
from processors.memory.values import same, wording
from processors.memory.versions import VERSIONED
from schemas.events.memory import MemoryUpdate


def twin(store: UserMemoryStore, new: MemoryUpdate, named_time: datetime | None) -> MemoryUpdate | None:
    """The standing record that says what `new` would. Facts, preferences and intents stand without a time limit;
    an episode is the same for 7 days, and not where the caller names another day for it (`named_time`)."""
    for old in store.remembered_as(saying_of(new)):
        if new.kind in VERSIONED:
            return old
        other_day = named_time is not None and named_time.date() != old.occurred_at.date()
        if not other_day and old.known_at > new.known_at - WINDOW:
            return old
    return None


def field_twin(holders: Sequence[MemoryUpdate], new: MemoryUpdate) -> MemoryUpdate | None:
    """The holder of a field that has its value already. Where a caller gives no value, the text is the value."""
    value, text = new.sealed.value, wording(new.sealed.text)
    for old in holders:
        held = values_of(old).get(new.field or "")
        again = same(held, value) if value is not None else held is None and wording(old.sealed.text) == text
        if again:
            return old
    return None


def renewed(old: MemoryUpdate, new: MemoryUpdate) -> MemoryUpdate:
    """As what a turn says again: renewed, and more important. The id that the caller was told leads to it; of more
    than MAX_SOURCES such ids the newest do."""
    ids = [i for i in old.also if i != new.record_id] + [new.record_id] * (new.record_id != old.record_id)
    more: Changes = {}
    if old.version == 1 and old.valid_from and new.valid_from:
        more["valid_from"] = min(old.valid_from, new.valid_from)
    if old.state == "observed":
        more |= {"state": "active", "reason": because("kept", "command", "remembered")}
    if old.source == "inferred":
        more["source"] = "confirmed"
    if new.field is not None and not old.fields:  # the same value, in the spelling and the words of now
        changes: Changes = {"value": new.sealed.value}
        if new.sealed.text:
            changes |= {"text": new.sealed.text, "terms": new.sealed.terms, "embedding": new.sealed.embedding}
            more["model_id"] = new.model_id
        more |= {"approximate": False, "sealed": old.sealed.model_copy(update=changes)}
    return changed(
        old, also=tuple(ids[-MAX_SOURCES:]), confidence=EXPLICIT,
        importance=bounded(old.importance + DUPLICATE_IMPORTANCE),
        last_accessed_at=max(old.last_accessed_at, new.known_at), **more,
    )  # fmt: skip
