"""What every schema shares: frozen models that refuse unknown fields, and the string types of the house."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

SCHEMA_VERSION = 1
MAX_CONTENT_CHARS = 100_000
"""Longest text of one turn, chunk or memory, in characters."""
MAX_ID_CHARS = 256
EARLIEST = datetime(1980, 1, 1, tzinfo=UTC)
"""An event before this is a clock that was never set (1970 is the epoch, not a date)."""

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
    if text != text.strip() or any(ord(c) < 32 or ord(c) == 127 for c in text):
        raise ValueError("must not start or end with white space or contain control characters")
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _clean_json(value: Any) -> Any:
    """Every string inside free JSON obeys the rule for text; depth is bounded by the parser."""
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, dict):
        return {_clean(k): _clean_json(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_clean_json(v) for v in value]
    return value


def _not_a_number(value: Any) -> Any:
    if isinstance(value, int | float):
        raise ValueError("expected a time in RFC 3339, such as 2026-11-21T08:00:00Z")
    return value


def _utc(value: datetime) -> datetime:
    value = value.astimezone(UTC)
    if value < EARLIEST:
        raise ValueError(f"must not be before {EARLIEST.date()}")
    return value


CleanText = Annotated[str, AfterValidator(_clean)]
Id = Annotated[str, Field(min_length=1, max_length=MAX_ID_CHARS), AfterValidator(_clean), AfterValidator(_identifier)]
Content = Annotated[
    str, Field(min_length=1, max_length=MAX_CONTENT_CHARS), AfterValidator(_clean), AfterValidator(_not_blank)
]
Timestamp = Annotated[AwareDatetime, BeforeValidator(_not_a_number), AfterValidator(_utc)]
"""RFC 3339 with an offset; kept in UTC."""
JsonValue = Annotated[Any, AfterValidator(_clean_json)]
"""Any JSON value; its strings are clean text."""
JsonObject = Annotated[dict[str, Any], AfterValidator(_clean_json)]
UnitFloat = Annotated[float, Field(ge=0.0, le=1.0)]


class Frozen(BaseModel):
    """Base of every schema: immutable, extra fields refused, NaN and infinity refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, ser_json_inf_nan="null")
