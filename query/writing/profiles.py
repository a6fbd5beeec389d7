"""A tenant's own profile, changed while the system runs: GET and PUT /v1/tenant/profile."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import uuid4

from fastapi import APIRouter, Body
from pydantic import Field, ValidationError, model_validator

from query import models
from query.auth.boundary import Operator
from query.body import Route
from query.errors import from_validation, invalid
from query.reading.common import Ctx
from query.writing.publish import Entry, Publish
from schemas.base import CleanText, Frozen, JsonObject
from schemas.events.documents import ProfileVersion
from schemas.log import topics
from schemas.profile.model import Profile, ProfileError, parse_profile, whole

router = APIRouter(route_class=Route, tags=["writing"])


class ProfileIn(Frozen):
    """The profile as JSON, or as the text of a TOML file."""

    profile: JsonObject | None = None
    toml: CleanText | None = Field(default=None, max_length=1_000_000)

    @model_validator(mode="after")
    def _one(self) -> ProfileIn:
        if (self.profile is None) == (self.toml is None):
            raise ValueError("one of profile and toml is required")
        return self


class ProfileAccepted(models.CommandAccepted):
    profile: str
    version: int


@router.get("/v1/tenant/profile")
async def get_profile(scope: Operator, ctx: Ctx, whole: bool = False) -> dict[str, Any]:
    """The profile in force for the caller's tenant, as this process knows it; `whole` shows all of it."""
    profile = ctx.deps.profile_of(scope.tenant)
    own = scope.tenant in ctx.deps.tenant_profiles
    fields = {"name": profile.name, "version": profile.version, "own": own}
    return {**fields, "profile": profile.model_dump(mode="json", exclude_defaults=True)} if whole else fields


@router.put("/v1/tenant/profile", status_code=202)
async def put_profile(
    body: Annotated[ProfileIn, Body()], scope: Operator, publish: Publish, ctx: Ctx
) -> ProfileAccepted:
    """Put a profile in force for the caller's tenant from here on. It is checked as on load; a change of the profile
    that is in force needs a higher version. Workers take it up between two batches; what is written names the version
    that decided."""
    profile = _profile(body)
    now = ctx.deps.profile_of(scope.tenant)
    if profile.name == now.name and profile.version <= now.version and profile != now:
        raise invalid("profile.version", f"must be above {now.version}, the version in force")
    event = ProfileVersion(
        tenant=scope.tenant, profile=profile.model_dump(mode="json", exclude_defaults=True), accepted_at=publish.now
    )
    command_id = str(uuid4())
    token = await publish.publish([Entry(topics.PROFILES, event, "", command_id)])
    return ProfileAccepted(
        accepted=1, command_id=command_id, freshness_token=token, profile=profile.name, version=profile.version
    )


def _profile(body: ProfileIn) -> Profile:
    try:
        if body.toml is not None:
            return parse_profile(body.toml, "toml")
        return Profile.model_validate(whole(body.profile or {}))
    except ValidationError as exc:
        raise from_validation(exc, "profile") from None
    except ProfileError as exc:
        where, _, expected = str(exc).partition(": ")
        raise invalid(where, expected) from None
