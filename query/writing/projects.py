"""Project commands and documents (CONTRACT "Writing", A3, A6, D8)."""

from __future__ import annotations

from typing import Annotated
from uuid import uuid4

from fastapi import APIRouter, Body, Path, Query

from query import models
from query.body import Route
from query.freshness import Freshness
from query.writing.publish import SAFE, TWICE, Entry, Publish, PublishDocuments, Publisher, Repeat
from schemas.base import Id
from schemas.events.documents import EVERY_VERSION, Document, DocumentBody, ProjectCommand, ProjectCommandBody
from schemas.log import topics

router = APIRouter(route_class=Route, tags=["writing"])
PathId = Annotated[Id, Path()]
HotPath = Annotated[models.HotTypeIn, Path()]


async def _command(publish: Publisher, command: ProjectCommand, repeat: Repeat = SAFE) -> models.CommandAccepted:
    entry = Entry(topics.PROJECT_EVENTS, command, "", command.command_id, command.project_id)
    token = await publish.publish([entry], repeat)
    return models.CommandAccepted(accepted=1, command_id=command.command_id, freshness_token=token)


def checked_user(publish: Publisher, user_id: str | None) -> str | None:
    """Whose a value is (C9): who is named, else the one user that the key is bound to, else nobody."""
    if user_id is None:
        bound = publish.scope.users or frozenset()
        return next(iter(bound)) if len(bound) == 1 else None
    return publish.scope.user(user_id).owner.id


@router.put("/v1/projects/{project_id}/hot-memory/{type}/{key}", status_code=202)
async def put_hot(
    project_id: PathId, type: HotPath, key: PathId, body: Annotated[models.HotIn, Body()], publish: Publish
) -> models.CommandAccepted:
    """Set a value of a project's hot memory."""
    owner = publish.scope.project(project_id).owner
    command = ProjectCommand(
        tenant=owner.tenant,
        project_id=project_id,
        command="put_hot",
        command_id=str(uuid4()),
        user_id=checked_user(publish, body.user_id),
        hot_type=type,
        key=key,
        priority=body.priority,
        accepted_at=publish.now,
        sealed=ProjectCommandBody(value=body.value),
    )
    return await _command(publish, command)


@router.delete("/v1/projects/{project_id}/hot-memory/{type}/{key}", status_code=202)
async def delete_hot(project_id: PathId, type: HotPath, key: PathId, publish: Publish) -> models.CommandAccepted:
    """Take a value out of a project's hot memory."""
    owner = publish.scope.project(project_id).owner
    command = ProjectCommand(
        tenant=owner.tenant,
        project_id=project_id,
        command="delete_hot",
        command_id=str(uuid4()),
        hot_type=type,
        key=key,
        accepted_at=publish.now,
    )
    return await _command(publish, command)


@router.post("/v1/projects/{project_id}/reports", status_code=202)
async def ask_report(
    project_id: PathId,
    publish: Publish,
    fresh: Freshness,
    body: Annotated[models.ReportIn | None, Body()] = None,
) -> models.CommandAccepted:
    """Ask for the report of the current week now, with the turns of `Memstream-Wait-For` in it."""
    owner = publish.scope.project(project_id).owner
    await fresh.wait("projects")  # a command's way is shorter than a turn's: it would overtake them
    command = ProjectCommand(
        tenant=owner.tenant,
        project_id=project_id,
        command="report",
        command_id=str(uuid4()),
        user_id=checked_user(publish, body.user_id if body else None),
        accepted_at=publish.now,
    )
    return await _command(publish, command, TWICE)


async def _document(publish: Publisher, event: Document) -> models.DocumentAccepted:
    token = await publish.publish([Entry(topics.DOCUMENTS, event, "", event.document_id)])
    return models.DocumentAccepted(accepted=1, document_id=event.document_id, freshness_token=token)


@router.post("/v1/documents", status_code=202)
async def put_document(
    body: Annotated[models.DocumentIn, Body()], publish: PublishDocuments
) -> models.DocumentAccepted:
    """Add a version of a document; the one before is archived."""
    owner = publish.scope.document(body.document_id).owner
    event = Document(
        tenant=owner.tenant,
        document_id=body.document_id,
        version=body.version,
        accepted_at=publish.now,
        sealed=DocumentBody(title=body.title, markdown=body.markdown, metadata=body.metadata),
    )
    return await _document(publish, event)


@router.delete("/v1/documents/{document_id}", status_code=202)
async def delete_document(
    document_id: PathId, publish: PublishDocuments, version: Annotated[Id, Query()] = EVERY_VERSION
) -> models.DocumentAccepted:
    """Delete one version of a document, or all. Behind the active one no archived version becomes active again."""
    owner = publish.scope.document(document_id).owner
    event = Document(
        tenant=owner.tenant, document_id=document_id, version=version, op="delete", accepted_at=publish.now
    )
    return await _document(publish, event)
