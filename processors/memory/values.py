"""Equality of values: what counts as the same fact said again (B3: false and 0 are values)."""

from __future__ import annotations

import math
import re
import unicodedata
from datetime import datetime

import orjson

from processors.dedupe.features import digest
from schemas.base import Json, JsonValue

_TELLING = re.compile(r"[#%&@]|(?<!\w)-(?=\d)")
"""Punctuation that says something: "C#" is not "C", "-5" is not "5"."""


def normal(value: JsonValue) -> Json:
    """A value with width, case, white space and number type taken out."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, str):
        text = " ".join(unicodedata.normalize("NFKC", value).casefold().split())
        try:
            number = float(text)
        except ValueError:
            return text
        return number if math.isfinite(number) else text  # "Nan" is a name
    if isinstance(value, dict):
        return {str(k): normal(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [normal(v) for v in value]
    return str(value)


def canonical(value: JsonValue) -> str:
    """Text that is equal exactly when the values are the same."""
    return orjson.dumps(normal(value), option=orjson.OPT_SORT_KEYS).decode()


def wording(text: str) -> str:
    """Equal for texts that differ in case, white space and punctuation alone, as the window's near-copies are told
    (D3). Signs that say something count: symbols, pictures, and the marks of scripts that write vowels with them."""
    folded = unicodedata.normalize("NFKC", text)
    signs = [c for c in folded if unicodedata.category(c)[0] in "SM"]
    return " ".join((digest(text), "".join(signs), "".join(_TELLING.findall(folded))))


def same(a: JsonValue, b: JsonValue) -> bool:
    return canonical(a) == canonical(b)


def iso(when: datetime) -> str:
    """Sortable text of a UTC time."""
    return when.isoformat(timespec="microseconds")
