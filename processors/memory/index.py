"""Where a record stands among others of its user: its slots, what bounds it, when it leaves; the index over them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from processors.dedupe.window import NearDuplicateWindow
from processors.memory.changes.nearest import NearestStanding
from processors.memory.doubted import Doubted
from processors.memory.values import canonical, wording
from schemas.events.memory import MemoryUpdate

_SAID = frozenset({"fact", "preference", "intent", "episode"})
LEARNED = _SAID | {"relation"}


class Slot(NamedTuple):
    """Where a fact, preference or intent stands: one value, or several beside each other where the field says so."""

    kind: str
    scope: str
    about: str
    field: str


class Rank(NamedTuple):
    """How much a memory is missed, compared in this order."""

    readable: bool
    importance: float
    last_accessed_at: datetime
    record_id: str


class Saying(NamedTuple):
    """What a caller had remembered, without a field: equal where the same is said in the same place."""

    kind: str
    scope: str
    category: str | None
    project_id: str | None
    namespace: tuple[str, ...]
    value: str
    wording: str


@dataclass(slots=True)
class Index:
    """What the rows say, whatever the order in which they came: an index that grew record by record and one that was
    built anew after a restart must decide alike (N2)."""

    holders: dict[Slot, set[str]] = field(default_factory=dict)
    window: NearDuplicateWindow | None = None
    shelf: dict[str, tuple[str, str | None, datetime]] = field(default_factory=dict)
    """Record id in the window -> its kind and project, and when it was said."""
    rejections: dict[str, dict[str, Any]] = field(default_factory=dict)
    tables: dict[str, set[str]] = field(default_factory=dict)
    """Table -> its rows' record ids."""
    sayings: dict[Saying, set[str]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    """Standing records by what bounds them: `memories`, `items`; tails by how they ended."""
    leaving: list[Rank] | None = None
    """A heap of what may leave, once it was asked for; entries that hold no more are passed over."""
    also: dict[str, set[str]] = field(default_factory=dict)
    """Id that a caller was told -> the records that it leads to: one, but for a caller who gave it to several."""
    near: NearestStanding | None = None
    """Embeddings of the memories that are read, of any age."""
    naming: dict[str, set[str]] = field(default_factory=dict)
    """Record id -> the records that are marked with it."""
    doubted: Doubted = field(default_factory=Doubted)
    forgot: datetime | None = None
    """The window holds nothing more that was accepted by then, unless everything was `recalled`."""
    recalled: bool = False


def saying_of(u: MemoryUpdate) -> Saying | None:
    """None for what has a field, and for what a turn said: that goes with its turn and its session."""
    if u.extractor != "command" or u.field is not None or u.fields or u.kind not in _SAID:
        return None
    body = u.sealed
    return Saying(u.kind, u.scope, u.category, u.project_id, u.namespace, canonical(body.value), wording(body.text))


def counted_as(u: MemoryUpdate) -> str | None:
    """What bounds a record: `memories`, `items`, or nothing here."""
    if u.kind in LEARNED:
        return "memories"
    return "items" if u.kind == "item" and u.extractor == "command" else None


def leaves_by(u: MemoryUpdate) -> Rank | None:
    """The order in which memories leave where there is no room: the lowest first. None: it stays."""
    if u.kind not in LEARNED or u.extractor == "command" or u.source == "confirmed":
        return None
    stated = u.source == "explicit" and u.kind not in ("episode", "relation")
    if stated and u.state != "observed":
        return None
    return Rank(u.state != "observed", u.importance, u.last_accessed_at, u.record_id)


def slots_of(update: MemoryUpdate) -> list[Slot]:
    names = [update.field] if update.field is not None else list(update.fields)
    about = str(update.sealed.attributes.get("about", ""))
    return [Slot(update.kind, update.scope, about, n) for n in names]


def values_of(update: MemoryUpdate) -> dict[str, Any]:
    """Field values of a standing record by field name."""
    if update.field is not None:
        return {update.field: update.sealed.value}
    if update.fields and isinstance(update.sealed.value, dict):
        return {n: update.sealed.value.get(n) for n in update.fields}
    return {}


def since(update: MemoryUpdate) -> datetime:
    """From when on the values of a standing record hold: its rest (`fields_left`) has its own time in the log."""
    told = update.sealed.attributes.get("since")
    return datetime.fromisoformat(told) if isinstance(told, str) else update.valid_from or update.occurred_at
