"""Ids in paths and queries: `%2F` is part of an id (RFC 3986, 2.2), where ASGI's decoded path parts at it; bytes that
are not UTF-8 are no id."""

from __future__ import annotations

from urllib.parse import unquote, unquote_to_bytes

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from query.errors import invalid

_SLASH = "\x00"
"""Stands for it while the path is matched: no id holds it, and a path that does is left as it came."""
_KEPT = "memstream.slashes"
_MAX_NAME = 64


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


def refuse_broken(request: Request) -> None:
    """Raises ProblemError for a path or a parameter that is not UTF-8. The server would read U+FFFD for each such byte:
    `DELETE /v1/users/%FF` and `/%FE` would be one user's, and neither the one that was meant."""
    if not _is_utf8(request.scope.get("raw_path") or b""):
        raise invalid("path", "must be UTF-8, percent-encoded")
    for pair in request.scope["query_string"].split(b"&"):
        if not _is_utf8(pair):
            name = unquote(pair.partition(b"=")[0].decode("latin-1"), errors="replace")
            raise invalid(name[:_MAX_NAME] or "query", "must be UTF-8, percent-encoded")


def _is_utf8(sent: bytes) -> bool:
    try:
        unquote_to_bytes(sent).decode()
    except UnicodeDecodeError:
        return False
    return True
