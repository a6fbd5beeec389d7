"""What every tool knows: the service, and who calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from query.agents.service import Service

UserId = Annotated[str | None, Field(description="Whose memory. May be left out where the credential names one user.")]
Caller = Callable[[Context[Any, Any]], Awaitable[tuple[str, str | None]]]
"""The Authorization header of a call, and the user that it is about where the call names none."""


class Called:
    """Tools over a service. `clock` dates what a user said in a session."""

    def __init__(self, service: Service, caller: Caller, clock: Callable[[], datetime]) -> None:
        self._service, self._caller, self._clock = service, caller, clock

    async def _who(self, ctx: Context[Any, Any], user_id: str | None) -> tuple[str, str]:
        """Key and user. Raises ToolError where neither the call nor the credential names a user."""
        key, only = await self._caller(ctx)
        user = user_id or only
        if not user:
            raise ToolError("user_id: this field is required")
        return key, user
