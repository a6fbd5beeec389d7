"""The tools that agents know from other memories, with memstream's reasons and sources."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from types import MethodType
from typing import Annotated, Any, Literal
from urllib.parse import quote
from uuid import uuid4

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations
from pydantic import Field

from query.agents.called import Called, Caller, UserId
from query.agents.memory_manager import MemoryManager
from query.agents.service import Service

Kind = Literal["fact", "preference", "intent", "episode"]
SearchKind = Literal["turn", "fact", "preference", "intent", "episode", "report", "chunk", "item", "pattern"]
_PAGE = 200
INSTRUCTIONS = (
    "Long-term memory of users, in English and Chinese. Call memory_prompt before you answer, add_memory for what "
    "should be remembered, and update_memory or delete_memory when the user says that something is wrong. With "
    "save_info a message and its reply are read for you; load_context at the start of a conversation and summarize "
    "before an assessment tell who the user is."
)
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
_CHANGES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)

_DESCRIBED: dict[Callable[..., Any], Tool] = {}
"""By function: one for each of the tools below."""


def now() -> datetime:
    return datetime.now(UTC)


def server(service: Service, caller: Caller, clock: Callable[[], datetime] = now) -> MCPServer[Any]:
    """An MCP server whose tools call the service. `clock` dates what a user said in a session."""
    tools, manager = Tools(service, caller, clock), MemoryManager(service, caller, clock)
    offered = (
        (tools.add_memory, _ADDS), (tools.search_memories, _READS), (tools.get_memories, _READS),
        (tools.get_memory, _READS), (tools.update_memory, _CHANGES), (tools.delete_memory, _CHANGES),
        (tools.delete_all_memories, _CHANGES), (tools.memory_prompt, _READS),
        (manager.save_info, _ADDS), (manager.save_user_memory, _ADDS), (manager.get_user_context, _READS),
        (manager.load_context, _READS), (manager.summarize, _ADDS),
    )  # fmt: skip
    return MCPServer(
        "memstream", title="memstream", instructions=INSTRUCTIONS, version=version("memstream"),
        tools=[_described(method, hints) for method, hints in offered],
    )  # fmt: skip


def _described(method: Callable[..., Any], hints: ToolAnnotations) -> Tool:
    """A tool of one server. What a model reads of it is made once a process: a pydantic model and two schemas each."""
    function = method.__func__ if isinstance(method, MethodType) else method
    if function not in _DESCRIBED:
        made = Tool.from_function(method, annotations=hints)
        _DESCRIBED[function] = made.model_copy(update={"fn": function})  # which holds no server
    return _DESCRIBED[function].model_copy(update={"fn": method})


class Tools(Called):
    """Descriptions are what a model reads."""

    async def add_memory(
        self,
        ctx: Context[Any, Any],
        text: Annotated[str, Field(description="One statement that stands alone, such as: Ana prefers tea.")],
        user_id: UserId = None,
        kind: Annotated[Kind, Field(description="An episode is something that happened.")] = "fact",
        field: Annotated[str | None, Field(description="The one thing it is about: a new value replaces it.")] = None,
        value: Annotated[str | int | float | bool | None, Field(description="The field's value.")] = None,
        project_id: str | None = None,
        session_id: Annotated[
            str | None, Field(description="The conversation where the user said it: memories are drawn from it.")
        ] = None,
    ) -> dict[str, Any]:
        """Remember something about a user. Duplicates are merged, personal numbers are masked."""
        key, user = await self._who(ctx, user_id)
        if session_id is not None:
            turn = {
                "user_id": user, "session_id": session_id, "role": "user", "content": text, "project_id": project_id,
                "occurred_at": self._clock().isoformat(),
            }  # fmt: skip
            turns = {"turns": [{k: v for k, v in turn.items() if v is not None}]}
            done = await self._service.call("POST", "/v1/turns", key=key, user=user, body=turns)
            return {"turn_id": done["turn_ids"][0]}
        request_body = {
            "user_id": user, "kind": kind, "text": text, "field": field, "value": value, "project_id": project_id,
        }  # fmt: skip
        body = {k: v for k, v in request_body.items() if v is not None}
        done = await self._service.call("POST", "/v1/memories", key=key, user=user, body=body, once=str(uuid4()))
        return {"memory_id": done["memory_id"]}

    async def search_memories(
        self,
        ctx: Context[Any, Any],
        query: str,
        user_id: UserId = None,
        limit: Annotated[int, Field(ge=1, le=200)] = 10,
        kinds: list[SearchKind] | None = None,
        project_id: str | None = None,
        cursor: Annotated[str | None, Field(description="From the page before.")] = None,
        min_relevance: Annotated[
            float | None, Field(ge=0, le=1, description="Leave out results whose relevance is lower.")
        ] = None,
    ) -> dict[str, Any]:
        """Find memories, conversation turns and documents by words and meaning, each with the turns it came from."""
        key, user = await self._who(ctx, user_id)
        parameters = {"query": query, "user_id": user, "limit": limit, "kinds": kinds, "project_id": project_id}
        parameters |= {"cursor": cursor, "min_relevance": min_relevance}
        body = {k: v for k, v in parameters.items() if v is not None}
        found = await self._service.call("POST", "/v1/search", key=key, user=user, body=body)
        return {k: found[k] for k in ("results", "cursor", "degraded")}

    async def get_memories(
        self,
        ctx: Context[Any, Any],
        user_id: UserId = None,
        kind: Kind | None = None,
        limit: Annotated[int, Field(ge=1, le=200)] = 50,
        cursor: Annotated[str | None, Field(description="From the page before.")] = None,
    ) -> dict[str, Any]:
        """What is remembered about a user, newest first, with the reason why each was kept."""
        key, user = await self._who(ctx, user_id)
        parameters = {"kind": kind, "limit": limit, "cursor": cursor}
        params = {k: v for k, v in parameters.items() if v is not None}
        path = f"/v1/users/{quote(user, safe='')}/memories"
        return await self._service.call("GET", path, key=key, user=user, params=params)

    async def get_memory(self, ctx: Context[Any, Any], memory_id: str, user_id: UserId = None) -> dict[str, Any]:
        """One memory with its history, the decisions about it and the turns that it came from."""
        key, only = await self._caller(ctx)
        return await self._service.call("GET", _path(memory_id), key=key, user=user_id or only or "")

    async def update_memory(
        self,
        ctx: Context[Any, Any],
        memory_id: str,
        text: str,
        user_id: UserId = None,
        value: Annotated[
            str | int | float | bool | None, Field(description="The field's new value, where the memory has a field.")
        ] = None,
    ) -> dict[str, Any]:
        """Correct a memory. What it said before stays in its history and is not learned again from old text. `found` is
        false where there is no memory by that id; an id that surely never was one is an error."""
        key, user = await self._who(ctx, user_id)
        body = {"user_id": user, "text": text} | ({} if value is None else {"value": value})
        done = await self._service.call("PATCH", _path(memory_id), key=key, user=user, body=body, once=str(uuid4()))
        return {"memory_id": memory_id, "found": done.get("found")}

    async def delete_memory(self, ctx: Context[Any, Any], memory_id: str, user_id: UserId = None) -> dict[str, Any]:
        """Forget a memory; it is not learned again from old text. `found` is false where there is none by that id any
        more; an id that surely never was one is an error."""
        key, user = await self._who(ctx, user_id)
        params, path = {"user_id": user}, _path(memory_id)
        done = await self._service.call("DELETE", path, key=key, user=user, params=params, once=str(uuid4()))
        return {"memory_id": memory_id, "found": done.get("found")}

    async def delete_all_memories(
        self,
        ctx: Context[Any, Any],
        user_id: UserId = None,
        everything: Annotated[
            bool, Field(description="Erase the user altogether: turns, sessions and the encryption key, too.")
        ] = False,
    ) -> dict[str, Any]:
        """Forget every memory of a user; none is learned again from old text. Cannot be undone."""
        key, user = await self._who(ctx, user_id)
        path = f"/v1/users/{quote(user, safe='')}"
        if everything:
            done = await self._service.call("DELETE", path, key=key, user=user)
            return {"erasure_id": done["erasure_id"]}
        forgotten = 0
        for state in ("active", "observed"):
            parameters = {"limit": _PAGE, "state": state}
            more = True
            while more:
                # Each round waits for its own deletions, so the first page empties.
                found = await self._service.call("GET", f"{path}/memories", key=key, user=user, params=parameters)
                for memory in found["memories"]:
                    params = {"user_id": user}
                    await self._service.call("DELETE", _path(memory["id"]), key=key, user=user, params=params)
                forgotten += len(found["memories"])
                more = len(found["memories"]) == _PAGE
        return {"forgotten": forgotten}

    async def memory_prompt(
        self,
        ctx: Context[Any, Any],
        query: Annotated[str, Field(description="What the user said or asks now.")],
        user_id: UserId = None,
        session_id: str | None = None,
        project_id: str | None = None,
        budget_tokens: Annotated[int | None, Field(ge=1, description="Tokens the prompt may have.")] = None,
    ) -> dict[str, Any]:
        """What to put before a model: profile, preferences, recent turns and relevant memories, cited, in a budget."""
        key, user = await self._who(ctx, user_id)
        parameters = {
            "query": query, "user_id": user, "session_id": session_id, "project_id": project_id,
            "budget_tokens": budget_tokens,
        }  # fmt: skip
        body = {k: v for k, v in parameters.items() if v is not None}
        return await self._service.call("POST", "/v1/context", key=key, user=user, body=body)


def _path(memory_id: str) -> str:
    return f"/v1/memories/{quote(memory_id, safe='')}"
