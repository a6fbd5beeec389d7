"""What every schema shares: frozen models that refuse unknown fields, and the string types of the house."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

SCHEMA_VERSION = 1
MAX_CONTENT_CHARS = 100_000
"""Longest text of one turn, chunk or memory, in characters."""
MAX_ID_CHARS = 256
EARLIEST = datetime(1980, 1, 1, tzinfo=UTC)
"""An event before this is a clock that was never set (1970 is the epoch, not a date)."""
LATEST = datetime(9000, 1, 1, tzinfo=UTC)
"""Later times leave no room for retention and time zones in a datetime."""
MAX_JSON_DEPTH = 64
"""Deepest nesting of free JSON, in arrays and objects."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
"""Looked for in one scan: ids are checked tens of times a request."""

Json: TypeAlias = dict[str, Any] | list[Any] | str | int | float | bool | None


def _clean(text: str) -> str:
    """Refuse what no store can hold: NUL (Postgres) and lone surrogates (UTF-8)."""
    if "\x00" in text:
        raise ValueError("must not contain the NUL character")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("must be valid Unicode (it contains a lone surrogate)") from None
    return text


def _identifier(text: str) -> str:
    if text != text.strip() or _CONTROL.search(text) is not None:
        raise ValueError("must not start or end with white space or contain control characters")
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _clean_json(value: Any, depth: int = MAX_JSON_DEPTH) -> Any:
    """Every string inside free JSON obeys the rule for text; its numbers and its depth are what JSON parsers and
    stores can hold."""
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise ValueError("must not hold an integer beyond 64 bits")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("must not hold NaN or infinity")
    if isinstance(value, dict | list):
        if depth == 0:
            raise ValueError(f"must not be nested deeper than {MAX_JSON_DEPTH} levels")
        if isinstance(value, dict):
            return {_clean(k): _clean_json(v, depth - 1) for k, v in value.items()}
        return [_clean_json(v, depth - 1) for v in value]
    return value


def _free_json(value: Any) -> Any:
    return _clean_json(value)


def _not_a_number(value: Any) -> Any:
    if isinstance(value, int | float):
        raise ValueError("expected a time in RFC 3339, such as 2026-11-21T08:00:00Z")
    return value


def _utc(value: datetime) -> datetime:
    try:
        value = value.astimezone(UTC)
    except OverflowError:  # the first or last hours of the calendar
        value = value.replace(tzinfo=UTC)
    if not EARLIEST <= value < LATEST:
        raise ValueError(f"must not be before {EARLIEST.date()} or after {LATEST.year}")
    return value


CleanText = Annotated[str, AfterValidator(_clean)]
Id = Annotated[str, Field(min_length=1, max_length=MAX_ID_CHARS), AfterValidator(_clean), AfterValidator(_identifier)]
Content = Annotated[
    str, Field(min_length=1, max_length=MAX_CONTENT_CHARS), AfterValidator(_clean), AfterValidator(_not_blank)
]
Timestamp = Annotated[AwareDatetime, BeforeValidator(_not_a_number), AfterValidator(_utc)]
"""RFC 3339 with an offset; kept in UTC."""
JsonValue = Annotated[Any, AfterValidator(_free_json)]
"""Any JSON value; its strings are clean text."""
JsonObject = Annotated[dict[str, Any], AfterValidator(_free_json)]
UnitFloat = Annotated[float, Field(ge=0.0, le=1.0)]


class Frozen(BaseModel):
    """Base of every schema: immutable, extra fields refused, NaN and infinity refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, ser_json_inf_nan="null")
