"""Two memories that do not go together name each other in `conflicts_with` (D3). One that a later statement changed
also knows when, under CHANGED_ON of its attributes: readers put the later one first."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from processors.memory.emit import changed, update
from processors.memory.rules import MAX_SOURCES
from processors.memory.store import Standing
from processors.memory.values import iso
from processors.step import Emit
from schemas.events.memory import CHANGED_ON, MemoryUpdate


def marked(standing: Standing, other: MemoryUpdate, record_id: str, changed_on: datetime | None = None) -> Emit:
    """What stands is told that a record contradicts it, or changed it at a time; of more than MAX_SOURCES such marks
    the newest stay."""
    names = newest_marks((*other.conflicts_with, record_id))
    told = changed(other, conflicts_with=names)
    if changed_on is not None:
        attributes = {**other.sealed.attributes, CHANGED_ON: iso(changed_on)}
        told = told.model_copy(update={"sealed": other.sealed.model_copy(update={"attributes": attributes})})
    standing.put(told, standing.features(other.record_id))
    return update(told)


def newest_marks(names: Iterable[str]) -> tuple[str, ...]:
    """The marks of a record, each once: of more than MAX_SOURCES the newest stay."""
    return tuple(dict.fromkeys(names))[-MAX_SOURCES:]


def dated_as(u: MemoryUpdate, before: MemoryUpdate) -> MemoryUpdate:
    """A record in other words, changed when its words of before were."""
    if CHANGED_ON not in before.sealed.attributes:
        return u
    attributes = {**u.sealed.attributes, CHANGED_ON: before.sealed.attributes[CHANGED_ON]}
    return u.model_copy(update={"sealed": u.sealed.model_copy(update={"attributes": attributes})})


def unmarked(u: MemoryUpdate, gone: str | None = None) -> MemoryUpdate:
    """A record without its mark of one that is gone, or without any."""
    names = () if gone is None else tuple(n for n in u.conflicts_with if n != gone)
    attributes = u.sealed.attributes if names else {k: v for k, v in u.sealed.attributes.items() if k != CHANGED_ON}
    return u.model_copy(
        update={"conflicts_with": names, "sealed": u.sealed.model_copy(update={"attributes": attributes})}
    )


def told_gone(standing: Standing, records: Iterable[str]) -> list[Emit]:
    """What names records of which there are none to be read any more, or which say something else now, names them no
    more."""
    out: list[Emit] = []
    for gone in dict.fromkeys(records):
        for name in standing.naming(gone):
            other = standing.get(name)
            if other is not None and name != gone:
                told = changed(unmarked(other, gone))
                standing.put(told, standing.features(name))
                out.append(update(told))
    return out


def followed(standing: Standing, emits: Iterable[Emit]) -> list[Emit]:
    """The same for records that an event took from those that stand."""
    names = (e.event.record_id for e in emits if isinstance(e.event, MemoryUpdate))
    return told_gone(standing, [n for n in dict.fromkeys(names) if standing.get(n) is None])
