"""Values that a field reader points at in English talk: taken where what stands there is one that the field takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from inference.reader.protocol import FieldSpan
from processors.reader.rules.found import Found
from processors.reader.rules.numbers import amount, english_integer
from processors.reader.values.asked import is_of_another
from processors.reader.values.fields_en import one_of_its_names, spoken_as, what_it_takes
from processors.reader.values.found_en import candidates
from processors.reader.values.kinds_en import KINDS, Kind
from processors.reader.values.lists_en import WORDS
from processors.reader.values.parts_en import Part
from processors.reader.values.wording_en import worded
from schemas.base import JsonValue
from schemas.profile.model import FieldSpec, Profile

_KNOWN_ONLY, _NEVER, _COMMON = (
    frozenset(words.split()) for words in (WORDS.known_only, WORDS.never_guessed, WORDS.common)
)
_ADDRESSED = re.compile(r"\W*(?:hey |hi |ok )?assistant\W*", re.I)
_NUMBER_GOES_ON = re.compile(WORDS.goes_on_as_number, re.I)
_MOST_WORDS = 4
"""Words of a thing in a list."""
_WORD_BEFORE, _WORD_BEHIND = re.compile(r"[\w'&-]+$"), re.compile(r"[\w'&-]+")
_EDGES = re.compile(r"^(?:(?:an?|the|my|our|some|and|with|is|in|at|of|from|for|to|as)\b\s*)+|[\s.,;:!?]+$", re.I)
_ITEMS = re.compile(r"\s*(?:,|&|\band\b|\bplus\b|\bn\b)\s*", re.I)
_LONGEST = 60
"""Characters of a value that is any words."""


def pointed_at(
    spans: Sequence[FieldSpan], spoken: Sequence[Part], profile: Profile
) -> Iterator[tuple[FieldSpec, Found]]:
    """The values in the spans, with their statements."""
    seen: set[tuple[str, str]] = set()
    for span in spans:
        spec = profile.field(span.field)
        part = next((p for p in spoken if p.start <= span.start < p.end), None)
        if spec is None or part is None or part.asks or (spec.slot or spec.name) in _NEVER:
            continue
        begin, end = _whole_words(part.text, span.start - part.start, min(span.end, part.end) - part.start)
        spoken_words = part.text[begin:end]
        if not _is_so(spec, part, begin, end) or _ADDRESSED.fullmatch(spoken_words):
            continue
        if is_of_another(spoken_words, spec, profile):
            continue
        for value, text in _values(spec, part, begin, end):
            if (key := (spec.name, str(value).lower())) in seen:
                continue
            seen.add(key)
            yield spec, Found(
                part.start + begin, part.start + end, spec.kind, text, ((spec.slot or spec.name, value),),
                reading=span.probability,
            )  # fmt: skip


def _is_so(spec: FieldSpec, part: Part, begin: int, end: int) -> bool:
    """Is what stands there neither denied nor past nor supposed, whoever its subject is?"""
    kind, slot = KINDS.get(spec.slot or spec.name), spec.slot or spec.name
    at_start = not part.sentence[: part.at + begin].strip()
    if slot in _COMMON and part.text[begin : begin + 1].isupper() and not at_start:
        return False
    needs = getattr(WORDS, f"said_of_{slot}", None)
    if needs is not None and not re.search(needs, part.sentence, re.I):
        return False
    if spec.type in ("integer", "number") and _NUMBER_GOES_ON.match(part.text[end:]):
        return False
    of_once, planned = kind is not None and kind.of_once, spec.kind == "intent"
    if part.denies(begin, end) and spec.type != "boolean":
        return False
    return part.is_so(begin, end, of_once=of_once, planned=planned) and (
        of_once or planned or not part.was_before(begin)
    )


def _whole_words(text: str, begin: int, end: int) -> tuple[int, int]:
    before, behind = _WORD_BEFORE.search(text[:begin]), _WORD_BEHIND.match(text[end:])
    inside = begin < len(text) and re.match(r"[\w'&-]", text[begin]) is not None
    return (before.start() if before and inside else begin), (end + behind.end() if behind and end else end)


def _values(spec: FieldSpec, part: Part, begin: int, end: int) -> Iterator[tuple[JsonValue, str]]:
    """What a field takes there. A yes or no that no kind knows is not taken: what speaks for it is not what it says."""
    kind = KINDS.get(spec.slot or spec.name)
    if spec.takes is not None:
        if (taken := what_it_takes(spec, part.text, begin, end)) is not None:
            yield taken, spoken_as(spec, taken)
        return
    if kind is not None:
        yield from _of_kind(kind, part, begin, end)
        return
    if spec.type == "boolean":
        return
    shown = _EDGES.sub("", part.text[begin:end]).strip()
    if spec.aliases or spec.values:
        named = one_of_its_names(spec, part.text, begin, end)
        if named is not None:
            yield named, spoken_as(spec, named)
    elif spec.type in ("integer", "number", "money"):
        number = amount(shown) if re.search(r"\d", shown) else english_integer(shown)
        if number is not None and spec.reading is None:
            yield number, spoken_as(spec, shown)
    elif shown and len(shown) <= _LONGEST:
        for item in _ITEMS.split(shown) if spec.many else [shown]:
            if item and (not spec.many or len(item.split()) <= _MOST_WORDS):
                yield item, spoken_as(spec, item)


def _of_kind(kind: Kind, part: Part, begin: int, end: int) -> Iterator[tuple[JsonValue, str]]:
    """The kind's own values that overlap the span; else the span itself, where the kind takes any words."""
    near = [s for b, e, s in candidates(kind, part.text) if b < end and begin < e]
    made = [m for s in near if (m := worded(kind, s)) is not None]
    if not made and kind.slot not in _KNOWN_ONLY:
        shown = _EDGES.sub("", part.text[begin:end]).strip()
        short = len(shown) <= _LONGEST and (not kind.many or len(shown.split()) <= _MOST_WORDS)
        whole = worded(kind, shown) if shown and short else None
        made = [whole] if whole is not None else []
    yield from made if kind.many else made[-1:]
