"""Policy over every text of an event: content, and the strings inside free JSON (D5, "PII first")."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from inference.language import HAN
from processors.pii.redact import Redaction, apply
from processors.pii.redacted_values import NOTHING, RedactedValues
from processors.ports import Models, ProfileBook
from schemas.base import JsonValue
from schemas.profile.pii_policy import DEFAULT_POLICY, PiiPolicy

_SHORT = 4
"""Strings below this many characters hold no entity that policy masks, but for Han: a name has two."""
_HAN_NAME = re.compile(f"[{HAN}]{{2}}")
_LONG_NUMBER = 7
"""Numbers of fewer characters are none of anybody's."""
_SHORT_VALUE = 128
"""A secret is judged beside its key up to this many characters; longer ones are known by themselves."""
_SECRET_KEY = re.compile(
    r"pass(?:word|phrase|code|wd)|(?<![a-z])pw(?![a-z])|pwd|\bpin\b|secret|token|api.?key|access.?key|private.?key|credential|auth"
    r"|phone|mobile|passport|card|ssn|密码|口令|密钥|令牌|手机|电话|护照|身份证|卡号",
    re.IGNORECASE,
)
_TELLING_KEY = re.compile(r"@|[0-9](?:[ -]?[0-9]){5}")
"""Keys are names that a program gave, not what somebody said; but some are addresses and numbers."""

_GIVEN_KEY = re.compile(r"[a-z][a-z0-9_.-]*")
"""A key that a program reads; it stays, whatever was said."""


def policy_of(book: ProfileBook, tenant: str) -> PiiPolicy:
    actions = book.of(tenant).pii
    return DEFAULT_POLICY.overridden({k: str(v) for k, v in actions.items()}) if actions else DEFAULT_POLICY


def redact(models: Models, book: ProfileBook, tenants: Sequence[str], texts: Sequence[str]) -> list[Redaction]:
    """Redact each text under its tenant's policy; one call of the recognisers for all."""
    languages = [models.language_of(t) for t in texts]
    spans = models.analyzer.analyze(texts, languages)
    return [
        apply(text, found, policy_of(book, tenant), models.tokeniser(tenant))
        for tenant, text, found in zip(tenants, texts, spans, strict=True)
    ]


def strings(value: JsonValue) -> Iterator[str]:
    """Every text of free JSON that can hold an entity, in a fixed order: strings, keys that look like one, and as
    "key: value" what says little without its key (a number, a password)."""
    if isinstance(value, str):
        if len(value) >= _SHORT or _HAN_NAME.search(value):
            yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if isinstance(key, str) and _TELLING_KEY.search(key):
                yield key
            if (entity := _with_key(key, item)) is not None:
                yield entity
            yield from strings(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from strings(item)


def replaced(value: JsonValue, redacted: Mapping[str, str], redacted_values: RedactedValues = NOTHING) -> JsonValue:
    """The same JSON with its texts redacted, and without what policy took out of the record's other parts
    (`redacted_values`). A number of which something was masked becomes a string; of keys that are masked alike each
    keeps its value."""
    if isinstance(value, str):
        return redacted_values.value(value, redacted.get(value, value))
    if isinstance(value, Mapping):
        out: dict[JsonValue, JsonValue] = {}
        for key, item in value.items():
            name = _named(key, redacted, redacted_values) if isinstance(key, str) else key
            while name in out:
                name = f"{name}'"
            out[name] = _beside(key, item, redacted, redacted_values)
        return out
    if isinstance(value, list | tuple):
        return [replaced(v, redacted, redacted_values) for v in value]
    if redacted_values and isinstance(value, int | float) and not isinstance(value, bool):
        shown = redacted_values.value(str(value), str(value))
        return value if shown == str(value) else shown
    return value


def telling(key: str) -> bool:
    """May a name hold what somebody said? One that a program gives, in small letters, may not."""
    return bool(_TELLING_KEY.search(key)) or not _GIVEN_KEY.fullmatch(key)


def _named(key: str, redacted: Mapping[str, str], redacted_values: RedactedValues) -> str:
    if _TELLING_KEY.search(key):
        return redacted_values.value(key, redacted.get(key, key))
    return key if _GIVEN_KEY.fullmatch(key) else redacted_values.value(key, key)


def _beside(key: JsonValue, item: JsonValue, redacted: Mapping[str, str], redacted_values: RedactedValues) -> JsonValue:
    entity = _with_key(key, item)
    shown = entity if entity is None else redacted.get(entity, entity)
    if entity is None or shown is None or shown == entity:
        return replaced(item, redacted, redacted_values)
    return redacted_values.text(shown.removeprefix(f"{key}: "))


def _with_key(key: JsonValue, item: JsonValue) -> str | None:
    if isinstance(item, bool) or not isinstance(item, int | float | str) or not 0 < len(str(item)) <= _SHORT_VALUE:
        return None
    long = not isinstance(item, str) and len(str(item)) >= _LONG_NUMBER
    return f"{key}: {item}" if long or _SECRET_KEY.search(str(key)) else None


def counts(redactions: Sequence[Redaction]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for r in redactions:
        total.update(r.found)
    return dict(sorted(total.items()))
