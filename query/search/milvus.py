"""Candidates from Milvus: BM25 and dense, filtered first, each confirmed in Postgres (D11, D13)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np

from query.milvus import Milvus, MilvusAwayError
from query.search import limits
from query.search.candidates import PER_RETRIEVER, WordCandidates
from query.search.index_search import Probe
from query.search.limits import quoted
from query.search.request import Found
from query.views import candidates
from query.views.db import Database, Row
from schemas.log.owner import OwnerKind
from schemas.security.scope import OwnerScope, TenantScope
from schemas.storage.layouts import MilvusLayout

_TURN_FIELDS = ["id", "user_id"]
_MEMORY_FIELDS = ["id", "version"]


class MilvusCandidates:
    """The best of each retriever; words in Postgres where Milvus is away or too slow."""

    def __init__(self, db: Database, milvus: Milvus, timeout: float) -> None:
        self._db, self._milvus, self._timeout = db, milvus, timeout
        self._words = WordCandidates(db)
        self._warm = set[int]()
        """Generations that have answered: what was never read may take longer, once."""

    async def find(self, probe: Probe, scope: OwnerScope | TenantScope, found: Found) -> list[Row]:
        question = probe.question
        deep = limits.is_deep(question.filters)
        limit = max(limits.DEEP if deep else PER_RETRIEVER, question.depth)
        generation = probe.serving.generations["milvus"]
        layout = MilvusLayout(generation, probe.serving.embedder.dimensions)
        try:
            async with asyncio.timeout(min(self._timeout, probe.budget) if generation in self._warm else self._timeout):
                turns, memories = await asyncio.gather(
                    self._hits(probe, scope, layout.turns, limit), self._hits(probe, scope, layout.memories, limit)
                )
        except MilvusAwayError:
            found.without("milvus", "circuit open" if self._milvus.circuit.is_open else "unreachable")
            return await self._words.find(probe, scope, found)
        except TimeoutError:
            found.without("milvus", "timeout")
            return await self._words.find(probe, scope, found)
        self._warm.add(generation)
        tenant = scope.tenant if isinstance(scope, OwnerScope) else scope
        turn_keys = list(dict.fromkeys((h["user_id"], h["id"]) for h in turns))
        memory_keys = list(dict.fromkeys((h["id"], h["version"]) for h in memories))
        postgres_limits = limits.postgres(question) if deep else limits.NOTHING
        rows = await candidates.confirmed(self._db, tenant, turn_keys, memory_keys, postgres_limits, probe.now)
        mine = [row for row in rows if _belongs(row, scope)]
        if not deep:  # else what a filter took is not there either
            found.unconfirmed += len(turn_keys) + len(memory_keys) - len(mine)
        if deep or question.as_of is not None:
            # A rare filter's rows may be beyond the nearest, and Milvus holds none of what was superseded.
            mine += [row for row in await self._words.find(probe, scope, found) if _belongs(row, scope)]
        return mine

    async def _hits(
        self, probe: Probe, scope: OwnerScope | TenantScope, collection: str, limit: int
    ) -> list[dict[str, Any]]:
        """Both retrievers of one collection; empty where no asked kind is in it."""
        turns = collection.startswith("memstream_turns")
        kinds = sorted({"turn"} & probe.question.kinds if turns else probe.question.kinds - {"turn"})
        kinds = limits.possible(kinds, probe.question.filters)
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
    parts = [f"tenant == {quoted(tenant.tenant)}", f"kind in {quoted(list(kinds))}"]
    if isinstance(scope, TenantScope):
        parts.append('owner_kind == "document"')
        return " and ".join([*parts, *limits.milvus(probe.question, kinds, of_user=False)])
    owner = scope.owner
    if owner.kind is OwnerKind.USER:
        parts += ['owner_kind == "user"', f"user_id == {quoted(owner.id)}"]
    if owner.kind is OwnerKind.PROJECT:
        parts.append(f"project_id == {quoted(owner.id)}")
        if "turn" not in kinds:
            parts.append('owner_kind == "project"')
    whole = owner.kind is OwnerKind.TENANT
    if whole and tenant.users is not None:
        parts.append(f"user_id in {quoted(sorted(tenant.users))}")
    if whole and tenant.projects is not None:
        parts.append(f"project_id in {quoted(sorted(tenant.projects))}")
    return " and ".join([*parts, *limits.milvus(probe.question, kinds, of_user=owner.kind is OwnerKind.USER)])
