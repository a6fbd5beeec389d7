"""Candidates from Milvus: BM25 and dense, filtered first, each confirmed in Postgres (D11, D13)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np

from query.milvus import Milvus, MilvusAwayError
from query.repo import candidates
from query.repo.db import Database, Row
from query.retrieval.candidates import PER_RETRIEVER, WordCandidates
from query.retrieval.look import Probe
from query.retrieval.request import Found, Question
from schemas.owner import OwnerKind
from schemas.scope import OwnerScope, TenantScope
from schemas.stores import MilvusLayout

_TURN_FIELDS = ["id", "user_id"]
_MEMORY_FIELDS = ["id", "version"]


class MilvusCandidates:
    """The best of each retriever; words in Postgres where Milvus is away or too slow."""

    def __init__(self, db: Database, milvus: Milvus, timeout: float) -> None:
        self._db, self._milvus, self._timeout = db, milvus, timeout
        self._words = WordCandidates(db)

    async def find(self, probe: Probe, scope: OwnerScope | TenantScope, found: Found) -> list[Row]:
        limit = max(PER_RETRIEVER, probe.question.depth)
        layout = MilvusLayout(probe.serving.generations["milvus"], probe.serving.embedder.dimensions)
        try:
            async with asyncio.timeout(self._timeout):
                turns, memories = await asyncio.gather(
                    self._hits(probe, scope, layout.turns, limit), self._hits(probe, scope, layout.memories, limit)
                )
        except MilvusAwayError:
            found.without("milvus", "circuit open" if self._milvus.circuit.is_open else "unreachable")
            return await self._words.find(probe, scope, found)
        except TimeoutError:
            found.without("milvus", "timeout")
            return await self._words.find(probe, scope, found)
        tenant = scope.tenant if isinstance(scope, OwnerScope) else scope
        turn_keys = list(dict.fromkeys((h["user_id"], h["id"]) for h in turns))
        memory_keys = list(dict.fromkeys((h["id"], h["version"]) for h in memories))
        rows = await candidates.confirmed(self._db, tenant, turn_keys, memory_keys, probe.now)
        mine = [row for row in rows if _belongs(row, scope)]
        found.unconfirmed += len(turn_keys) + len(memory_keys) - len(mine)
        return mine

    async def _hits(
        self, probe: Probe, scope: OwnerScope | TenantScope, collection: str, limit: int
    ) -> list[dict[str, Any]]:
        """Both retrievers of one collection; empty where no asked kind is in it."""
        turns = collection.startswith("memstream_turns")
        kinds = sorted({"turn"} & probe.question.kinds if turns else probe.question.kinds - {"turn"})
        if isinstance(scope, TenantScope):
            kinds = [k for k in kinds if k == "chunk"]
        else:
            kinds = [k for k in kinds if k != "chunk"]
        if not kinds:
            return []
        where = condition(probe, scope, kinds)
        fields = _TURN_FIELDS if turns else _MEMORY_FIELDS
        tasks = []
        if probe.rank.vector is not None:
            vector = np.asarray(probe.rank.vector, dtype=np.float32).tolist()
            tasks.append(self._search(collection, [vector], "dense", "COSINE", where, fields, limit))
        if probe.rank.terms:
            text = " ".join(probe.rank.terms)
            tasks.append(self._search(collection, [text], "sparse", "BM25", where, fields, limit))
        return [hit for hits in await asyncio.gather(*tasks) for hit in hits]

    async def _search(
        self, collection: str, data: list[Any], field: str, metric: str, where: str, fields: list[str], limit: int
    ) -> list[dict[str, Any]]:
        answer = await asyncio.to_thread(
            self._milvus.call,
            "search",
            collection,
            data=data,
            anns_field=field,
            search_params={"metric_type": metric},
            filter=where,
            output_fields=fields,
            limit=limit,
            timeout=self._timeout,
        )
        return [dict(hit["entity"]) for hit in answer[0]]


def _belongs(row: Row, scope: OwnerScope | TenantScope) -> bool:
    """Whether Postgres agrees that the row is the scope's: Milvus may be behind."""
    if isinstance(scope, TenantScope):
        return row.get("owner_kind") == "document"
    owner = scope.owner
    if owner.kind is OwnerKind.TENANT:
        return row.get("owner_kind") != "document" and _reaches(scope.tenant, row)
    if "turn_id" in row:
        return bool(row["user_id" if owner.kind is OwnerKind.USER else "project_id"] == owner.id)
    return bool(row["owner_kind"] == owner.kind and row["owner_id"] == owner.id)


def _reaches(tenant: TenantScope, row: Row) -> bool:
    """Whether the credential reaches a row of the whole tenant. A user or project was asked for by name, and refused
    there: what is theirs is shown whole."""
    if tenant.users is not None and row["user_id"] not in tenant.users:
        return False
    return tenant.projects is None or row["project_id"] in tenant.projects


def condition(probe: Probe, scope: OwnerScope | TenantScope, kinds: Sequence[str]) -> str:
    """The filter: tenant first, then what the scope and the credential reach. Values are quoted, since the embedded
    server has no templates."""
    tenant = scope.tenant if isinstance(scope, OwnerScope) else scope
    parts = [f"tenant == {_quoted(tenant.tenant)}", f"kind in {_quoted(list(kinds))}"]
    if isinstance(scope, TenantScope):
        parts.append('owner_kind == "document"')
        return " and ".join(parts)
    owner = scope.owner
    if owner.kind is OwnerKind.USER:
        parts += ['owner_kind == "user"', f"user_id == {_quoted(owner.id)}"]
    if owner.kind is OwnerKind.PROJECT:
        parts.append(f"project_id == {_quoted(owner.id)}")
        if "turn" not in kinds:
            parts.append('owner_kind == "project"')
    whole = owner.kind is OwnerKind.TENANT
    if whole and tenant.users is not None:
        parts.append(f"user_id in {_quoted(sorted(tenant.users))}")
    if whole and tenant.projects is not None:
        parts.append(f"project_id in {_quoted(sorted(tenant.projects))}")
    return " and ".join([*parts, *_limits(probe.question, kinds, of_user=owner.kind is OwnerKind.USER)])


def _limits(question: Question, kinds: Sequence[str], *, of_user: bool) -> list[str]:
    """What a question limits, as far as Milvus holds it: without it the best of a large scope would all be others
    (D13). Times are in milliseconds there: rather one too many, since the rows are asked again."""
    out = [] if question.session_id is None else [f"session_id == {_quoted(question.session_id)}"]
    if of_user and question.project is not None:
        project = question.project.owner.id
        out.append(f"project_id in {_quoted([project] if 'turn' in kinds else ['', project])}")
    filters = question.filters
    for name in ("role", "scope", "category", "episode_type"):
        wanted = getattr(filters, name)
        values = [wanted] if isinstance(wanted, str) else list(wanted or ())
        # A literal takes no control characters; the rows are asked for those.
        if values and not any(ord(c) < 32 for value in values for c in value):
            out.append(f"{name} in {_quoted(values)}")
    if filters.occurred_from is not None:
        out.append(f"occurred_at >= {_ms(filters.occurred_from)}")
    if filters.occurred_to is not None:
        out.append(f"occurred_at <= {_ms(filters.occurred_to)}")
    if question.as_of is not None and "turn" in kinds:
        out.append(f"occurred_at <= {_ms(question.as_of)}")
    return out


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)


def _quoted(value: str | Sequence[str]) -> str:
    if isinstance(value, str):
        return MilvusLayout.literal(value)
    return f"[{', '.join(MilvusLayout.literal(v) for v in value)}]"
