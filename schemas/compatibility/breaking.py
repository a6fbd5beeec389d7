"""Whether a schema takes away what an older one promised. Adding an optional field, an event or an allowed value is no
break; everything that a writer may no longer send, or a reader may no longer find, is one, and in what memstream
writes also what a reader was never to find: another type, null, free text in place of listed values."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Any, TypeAlias

import orjson

Schema: TypeAlias = dict[str, Any]
_UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_SAME = ("pattern", "format", "contentEncoding", "multipleOf")
_MEANING = ("format", "contentEncoding")
"""What says how a text is read."""
_REFERS = {"$ref", "allOf"}
_NOTES = frozenset({"oneOf", "anyOf", "discriminator", "default", "$defs", "$schema", "$id", "title", "description"})
_SORTED = orjson.OPT_SORT_KEYS
_TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})


def breaks(old: Schema, new: Schema, *, written: bool) -> list[str]:
    """Places and what was taken away. `written`: memstream writes these values, so that a field which others rely on
    must stay required; where others write them, making one optional is no break."""
    return list(_Compared(old, new, written).node(old, new, ""))


class _Compared:
    def __init__(self, old: Schema, new: Schema, written: bool) -> None:
        self._old, self._new, self._written = old.get("$defs", {}), new.get("$defs", {}), written
        self._seen: set[tuple[bytes, bytes]] = set()

    def node(self, old: Schema, new: Schema, at: str) -> Iterator[str]:
        if _REFERS & old.keys() and _REFERS & new.keys():  # models may hold themselves
            pair = (orjson.dumps(old, option=_SORTED), orjson.dumps(new, option=_SORTED))
            if pair in self._seen:
                return
            self._seen.add(pair)
        old, new = _resolved(old, self._old), _resolved(new, self._new)
        yield from self._type(old, new, at)
        before, after = _alternatives(old), _alternatives(new)
        if before is not None or after is not None:
            yield from self._one_of(_apart(old), _apart(new), at)
            return
        yield from self._values(old, new, at)
        yield from self._bounds(old, new, at)
        yield from self._object(old, new, at)
        yield from self._items(old, new, at)

    def _one_of(self, before: list[Schema], after: list[Schema], at: str) -> Iterator[str]:
        """Each old alternative must be one of the new ones; where it is a named event, it says what is wrong."""
        for one in before:
            named = _event(_resolved(one, self._old))
            rivals = [a for a in after if _event(_resolved(a, self._new)) == named] if named else after
            if not rivals:
                yield f"{at}: {named or 'an alternative'} is gone"
                continue
            seen = set(self._seen)
            tries = []
            for rival in rivals:
                self._seen = set(seen)
                tries.append((list(self.node(one, rival, f"{at}[{named}]" if named else at)), self._seen))
            # What only a rival met that was not taken has been told to nobody.
            found, self._seen = min(tries, key=lambda t: len(t[0]))
            yield from found

    def _type(self, old: Schema, new: Schema, at: str) -> Iterator[str]:
        was, now = self._types(old, self._old), self._types(new, self._new)
        if was - now:
            yield f"{at}: was {_words(was)}, is {_words(now)}"
        elif self._written and (more := now - was):
            yield f"{at}: may be {_words(more)} now"

    def _types(self, schema: Schema, defs: Schema) -> frozenset[str]:
        """What a value may be."""
        schema = _resolved(schema, defs)
        found = _TYPES
        if (named := schema.get("type")) is not None:
            found = frozenset([named] if isinstance(named, str) else named)
        if (values := _allowed(schema)) is not None:
            found = frozenset(map(_type_of, values))
        if (several := _alternatives(schema)) is not None:
            found &= frozenset[str]().union(*(self._types(one, defs) for one in several))
        return found | {"integer"} if "number" in found else found

    def _values(self, old: Schema, new: Schema, at: str) -> Iterator[str]:
        before, after = _allowed(old), _allowed(new)
        if after is None:
            if before is not None and self._written:
                yield f"{at}: was one of {', '.join(map(str, before))}, may be any value now"
            return
        if before is None:
            yield f"{at}: only {', '.join(map(str, after))} now"
            return
        for value in before:
            if value not in after:
                yield f"{at}: {value} is gone"

    def _bounds(self, old: Schema, new: Schema, at: str) -> Iterator[str]:
        for name in _UPPER:
            if name in new and new[name] < old.get(name, float("inf")):
                yield f"{at}: {name} {new[name]} is lower"
        for name in _LOWER:
            if name in new and new[name] > old.get(name, float("-inf")):
                yield f"{at}: {name} {new[name]} is higher"
        for name in _SAME:
            if name in new and new[name] != old.get(name):
                yield f"{at}: {name} has changed"
        if new.get("uniqueItems") and not old.get("uniqueItems"):
            yield f"{at}: no item twice now"
        for name in _MEANING if self._written else ():
            if name in old and name not in new and "string" in self._types(new, self._new):
                yield f"{at}: {name} {old[name]} is gone"

    def _object(self, old: Schema, new: Schema, at: str) -> Iterator[str]:
        had, has = old.get("properties", {}), new.get("properties", {})
        for name, schema in had.items():
            if name not in has:
                yield f"{at}.{name}: the field is gone"
            else:
                yield from self.node(schema, has[name], f"{at}.{name}")
        must, now = set(old.get("required", ())), set(new.get("required", ()))
        for name in sorted(now - must):
            yield f"{at}.{name}: is required now"
        if self._written:
            for name in sorted((must - now) & has.keys()):
                yield f"{at}.{name}: may be missing now"
        yield from self._rest(old, new, at)

    def _rest(self, old: Schema, new: Schema, at: str) -> Iterator[str]:
        """Fields that have no name of their own."""
        rest, now = old.get("additionalProperties", True), new.get("additionalProperties", True)
        if now is False and rest is not False:
            yield f"{at}.*: no fields beside the named ones now"
        elif isinstance(now, dict) and rest is not False:
            yield from self.node(rest if isinstance(rest, dict) else {}, now, f"{at}.*")
        elif isinstance(rest, dict) and now is True and self._written:
            yield from self.node(rest, {}, f"{at}.*")
        if "propertyNames" in new:
            yield from self.node(old.get("propertyNames", {}), new["propertyNames"], f"{at}.*")
        had, has = old.get("patternProperties", {}), new.get("patternProperties", {})
        for pattern, schema in has.items():
            yield from self.node(had.get(pattern, {}), schema, f"{at}./{pattern}/")

    def _items(self, old: Schema, new: Schema, at: str) -> Iterator[str]:
        had, has = old.get("items"), new.get("items")
        if has is False and had is not False and "prefixItems" not in old:
            yield f"{at}: no items now"
        elif isinstance(has, dict) or (isinstance(had, dict) and self._written):
            yield from self.node(had or {}, has or {}, f"{at}[]")
        before, after = old.get("prefixItems"), new.get("prefixItems")
        if before is not None and after is not None:
            if len(before) != len(after):
                yield f"{at}: was {len(before)} items, is {len(after)}"
            for n, (a, b) in enumerate(zip(before, after, strict=False)):
                yield from self.node(a, b, f"{at}[{n}]")


def _resolved(schema: Schema, defs: Schema) -> Schema:
    """The schema that a reference leads to, with what stands beside the reference; one part of `allOf` is the same."""
    while True:
        name, parts = schema.get("$ref"), schema.get("allOf")
        if isinstance(name, str):
            rest = {k: v for k, v in schema.items() if k != "$ref"}
            schema = {**defs[name.rsplit("/", 1)[-1]], **rest}
        elif parts:
            rest = {k: v for k, v in schema.items() if k != "allOf"}
            schema = {**_merged([_resolved(p, defs) for p in parts]), **rest}
        else:
            return schema


def _merged(parts: list[Schema]) -> Schema:
    out: Schema = {}
    for part in parts:
        both = {
            "properties": {**out.get("properties", {}), **part.get("properties", {})},
            "required": [*out.get("required", ()), *part.get("required", ())],
        }
        out = {**out, **part, **{k: v for k, v in both.items() if v}}
    return out


def _alternatives(schema: Schema) -> list[Schema] | None:
    found: list[Schema] | None = schema.get("oneOf") or schema.get("anyOf")
    return found


def _apart(schema: Schema) -> list[Schema]:
    """The alternatives, each with what stands beside them and holds for all; several types are some, too."""
    rest = {k: v for k, v in schema.items() if k not in _NOTES}
    if (several := _alternatives(schema)) is not None:
        return [{**rest, **one} for one in several]
    named = rest.get("type")
    return [{**rest, "type": one} for one in named] if isinstance(named, list) else [rest]


def _words(types: Set[str]) -> str:
    type_names = types - {"integer"} if "number" in types else types
    return "anything" if types == _TYPES else " or ".join(sorted(type_names)) or "nothing"


def _type_of(value: Any) -> str:
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "null")


def _event(schema: Schema) -> str | None:
    """The event type that an object says it is."""
    kind = schema.get("properties", {}).get("type", {}).get("const")
    return kind if isinstance(kind, str) else None


def _allowed(schema: Schema) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    found: list[Any] | None = schema.get("enum")
    return found
