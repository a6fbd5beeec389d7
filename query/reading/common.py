"""What the reading endpoints share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import Depends, Path, Query, Request

from query.access import AccessLog, operation_of
from query.circuit import Circuits
from query.config import QueryConfig
from query.deps import Deps
from query.metrics import Metrics
from query.pipeline.everything_read import EverythingRead
from query.search import documents
from query.views.db import Database, Row
from query.views.pending_deletions import Withheld
from schemas.base import Id, Timestamp
from schemas.log.owner import Owner, OwnerKind, tenant_owner
from schemas.security.scope import OwnerScope, TenantScope

PathId = Annotated[Id, Path()]
UserId = Annotated[Id, Query()]
AsOf = Annotated[Timestamp | None, Query()]

USER_KINDS = ("fact", "preference", "intent", "episode", "relation")
"""Memories of a user that are listed and searched (the rest is read by its own endpoint)."""
PROJECT_KINDS = ("hot", "report")
"""What a project keeps."""


class Context:
    """Config, clients and repositories of a request."""

    def __init__(self, request: Request) -> None:
        state = request.app.state
        self.config: QueryConfig = state.config
        self.deps: Deps = state.deps
        self.db: Database = state.db
        self.metrics: Metrics = state.metrics
        self.circuits: Circuits = state.circuits
        self.withheld: Withheld = state.withheld
        self.everything_read: EverythingRead = state.everything_read
        self._accesses: AccessLog = state.accesses
        self._operation = operation_of(request)
        self._accesses.admit()

    def saw(
        self, scope: OwnerScope | TenantScope, record_ids: Iterable[str] = (), context_id: str | None = None
    ) -> None:
        """Record that this call showed memory of the scope (C10): `record_ids` are the memories shown, not turns."""
        tenant = scope.tenant if isinstance(scope, OwnerScope) else scope
        owner = scope.owner if isinstance(scope, OwnerScope) else tenant_owner(scope.tenant)
        self._accesses.note(tenant, owner, "read", self._operation, tuple(record_ids), context_id)

    def found(self, requested: OwnerScope | TenantScope, rows: Iterable[Row]) -> None:
        """Record that a search showed these rows (C10): one record of who was asked about, one of each other owner
        whose turns or memories are among them, so that each finds the read under their own name. Documents are
        nobody's: their ids stand with the asked."""
        scope, owner = (
            (requested.tenant, requested.owner)
            if isinstance(requested, OwnerScope)
            else (requested, tenant_owner(requested.tenant))
        )
        shown: dict[Owner, list[str]] = {owner: []}
        for row in rows:
            record_owner = documents.owner_of(row, scope.tenant)
            ids = shown.setdefault(owner if record_owner.kind is OwnerKind.DOCUMENT else record_owner, [])
            if not documents.is_turn(row):
                ids.append(row["record_id"])
        for record_owner, ids in shown.items():
            self.saw(OwnerScope(scope, record_owner), ids)

    def gave(
        self, user: OwnerScope, record_ids: Iterable[str], context_id: str | None, interaction_id: str | None
    ) -> None:
        """Tell the gate which of the user's memories this answer was given, so that feedback and turns that name only
        the context or the interaction reach them (D4, D7, D16)."""
        self._accesses.give(user.owner, tuple(record_ids), context_id, interaction_id)


async def _context(request: Request) -> Context:
    return Context(request)


Ctx = Annotated[Context, Depends(_context)]


def memory(row: Row) -> dict[str, Any]:
    """A record as the API shows it: with its reason and the turns that it came from (N5)."""
    return {
        "id": row["record_id"],
        "kind": row["kind"],
        "state": row["state"],
        "text": row["text"],
        "field": row["field"],
        "fields": row["fields"],
        "value": row["value"],
        "scope": row["scope"],
        "category": row["category"],
        "episode_type": row["episode_type"],
        "key": row["key"],
        "importance": round(float(row["importance"]), 4),
        "confidence": float(row["confidence"]),
        "source": row["source"],
        "negated": row["negated"],
        "approximate": row["approximate"],
        "user_id": row["user_id"],
        "project_id": row["project_id"],
        "session_id": row["session_id"],
        "language": row["language"],
        "version": row["version"],
        "revision": row["revision"],
        "occurred_at": row["occurred_at"],
        "valid_from": row["valid_from"],
        "valid_to": row["valid_to"],
        "known_at": row["known_at"],
        "last_accessed_at": row["last_accessed_at"],
        "reason": row["reason"],
        "source_turn_ids": source_turn_ids(row),
        "conflicts_with": row["conflicts_with"],
        "also": row.get("also") or [],
        "attributes": row["attributes"],
    }


def source_turn_ids(row: Row) -> list[str]:
    return [s["turn_id"] for s in row["sources"]]
