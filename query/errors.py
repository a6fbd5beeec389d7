"""Errors as RFC 9457 problem details with a stable `type`. None of them holds content of the caller or of a store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from schemas.security.scope import OutOfScopeError
from schemas.security.sealing import KeysAway, MasterKeyAway

URN = "urn:memstream:error:"
MEDIA_TYPE = "application/problem+json"
FRESH_HEADER = "Memstream-Fresh"
_MAX_LISTED = 20
_MAX_NAME = 80
TITLES = {
    "validation": (422, "The request does not fit the contract"),
    "malformed-body": (400, "The body is not JSON in UTF-8"),
    "body-too-slow": (408, "The body did not come in time"),
    "body-too-large": (413, "The body is too large"),
    "not-json": (415, "A body must say that it is JSON"),
    "unauthorised": (401, "A valid key is needed"),
    "forbidden": (403, "The key does not allow this"),
    "not-local": (403, "Without keys only this machine is answered"),
    "not-found": (404, "There is no such thing"),
    "conflict": (409, "This id names something else already"),
    "too-many": (429, "Too many requests of this tenant"),
    "broker-unavailable": (503, "The log did not take everything"),
    "busy": (503, "Too much is waiting for the log"),
    "store-unavailable": (503, "A store that the answer needs does not answer"),
    "not-ready": (503, "Not ready"),
    "internal": (500, "Something went wrong here"),
}


class ProblemError(Exception):
    """An answer that is an error. `word` is the last part of its type; `extra` are further members."""

    def __init__(self, word: str, detail: str, *, headers: Mapping[str, str] | None = None, **extra: Any) -> None:
        super().__init__(detail)
        self.word, self.detail, self.extra = word, detail, extra
        self.status, self.title = TITLES[word]
        self.headers = dict(headers or {})

    def response(self) -> Response:
        content = {"type": URN + self.word, "title": self.title, "status": self.status, "detail": self.detail}
        return JSONResponse({**content, **self.extra}, self.status, self.headers, MEDIA_TYPE)


def not_found(what: str) -> ProblemError:
    return ProblemError("not-found", f"no such {what}")


def store_down(store: str, reason: str = "unreachable") -> ProblemError:
    """`reason`: as `degraded` says it where the answer can do without."""
    return ProblemError(
        "store-unavailable", f"{store} does not answer", headers={"Retry-After": "1"}, store=store, reason=reason
    )


def keys_down(why: KeysAway) -> ProblemError:
    """The keyring lies in Postgres; its master key with us."""
    if not isinstance(why, MasterKeyAway):
        return store_down("postgres")
    detail = "the master key that this needs is not here: the service's log names it (MEMSTREAM_MASTER_KEY)"
    wait = {"Retry-After": "60"}
    return ProblemError("store-unavailable", detail, headers=wait, store="keyring", reason="master_key")


def done_without(problem: ProblemError) -> dict[str, str]:
    """A store that did not answer, as an entry of `degraded`."""
    return {k: str(problem.extra.get(k, "unreachable")) for k in ("store", "reason")}


def invalid(field: str, expected: str) -> ProblemError:
    """One field is wrong: `field` is its path, as `turns.3.occurred_at`."""
    return invalid_all([(field, expected)])


def invalid_all(errors: Sequence[tuple[str, str]]) -> ProblemError:
    field, expected = errors[0]
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    listed = [{"field": f, "expected": e} for f, e in errors[:_MAX_LISTED]]
    return ProblemError("validation", f"{field}: {expected}{more}", errors=listed)


def from_validation(exc: RequestValidationError | ValidationError, prefix: str = "") -> ProblemError:
    """Field and expectation of each error, never the value that was sent."""
    errors = exc.errors()
    # A list whose only items are wrong is told to be too short as well, which it is not.
    wrong_within = {e["loc"][:n] for e in errors for n in range(1, len(e["loc"]))}
    reported = [e for e in errors if not (e["type"] == "too_short" and tuple(e["loc"]) in wrong_within)]
    found = [(_path(e["loc"], prefix), _expected(e)) for e in reported]
    return invalid_all(found or [("body", "a valid request")])


def _path(loc: Iterable[Any], prefix: str) -> str:
    parts = [str(p)[:_MAX_NAME].encode("utf-8", "replace").decode() for p in loc]
    if parts and parts[0] in ("body", "query", "path", "header", "cookie"):
        parts = parts[1:] or parts
    return ".".join([prefix, *parts] if prefix else parts) or "body"


def _expected(error: Mapping[str, Any]) -> str:
    kind = error.get("type")
    if kind == "extra_forbidden":
        return "no field of this name"
    if kind == "missing":
        return "this field is required"
    return str(error.get("msg", "invalid")).removeprefix("Value error, ")


def said_fresh(request: Request) -> str | None:
    """What an answer's header says; None where nothing is read. What was waited for need not stand in views that were
    switched to since: they may be behind (N1)."""
    fresh: str | None = getattr(request.state, "fresh", None)
    moved: Callable[[], bool] | None = getattr(request.state, "moved", None)
    return "false" if fresh == "true" and moved is not None and moved() else fresh


def install(app: FastAPI) -> None:
    """Every way a request can fail becomes a problem."""

    def answer(request: Request, problem: ProblemError) -> Response:
        response = problem.response()
        fresh = said_fresh(request)
        if fresh is not None:
            response.headers[FRESH_HEADER] = fresh
        return response

    async def on_problem(request: Request, exc: Exception) -> Response:
        assert isinstance(exc, ProblemError)  # noqa: S101 - registered for it
        return answer(request, exc)

    async def on_validation(request: Request, exc: Exception) -> Response:
        assert isinstance(exc, RequestValidationError | ValidationError)  # noqa: S101
        return answer(request, from_validation(exc))

    async def on_scope(request: Request, exc: Exception) -> Response:
        if request.method in ("GET", "HEAD"):
            return answer(request, not_found("resource"))
        return answer(request, ProblemError("forbidden", f"this key does not reach that {exc}"))

    async def on_http(request: Request, exc: Exception) -> Response:
        assert isinstance(exc, HTTPException)  # noqa: S101
        if exc.status_code == 404:
            return answer(request, not_found("endpoint"))
        content = {"type": "about:blank", "title": str(exc.detail), "status": exc.status_code}
        return JSONResponse(content, exc.status_code, exc.headers, MEDIA_TYPE)

    async def on_bug(request: Request, exc: Exception) -> Response:
        return answer(request, ProblemError("internal", type(exc).__name__))

    app.add_exception_handler(ProblemError, on_problem)
    app.add_exception_handler(RequestValidationError, on_validation)
    app.add_exception_handler(OutOfScopeError, on_scope)
    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(Exception, on_bug)
