"""The place of a sealed text: the record that it belongs to, by what is clear of it (C7).

It is authenticated with the text and stored nowhere: whoever opens a text tells where it was found. It names no topic,
store or offset, since a value is moved between those without being opened.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from schemas.components.installed import components
from schemas.events import amendments, documents, memory, sessions, turns
from schemas.events.envelope import Envelope
from schemas.security.sealing import Place

_MODULES = (amendments, documents, memory, sessions, turns)
"""Loaded, so that every type of event is known."""


@lru_cache(maxsize=1)
def fields_of_places() -> Mapping[str, tuple[str, ...]]:
    """Type of event -> the fields whose values follow it in a place; `turn.turn_id` is a field of a field."""
    components()  # their types are known from here on, too
    found: dict[str, tuple[str, ...]] = {}
    left: list[type[Envelope]] = [Envelope]
    while left:
        model = left.pop()
        left.extend(model.__subclasses__())
        if model.SEALED:
            found[model.model_fields["type"].default] = ("tenant", *model.PLACE)
    return found


def place_of(data: Mapping[str, Any]) -> Place:
    """Of an event as JSON. Empty where its type has no sealed part: nothing opens there."""
    kind = data.get("type")
    names = fields_of_places().get(kind) if isinstance(kind, str) else None
    return () if names is None else (str(kind), *(_text(_at(data, name)) for name in names))


def place_of_row(model: type[Envelope], values: Mapping[str, Any]) -> Place:
    """Of a row that keeps the event's fields under their names."""
    return place_of({**values, "type": model.model_fields["type"].default})


def columns_of_place(model: type[Envelope]) -> tuple[str, ...]:
    """The type's word, and the columns of its table that follow it in the place of a row."""
    kind = str(model.model_fields["type"].default)
    return kind, *fields_of_places()[kind]


def _at(data: Mapping[str, Any], name: str) -> Any:
    first, _, rest = name.partition(".")
    found = data.get(first)
    return found if not rest else found.get(rest) if isinstance(found, Mapping) else None


def _text(value: Any) -> str:
    """As the stores give it back as text."""
    return "" if value is None else str(value)
