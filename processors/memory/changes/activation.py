"""Records that become active after they were known before: only observed so far, or active again. They are judged then
as a new statement is when it is said, and against what was said since, too."""

from __future__ import annotations

from datetime import datetime

from processors.memory.changes.judge import Change, changes, changes_by_later, changes_others
from processors.memory.emit import because
from processors.memory.marks import dates_of, mark_change
from processors.memory.replaced_versions import CHANGED
from processors.memory.store import UserMemoryStore
from processors.memory.versions import Versions
from processors.step import Emit


def judged(store: UserMemoryStore, versions: Versions, at: datetime) -> list[Emit]:
    """What follows from the records that an event, accepted at a time, has made active."""
    raised, out = list(dict.fromkeys(store.raised)), list[Emit]()
    store.raised.clear()
    for name in raised:
        u = store.get(name)
        if u is None:
            continue
        for change in changes(store, u) if changes_others(u) else ():
            out += _applied(store, versions, change, at)
        u = store.get(name)
        # What a caller states outright now is later than all that was said.
        for change in changes_by_later(store, u) if u is not None and u.reason.gate != "command" else ():
            out += _applied(store, versions, change, at)
    return out


def _applied(store: UserMemoryStore, versions: Versions, change: Change, at: datetime) -> list[Emit]:
    old, new = store.get(change.old.record_id), store.get(change.new.record_id)
    if old is None or new is None:
        return []  # ended by another change
    if new.record_id in dates_of(store, old) or old.record_id in dates_of(store, new):
        return []  # marked already, or said again since
    if change.outcome == "retired":
        reason = because("superseding", "dedupe", CHANGED, change.score)
        out = versions.end(old, change.stated_at, at, reason)
        store.replaced.note(new.record_id, [old], at)
        return out
    return mark_change(store, old, new, change.stated_at)
