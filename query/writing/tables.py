"""Writes to structured tables (C2), asking for a narrative (B9): commands on the ledger; the gate decides."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import uuid4

from fastapi import APIRouter, Body
from pydantic import Field

from query import events, models
from query.body import Route
from query.errors import invalid
from query.reading.common import Ctx, PathId
from query.reading.tables import place_in, spec_of
from query.writing.idempotency import IdempotencyKey, named, repeat_of
from query.writing.publish import SAFE, Entry, Publish, Publisher, Repeat
from schemas.base import Frozen, Id, JsonObject
from schemas.events.memory import MemoryCommand, MemoryCommandBody
from schemas.log import topics
from schemas.profile.model import Profile
from schemas.profile.tables import ColumnError, Place, checked, created_at, place_of

router = APIRouter(route_class=Route, tags=["writing"])


class SummarizeIn(Frozen):
    session_id: Id | None = None


class RowAccepted(models.CommandAccepted):
    id: str = Field(description="The row's id.")


def check_row(place: Place, value: JsonObject, field: str = "") -> None:
    """Refuse what no column takes. Raises ProblemError naming the field."""
    try:
        checked(place.spec, value)
        created_at(place.spec, value)
    except ColumnError as exc:
        raise invalid(f"{field}{exc.column}", exc.expected) from None


def check_item(profile: Profile, namespace: tuple[str, ...], key: str, value: JsonObject) -> None:
    """The same of a store item that is a row (C3)."""
    place = place_of(profile, namespace, key)
    if place is not None:
        check_row(place, value, "value.")


async def _send(
    publish: Publisher, user_id: str, command: Any, place: Place, value: JsonObject | None, key: str,
    repeat: Repeat = SAFE,
) -> RowAccepted:  # fmt: skip
    owner = publish.scope.user(user_id).owner
    command_id = events.command_id_of(owner.tenant, user_id, f"{command}/{place.spec.name}/{place.key}", key)
    event = MemoryCommand(
        tenant=owner.tenant, user_id=user_id, command=command, command_id=command_id, accepted_at=publish.now,
        namespace=(place.spec.namespace, user_id), key=place.key, sealed=MemoryCommandBody(value=value),
    )  # fmt: skip
    token = await publish.publish([Entry(topics.LEDGER, event, "", command_id)], repeat)
    return RowAccepted(accepted=1, command_id=command_id, freshness_token=token, id=place.row_id)


@router.post("/v1/users/{user_id}/tables/{table}", status_code=202)
async def add_row(
    user_id: PathId, table: PathId, body: Annotated[JsonObject, Body()], publish: Publish, ctx: Ctx,
    once: IdempotencyKey = None,
) -> RowAccepted:  # fmt: skip
    """Add a row; its id is in the answer. In a table of one row a user this is a partial update. With an
    Idempotency-Key a repeated call is the same row."""
    spec = spec_of(ctx, publish.scope.tenant, table)
    key = named(once)
    row_id = events.command_id_of(publish.scope.tenant, user_id, f"row/{spec.name}", key)
    place = place_in(spec, spec.key if spec.unique else row_id)
    check_row(place, body)
    return await _send(publish, user_id, "put_item", place, body, key, SAFE if spec.unique else repeat_of(once, key))


@router.patch("/v1/users/{user_id}/tables/{table}/{key}", status_code=202)
async def update_row(
    user_id: PathId, table: PathId, key: PathId, body: Annotated[JsonObject, Body()], publish: Publish, ctx: Ctx,
    once: IdempotencyKey = None,
) -> RowAccepted:  # fmt: skip
    """Partial update: columns that are not named stay, null empties one. A row that is not there yet is made."""
    place = place_in(spec_of(ctx, publish.scope.tenant, table), key)
    check_row(place, body)
    return await _send(publish, user_id, "put_item", place, body, named(once))


@router.delete("/v1/users/{user_id}/tables/{table}/{key}", status_code=202)
async def delete_row(
    user_id: PathId, table: PathId, key: PathId, publish: Publish, ctx: Ctx, once: IdempotencyKey = None
) -> RowAccepted:
    """Delete a row from the table, the store and the index."""
    place = place_in(spec_of(ctx, publish.scope.tenant, table), key)
    return await _send(publish, user_id, "delete_item", place, None, named(once))


@router.post("/v1/users/{user_id}/summarize", status_code=202)
async def summarize(
    user_id: PathId, publish: Publish, body: Annotated[SummarizeIn | None, Body()] = None
) -> models.CommandAccepted:
    """Have the narrative of the profile written again, as before an assessment. It is read with
    GET /v1/users/{user_id}/profile; at most twice a conversation where one is named."""
    owner = publish.scope.user(user_id).owner
    command_id = str(uuid4())
    event = MemoryCommand(
        tenant=owner.tenant, user_id=user_id, command="summarize", command_id=command_id, accepted_at=publish.now,
        session_id=body.session_id if body else None,
    )  # fmt: skip
    token = await publish.publish([Entry(topics.LEDGER, event, "", command_id)])
    return models.CommandAccepted(accepted=1, command_id=command_id, freshness_token=token)
