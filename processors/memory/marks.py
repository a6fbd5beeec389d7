"""Two memories that contradict each other, or one of which changed the other, name each other in `conflicts_with`
(D3). One that a later statement changed also has its date: CHANGED_AT of its attributes for each name, and the latest
of them in CHANGED_ON; readers put the later one first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from processors.memory.emit import changed, update
from processors.memory.rules import MAX_SOURCES
from processors.memory.store import UserMemoryStore
from processors.memory.values import iso
from processors.step import Emit
from schemas.events.memory import CHANGED_AT, CHANGED_ON, MemoryUpdate

Dates = Mapping[str, str]
"""Record id -> when that record changed another one, in ISO 8601."""


def dates_of(store: UserMemoryStore, u: MemoryUpdate) -> Dates:
    """The records that changed one."""
    on, at = u.sealed.attributes.get(CHANGED_ON), u.sealed.attributes.get(CHANGED_AT)
    if on is None:
        return {}
    if not isinstance(at, list) or len(at) != len(u.conflicts_with):
        return dict.fromkeys(_of_one_date(store, u, str(on)), str(on))
    return {name: str(when) for name, when in zip(u.conflicts_with, at, strict=True) if when is not None}


def _of_one_date(store: UserMemoryStore, u: MemoryUpdate, on: str) -> list[str]:
    """Whose date it is where an earlier gate kept one for all marks: that of the record which was said then. Where none
    was, the last of those that were not said before: what a record itself changed has no date on it."""
    held = {name: other.occurred_at for name in u.conflicts_with if (other := store.get(name)) is not None}
    if said_then := [name for name, when in held.items() if iso(when) == on]:
        return said_then
    return [name for name in u.conflicts_with if name not in held or held[name] > u.occurred_at][-1:]


def with_marks(u: MemoryUpdate, names: Iterable[str], dates: Dates) -> MemoryUpdate:
    """A record that names these, each once: of more than MAX_SOURCES the newest. `dates`: of those that changed it."""
    named = tuple(dict.fromkeys(names))[-MAX_SOURCES:]
    at = [dates.get(name) for name in named]
    attributes = {k: v for k, v in u.sealed.attributes.items() if k not in (CHANGED_ON, CHANGED_AT)}
    if found := [when for when in at if when is not None]:
        attributes |= {CHANGED_ON: max(found), CHANGED_AT: at}
    body = u.sealed.model_copy(update={"attributes": attributes})
    return u.model_copy(update={"conflicts_with": named, "sealed": body})


def marked_as(store: UserMemoryStore, u: MemoryUpdate, before: MemoryUpdate) -> MemoryUpdate:
    """A record in other words, with the marks of its earlier words."""
    return with_marks(u, before.conflicts_with, dates_of(store, before))


def unmarked(u: MemoryUpdate) -> MemoryUpdate:
    return with_marks(u, (), {})


def marked(store: UserMemoryStore, other: MemoryUpdate, record_id: str, changed_on: datetime | None = None) -> Emit:
    """An active record is marked with one that contradicts it, or changed it at a time."""
    other = store.get(other.record_id) or other
    dates = dates_of(store, other)
    if changed_on is not None:
        dates = {**dates, record_id: iso(changed_on)}
    return _written(store, other, (*other.conflicts_with, record_id), dates)


def mark_change(store: UserMemoryStore, old: MemoryUpdate, new: MemoryUpdate, stated_at: datetime) -> list[Emit]:
    """Of two active records the newer, said then, changed the older."""
    return [marked(store, old, new.record_id, stated_at), marked(store, new, old.record_id)]


def holds_again(store: UserMemoryStore, u: MemoryUpdate, stated_at: datetime) -> tuple[MemoryUpdate, list[Emit]]:
    """A record that is said again: what had changed it before that time is now changed by it. The record is not put."""
    dates = dates_of(store, u)
    outlived = [name for name, when in dates.items() if when < iso(stated_at)]
    if not outlived:
        return u, []
    out = [marked(store, other, u.record_id, stated_at) for n in outlived if (other := store.get(n)) is not None]
    return with_marks(u, u.conflicts_with, _without(dates, *outlived)), out


def remove_mark(store: UserMemoryStore, u: MemoryUpdate, stated_at: datetime) -> list[Emit]:
    """A record, which is put already, has lost the citation of a turn of that time. Of two between which that turn had
    decided, the one that is said last now changed the other, on the day of its first citation after those of the
    other."""
    out: list[Emit] = []
    for other in (o for name in u.conflicts_with if (o := store.get(name)) is not None):
        dates = dates_of(store, other)
        if dates.get(u.record_id) != iso(stated_at):
            continue
        if (since := _first_since(u, other)) is not None:
            out.append(_written(store, other, other.conflicts_with, {**dates, u.record_id: iso(since)}))
            continue
        out.append(_written(store, other, other.conflicts_with, _without(dates, u.record_id)))
        since = _first_since(other, u)
        if since is not None and other.state == "active":
            out.append(marked(store, u, other.record_id, since))
    return out


def _first_since(later: MemoryUpdate, earlier: MemoryUpdate) -> datetime | None:
    """When one was said first after the last citation of another."""
    last = max((s.occurred_at for s in earlier.sources), default=earlier.occurred_at)
    return min((s.occurred_at for s in later.sources if s.occurred_at > last), default=None)


def joined(store: UserMemoryStore, u: MemoryUpdate) -> list[Emit]:
    """A record that becomes active with its marks: the records that it names name it too. `followed` removes the names
    of records that are not active."""
    others = (store.get(name) for name in u.conflicts_with if name not in store.naming(u.record_id))
    return [marked(store, other, u.record_id) for other in others if other is not None]


def remove_marks_of(store: UserMemoryStore, records: Iterable[str]) -> list[Emit]:
    """Other records lose the names of these, which are deleted or say something else now."""
    return [
        _parted(store, other, removed_id)
        for removed_id in dict.fromkeys(records)
        for name in store.naming(removed_id)
        if name != removed_id and (other := store.get(name)) is not None
    ]


def followed(store: UserMemoryStore, emits: Iterable[Emit]) -> list[Emit]:
    """What follows for the marks of others from records that an event changed: two name each other or neither does, and
    what is only observed changes nothing."""
    out: list[Emit] = []
    for name in dict.fromkeys(e.event.record_id for e in emits if isinstance(e.event, MemoryUpdate)):
        u = store.get(name)
        if u is None:
            out += remove_marks_of(store, [name])
            continue
        naming = store.naming(name)
        if lost := [n for n in u.conflicts_with if n not in naming]:
            left = [n for n in u.conflicts_with if n in naming]
            out.append(_written(store, u, left, _without(dates_of(store, u), *lost)))
        for other in (o for n in naming if (o := store.get(n)) is not None):
            if other.record_id not in u.conflicts_with:
                out.append(_parted(store, other, name))
            elif u.state == "observed" and name in dates_of(store, other):
                out.append(_written(store, other, other.conflicts_with, _without(dates_of(store, other), name)))
    return out


def _parted(store: UserMemoryStore, u: MemoryUpdate, removed_id: str) -> Emit:
    return _written(
        store, u, (n for n in u.conflicts_with if n != removed_id), _without(dates_of(store, u), removed_id)
    )


def _without(dates: Dates, *names: str) -> Dates:
    return {name: when for name, when in dates.items() if name not in names}


def _written(store: UserMemoryStore, u: MemoryUpdate, names: Iterable[str], dates: Dates) -> Emit:
    changed_record = changed(with_marks(u, names, dates))
    store.put(changed_record, store.features(u.record_id))
    return update(changed_record)
