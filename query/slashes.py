"""Ids that hold a slash, in paths: `%2F` is part of an id (RFC 3986, 2.2), where ASGI's decoded path parts at it."""

from __future__ import annotations

from urllib.parse import unquote

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

_SLASH = "\x00"
"""Stands for it while the path is matched: no id holds it, and a path that does is left as it came."""
_KEPT = "memstream.slashes"


class KeepSlashes:
    """Matches the path as it was sent. Otherwise `DELETE /v1/users/org%2Fsessions%2Fx` would be the session `x` of the
    user `org`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw = scope.get("raw_path") or b""
        if scope["type"] == "http" and b"%2f" in raw.lower() and b"%00" not in raw:
            sent = raw.decode("latin-1").replace("%2f", "%00").replace("%2F", "%00")
            scope = {**scope, "path": unquote(sent, errors="replace"), _KEPT: True}
        await self._app(scope, receive, send)


def put_back(request: Request) -> None:
    """Slashes again in the ids that the path gave."""
    if request.scope.get(_KEPT):
        given = request.scope["path_params"]
        request.scope["path_params"] = {name: value.replace(_SLASH, "/") for name, value in given.items()}
