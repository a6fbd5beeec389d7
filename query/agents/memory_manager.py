"""The memory engine's tools and actions, in its shapes (B1, B3, B5, B6)."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import quote
from uuid import uuid4

from mcp.server.mcpserver import Context
from pydantic import Field

from query.agents.called import Called, UserId
from schemas.base import Content

MemoryType = Literal["FACT", "PREFERENCE", "INTENT"]
SessionId = Annotated[str | None, Field(description="The conversation, where there is one.")]


class MemoryManager(Called):
    """Descriptions are what a model reads; names are the memory engine's."""

    async def save_info(
        self,
        ctx: Context[Any, Any],
        userMessage: Annotated[str, Field(description="The user's newest message.")],  # noqa: N803 - the seed's name
        assistantMessage: Annotated[  # noqa: N803 - the seed's name
            str | None, Field(description="The reply to it.")
        ] = None,
        existingInfo: Annotated[  # noqa: N803 - the seed's name
            dict[str, Any] | None, Field(description="Fields that are known already, with their values.")
        ] = None,
        user_id: UserId = None,
        session_id: SessionId = None,
        project_id: str | None = None,
    ) -> dict[str, Any]:
        """Read a message and its reply, save what the user states, and say what was saved. What is known already is
        skipped and named; with `pending` it is saved a moment later."""
        key, user = await self._who(ctx, user_id)
        request_body = {
            "userMessage": userMessage, "assistantMessage": assistantMessage, "existingInfo": existingInfo,
            "session_id": session_id, "project_id": project_id, "occurred_at": self._clock().isoformat(),
        }  # fmt: skip
        body = {k: v for k, v in request_body.items() if v is not None}
        done = await self._service.call("POST", f"{_of(user)}/save-info", key=key, user=user, body=body)
        shown = (
            "action", "extracted_info", "saved_count", "saved_memories", "skipped_fields", "pending", "session_id",
            "turn_ids",
        )  # fmt: skip
        return {name: done[name] for name in shown}

    async def save_user_memory(
        self,
        ctx: Context[Any, Any],
        memoryType: Annotated[  # noqa: N803 - the seed's name
            MemoryType, Field(description="FACT: what the user states; PREFERENCE: their taste; INTENT: their plans.")
        ],
        content: Annotated[Content, Field(description="One short statement that stands alone, such as: Ana is 32.")],
        category: Annotated[str | None, Field(description="Where it belongs, by the profile's categories.")] = None,
        user_id: UserId = None,
    ) -> dict[str, Any]:
        """Save one memory of a user: accepted now, decided a moment later. Duplicates are merged, personal numbers are
        masked."""
        key, user = await self._who(ctx, user_id)
        body = {"user_id": user, "kind": memoryType.lower(), "text": content}
        body |= {} if category is None else {"category": category}
        done = await self._service.call("POST", "/v1/memories", key=key, user=user, body=body, once=str(uuid4()))
        # Not its content: policy may keep less of it than was sent.
        detail = {"status": "accepted", "memoryType": memoryType, "category": category}
        return {"success": True, "memory_id": done["memory_id"], "detail": detail}

    async def get_user_context(
        self,
        ctx: Context[Any, Any],
        query: Annotated[str, Field(description="What is looked for, such as: basic facts and plans of the user.")],
        user_id: UserId = None,
        limit: Annotated[int, Field(ge=1, le=200)] = 50,
    ) -> dict[str, Any]:
        """A user's memories by importance and relevance."""
        found = await self._context(ctx, query, user_id, limit)
        return {"memories": found["memories"], "total_memories": found["total_memories"]}

    async def load_context(
        self,
        ctx: Context[Any, Any],
        query: Annotated[str, Field(description="What the user said or asks now.")],
        user_id: UserId = None,
        limit: Annotated[int, Field(ge=1, le=200)] = 50,
    ) -> dict[str, Any]:
        """What is known of a user at the start of a conversation: memories, a summary of the profile, the total."""
        found = await self._context(ctx, query, user_id, limit)
        shown = ("memories", "user_profile_summary", "total_memories")
        return {"action": "load_context", **{name: found[name] for name in shown}}

    async def summarize(
        self, ctx: Context[Any, Any], user_id: UserId = None, session_id: SessionId = None
    ) -> dict[str, Any]:
        """The user's structured profile, how complete it is and a narrative, written again where something is new."""
        key, user = await self._who(ctx, user_id)
        body = {} if session_id is None else {"session_id": session_id}
        await self._service.call("POST", f"{_of(user)}/summarize", key=key, user=user, body=body)
        found = await self._service.call("GET", f"{_of(user)}/profile", key=key, user=user)
        return {
            "action": "summarize", "user_profile": found["profile"], "completeness": found["completeness"],
            "narrative_summary": found["narrative_summary"],
        }  # fmt: skip

    async def _context(self, ctx: Context[Any, Any], query: str, user_id: str | None, limit: int) -> dict[str, Any]:
        key, user = await self._who(ctx, user_id)
        body = {"query": query, "limit": limit}
        return await self._service.call("POST", f"{_of(user)}/load-context", key=key, user=user, body=body)


def _of(user: str) -> str:
    return f"/v1/users/{quote(user, safe='')}"
