"""What this service was told to delete: never shown from a copy while Postgres cannot say that it is gone (D11, C9).

A deletion is accepted into the log and takes a moment to reach the views; with Postgres away it takes until that is
back. Answers that Postgres confirms need none of this. A name is kept for an hour: copies are a minute old at most, so
that covers a pipeline that was an hour behind when Postgres went away.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from query.views.db import Row
from schemas.events.documents import EVERY_VERSION, Document, ProjectCommand
from schemas.events.envelope import Envelope
from schemas.events.erasure import Erasure
from schemas.events.memory import Feedback, MemoryCommand
from schemas.events.turns import SessionCommand
from schemas.log.owner import OwnerKind

SECONDS = 3_600.0
MOST = 50_000
"""Names kept (about 300 bytes each); beyond them every copy of the tenant that has the most is withheld until the hour
is over."""
Name = tuple[Any, ...]
"""What it names, and the tenant."""


class PendingDeletions:
    """Of all tenants. Every method takes the tenant first."""

    def __init__(
        self, seconds: float = SECONDS, most: int = MOST, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds, self._most, self._clock = seconds, most, clock
        self._until: dict[str, OrderedDict[Name, float]] = {}
        """Tenant -> name -> until when."""
        self._count = 0
        self._resets: dict[Name, datetime] = {}
        self._everything_until: dict[str, float] = {}

    def note(self, event: Envelope) -> None:
        """An event that the brokers have taken; most take nothing away."""
        now = self._clock()
        for name in _names(event):
            names = self._until.setdefault(name[1], OrderedDict())
            self._count += names.pop(name, None) is None
            names[name] = now + self._seconds
            if isinstance(event, SessionCommand) and event.accepted_at is not None:
                self._resets[name] = event.accepted_at
        self._expire(event.tenant, now)
        if self._count > self._most:
            self._make_room(now)

    def _make_room(self, now: float) -> None:
        """Whoever fills it pays for it: the others' names stay."""
        for tenant in list(self._until):
            self._expire(tenant, now)
        self._everything_until = {t: until for t, until in self._everything_until.items() if until > now}
        while self._count > self._most:
            tenant = max(self._until, key=lambda t: len(self._until[t]))
            self._everything_until[tenant] = self._drop_first(tenant)

    def _expire(self, tenant: str, now: float) -> None:
        while (names := self._until.get(tenant)) and next(iter(names.values())) <= now:
            self._drop_first(tenant)

    @property
    def size(self) -> int:
        """Names that are kept, of all tenants."""
        return self._count

    def row(self, tenant: str, row: Row) -> bool:
        """Whether a turn or a memory of a copy is to be kept back."""
        if "turn_id" in row:
            return self._any(_of_user(tenant, row["user_id"], row["session_id"]))
        kind, owner = row["owner_kind"], row["owner_id"]
        names: list[Name] = [("record", tenant, row["record_id"]), ("owner", tenant, str(kind), owner)]
        if kind == OwnerKind.PROJECT:
            names.append(("somebody", tenant))  # whose words are in it is not known here
        if kind == OwnerKind.DOCUMENT:
            names.append(("version", tenant, owner, row["key"]))
        if row["namespace"]:
            names.append(("item", tenant, tuple(row["namespace"]), row["key"]))
        sessions = {row["session_id"], *(s["session_id"] for s in row["sources"])}
        return self._any([*names, *(n for s in sessions for n in _of_user(tenant, row["user_id"] or owner, s))])

    def project(self, tenant: str, project_id: str) -> bool:
        """Whether a project's hot memory is to be kept back."""
        return self._any([("owner", tenant, "project", project_id), ("hot", tenant, project_id), ("somebody", tenant)])

    def session(self, tenant: str, user_id: str, session_id: str, updated_at: float) -> bool:
        """Whether a session as it was at a time (seconds since 1970) is to be kept back."""
        reset = self._resets.get(("reset", tenant, user_id, session_id))
        if reset is not None and updated_at <= reset.timestamp():
            return True
        return self._any(_of_user(tenant, user_id, session_id))

    def _any(self, names: Iterable[Name]) -> bool:
        """They are of one tenant."""
        now = self._clock()
        names = [*names]
        tenant = names[0][1]
        if now < self._everything_until.get(tenant, now):
            return True
        known: Mapping[Name, float] = self._until.get(tenant, {})
        return any(known.get(n, now) > now for n in [*names, ("tenant", tenant)])

    def _drop_first(self, tenant: str) -> float:
        names = self._until[tenant]
        name, until = names.popitem(last=False)
        self._count -= 1
        self._resets.pop(name, None)
        if not names:
            del self._until[tenant]
        return until


def _of_user(tenant: str, user_id: str, session_id: str | None) -> list[Name]:
    return [("owner", tenant, "user", user_id), ("session", tenant, user_id, session_id)]


def _names(event: Envelope) -> list[Name]:
    tenant = event.tenant
    match event:
        case Erasure(scope="tenant"):
            return [("tenant", tenant)]
        case Erasure(scope="session"):
            return [("session", tenant, event.user_id, event.session_id), ("somebody", tenant)]
        case Erasure():
            return [("owner", tenant, event.owner.kind.value, event.owner.id), ("somebody", tenant)]
        case MemoryCommand(command="forget" | "correct"):
            return [("record", tenant, event.memory_id)]
        case MemoryCommand(command="delete_item"):
            return [("item", tenant, event.namespace, event.key)]
        case Feedback() if event.sealed.correction is not None:
            return [("record", tenant, memory_id) for memory_id in event.memory_ids]
        case ProjectCommand(command="delete_hot"):
            return [("hot", tenant, event.project_id)]
        case Document(op="delete", version=version) if version == EVERY_VERSION:
            return [("owner", tenant, "document", event.document_id)]
        case Document(op="delete"):
            return [("version", tenant, event.document_id, event.version)]
        case SessionCommand(command="create" | "reset"):
            return [("reset", tenant, event.user_id, event.session_id)]
    return []
