"""Bodies: bounded, said to be JSON, UTF-8, JSON; refused with a reason before a model sees them.

A page of another site may send its visitors' browsers here with a body of a form, of plain text or of no type without
asking first (CORS), so only a type that it has to ask for is taken.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import traceback
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from query.auth.boundary import admit, scope_of
from query.encoded_slashes import put_back, refuse_broken
from query.errors import FRESH_HEADER, ProblemError, said_fresh
from schemas.security.scope import OutOfScopeError

log = logging.getLogger(__name__)

MAX_DEPTH = 64
_JSON_TYPE = re.compile(r"application/([\w.+-]+\+)?json\s*(;.*)?", re.ASCII | re.IGNORECASE)
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class Route(APIRoute):
    """An API route whose body was read here."""

    def get_route_handler(self) -> Handler:
        handler = super().get_route_handler()
        guarded = scope_of in _calls(self.dependant)

        async def handle(request: Request) -> Response:
            refuse_broken(request)
            put_back(request)
            if request.method in ("POST", "PUT", "PATCH", "DELETE"):
                if guarded:  # nothing of a body is read for somebody who is not known
                    await admit(request)
                request = await _checked(request)
            response = await _answered(handler, request)
            fresh = said_fresh(request)
            if fresh is not None:
                response.headers[FRESH_HEADER] = fresh
            return response

        return handle


def _calls(dependant: Dependant) -> set[object]:
    return {dependant.call}.union(*(_calls(d) for d in dependant.dependencies))


async def _answered(handler: Handler, request: Request) -> Response:
    """A bug becomes a problem here, not in the server: that one would log the exception's text, which may quote what
    the caller sent or a store holds."""
    try:
        return await handler(request)
    except (ProblemError, RequestValidationError, ValidationError, OutOfScopeError, HTTPException):
        raise
    except Exception as exc:  # noqa: BLE001 - said so, and answered
        frames = traceback.extract_tb(exc.__traceback__)
        where = [f"{Path(f.filename).name}:{f.lineno}" for f in frames[-3:]]
        log.error("request failed", extra={"error": type(exc).__name__, "where": where})
        raise ProblemError("internal", type(exc).__name__) from None


class _ReadRequest(Request):
    """A request whose body is known and parsed."""

    def __init__(self, request: Request, body: bytes, value: Any) -> None:
        scope = dict(request.scope)
        kept = [(k, v) for k, v in scope["headers"] if k.lower() != b"content-type"]
        scope["headers"] = [*kept, (b"content-type", b"application/json")]
        super().__init__(scope, request.receive)
        self._body, self._json = body, value
        self._stream_consumed = True


async def _checked(request: Request) -> Request:
    limit: int = request.app.state.config.max_body_bytes
    body = await _bounded(request, limit)
    if body and not _JSON_TYPE.fullmatch(request.headers.get("content-type", "").strip()):
        expected = "application/json"
        raise ProblemError("not-json", f"send `Content-Type: {expected}` with a body", headers={"Accept": expected})
    return _ReadRequest(request, body, parse(body) if body else None)


async def _bounded(request: Request, limit: int) -> bytes:
    content_length = request.headers.get("content-length", "")
    if content_length.isdigit() and int(content_length) > limit:
        raise _too_large(limit)
    chunks, size = [], 0
    try:
        async with asyncio.timeout(request.app.state.config.body_seconds):
            async for chunk in request.stream():
                size += len(chunk)
                if size > limit:
                    raise _too_large(limit)
                chunks.append(chunk)
    except TimeoutError:
        raise ProblemError("body-too-slow", "send the whole body at once", headers={"Connection": "close"}) from None
    return b"".join(chunks)


def _too_large(limit: int) -> ProblemError:
    return ProblemError("body-too-large", f"a body may have at most {limit} bytes", limit=limit)


def parse(body: bytes) -> Any:
    """JSON in UTF-8. Raises ProblemError; lone surrogates pass, so that the model can name their field."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise ProblemError("malformed-body", f"the body is not UTF-8 at byte {exc.start}") from None
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as exc:
        raise ProblemError("malformed-body", f"not JSON at line {exc.lineno}, column {exc.colno}: {exc.msg}") from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError as exc:  # a constant, or an integer of thousands of digits
        raise ProblemError("malformed-body", f"not JSON: {str(exc).split(';')[0][:80]}") from None
    if _depth(value) > MAX_DEPTH:
        raise _too_deep()
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _too_deep() -> ProblemError:
    return ProblemError("malformed-body", f"JSON may be nested at most {MAX_DEPTH} deep")


def _depth(value: Any) -> int:
    """Levels of nesting, without recursion."""
    level, deepest = [value], 0
    while level:
        nested = [v for v in level if isinstance(v, dict | list)]
        deepest += bool(nested)
        if deepest > MAX_DEPTH:
            return deepest
        level = [x for v in nested for x in (v.values() if isinstance(v, dict) else v)]
    return deepest
