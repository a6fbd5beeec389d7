"""Whether a schema takes away what an older one promised. Adding an optional field, an alternative or an allowed
value is no break; everything that a writer may no longer send, or a reader may no longer find, is one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

Schema: TypeAlias = dict[str, Any]
_UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_SAME = ("pattern", "format", "contentEncoding")


def breaks(old: Schema, new: Schema, *, written: bool) -> list[str]:
    """Places and what was taken away. `written`: memstream writes these values, so that a field which others rely on
    must stay required; where others write them, making one optional is no break."""
    return list(_Compared(old, new, written).node(old, new, ""))


class _Compared:
    def __init__(self, old: Schema, new: Schema, written: bool) -> None:
        self._old, self._new, self._written = old.get("$defs", {}), new.get("$defs", {}), written
        self._seen: set[tuple[str, str]] = set()

    def node(self, old: Schema, new: Schema, at: str) -> Iterator[str]:
        pair = (str(old.get("$ref", "")), str(new.get("$ref", "")))
        if all(pair):
            if pair in self._seen:
                return
            self._seen.add(pair)
        old, new = _resolved(old, self._old), _resolved(new, self._new)
        before, after = _alternatives(old), _alternatives(new)
        if before is not None or after is not None:
            yield from self._one_of(before or [old], after or [new], at)
            return
        yield from self._type(old, new, at)
        yield from _values(old, new, at)
        yield from _bounds(old, new, at)
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
                tries.append(list(self.node(one, rival, f"{at}[{named}]" if named else at)))
            yield from min(tries, key=len)

    def _type(self, old: Schema, new: Schema, at: str) -> Iterator[str]:
        was, now = old.get("type"), new.get("type")
        if now is None or was == now or (was, now) == ("integer", "number"):
            return
        if was is None and ("const" in old or "enum" in old):
            return
        yield f"{at}: was {was or 'anything'}, is {now}"

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
        rest, now_rest = old.get("additionalProperties"), new.get("additionalProperties")
        if isinstance(now_rest, dict):
            yield from self.node(rest if isinstance(rest, dict) else {}, now_rest, f"{at}.*")

    def _items(self, old: Schema, new: Schema, at: str) -> Iterator[str]:
        if isinstance(new.get("items"), dict):
            yield from self.node(old.get("items") or {}, new["items"], f"{at}[]")
        before, after = old.get("prefixItems"), new.get("prefixItems")
        if before is not None and after is not None:
            if len(before) != len(after):
                yield f"{at}: was {len(before)} items, is {len(after)}"
            for n, (a, b) in enumerate(zip(before, after, strict=False)):
                yield from self.node(a, b, f"{at}[{n}]")


def _resolved(schema: Schema, defs: Schema) -> Schema:
    name = schema.get("$ref")
    return defs[name.rsplit("/", 1)[-1]] if isinstance(name, str) else schema


def _alternatives(schema: Schema) -> list[Schema] | None:
    found: list[Schema] | None = schema.get("oneOf") or schema.get("anyOf")
    return found


def _event(schema: Schema) -> str | None:
    """The event type that an object says it is."""
    kind = schema.get("properties", {}).get("type", {}).get("const")
    return kind if isinstance(kind, str) else None


def _allowed(schema: Schema) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    found: list[Any] | None = schema.get("enum")
    return found


def _values(old: Schema, new: Schema, at: str) -> Iterator[str]:
    before, after = _allowed(old), _allowed(new)
    if after is None:
        return
    if before is None:
        yield f"{at}: only {', '.join(map(str, after))} now"
        return
    for value in before:
        if value not in after:
            yield f"{at}: {value} is gone"


def _bounds(old: Schema, new: Schema, at: str) -> Iterator[str]:
    for name in _UPPER:
        if name in new and new[name] < old.get(name, float("inf")):
            yield f"{at}: {name} {new[name]} is lower"
    for name in _LOWER:
        if name in new and new[name] > old.get(name, float("-inf")):
            yield f"{at}: {name} {new[name]} is higher"
    for name in _SAME:
        if name in new and new[name] != old.get(name):
            yield f"{at}: {name} has changed"
