"""Memory commands and store items (CONTRACT "Writing", C1, C9, N4): the gate decides, this door only writes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Path, Query, Request

from processors.reader.rules.protocol import holds_many
from query import events, models
from query.body import Route
from query.errors import ProblemError, not_found
from query.namespaces import owner_of
from query.reading.common import Context, Ctx
from query.views import hot, memories
from query.writing.idempotency import IdempotencyKey, named, repeat_of
from query.writing.publish import SAFE, Entry, Publish, Publisher
from query.writing.tables import check_item
from schemas.base import Id
from schemas.events.memory import MemoryCommand, MemoryCommandBody
from schemas.log import topics
from schemas.security.scope import OwnerScope, Permission

router = APIRouter(route_class=Route, tags=["writing"])
Command = Literal["remember", "correct", "forget", "put_item", "delete_item"]
PathId = Annotated[Id, Path()]
UserQuery = Annotated[Id, Query()]


async def _send(
    publish: Publisher,
    user_id: str,
    command: Command,
    body: MemoryCommandBody,
    once: str | None = None,
    project_ids: Sequence[str] = (),
    **clear: Any,
) -> models.CommandAccepted:
    """`project_ids`: those whose views may follow; a read of theirs waits with the token for what becomes of it. What
    is put under, or taken from, a place that the caller names is the same once more, also without `once`."""
    owner = publish.scope.user(user_id).owner
    idempotency_key = named(once)
    command_id = events.command_id_of(owner.tenant, user_id, command, idempotency_key)
    placed = command in ("put_item", "delete_item")
    event = MemoryCommand(
        tenant=owner.tenant,
        user_id=user_id,
        command=command,
        command_id=command_id,
        accepted_at=publish.now,
        sealed=body,
        project_ids=tuple(project_ids),
        **clear,
    )
    entry = Entry(topics.LEDGER, event, "", command_id, project_ids=project_ids)
    token = await publish.publish([entry], SAFE if placed else repeat_of(once, idempotency_key))
    return models.CommandAccepted(accepted=1, command_id=command_id, freshness_token=token)


async def _projects(ctx: Context, owner: OwnerScope, memory_id: str) -> tuple[str, ...]:
    """Projects that may show the memory (A5); none where Postgres does not answer: no write waits for it."""
    try:
        return await hot.projects(ctx.db, owner, memory_id)
    except ProblemError:
        return ()


async def _found(ctx: Context, owner: OwnerScope, memory_id: str) -> bool | None:
    """Nothing to a credential that may not read: ids of fields can be worked out."""
    if not owner.tenant.allows(Permission.READ):
        return None
    try:
        return await memories.found(ctx.db, owner, memory_id)
    except ProblemError:
        return None


async def _never_was(ctx: Context, owner: OwnerScope, memory_id: str) -> bool:
    """Whether it is known that there is no such memory, none that was deleted, and none on its way. A deletion that is
    repeated is therefore no error."""
    try:
        return await ctx.everything_read.of(owner.owner) and not await memories.was_there(ctx.db, owner, memory_id)
    except ProblemError:
        return False


async def _named(
    ctx: Context, publish: Publisher, user_id: str, command: Command, memory_id: str, body: MemoryCommandBody,
    once: str | None,
) -> models.MemoryNamed:  # fmt: skip
    """A command about one memory, and whether there was such a one. Raises ProblemError where there never was."""
    owner = publish.scope.user(user_id)
    reached, stood = await asyncio.gather(_projects(ctx, owner, memory_id), _found(ctx, owner, memory_id))
    if stood is False and await _never_was(ctx, owner, memory_id):
        raise not_found("memory")
    sent = await _send(publish, user_id, command, body, once, reached, memory_id=memory_id)
    return models.MemoryNamed(**dict(sent), memory_id=memory_id, found=stood)


@router.post("/v1/memories", status_code=202)
async def remember(
    request: Request, body: Annotated[models.MemoryIn, Body()], publish: Publish, once: IdempotencyKey = None
) -> models.MemoryAccepted:
    """Remember something said outside a conversation. With an Idempotency-Key a repeated call is the same command."""
    publish.check_time(body.occurred_at, "occurred_at")
    if body.project_id is not None:
        publish.scope.project(body.project_id)
    tenant = publish.scope.user(body.user_id).owner.tenant
    idempotency_key = named(once)
    command_id = events.command_id_of(tenant, body.user_id, "remember", idempotency_key)
    many = body.field is not None and holds_many(request.app.state.deps.profile_of(tenant), body.field)
    event = events.remember_command(tenant, body, command_id, publish.now, many)
    # A preference of a project's scope is in its hot memory, too (D9).
    reached = body.project_id if body.kind == "preference" and body.scope == body.project_id else None
    entry = Entry(topics.LEDGER, event, "", command_id, reached)
    token = await publish.publish([entry], repeat_of(once, idempotency_key))
    memory_id = events.memory_id_of(tenant, body, command_id, many)
    return models.MemoryAccepted(accepted=1, command_id=command_id, freshness_token=token, memory_id=memory_id)


@router.patch("/v1/memories/{memory_id}", status_code=202, responses={404: {}})
async def correct(
    memory_id: PathId,
    body: Annotated[models.MemoryPatch, Body()],
    publish: Publish,
    ctx: Ctx,
    once: IdempotencyKey = None,
) -> models.MemoryNamed:
    """Correct a memory: what it said becomes a rejected value. 404 where it is known that there never was one by this
    id; `found` says whether one was seen (null: not known), and a memory that is still on its way is corrected when
    it comes."""
    sealed = MemoryCommandBody(text=body.text, value=body.value)
    return await _named(ctx, publish, body.user_id, "correct", memory_id, sealed, once)


@router.delete("/v1/memories/{memory_id}", status_code=202, responses={404: {}})
async def forget(
    memory_id: PathId, user_id: UserQuery, publish: Publish, ctx: Ctx, once: IdempotencyKey = None
) -> models.MemoryNamed:
    """Forget a memory; it is not learned again from old text. 404 where it is known that there never was one by this
    id; `found` says whether one was seen (null: not known). One that was forgotten before is 202."""
    return await _named(ctx, publish, user_id, "forget", memory_id, MemoryCommandBody(), once)


async def _put(publish: Publisher, item: models.ItemIn) -> models.CommandAccepted:
    if item.project_id is not None:
        publish.scope.project(item.project_id)
    return await _send(
        publish,
        owner_of(item.namespace),
        "put_item",
        MemoryCommandBody(value=item.value),
        namespace=item.namespace,
        key=item.key,
        index=item.index,
        ttl_minutes=item.ttl_minutes,
        project_id=item.project_id,
    )


async def _delete(publish: Publisher, item: models.ItemKey) -> models.CommandAccepted:
    user_id = owner_of(item.namespace)
    return await _send(
        publish, user_id, "delete_item", MemoryCommandBody(), namespace=item.namespace, key=item.key
    )


@router.put("/v1/store/items", status_code=202)
async def put_item(body: Annotated[models.ItemIn, Body()], publish: Publish, ctx: Ctx) -> models.CommandAccepted:
    """Put a store item; one that is a row of a structured table updates the row."""
    check_item(ctx.deps.profile_of(publish.scope.tenant), body.namespace, body.key, body.value)
    return await _put(publish, body)


@router.delete("/v1/store/items", status_code=202)
async def delete_item(body: Annotated[models.ItemKey, Body()], publish: Publish) -> models.CommandAccepted:
    """Delete a store item."""
    return await _delete(publish, body)


@router.put("/v1/store/{namespace}/{user_id}/{key}", status_code=202)
async def put_item_alias(
    namespace: PathId,
    user_id: PathId,
    key: PathId,
    body: Annotated[models.ItemValue, Body()],
    publish: Publish,
    ctx: Ctx,
) -> models.CommandAccepted:
    """Alias of PUT /v1/store/items with the namespace (namespace, user_id)."""
    check_item(ctx.deps.profile_of(publish.scope.tenant), (namespace, user_id), key, body.value)
    return await _put(publish, models.ItemIn(namespace=(namespace, user_id), key=key, **dict(body)))


@router.delete("/v1/store/{namespace}/{user_id}/{key}", status_code=202)
async def delete_item_alias(
    namespace: PathId, user_id: PathId, key: PathId, publish: Publish
) -> models.CommandAccepted:
    """Alias of DELETE /v1/store/items."""
    return await _delete(publish, models.ItemKey(namespace=(namespace, user_id), key=key))
