"""Cursors: opaque to the caller, a position in an order that does not move."""

from __future__ import annotations

import base64
import binascii
from datetime import datetime
from typing import Annotated, Any

import orjson
from fastapi import Query

from query.errors import invalid
from query.views.memories import After
from schemas.base import CleanText

Limit = Annotated[int, Query(ge=1, le=200)]
Cursor = Annotated[CleanText | None, Query(max_length=1_000)]


def dump(*parts: Any) -> str:
    """A cursor of JSON values and times."""
    return base64.urlsafe_b64encode(orjson.dumps(parts)).decode().rstrip("=")


def load(cursor: str | None, *types: type, field: str = "cursor") -> list[Any] | None:
    """The parts of a cursor, None without one. Raises ProblemError for what is none; `field` is what it calls it."""
    if cursor is None:
        return None
    try:
        parts = orjson.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if not isinstance(parts, list) or len(parts) != len(types):
            raise ValueError("length")
        return [_part(p, t) for p, t in zip(parts, types, strict=True)]
    except (ValueError, TypeError, binascii.Error):
        raise invalid(field, "expected the cursor that a page returned") from None


def _part(part: Any, kind: type) -> Any:
    """What a store can be asked with. Raises ValueError or TypeError."""
    if kind is datetime:
        at = datetime.fromisoformat(part)
        if at.tzinfo is None:
            raise ValueError("zone")
        return at
    if type(part) is not kind or (isinstance(part, str) and "\0" in part):
        raise ValueError("type")
    if isinstance(part, int) and not -(2**63) <= part < 2**63:
        raise ValueError("range")
    return part


def after(cursor: str | None) -> After:
    """Where a page of memories begins."""
    parts = load(cursor, datetime, str, int)
    return After() if parts is None else After(*parts)
