"""What policy took out of one text of a record does not stand in another of its parts (D5). Pure.

A recogniser tells a name by what stands around it: "lives in Ghent" holds a place, the value "Ghent" beside it need
not. So what is taken out of a record's texts is remembered while the record is written, and goes from all of it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace

from inference.language import HAN
from processors.pii.redact import Redaction
from schemas.profile.pii_policy import PLACEHOLDER

_HAN = re.compile(f"[{HAN}]")
_DISTINCTIVE = re.compile(f"[0-9{HAN}]|[^\\W\\d_a-z]")
"""Digits, Han, capitals: what names and numbers have, and words of a program or a sentence ("in", "user") have not."""
_SHORT_NUMBER = 4


class RedactedValues:
    """Values that policy took out of one record, and what stands for each: of two texts the first one's."""

    __slots__ = ("_parts", "_shown", "_whole")

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        self._shown: dict[str, str] = {}
        self._whole: dict[str, str] = {}
        for value, placeholder in pairs:
            self._shown.setdefault(value, placeholder)
            self._whole.setdefault(_plain(value), placeholder)
        self._parts = sorted(filter(_may_be_part, self._shown), key=lambda value: (-len(value), value))

    @classmethod
    def of(cls, redactions: Iterable[Redaction]) -> RedactedValues:
        return cls(pair for r in redactions for pair in r.gone)

    def and_of(self, redaction: Redaction) -> RedactedValues:
        """These, and what policy took out of one text more."""
        return RedactedValues([*self._shown.items(), *redaction.gone])

    def __bool__(self) -> bool:
        return bool(self._shown)

    def text(self, text: str) -> str:
        """A text without the values that stand in it, as they were written; placeholders stay."""
        return _shown_in(text, self._found(text))

    def _found(self, text: str) -> list[tuple[int, int, str]]:
        held = [value for value in self._parts if value in text]  # mostly none: policy took it out already
        if not held:
            return []
        ways = re.compile("|".join([PLACEHOLDER, *map(_standing_alone, held)]))
        return [(*m.span(), self._shown[m[0]]) for m in ways.finditer(text) if m[0] in self._shown]

    def value(self, value: str, redacted: str) -> str:
        """A string of free JSON that policy by itself makes `redacted`: what equals a value (in any case and width) or
        is a part of one becomes what stands for that value."""
        if not self._shown:
            return redacted
        plain = _plain(value)
        if plain in self._whole:
            return self._whole[plain]
        if len(plain) > 1 and _DISTINCTIVE.search(value):
            part = value.strip()
            for known, placeholder in self._shown.items():
                if part in known and re.search(_standing_alone(part), known):
                    return placeholder
        return self.text(redacted)

    def redaction(self, r: Redaction) -> Redaction:
        """The same for a redacted text; what was allowed in it stays marked where it stands now."""
        moves = self._found(r.text)
        if not moves:
            return r
        kept = []
        for entity, start, end in r.entities:
            if any(start < stop and begin < end for begin, stop, _ in moves):
                continue
            by = sum(len(shown) - (stop - begin) for begin, stop, shown in moves if stop <= start)
            kept.append((entity, start + by, end + by))
        return replace(r, text=_shown_in(r.text, moves), entities=tuple(kept))


def _shown_in(text: str, moves: Iterable[tuple[int, int, str]]) -> str:
    out, read = "", 0
    for start, end, shown in moves:
        out += text[read:start] + shown
        read = end
    return out + text[read:]


def _plain(value: str) -> str:
    return unicodedata.normalize("NFKC", value).strip().casefold()


def _may_be_part(value: str) -> bool:
    """One letter or a small number by itself is everybody's."""
    return len(value) > 1 and not (value.isdigit() and len(value) < _SHORT_NUMBER)


def _standing_alone(value: str) -> str:
    """The value as a word of its own: not inside a longer word, number or date. Han has no gaps between words."""
    number = value.isdigit()
    before = "" if _HAN.match(value[0]) else r"(?<![\d.,:/-])" if number else rf"(?<![^\W{HAN}])"
    behind = "" if _HAN.match(value[-1]) else r"(?![\d:/-]|[.,]\d)" if number else rf"(?![^\W{HAN}])"
    return before + re.escape(value) + behind


NOTHING = RedactedValues()
