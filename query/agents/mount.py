"""`/mcp` of the query service: the same tools, under the key of each request."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from fastapi import FastAPI
from mcp.server.mcpserver import Context
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from query.agents.service import Service
from query.agents.tools import server
from query.auth.boundary import scope_of
from query.config import QueryConfig
from query.errors import ProblemError

PATH = "/mcp"


class Agents:
    """The MCP server of a service. `running` lives as long as the service."""

    def __init__(self, app: FastAPI, config: QueryConfig) -> None:
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        # The door is asked again at every call inside; the name only fills the Host header.
        self._http = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=60)
        self._server = server(Service(self._http), self._caller)
        self._app = app
        inner = self._server.streamable_http_app(
            streamable_http_path=PATH, stateless_http=True, json_response=True, host=config.host,
            max_request_body_size=config.max_body_bytes,
        )  # fmt: skip
        for route in inner.routes:
            if isinstance(route, Route):
                route.app = _Guarded(route.app, app)
            app.router.routes.append(route)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with self._server.session_manager.run(), self._http:
            yield

    async def _caller(self, ctx: Context[Any, Any]) -> tuple[str, str | None]:
        """The caller's key, and the one user that it is bound to."""
        key = (ctx.headers or {}).get("authorization", "")
        scope = await self._app.state.authenticator.scope(key or None)
        users = scope.users
        return key, next(iter(users)) if users is not None and len(users) == 1 else None


class _Guarded:
    """No word of MCP without a valid key."""

    def __init__(self, inner: ASGIApp, app: FastAPI) -> None:
        self._inner, self._app = inner, app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request({**scope, "app": self._app}, receive)
        try:
            await scope_of(request)
        except ProblemError as exc:
            await exc.response()(scope, receive, send)
            return
        await self._inner(scope, receive, send)
