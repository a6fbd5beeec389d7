"""The days of retention as they are now over what stands (redate, C8): which versions end at another time, and the
amendments that say so. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memstream.reprocess.amend_log import amendment
from processors.memory.retention import class_of, end_of
from processors.pii.stored_texts import record_of
from processors.ports import ProfileBook
from schemas.events.amendments import Amendment
from schemas.events.memory import MemoryUpdate
from schemas.log.codec import Event
from schemas.log.owner import OwnerKind

RULE = "redated"


@dataclass(slots=True)
class Found:
    """What was found. `classes`: class -> versions of records whose end the days of now change."""

    looked_at: int = 0
    classes: Counter[str] = field(default_factory=Counter)

    def as_json(self) -> dict[str, Any]:
        return {"looked_at": self.looked_at, "classes": dict(sorted(self.classes.items()))}


def redated(rows: Iterable[Event], book: ProfileBook, at: datetime, found: Found) -> Iterator[Amendment]:
    """What is to be sent for the newest updates of a partition: of each record the versions in their order. `at`: when
    reading began; an erasure after that refuses what is sent."""
    for versions in _records(rows):
        expected = max(u.revision for u in versions)
        for u in versions:
            if u.op == "delete" or u.state == "archived":
                continue
            found.looked_at += 1
            until = end_of(book.of(u.tenant), u)
            if until == u.expires_at:
                continue
            found.classes[class_of(u)] += 1
            amended = amendment(u, "redate", "memory", u.record_id, expected, record_of(u, {}), at, _rule(until))
            yield amended.model_copy(update={"was": u.expires_at, "until": until})
            expected += 1


def _rule(until: datetime | None) -> str:
    """Tells amendments of one revision apart."""
    return f"{RULE}/{'' if until is None else until.isoformat()}"


def _records(rows: Iterable[Event]) -> Iterator[list[MemoryUpdate]]:
    """The versions of each record of a user."""
    out: dict[tuple[str, str], list[MemoryUpdate]] = defaultdict(list)
    for u in rows:
        if isinstance(u, MemoryUpdate) and u.owner_kind is OwnerKind.USER:
            out[u.owner.key, u.record_id].append(u)
    for name in sorted(out):
        yield sorted(out[name], key=lambda u: u.version)
