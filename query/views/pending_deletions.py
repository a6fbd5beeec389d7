"""What this service was told to delete: never shown from a copy while Postgres cannot say that it is gone (D11, C9).

A deletion is accepted into the log and takes a moment to reach the views; with Postgres away it takes until that is
back. Answers that Postgres confirms need none of this. A name is kept for an hour: copies are a minute old at most, so
that covers a pipeline that was an hour behind when Postgres went away.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
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
"""Names kept (about 300 bytes each); beyond them every copy is withheld until the hour is over."""
Name = tuple[Any, ...]


class Withheld:
    """Of all tenants. Every method takes the tenant first."""

    def __init__(
        self, seconds: float = SECONDS, most: int = MOST, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds, self._most, self._clock = seconds, most, clock
        self._until: OrderedDict[Name, float] = OrderedDict()
        self._resets: dict[Name, datetime] = {}
        self._everything_until = float("-inf")

    def note(self, event: Envelope) -> None:
        """An event that the brokers have taken; most take nothing away."""
        now = self._clock()
        for name in _names(event):
            self._until.pop(name, None)
            self._until[name] = now + self._seconds
            if isinstance(event, SessionCommand) and event.accepted_at is not None:
                self._resets[name] = event.accepted_at
        while self._until and next(iter(self._until.values())) <= now:
            self._drop_first()
        while len(self._until) > self._most:
            self._everything_until = self._drop_first()

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
        now = self._clock()
        if now < self._everything_until:
            return True
        names = [*names]
        return any(self._until.get(n, now) > now for n in [*names, *{("tenant", n[1]) for n in names}])

    def _drop_first(self) -> float:
        name, until = self._until.popitem(last=False)
        self._resets.pop(name, None)
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
