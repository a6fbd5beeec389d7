"""A turn that its caller sends and hears of in one call: the memory engine's save_info (B3) and WriteTurn (E5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal
from uuid import uuid4

from fastapi import APIRouter, Body
from pydantic import ConfigDict, Field

from processors.reader.rules.confirm import asks_to_confirm
from query import models
from query.auth.boundary import Reader
from query.body import Route
from query.errors import ProblemError, done_without, invalid
from query.freshness import Fresh, Freshness
from query.reading.common import Ctx, PathId
from query.reading.session_store import load
from query.reading.turns import outcome
from query.views import turns
from query.views.db import Row
from query.writing.publish import SAFE, Entry, Publish, Published, Publisher, Repeat, under
from query.writing.repeats import is_repeat
from query.writing.turns import turn_entry
from schemas.base import Content, Frozen, Id, Timestamp
from schemas.log.progress import FreshnessToken
from schemas.security.scope import OwnerScope

router = APIRouter(route_class=Route, tags=["writing"])
_AFTER = timedelta(milliseconds=1)
"""A reply comes behind what it answers."""
_REPLIED = timedelta(minutes=2)
"""So long, a minute's tick included, a message that asks to have something confirmed may wait for its reply."""


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A message, the reply to it, or both, a turn each. `names`: as an error calls them. The interaction names the
    turns: the same call again is the same turns."""

    user_id: str
    session_id: str
    interaction_id: str
    message: str | None
    reply: str | None
    body: SaveInfoIn | WriteTurnIn
    agent_id: str | None
    names: tuple[str, str]
    existing_info: dict[str, Any] | None = None

    @property
    def repeat(self) -> Repeat:
        return SAFE if self.body.interaction_id else under("interaction_id", self.interaction_id)

    def entries(self, publish: Publisher) -> list[Entry]:
        publish.check_time(self.body.occurred_at, "occurred_at")
        at = self.body.occurred_at or publish.now
        roles: tuple[Literal["user", "assistant"], ...] = ("user", "assistant")
        out = []
        for role, content, name in zip(roles, (self.message, self.reply), self.names, strict=True):
            if content is None:
                continue
            turn = models.TurnIn(
                turn_id=f"{self.interaction_id}:{role}", user_id=self.user_id, session_id=self.session_id, role=role,
                content=content, occurred_at=at if role == "user" else at + _AFTER, project_id=self.body.project_id,
                agent_id=self.agent_id, interaction_id=self.interaction_id,
                existing_info=self.existing_info if role == "user" else None,
            )  # fmt: skip
            out.append(turn_entry(turn, name, publish))
        return out


def _behind(fresh: Fresh, token: str) -> Fresh:
    """The same wait, for this very write as well."""
    own = FreshnessToken.parse(token)
    return replace(fresh, token=own if fresh.token is None else fresh.token.merged(own))


class SaveInfoIn(Frozen):
    """The memory engine's input; every name is also taken in snake_case."""

    model_config = ConfigDict(populate_by_name=True)

    action: Literal["save_info"] = "save_info"
    user_message: Content = Field(alias="userMessage")
    assistant_message: Content | None = Field(default=None, alias="assistantMessage")
    existing_info: models.ExistingInfo | None = Field(default=None, alias="existingInfo")
    session_id: Id | None = None
    """The conversation; None: that of the user's other messages of the day without one."""
    project_id: Id | None = None
    agent_id: Id | None = None
    interaction_id: models.ShortId | None = None
    occurred_at: Timestamp | None = None


class WriteTurnIn(Frozen):
    """The memory engine's input, but for the conversation, which the path names."""

    user_id: Id
    user_query: Content | None = None
    agent_response: Content | None = None
    agent_code: Id | None = None
    project_id: Id | None = None
    interaction_id: models.ShortId | None = None
    occurred_at: Timestamp | None = None


@router.post("/v1/users/{user_id}/save-info", status_code=202, responses={409: {}})
async def save_info(
    user_id: PathId, body: Annotated[SaveInfoIn, Body()], publish: Publish, scope: Reader, fresh: Freshness, ctx: Ctx
) -> dict[str, Any]:
    """Take a message and its reply, wait for what becomes of them, and say what was saved and what was skipped because
    it was known, here or in `existingInfo`. `pending`: it is not decided yet; the turn's outcome has it later.
    `repeated`: the same `interaction_id` brought it before; 409 where it brought something else."""
    owner = scope.user(user_id)
    interaction = body.interaction_id or str(uuid4())
    exchange = _Exchange(
        user_id, body.session_id or _of_the_day(body.occurred_at or publish.now), interaction, body.user_message,
        body.assistant_message, body, body.agent_id, ("userMessage", "assistantMessage"), body.existing_info,
    )  # fmt: skip
    entries = exchange.entries(publish)
    published = await publish.placed(entries, exchange.repeat)
    decided = _Decided(exchange.session_id)
    if await _behind(fresh, published.token).wait("turns", "outcomes"):
        try:
            decided = await _await_decision(
                ctx, owner, exchange, entries, published, in_session=body.session_id is not None
            )
        except ProblemError as exc:  # it is written: the answer says so, and that the rest is not known
            if exc.word == "conflict":
                raise
            fresh.request.state.fresh = "false"
    ctx.saw(owner, [d["record_id"] for d in decided.decided if d.get("record_id")])
    answer = {k: v for k, v in outcome(decided.decided).items() if k != "decisions"}
    return {
        "action": "save_info", **answer, "pending": decided.pending, "repeated": decided.repeated,
        "session_id": decided.session_id, "accepted": len(entries), "turn_ids": [e.id for e in entries],
        "freshness_token": published.token,
    }  # fmt: skip


def _of_the_day(when: datetime) -> str:
    """The session of messages without one: a user's of a day are one conversation, whose end sums the user up once."""
    return f"save-info:{when.astimezone(UTC):%Y-%m-%d}"


@dataclass(frozen=True, slots=True)
class _Decided:
    """What became of a message. `session_id`: where it stands; `repeated`: from an earlier call on."""

    session_id: str
    decided: Sequence[Row] = ()
    pending: bool = True
    repeated: bool = False


async def _await_decision(
    ctx: Ctx,
    owner: OwnerScope,
    exchange: _Exchange,
    entries: Sequence[Entry],
    published: Published,
    *,
    in_session: bool,
) -> _Decided:
    """Raises ProblemError: where an earlier message under the same id says something else, and where a store is
    away."""
    now = ctx.deps.clock()
    stored = await turns.by_ids(ctx.db, owner, [e.id for e in entries], now)
    found = zip(entries, published.offsets, strict=True)
    repeats = [is_repeat(e, offset, stored, in_session=in_session) for e, offset in found]
    message = stored.get(entries[0].id)
    if message is None:  # it did not pass the screen, or was erased since
        return _Decided(exchange.session_id)
    decided = await turns.decisions(ctx.db, owner, entries[0].id)
    waits = exchange.reply is None and asks_to_confirm(message["content"]) and message["accepted_at"] + _REPLIED > now
    return _Decided(message["session_id"], decided, pending=waits and not decided, repeated=repeats[0])


async def _same_as_before(ctx: Ctx, owner: OwnerScope, entries: Sequence[Entry], published: Published) -> None:
    """Raises ProblemError where a turn under one of these ids says something else: the screen keeps that one. Where
    Postgres is away that is not known, and not said."""
    try:
        stored = await turns.by_ids(ctx.db, owner, [e.id for e in entries], ctx.deps.clock())
    except ProblemError:
        return
    for entry, offset in zip(entries, published.offsets, strict=True):
        is_repeat(entry, offset, stored, in_session=True)


@router.post("/v1/sessions/{session_id}/turns", status_code=202, responses={409: {}})
async def write_turn(
    session_id: PathId, body: Annotated[WriteTurnIn, Body()], publish: Publish, scope: Reader, fresh: Freshness,
    ctx: Ctx,
) -> dict[str, Any]:  # fmt: skip
    """Write a query, a reply or both, and say the `mode` of the session behind it and when it was `updated_at` (seconds
    since 1970), null where that is not known. `Memstream-Fresh` is false where they are from before. 409 where the
    same `interaction_id` brought something else before."""
    owner = scope.user(body.user_id)
    if body.user_query is None and body.agent_response is None:
        raise invalid("user_query", "one of user_query, agent_response is required")
    interaction = body.interaction_id or str(uuid4())
    exchange = _Exchange(
        body.user_id, session_id, interaction, body.user_query, body.agent_response, body, body.agent_code,
        ("user_query", "agent_response"),
    )  # fmt: skip
    entries = exchange.entries(publish)
    published = await publish.placed(entries, exchange.repeat)
    token = published.token
    if await _behind(fresh, token).wait("turns", "sessions") and body.interaction_id is not None:
        await _same_as_before(ctx, owner, entries, published)
    try:
        found = await load(ctx, owner, session_id)
        degraded = found.degraded if found else []
    except ProblemError as exc:
        found, degraded = None, [done_without(exc)]
    if degraded or found is None:
        fresh.request.state.fresh = "false"
    return {
        "conversation_id": session_id,
        "mode": found.value["message_context"]["mode"] if found else None,
        "updated_at": found.value["meta"]["updated_at"] if found else None,
        "accepted": len(entries), "turn_ids": [e.id for e in entries], "freshness_token": token, "degraded": degraded,
    }  # fmt: skip
