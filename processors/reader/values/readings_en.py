"""Readings of English talk: what people measure of their bodies, by what the numbers look like (health_en.toml)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from processors.reader.rules.wording_guards import label, leads_to_another, of_one_met, spoken_by_another
from processors.reader.values.kinds_en import READINGS, filled, is_lead
from processors.reader.values.lists_en import WORDS
from processors.reader.values.parts_en import Part

_BEFORE = 80
"""Characters before a part in which what is measured may be named."""
_SHORT = 40
"""Characters of a sentence that is no more than a reading and when it was taken."""
_NOT_NOW = re.compile(WORDS.not_read_now, re.I)
"""What says that a number is no reading of now: an earlier time, a range, an aim, a norm, a device, a tale."""
_TAKEN = re.compile(WORDS.taken, re.I)
_PER_MMOL = 18.016
"""Milligrams in a decilitre for a millimole of glucose in a litre."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Numbers by slot, read at `start:end` of the turn."""

    slots: tuple[tuple[str, int | float], ...]
    text: str
    start: int
    end: int


def readings(parts: Sequence[Part], question: str, known: frozenset[str]) -> Iterator[Measured]:
    """The readings that the parts of a turn give. `known`: the slots that the profile has."""
    for reading in _ALL:
        if reading.slots <= known:
            for part in parts:
                if reading.is_asked(question) or is_of_now(part):
                    yield from reading.found(part, question)


def is_of_now(part: Part) -> bool:
    """May a number of a part that answers no question be one that the speaker read off now?"""
    heading = label(part.before, "en")
    if _NOT_NOW.search(f"{heading} {part.sentence}") or of_one_met(part.sentence):
        return False
    anothers = not part.named and leads_to_another(part.before, "en")
    return not (anothers or spoken_by_another(part.sentence[: part.at], "en"))


@dataclass(frozen=True, slots=True)
class _Reading:
    slots: frozenset[str]
    value: re.Pattern[str]
    patterns: Mapping[str, re.Pattern[str]]
    data: Mapping[str, Any]

    def is_asked(self, question: str) -> bool:
        return bool(question) and self._seen("asked", question)

    def found(self, part: Part, question: str) -> Iterator[Measured]:
        if not part.own or part.asks or self._seen("unless", part.text if self.data.get("near") else part.sentence):
            return
        for match in self.value.finditer(part.text):
            numbers = self._numbers(match)
            spoken = part.holds(*match.span(), of_once=True) and not part.denies(*match.span())
            if numbers and spoken and self._is_meant(part, match, question):
                text = self.data["says"].format(owner="{owner}", **numbers)
                yield Measured(tuple(numbers.items()), text, part.start + match.start(), part.start + match.end())

    def _numbers(self, match: re.Match[str]) -> dict[str, int | float]:
        """By slot; none where one is out of its range."""
        found: dict[str, int | float] = {}
        for group, spoken in match.groupdict().items():
            if spoken is None:
                continue
            slot = re.sub(r"_(?:mg|\d)$", "", group)
            number = float(spoken)
            number = round(number / _PER_MMOL, 1) if group.endswith("_mg") else number
            found[slot] = int(number) if number == int(number) and "." not in spoken else number
        outside = any(not low <= found[s] <= high for s, (low, high) in self.data["within"].items() if s in found)
        more = any(found[s] >= found[than] for s, than in self.data.get("less_than", {}).items())
        return {} if outside or more or not found else found

    def _is_meant(self, part: Part, match: re.Match[str], question: str) -> bool:
        if self.data.get("sure"):
            return True
        before = part.before[-_BEFORE:]
        near = self.data.get("near") and self._seen("cue", part.text)
        named = f"{part.text} " if near else f"{before} {part.sentence}"
        if near and len(part.sentence) < _SHORT:
            return True
        if self._seen("cue", named) and ("also" not in self.patterns or self._seen("also", named)):
            return True
        lead = part.text[: match.start()]
        plain = is_lead(lead) or _TAKEN.fullmatch(lead.strip()) is not None
        return plain and (bool(self.data.get("alone")) or (bool(question) and self._seen("asked", question)))

    def _seen(self, name: str, text: str) -> bool:
        return name in self.patterns and self.patterns[name].search(text) is not None


def _reading(data: Mapping[str, Any]) -> _Reading:
    names = {n: re.compile(filled(data[n]), re.I) for n in ("cue", "also", "asked", "unless") if n in data}
    return _Reading(frozenset(data["within"]), re.compile(data["value"], re.I), names, data)


_ALL = tuple(_reading(data) for data in READINGS.values())
