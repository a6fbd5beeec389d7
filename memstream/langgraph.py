"""memstream as LangGraph's long-term store (C1): `store = MemstreamStore(client)`, for graphs of both kinds.

Needs the extra `langgraph`. Items live in the log like every memory: screened, searchable in English and Chinese,
erased with their user. A namespace's second part (or its only one) names the user: `("memories", "ana")`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)

from memstream.client import HttpOptions, Memstream, calls

_OPERATIONS = 500
_PAGE = {"search": 200, "namespaces": 1_000}
"""What one call of the service takes and returns at most; larger ones are cut into several."""


class MemstreamStore(BaseStore):
    """LangGraph's BaseStore over an open `Memstream`.

    A put is seen by the next get, search and list of the same client: each read carries the newest freshness token.
    In one batch reads see what stood before its writes. Times to live are renewed by reading unless told otherwise.
    `search` with a query needs no embedding model on this side; `index` chooses the fields that are searched.
    Raises memstream.client.MemstreamError, and langgraph's InvalidNamespaceError before anything of a batch is sent.
    """

    supports_ttl = True

    def __init__(self, client: Memstream, *, ttl: TTLConfig | None = None) -> None:
        """`ttl`: LangGraph's defaults (`default_ttl` in minutes, `refresh_on_read`); expired items are never shown."""
        self._client = client
        self.ttl_config = ttl

    @classmethod
    @contextmanager
    def connected(
        cls, url: str = "http://127.0.0.1:8900", key: str = "", *, ttl: TTLConfig | None = None,
        options: HttpOptions | None = None,
    ) -> Iterator[MemstreamStore]:  # fmt: skip
        """A store with a client of its own."""
        with Memstream(url, key, options=options) as client:
            yield MemstreamStore(client, ttl=ttl)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """One call of the service for up to 500 operations."""
        plan = _Plan(ops)
        return plan.results([self._client.call(calls.store(part)) for part in plan.parts()])

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same, on any event loop."""
        plan = _Plan(ops)
        return plan.results([await self._client.acall(calls.store(part)) for part in plan.parts()])


class _Plan:
    """Operations as the service takes them, and the way back."""

    def __init__(self, ops: Iterable[Op]) -> None:
        self._ops = list(ops)
        self._wire: list[dict[str, Any]] = []
        self._spans: list[tuple[int, int]] = []
        for op in self._ops:
            # What comes to `batch` itself has not been through the checks of `put`, `get` and `search`.
            validate_op_namespace(op)
            made = list(_wire(op))
            self._spans.append((len(self._wire), len(self._wire) + len(made)))
            self._wire += made

    def parts(self) -> Iterator[Sequence[Mapping[str, Any]]]:
        for start in range(0, len(self._wire), _OPERATIONS):
            yield self._wire[start : start + _OPERATIONS]

    def results(self, answers: Iterable[Any]) -> list[Result]:
        found = [result for answer in answers for result in answer.results]
        return [_result(op, found[a:b]) for op, (a, b) in zip(self._ops, self._spans, strict=True)]


def _wire(op: Op) -> Iterator[dict[str, Any]]:
    """Raises ValueError for an operation that a store cannot do."""
    match op:
        case GetOp():
            yield {"op": "get", "namespace": op.namespace, "key": op.key, "refresh_ttl": op.refresh_ttl}
        case PutOp(value=None):
            yield {"op": "delete", "namespace": op.namespace, "key": op.key}
        case PutOp():
            put = {"op": "put", "namespace": op.namespace, "key": op.key, "value": op.value, "index": op.index}
            yield put if op.ttl is None else {**put, "ttl_minutes": op.ttl}
        case SearchOp():
            request: dict[str, Any] = {
                "op": "search", "namespace_prefix": op.namespace_prefix, "query": op.query, "filter": op.filter,
                "refresh_ttl": op.refresh_ttl,
            }  # fmt: skip
            yield from _pages(request, op.limit, op.offset)
        case ListNamespacesOp():
            request = {"op": "namespaces", "max_depth": op.max_depth, **_conditions(op)}
            yield from _pages(request, op.limit, op.offset)
        case _:
            raise ValueError(f"no such store operation: {type(op).__name__}")


def _pages(request: dict[str, Any], limit: int, offset: int) -> Iterator[dict[str, Any]]:
    size = _PAGE[request["op"]]
    for start in range(0, max(limit, 0), size):
        yield {**request, "limit": min(size, limit - start), "offset": offset + start}


def _conditions(op: ListNamespacesOp) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for condition in op.match_conditions or ():
        if condition.match_type in out:
            raise ValueError(f"namespaces are listed by one {condition.match_type} at most")
        out[condition.match_type] = tuple(condition.path)  # LangGraph reads a bare text as its letters, too
    return out


def _result(op: Op, found: Sequence[Mapping[str, Any] | None]) -> Result:
    match op:
        case GetOp():
            shown = found[0] or {}
            return None if shown.get("item") is None else Item(**_fields(shown["item"]))
        case SearchOp():
            shown_items = [i for part in found if part is not None for i in part["items"]]
            return [SearchItem(**_fields(i), score=i["score"]) for i in shown_items]
        case ListNamespacesOp():
            return [tuple(n) for part in found if part is not None for n in part["namespaces"]]
        case _:
            return None


def _fields(item: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "namespace": tuple(item["namespace"]),
        "key": item["key"],
        "value": item["value"],
        "created_at": datetime.fromisoformat(item["created_at"]),
        "updated_at": datetime.fromisoformat(item["updated_at"]),
    }
