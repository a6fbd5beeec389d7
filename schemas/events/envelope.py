"""The envelope that every topic value shares: schema version, type, tenant, owner; the text in `sealed`."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal

from pydantic import Field

from schemas.base import Frozen, Id, Timestamp
from schemas.log.owner import Owner, OwnerKind


class Envelope(Frozen):
    """Clear part of a value. Subclasses add a literal `type`, ids and times, and a `sealed` part where the
    value holds text. `owner` decides the partition and the data key."""

    SEALED: ClassVar[bool] = False
    """Whether the value has a `sealed` part (set by subclasses, checked by a test)."""
    RECORD: ClassVar[bool] = False
    """Whether sinks keep it as the newest revision of what its `subject` names: an event type of an installed package
    says so, and has the fields `revision` and `accepted_at`. (Of those of this release they know it.)"""
    PLACE: ClassVar[tuple[str, ...]] = ()
    """Fields that name the record, beside type and tenant: its sealed part opens there alone (`schemas.log.places`).
    What was sealed does not open any more where they change."""

    schema_version: Literal[1] = 1
    tenant: Id

    @property
    def owner(self) -> Owner:
        raise NotImplementedError(f"{type(self).__name__} has no owner")

    @property
    def sealed_for(self) -> Owner:
        """Whose data key seals it: the owner's, or the user's whose words a project's event holds (N6)."""
        return self.owner

    @property
    def subject(self) -> str:
        """The record that the event is about (CloudEvents `ce_subject`, and the Kafka key where compacted)."""
        return self.owner.key


class UserEvent(Envelope):
    user_id: Id

    @property
    def owner(self) -> Owner:
        return Owner(self.tenant, OwnerKind.USER, self.user_id)


class ProjectEvent(Envelope):
    project_id: Id

    @property
    def owner(self) -> Owner:
        return Owner(self.tenant, OwnerKind.PROJECT, self.project_id)


class Tick(Frozen):
    """Time passes (DESIGN "Only ticks close things"): written by a timer into every partition of the topics
    whose steps close things. Belongs to no tenant."""

    schema_version: Literal[1] = 1
    type: Literal["tick"] = "tick"
    now: Timestamp


class Marker(Frozen):
    """A batch had no output for this partition: the progress in the headers is the whole message."""

    schema_version: Literal[1] = 1
    type: Literal["marker"] = "marker"


class SourceTurn(Frozen):
    """A citation: it outlives its turn as id, time and hash of the text."""

    turn_id: Id
    session_id: Id | None = None
    occurred_at: Timestamp
    content_hash: str = Field(max_length=64)


def latest(*times: datetime | None) -> datetime | None:
    """The newest of the given times, None when there is none."""
    known = [t for t in times if t is not None]
    return max(known) if known else None
