"""A question to the memories, and what limits its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias

from pydantic import Field

from query.errors import ProblemError, done_without
from query.search.ranked_cursor import LONGEST, Walk
from query.search.ranking.types import Floats, Mode
from query.views.db import Row
from schemas.base import CleanText, Content, Frozen, Id, Timestamp
from schemas.security.scope import OwnerScope, TenantScope

Kind = Literal["turn", "fact", "preference", "intent", "episode", "report", "chunk", "item", "pattern"]
KINDS: tuple[Kind, ...] = (
    "turn", "fact", "preference", "intent", "episode", "report", "chunk", "item", "pattern",
)  # fmt: skip
Texts: TypeAlias = CleanText | tuple[CleanText, ...]


class Filters(Frozen):
    """Metadata that a hit must have; one value or any of several. A hit without the field does not match."""

    role: Texts | None = None
    speaker: Texts | None = None
    intent: Texts | None = None
    language: Texts | None = None
    field: Texts | None = None
    category: Texts | None = None
    scope: Texts | None = None
    episode_type: Texts | None = None
    source: Texts | None = None
    document_id: Texts | None = None
    namespace: tuple[Id, ...] | None = None
    """Prefix of a store item's namespace."""
    occurred_from: Timestamp | None = None
    occurred_to: Timestamp | None = None
    metadata: dict[Id, Texts | int | float | bool] | None = Field(default=None, max_length=16)
    """What a turn's metadata must hold, by its key; nothing but turns has any."""

    def matches(self, row: Row) -> bool:
        for name in _PLAIN:
            wanted = getattr(self, name)
            if wanted is not None and row.get(name) not in ((wanted,) if isinstance(wanted, str) else wanted):
                return False
        if self.document_id is not None:
            wanted = (self.document_id,) if isinstance(self.document_id, str) else self.document_id
            if row.get("owner_kind") != "document" or row.get("owner_id") not in wanted:
                return False
        if self.namespace is not None and tuple(row.get("namespace") or ())[: len(self.namespace)] != self.namespace:
            return False
        if self.metadata is not None and not _holds(row.get("metadata") or {}, self.metadata):
            return False
        if self.occurred_from is not None and row["occurred_at"] < self.occurred_from:
            return False
        return self.occurred_to is None or bool(row["occurred_at"] < self.occurred_to)


_PLAIN = ("role", "speaker", "intent", "language", "field", "category", "scope", "episode_type", "source")


def _holds(had: dict[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(k in had and had[k] in (v if isinstance(v, tuple) else (v,)) for k, v in wanted.items())


class SearchIn(Frozen):
    """Body of POST /v1/search."""

    query: Content
    user_id: Id | None = None
    project_id: Id | None = None
    session_id: Id | None = None
    kinds: tuple[Kind, ...] | None = Field(default=None, min_length=1)
    limit: int = Field(default=10, ge=1, le=200)
    cursor: CleanText | None = Field(default=None, max_length=LONGEST)
    """As the page before returned it: the next best hits of the same question, 1,000 in all."""
    filters: Filters = Filters()
    as_of: Timestamp | None = None
    interaction_id: Id | None = None
    """The answer that the search is for: feedback on it reaches the memories found (D16)."""
    min_relevance: float = Field(default=0.0, ge=0, le=1)
    """Hits whose `relevance` is lower are left out, so that a question that nothing answers finds nothing."""
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A search whose scopes the credential was found to reach. `tenant`: it may look beyond one user."""

    text: str
    kinds: frozenset[str]
    limit: int
    tenant: TenantScope
    user: OwnerScope | None = None
    project: OwnerScope | None = None
    session_id: str | None = None
    filters: Filters = field(default_factory=Filters)
    as_of: datetime | None = None
    min_relevance: float = 0.0
    mode: Mode = "adaptive"
    said_before: tuple[Floats, ...] = ()
    """Vectors of what was said just before in the caller's session, oldest first; chat leans on them."""
    since: float = float("inf")
    """A look at the views that began then or later (monotonic seconds) will do, so that the questions of one request
    share one; without a number each takes its own."""
    walk: Walk | None = None
    """What the pages before have shown; None where nobody pages."""

    @property
    def depth(self) -> int:
        """Hits to look for: what was shown, a page, and one more to know whether there is another."""
        return self.limit if self.walk is None else len(self.walk.shown) + self.limit + 1

    def wants(self, row: Row) -> bool:
        """Kind, session, project and filters; what the scope of the row already guarantees is not asked again."""
        kind = "turn" if "turn_id" in row else row["kind"]
        if kind not in self.kinds:
            return False
        if self.session_id is not None and row["session_id"] != self.session_id:
            return False
        if self.user is not None and self.project is not None and not self._both(row, kind):
            return False
        if self.as_of is not None and not _held(row, kind, self.as_of):
            return False
        # Asked of every document of a scope: a search without filters should not pay for them.
        return not self.filters.model_fields_set or self.filters.matches(row)

    def _both(self, row: Row, kind: str) -> bool:
        """With a user and a project: the user's turns and episodes of the project, and what the user is beyond it."""
        assert self.user is not None  # noqa: S101
        assert self.project is not None  # noqa: S101
        if kind == "turn":
            return bool(row["user_id"] == self.user.owner.id and row["project_id"] == self.project.owner.id)
        return row["project_id"] in (None, self.project.owner.id)


def _held(row: Row, kind: str, at: datetime) -> bool:
    """Whether a turn had been said by then, or a memory was true (N8): also one that was told later. What happened
    stays so when it is over."""
    if kind == "turn":
        return bool(row["occurred_at"] <= at)
    since = row.get("valid_from") or row["occurred_at"]
    until = None if kind == "episode" else row.get("valid_to")
    return bool(since <= at and (until is None or until > at))


@dataclass(slots=True)
class Found:
    """Hits, best first, and which stores the answer had to do without. `unconfirmed`: what Milvus named and Postgres
    does not have, or not as the asker's: dropped."""

    hits: list[tuple[Row, float, dict[str, Any] | None]] = field(default_factory=list)
    degraded: list[dict[str, str]] = field(default_factory=list)
    unconfirmed: int = 0
    hypothesis: str | None = None
    """What a model thought an answer might say (D12): searched with, never shown as a memory."""
    more: bool = False
    """Whether there are hits beyond these, where the question is walked."""

    def lost(self, problem: ProblemError) -> None:
        """A store did not answer."""
        self.without(**done_without(problem))

    def without(self, store: str, reason: str) -> None:
        entry = {"store": store, "reason": reason}
        if entry not in self.degraded:
            self.degraded.append(entry)
