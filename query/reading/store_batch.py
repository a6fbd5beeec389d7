"""POST /v1/store/batch (C1): many store operations in one call, as LangGraph's stores take them.

Reads see what stood before the batch; its writes go to the log together, in order, the last put of a key winning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal
from uuid import uuid4

from fastapi import APIRouter, Body, Request, Response
from pydantic import Field

from query import models
from query.auth.boundary import Scope, demand
from query.body import Route
from query.freshness import Freshness
from query.limits import TenantLimits
from query.namespaces import owner_of
from query.reading import store
from query.reading.common import Context, Ctx
from query.writing.publish import Entry, Publisher, publisher_of
from query.writing.tables import check_item
from schemas.base import Frozen
from schemas.events.memory import MemoryCommand, MemoryCommandBody
from schemas.log import topics
from schemas.security.scope import Permission, TenantScope

router = APIRouter(route_class=Route, tags=["reading"])
MOST = 500


class GetOp(models.ItemKey):
    op: Literal["get"]
    refresh_ttl: bool = False
    """Reading renews the item's time to live, where it has one."""


class SearchOp(store.StoreSearchIn):
    op: Literal["search"]
    refresh_ttl: bool = False


class NamespacesOp(store.NamespacesIn):
    op: Literal["namespaces"]


class PutOp(models.ItemIn):
    op: Literal["put"]


class DeleteOp(models.ItemKey):
    op: Literal["delete"]


Operation = Annotated[GetOp | SearchOp | NamespacesOp | PutOp | DeleteOp, Field(discriminator="op")]


class BatchIn(Frozen):
    operations: tuple[Operation, ...] = Field(min_length=1, max_length=MOST)


@router.post("/v1/store/batch")
async def batch(
    request: Request, response: Response, body: Annotated[BatchIn, Body()], scope: Scope, fresh: Freshness, ctx: Ctx
) -> dict[str, Any]:
    """`results` in the order of the operations: `{"item"}`, `{"items", "cursor"}`, `{"namespaces", "cursor"}`, or null
    for a write. 202 and a `freshness_token` where something was written, a renewed time to live included."""
    writes = [o for o in body.operations if isinstance(o, PutOp | DeleteOp)]
    limits: TenantLimits = request.app.state.limits
    if reads := len(body.operations) - len(writes):
        await limits.take("reads", scope.tenant, reads)
        demand(scope, Permission.READ)
        await fresh.wait("memories")
    if writes:
        await limits.take("writes", scope.tenant, len(writes))
        demand(scope, Permission.WRITE)
    results: list[dict[str, Any] | None] = []
    renewed: dict[tuple[tuple[str, ...], str], None] = {}
    for place, operation in enumerate(body.operations):
        result = await _read(request, ctx, scope, operation, f"operations.{place}.")
        results.append(result)
        if result is not None and getattr(operation, "refresh_ttl", False):
            renewed.update(dict.fromkeys(_lasting(result)))
    entries = _entries(request, ctx, scope, body.operations, renewed)
    if not entries:
        return {"results": results, "freshness_token": None}
    token = await publisher_of(request, scope).publish(entries)
    response.status_code = 202
    return {"results": results, "freshness_token": token}


async def _read(
    request: Request, ctx: Context, scope: TenantScope, operation: Operation, field: str
) -> dict[str, Any] | None:
    match operation:
        case GetOp():
            return await store.got(ctx, scope, operation.namespace, operation.key)
        case SearchOp():
            return await store.searched(request, ctx, scope, operation, field)
        case NamespacesOp():
            return await store.listed(ctx, scope, operation, field)
        case _:
            return None


def _lasting(result: dict[str, Any]) -> list[tuple[tuple[str, ...], str]]:
    """Items of a result whose time reading renews."""
    shown = result.get("items") or [result.get("item")]
    return [(tuple(i["namespace"]), i["key"]) for i in shown if i is not None and i["expires_at"] is not None]


def _entries(
    request: Request, ctx: Context, scope: TenantScope, operations: Sequence[Operation],
    renewed: dict[tuple[tuple[str, ...], str], None],
) -> list[Entry]:  # fmt: skip
    publish = publisher_of(request, scope)
    last: dict[tuple[tuple[str, ...], str], tuple[int, PutOp | DeleteOp]] = {}
    for place, operation in enumerate(operations):
        if isinstance(operation, PutOp | DeleteOp):
            last[operation.namespace, operation.key] = (place, operation)
    out = [
        _entry(publish, namespace, key, "touch_item", MemoryCommandBody(), "")
        for namespace, key in renewed
        if (namespace, key) not in last
    ]
    profile = ctx.deps.profile_of(scope.tenant)
    for place, operation in last.values():
        where = operation.namespace, operation.key
        if isinstance(operation, DeleteOp):
            out.append(_entry(publish, *where, "delete_item", MemoryCommandBody(), f"operations.{place}"))
            continue
        check_item(profile, *where, operation.value)
        sealed = MemoryCommandBody(value=operation.value)
        if operation.project_id is not None:
            publish.scope.project(operation.project_id)
        options: dict[str, Any] = operation.model_dump(include={"index", "ttl_minutes", "project_id"})
        out.append(_entry(publish, *where, "put_item", sealed, f"operations.{place}", **options))
    return out


def _entry(
    publish: Publisher, namespace: tuple[str, ...], key: str, command: Literal["put_item", "delete_item", "touch_item"],
    body: MemoryCommandBody, item: str, **more: Any,
) -> Entry:  # fmt: skip
    owner = publish.scope.user(owner_of(namespace)).owner
    event = MemoryCommand(
        tenant=owner.tenant, user_id=owner.id, command=command, command_id=str(uuid4()), namespace=namespace, key=key,
        accepted_at=publish.now, sealed=body, **more,
    )  # fmt: skip
    return Entry(topics.LEDGER, event, item, event.command_id)
