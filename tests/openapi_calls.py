"""Calls of every operation that the OpenAPI describes, with values of the test's choosing: a new endpoint is driven
without being named."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import quote

Pick: TypeAlias = Callable[[str], Any]
"""Gives a value for a property or parameter of that name, None for one that it has no opinion on."""
Choose: TypeAlias = Callable[[int], int]
"""A number below the given one."""


@dataclass(frozen=True, slots=True)
class Operation:
    method: str
    path: str
    spec: Mapping[str, Any]
    schemas: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True, slots=True)
class Call:
    method: str
    path: str
    query: dict[str, Any]
    body: Any


def operations(openapi: Mapping[str, Any]) -> Iterator[Operation]:
    """In the order of the paths."""
    for path, methods in sorted(openapi["paths"].items()):
        for method, spec in sorted(methods.items()):
            yield Operation(method.upper(), path, spec, openapi.get("components", {}).get("schemas", {}))


def call(operation: Operation, pick: Pick, choose: Choose) -> Call:
    """One call: required values always, optional ones as `choose` says."""
    path, query = operation.path, {}
    for parameter in operation.spec.get("parameters", ()):
        name, schema = parameter["name"], parameter["schema"]
        if parameter["in"] == "path":
            given = str(_value(name, schema, operation.schemas, pick, choose))
            path = path.replace("{" + name + "}", quote(given, safe=""))
        elif parameter["in"] == "query" and (parameter.get("required") or _wanted(name, pick, choose)):
            query[name] = _value(name, schema, operation.schemas, pick, choose)
    body = None
    for content in operation.spec.get("requestBody", {}).get("content", {}).values():
        body = _value("", content["schema"], operation.schemas, pick, choose)
    return Call(operation.method, path, {k: v for k, v in query.items() if v is not None}, body)


def _wanted(name: str, pick: Pick, choose: Choose) -> bool:
    return choose(2) == 1 if pick(name) is not None else choose(4) == 0


def _value(
    name: str, schema: Mapping[str, Any], schemas: Mapping[str, Any], pick: Pick, choose: Choose, depth: int = 0
) -> Any:
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rsplit("/", 1)[1]]
    given = pick(name)
    if given is not None and schema.get("type") not in ("object", "array"):
        return given
    for several in ("anyOf", "oneOf"):
        if several in schema:
            options = [s for s in schema[several] if s.get("type") != "null"] or schema[several]
            return _value(name, options[choose(len(options))], schemas, pick, choose, depth)
    if "enum" in schema:
        return schema["enum"][choose(len(schema["enum"]))]
    if "const" in schema:
        return schema["const"]
    match schema.get("type"):
        case "object":
            required = schema.get("required", ())
            return {
                key: _value(key, inner, schemas, pick, choose, depth + 1)
                for key, inner in schema.get("properties", {}).items()
                if key in required or (depth < 3 and _wanted(key, pick, choose))
            }
        case "array":
            if "prefixItems" in schema:
                return [_value(name, s, schemas, pick, choose, depth + 1) for s in schema["prefixItems"]]
            if given is not None:
                return given if isinstance(given, list) else [given]
            return [_value(name, schema.get("items", {}), schemas, pick, choose, depth + 1)] if depth < 4 else []
        case "integer":
            return max(int(schema.get("minimum", schema.get("exclusiveMinimum", 0))), 1 + choose(3))
        case "number":
            return max(float(schema.get("minimum", 0)), 0.5)
        case "boolean":
            return choose(2) == 1
        case "string" if schema.get("format") == "date-time":
            return "2026-11-21T08:00:00Z"
        case "string":
            return "word"
        case _:
            return {"a": 1}
