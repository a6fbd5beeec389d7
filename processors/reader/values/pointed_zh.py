"""Values that a field reader points at in Chinese talk: taken where what stands there is one that the field takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from inference.reader.protocol import FieldSpan
from processors.reader.rules.found import Found
from processors.reader.rules.numbers import amount
from processors.reader.values.asked import is_of_another
from processors.reader.values.find_zh import Value, value_of
from processors.reader.values.kinds_zh import KINDS, Lexicon, compiled, guard, has_guard, known_words, names_of
from processors.reader.values.talk_zh import Part
from schemas.base import JsonValue
from schemas.profile.model import FieldSpec, Profile

_KNOWN_ONLY, _NEVER = (frozenset(known_words()[name].split()) for name in ("known_only", "never_guessed"))
_LETTERS_BEFORE, _LETTERS_BEHIND = re.compile(r"[A-Za-z][\w+&.'-]*$"), re.compile(r"[\w+&.'-]*[A-Za-z0-9]")
_EDGES = re.compile(r"^[\s，,。.！!、；;：:“”\"'的了是在有]+|[\s，,。.！!、；;：:“”\"'的了呢吧啊呀]+$")
_ITEMS = re.compile(r"[、和跟与，,以及]+(?!平)")
_LONGEST = 24
"""Characters of a value that is any words."""
_DIGIT = re.compile(r"[\d一二两三四五六七八九十百千万亿]")


def kind_value(
    span: FieldSpan, spec: FieldSpec, part: Part, lexicon: Lexicon
) -> Value | None:
    """The value of a kind of the field that overlaps a span in its clause."""
    names = (spec.slot or spec.name,)
    begin, end = span.start - part.clause.start, span.end - part.clause.start
    for kind in KINDS:
        if kind.pair or not ({spec.slot, spec.name} & set(kind.fields)) or kind.whose != "own":
            continue
        aliases = names_of(spec) if "{aliases}" in kind.value else ()
        for match in compiled(kind.value, lexicon, aliases).finditer(part.text):
            if match.start() < end and begin < match.end() and (value := value_of(kind, part, match, names)):
                return value
    return None


def open_value(span: FieldSpan, spec: FieldSpec, text: str, profile: Profile) -> Iterator[JsonValue]:
    """What the words of a span are for a field, of its type alone. A yes or no is not taken: what speaks for it is not
    what it says."""
    shown = _EDGES.sub("", _whole(text, span.start, span.end))
    if not shown or len(shown) > _LONGEST or spec.type == "boolean" or is_of_another(shown, spec, profile):
        return
    if spec.takes is not None:
        yield from _what_it_takes(spec, shown)
    elif spec.aliases or spec.values:
        names = sorted(names_of(spec), key=len, reverse=True)
        if named := next((n for n in names if n in shown), None):
            yield named
    elif spec.type in ("integer", "number", "money"):
        number = amount(re.sub(r"[来多几\s]", "", shown)) if _DIGIT.search(shown) else None
        if spec.type == "money" and not guard("is_a_sum").search(shown):
            number = None
        if number is not None and spec.reading is None and spec.slot not in _KNOWN_ONLY:
            yield number
    elif spec.slot not in _KNOWN_ONLY:
        like = f"like_{spec.slot or spec.name}"
        if has_guard(like) and not guard(like).search(shown):
            return
        yield from (item for item in (_ITEMS.split(shown) if spec.many else [shown]) if len(item) > 1)


def _whole(text: str, start: int, end: int) -> str:
    """The characters of a span, with all of the Latin words that it cuts."""
    cut = text[start : start + 1].isascii() and text[start : start + 1].isalnum()
    before = _LETTERS_BEFORE.search(text[:start]) if cut else None
    cut = text[end - 1 : end].isascii() and text[end - 1 : end].isalnum()
    behind = _LETTERS_BEHIND.match(text[end:]) if cut else None
    return text[before.start() if before else start : end + behind.end() if behind else end]


def _what_it_takes(spec: FieldSpec, shown: str) -> Iterator[JsonValue]:
    """The time of a plan; whether others support what is planned."""
    if spec.takes == "time" and guard("time_of_plan").search(shown):
        yield shown
    if spec.takes == "support" and (match := guard("for_or_against").search(shown)):
        yield "反对" if match["no"] else "支持"


def part_of(span: FieldSpan, parts: Sequence[Part]) -> Part | None:
    """The clause that holds the beginning of a span, where what it says is stated."""
    part = next((p for p in parts if p.clause.start <= span.start < p.clause.end), None)
    if part is None or part.clause.asks or guard("unmeant").search(part.text):
        return None
    lead = part.text[: span.start - part.clause.start]
    return None if guard("denied").search(lead) or guard("denied_far").search(lead) else part


def statement(span: FieldSpan, spec: FieldSpec, value: JsonValue, part: Part) -> Found:
    label = spec.label.get("zh") or spec.label.get("en") or spec.name
    shown = {True: "是", False: "否"}[value] if isinstance(value, bool) else str(value)
    return Found(
        part.clause.start, part.clause.end, spec.kind, f"{{of}}{label}：{shown}", ((spec.slot or spec.name, value),),
        reading=span.probability,
    )  # fmt: skip


def wanted(profile: Profile, span: FieldSpan) -> FieldSpec | None:
    spec = profile.field(span.field)
    return None if spec is None or spec.reading is not None or (spec.slot or spec.name) in _NEVER else spec
