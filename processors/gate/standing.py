"""The gate's state of one user: a row a standing record, and indexes over them that live while cached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple, cast

import numpy as np
import orjson

from processors.dedupe.calibration import Calibration
from processors.dedupe.features import Features, extract_features
from processors.dedupe.window import WINDOW, Entry, NearDuplicateWindow
from processors.step import OwnerState
from schemas import topics
from schemas.base import Json
from schemas.codec import Codec
from schemas.memory import MemoryUpdate

_PLAIN = Codec()
_RECORD = "m/"
_REJECTION = "r/"
_TAIL = "v/"
APPLIED_KEPT = timedelta(days=30)
"""How long the gate remembers that it applied a command or feedback: past every redelivery and client retry."""


class Slot(NamedTuple):
    """Where a fact, preference or intent stands: one value, or several beside each other where the field says so."""

    kind: str
    scope: str
    about: str
    field: str


@dataclass(slots=True)
class Index:
    """`holders`: slot -> record ids in the order in which they were kept."""

    holders: dict[Slot, list[str]] = field(default_factory=dict)
    window: NearDuplicateWindow | None = None
    rejections: list[dict[str, Any]] = field(default_factory=list)


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


class Standing:
    """Rows of one user as records. Every change goes to the row and to the cached index."""

    def __init__(self, state: OwnerState, calibration: Calibration | None, dimensions: int) -> None:
        self._state = state
        self._calibration = calibration
        self._dimensions = dimensions
        self._index: Index = state.derived("gate", self._build)

    def get(self, record_id: str) -> MemoryUpdate | None:
        raw = self._state.get(_RECORD + record_id)
        if not isinstance(raw, dict):
            return None
        return cast(MemoryUpdate, _PLAIN.decode(topics.UPDATES.name, orjson.dumps(raw["u"])))

    def holders(self, slot: Slot) -> list[MemoryUpdate]:
        found = (self.get(r) for r in self._index.holders.get(slot, ()))
        return [u for u in found if u is not None]

    def put(self, update: MemoryUpdate, features: Features | None = None) -> None:
        """Keep the newest version of a record. Superseded and deleted ones leave (the log has them)."""
        self._unindex(update.record_id)
        row: dict[str, Json] = {"u": orjson.loads(_PLAIN.value(update))}
        if features is not None:
            row["f"] = features.to_json()
        self._state.put(_RECORD + update.record_id, row)
        self._add(update, features)

    def remove(self, closed: MemoryUpdate) -> None:
        """A record stands no more. Its version and revision stay, so that the same record can come back."""
        self._unindex(closed.record_id)
        self._state.delete(_RECORD + closed.record_id)
        self._state.put(_TAIL + closed.record_id, [closed.version, closed.revision])

    def next_numbers(self, record_id: str) -> tuple[int, int]:
        """Version and revision of the next version of a record, whether it stands, stood or is new."""
        standing = self.get(record_id)
        if standing is not None:
            return standing.version + 1, standing.revision + 1
        tail = self._state.get(_TAIL + record_id)
        return (int(tail[0]) + 1, int(tail[1]) + 1) if isinstance(tail, list) else (1, 1)

    def features(self, record_id: str) -> Features | None:
        raw = self._state.get(_RECORD + record_id)
        return Features.from_json(str(raw["f"])) if isinstance(raw, dict) and "f" in raw else None

    @property
    def window(self) -> NearDuplicateWindow:
        if self._index.window is None:
            self._index.window = NearDuplicateWindow(self._calibration, self._dimensions)
        return self._index.window

    @property
    def rejections(self) -> list[dict[str, Any]]:
        return self._index.rejections

    def reject(self, key: str, row: dict[str, Any]) -> None:
        self._state.put(_REJECTION + key, row)
        self._index.rejections.append(row)

    def applied(self, what: str, now: datetime) -> bool:
        """True when this command or feedback was applied before; notes it otherwise."""
        if self._state.get(f"a/{what}") is not None:
            return True
        self._state.put(f"a/{what}", 1, now + APPLIED_KEPT)
        return False

    def _build(self) -> Index:
        index = Index()
        self._index = index
        for _, raw in self._state.items(_RECORD):
            row = cast(dict[str, Any], raw)
            update = cast(MemoryUpdate, _PLAIN.decode(topics.UPDATES.name, orjson.dumps(row["u"])))
            self._add(update, Features.from_json(row["f"]) if "f" in row else None)
        index.rejections.extend(cast(dict[str, Any], r) for _, r in self._state.items(_REJECTION))
        return index

    def _add(self, update: MemoryUpdate, features: Features | None) -> None:
        for slot in slots_of(update):
            self._index.holders.setdefault(slot, []).append(update.record_id)
        if features is not None:
            self.window.insert(Entry(update.record_id, update.known_at, features, vector(update.sealed.embedding)))

    def _unindex(self, record_id: str) -> None:
        old = self.get(record_id)
        if old is None:
            return
        for slot in slots_of(old):
            self._index.holders[slot] = [r for r in self._index.holders.get(slot, []) if r != record_id]
        if self._index.window is not None:
            self._index.window.remove(record_id)

    def records(self) -> Iterator[MemoryUpdate]:
        for key, _ in self._state.items(_RECORD):
            update = self.get(key.removeprefix(_RECORD))
            if update is not None:
                yield update


def vector(raw: bytes) -> np.ndarray[Any, np.dtype[np.float16]] | None:
    return np.frombuffer(raw, dtype=np.float16) if raw else None


def text_features(text: str) -> Features:
    return extract_features(text)


__all__ = ["WINDOW", "Index", "Slot", "Standing", "slots_of", "text_features", "values_of", "vector"]
