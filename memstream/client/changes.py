"""A change of memory, as subscribers see it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from memstream.client.answers import MemoryRecord
from schemas.events.erasure import Erasure
from schemas.events.memory import MemoryKind, MemoryUpdate

Change: TypeAlias = Literal["new", "changed", "superseded", "observed", "refused", "archived", "deleted"]
"""`new`: the first revision that stands; `changed`: a later one; `observed`: not sure enough to be read; the rest:
it stands no longer."""
_OF_THE_TOPIC = {
    "schema_version", "type", "tenant", "record_id", "owner_kind", "owner_id", "op", "namespace", "priority",
    "sources", "sealed", "interaction_id", "expires_at", "extractor", "profile", "profile_version", "model_id",
}  # fmt: skip
"""What an event has and an answer of the service has not, or under another name."""
Positions: TypeAlias = Mapping[int, int]
"""Partition -> next offset: what `Last-Event-ID` of GET /v1/updates says, too."""


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """One event of memory.updates: a version of a record, whole, at a revision.

    Delivery is at least once and in order per record: keep the highest `revision` of each `key`, and a repetition
    does nothing.
    """

    change: Change
    update: MemoryUpdate
    partition: int
    offset: int
    headers: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def key(self) -> str:
        """record_id/version."""
        return self.update.row_key

    @property
    def memory(self) -> MemoryRecord:
        """The same names and types as an answer of the service has: `id`, `reason` as a dict, `confidence` a number,
        `source_turn_ids`. `update` is the event as it lies on the topic."""
        update = self.update
        own = {
            "id": update.record_id, "text": self.text, "value": self.value, "attributes": update.sealed.attributes,
            "confidence": float(update.confidence), "source_turn_ids": [s.turn_id for s in update.sources],
        }  # fmt: skip
        return MemoryRecord.model_validate(update.model_dump(mode="json", exclude=_OF_THE_TOPIC) | own)

    @property
    def id(self) -> str:
        """As answers of the service name it; `update.record_id` of the topic."""
        return self.update.record_id

    @property
    def revision(self) -> int:
        return self.update.revision

    @property
    def text(self) -> str:
        """The statement; empty after a deletion."""
        return self.update.sealed.text

    @property
    def value(self) -> Any:
        return self.update.sealed.value


def change_of(update: MemoryUpdate) -> Change:
    """What an update means for who keeps a copy."""
    if update.op == "delete" or update.state == "deleted":
        return "deleted"
    match update.state:
        case "superseded" | "observed" | "refused" | "archived":
            return update.state
        case _:
            return "new" if update.revision == 1 else "changed"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Filters: an empty one lets everything pass. `tenants` of a subscriber that the broker trusts with several."""

    kinds: frozenset[MemoryKind] = frozenset()
    changes: frozenset[Change] = frozenset()
    users: frozenset[str] = frozenset()
    projects: frozenset[str] = frozenset()
    tenants: frozenset[str] = frozenset()

    def __contains__(self, found: MemoryChange) -> bool:
        update = found.update
        return (
            _passes(self.tenants, update.tenant)
            and _passes(self.kinds, update.kind)
            and _passes(self.changes, found.change)
            and _passes(self.users, update.user_id)
            and _passes(self.projects, update.project_id)
        )

    def concerns(self, erasure: Erasure) -> bool:
        """Whether an erasure may touch what passes: its kinds and changes do not matter."""
        if not _passes(self.tenants, erasure.tenant):
            return False
        match erasure.scope:
            case "user" | "session":
                return _passes(self.users, erasure.user_id)
            case "project":
                return _passes(self.projects, erasure.project_id)
            case "tenant":
                return True


def _passes(wanted: Collection[str], value: str | None) -> bool:
    return not wanted or value in wanted


def dump_positions(positions: Positions) -> str:
    """`partition:offset` pairs, as event ids of GET /v1/updates have them."""
    return ",".join(f"{p}:{offset}" for p, offset in sorted(positions.items()))


def load_positions(text: str) -> dict[int, int]:
    """The inverse. Raises ValueError."""
    try:
        found = {int(p): int(offset) for p, offset in (part.split(":") for part in text.strip().split(","))}
    except ValueError:
        raise ValueError("expected partition:offset pairs, such as 0:12,1:3") from None
    if any(p < 0 or offset < 0 for p, offset in found.items()):
        raise ValueError("expected partition:offset pairs of numbers from 0")
    return found
