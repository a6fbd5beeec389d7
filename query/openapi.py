"""What the description of the API says beside the routes: errors, credentials, and headers that code reads itself.

It is made once, when somebody asks for it; no request is checked by it.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic.json_schema import models_json_schema

from query import answers, errors, reference_page
from query.auth.boundary import scope_of
from query.freshness import WAIT_FOR, WAIT_MS, freshness_of

BEARER = "key"
_REF = "#/components/schemas/"
_ALWAYS = (500, 503)
_WITH_KEY = (401, 403, 429)
_WITH_BODY = (400, 408, 413, 415)
_FRESH_HEADERS = {
    WAIT_FOR: "The `freshness_token` of a write: the answer waits until what was written can be read.",
    WAIT_MS: "How long to wait for it at most, in whole milliseconds.",
}
_LAST_ID = {"Last-Event-ID": "The id of the last event that was received: the stream goes on behind it."}


def install(app: FastAPI, parts: Sequence[APIRouter]) -> None:
    """`/openapi.json` and `/docs` from here on. `parts`: the routers of the app."""

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = describe(app, parts)
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]
    reference_page.install(app, described)


def describe(app: FastAPI, routers: Sequence[APIRouter]) -> dict[str, Any]:
    found = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
    parts = found.setdefault("components", {})
    schemas = parts.setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas["Problem"] = _PROBLEM
    _add(schemas, _models())
    parts["securitySchemes"] = {BEARER: {"type": "http", "scheme": "bearer", "description": "An API key or a token."}}
    for route in (route for router in routers for route in router.routes):
        if isinstance(route, APIRoute) and route.include_in_schema:
            for method in route.methods or ():
                spec = found["paths"][route.path_format][method.lower()]
                _complete(spec, route)
                _declare(spec, method.lower(), route.path_format)
    _say(schemas, meanings())
    return found


def meanings() -> dict[str, dict[str, str]]:
    """What properties mean: by schema (`any`: in all of them) and name."""
    return tomllib.loads(files("query.answers").joinpath("fields.toml").read_text(encoding="utf-8"))


def _say(schemas: Mapping[str, Any], meanings: Mapping[str, Mapping[str, str]]) -> None:
    """Properties that do not say themselves what they mean get it from what is written of their name."""
    for schema, spec in schemas.items():
        own = meanings.get(schema, {})
        for name, made in spec.get("properties", {}).items():
            meaning = made.get("description") or own.get(name) or meanings["any"].get(name, "")
            # Said in words: generators of types take what has a default for what every caller must send, or is sent.
            if (default := made.pop("default", None)) not in (None, [], {}):
                meaning = f"{meaning} Default: {json.dumps(default, ensure_ascii=False)}."
            if meaning:
                made["description"] = meaning


def _models() -> dict[str, Any]:
    """The declared answers and their parts, by name."""
    named = sorted({m for found in answers.TABLE.values() for m in found.values()}, key=lambda m: m.__name__)
    # As validation sees them: what has a default may be missing.
    _, made = models_json_schema([(m, "validation") for m in named], ref_template=_REF + "{model}")
    found: dict[str, Any] = made["$defs"]
    return found


def _add(schemas: dict[str, Any], more: Mapping[str, Any]) -> None:
    if both := schemas.keys() & more.keys():
        raise ValueError(f"two schemas of one name: {', '.join(sorted(both))}")
    schemas.update(more)


def _declare(spec: dict[str, Any], method: str, path: str) -> None:
    """What a handler that answers plain dicts answers: said here, checked by tests, never at answer time."""
    for status, model in answers.TABLE.get((method, path), {}).items():
        schema = {"schema": {"$ref": _REF + model.__name__}}
        kept = spec["responses"].setdefault(str(status), {"description": "Successful Response"})
        kept["content"] = {"application/json": schema}
    if media := answers.MEDIA.get((method, path)):
        spec["responses"]["200"]["content"] = {media: {"schema": {"type": "string"}}}


def _complete(spec: dict[str, Any], route: APIRoute) -> None:
    calls = {d.call for d in _all(route.dependant)}
    guarded = scope_of in calls
    statuses = {*_ALWAYS, 422, *(_WITH_KEY if guarded else ()), *(_WITH_BODY if "requestBody" in spec else ())}
    if "{" in route.path_format:
        statuses.add(404)
    statuses.update(int(status) for status in route.responses)
    for status in sorted(statuses):
        spec["responses"][str(status)] = _answer(status)
    if guarded:
        spec["security"] = [{BEARER: []}, {}]
    headers = dict(_FRESH_HEADERS) if freshness_of in calls else {}
    if route.path == "/v1/updates":
        headers |= _LAST_ID
    spec.setdefault("parameters", []).extend(_header(name, text) for name, text in headers.items())
    if not spec["parameters"]:
        del spec["parameters"]


def _all(dependant: Dependant) -> Iterator[Dependant]:
    for d in dependant.dependencies:
        yield d
        yield from _all(d)


def _header(name: str, text: str) -> dict[str, Any]:
    kind = {"type": "integer", "minimum": 0} if name == WAIT_MS else {"type": "string"}
    return {"name": name, "in": "header", "required": False, "description": text, "schema": kind}


def _answer(status: int) -> dict[str, Any]:
    titles = "; ".join(t for n, t in errors.TITLES.values() if n == status)
    return {
        "description": titles,
        "content": {errors.MEDIA_TYPE: {"schema": {"$ref": _REF + "Problem"}}},
    }


_PROBLEM: Mapping[str, Any] = {
    "type": "object",
    "title": "Problem",
    "description": "RFC 9457. Further members where they are known; none holds what was sent.",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "enum": [errors.URN + word for word in errors.TITLES]},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "store": {"type": "string", "description": "The store that did not answer."},
        "reason": {"type": "string", "description": "Why it counts as away."},
        "errors": {
            "type": "array",
            "description": "What is wrong, field by field.",
            "items": {
                "type": "object",
                "required": ["field", "expected"],
                "properties": {"field": {"type": "string"}, "expected": {"type": "string"}},
            },
        },
    },
}
