"""Reads the fields of a Chinese turn that the patterns left open, from the values that stand in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from inference.reader.protocol import FieldSpan
from processors.reader.rules.catalogue import fit, spec_of
from processors.reader.rules.domain import category_of
from processors.reader.rules.found import Found
from processors.reader.rules.protocol import TurnView
from processors.reader.values.find_zh import Value, values_in
from processors.reader.values.introduced_zh import introduced
from processors.reader.values.kinds_zh import KINDS, Kind, Lexicon, known_words, lexicon_of, names_of
from processors.reader.values.labelled_zh import labelled
from processors.reader.values.pointed_zh import kind_value, open_value, part_of, statement, wanted
from processors.reader.values.readings_zh import is_of_now
from processors.reader.values.talk_zh import Part, parts_of
from schemas.base import JsonValue
from schemas.profile.model import FieldSpec, Profile

_GROUP = re.compile(r"\{(\w+)\}")
_ROUND = re.compile("[来多几]")
_BRIEF = frozenset(known_words()["brief"].split())
"""Names of one and the same style."""
_AT_FIRST = re.compile("本来(?!就)|原本|原先|起初|一开始")
"""Of what no longer holds where the turn goes on with another value."""
_LINE_OF_WORK = "industry"
"""Slot of what is no occupation, though it is named as one is."""
_NEAR = 2
"""Clauses behind a value in which another one of its kind may follow."""
_LONGEST = 600
"""Characters of a turn that is read so: what is longer is a text, not talk."""


@dataclass(slots=True)
class _Filled:
    """What a turn has filled so far: the values of each field, and which of them end."""

    values: dict[str, list[JsonValue]] = field(default_factory=dict)

    def takes(self, spec: FieldSpec, value: JsonValue) -> bool:
        if isinstance(value, str) and any(value in v for name, v in self.values.items() if name != spec.name):
            return False  # a word fills one field
        held = self.values.get(spec.name)
        return held is None or (spec.many and not any(_alike(value, each) for each in held))

    def add(self, spec: FieldSpec, value: JsonValue) -> None:
        self.values.setdefault(spec.name, []).append(value)


def _alike(value: JsonValue, held: JsonValue) -> bool:
    a, b = str(value), str(held)
    return a in b or b in a or {a, b} <= _BRIEF


def without_free(found: Sequence[Found], values: Sequence[Found], profile: Profile) -> list[Found]:
    """What is found, without free statements of clauses that say one of the `values`, and without what was meant at
    first, where they say what is meant now."""
    spoken = [v for v in values if not v.attributes.get("implied")]
    industries = {_LINE_OF_WORK, *(spec.name for spec in profile.fields if spec.slot == _LINE_OF_WORK)}
    lines_of_work = {str(v) for f in (*found, *values) for slot, v in f.slots if slot in industries}
    now = {slot for v in values for slot, _ in v.slots}
    return [
        f
        for f in found
        if not (_is_free(f) and any(v.start <= f.start and f.end <= v.end for v in spoken))
        and not (_AT_FIRST.search(f.text) and now & {slot for slot, _ in f.slots})
        and not any(slot == "occupation" and v in lines_of_work for slot, v in f.slots)
    ]


def _is_free(found: Found) -> bool:
    worded = found.episode_type in {None, "fact"} and found.hot is None
    return found.kind == "episode" and worded and not (found.slots or found.category)


def field_values(
    turn: TurnView, text: str, profile: Profile, found: Sequence[Found], pointed: Sequence[FieldSpan] = (),
    *, in_project: bool,
) -> list[Found]:  # fmt: skip
    """Return statements of fields that nothing `found` in the turn fills; `text` is the prepared turn."""
    if turn.language != "zh" or len(text) > _LONGEST:
        return []
    filled = _already(profile, found)
    parts = parts_of(turn, text, in_project=in_project)
    findings: list[Found] = []
    lexicon = lexicon_of(profile)
    for kind in KINDS:
        findings += _of_kind(kind, parts, profile, lexicon, filled)
    worded = {spec.slot or spec.name for spec in profile.fields if spec.name in filled.values}
    findings += _kept(introduced(parts, worded, turn, in_project=in_project), profile, filled)
    findings += _kept(labelled(parts, profile), profile, filled)
    findings += _pointed(pointed, parts, text, profile, lexicon, filled)
    return findings


def _pointed(
    spans: Sequence[FieldSpan], parts: Sequence[Part], text: str, profile: Profile, lexicon: Lexicon, filled: _Filled
) -> list[Found]:  # fmt: skip
    """Values of fields that are still open, where a field reader points at them."""
    made: list[Found] = []
    for span in spans:
        spec, part = wanted(profile, span), part_of(span, parts)
        if spec is None or part is None:
            continue
        value = kind_value(span, spec, part, lexicon)
        if value is not None:
            fitted = fit(profile, spec, *value.values[0])
            if fitted is not None and filled.takes(spec, fitted):
                filled.add(spec, fitted)
                made.append(replace(_statement(value, [(spec, fitted)], profile), reading=span.probability))
            continue
        each = [statement(span, spec, v, part) for v in open_value(span, spec, text, profile)]
        made += _kept(each, profile, filled)
    return made


def _already(profile: Profile, found: Iterable[Found]) -> _Filled:
    filled = _Filled()
    for each in found:
        for slot, value in () if _AT_FIRST.search(each.text) else each.slots:
            if (spec := spec_of(profile, slot)) is not None:
                for known in {value, fit(profile, spec, slot, value)} - {None} if isinstance(value, str) else (value,):
                    filled.add(spec, known)
    return filled


def _of_kind(
    kind: Kind, parts: Sequence[Part], profile: Profile, lexicon: Lexicon, filled: _Filled
) -> list[Found]:
    """Values of one kind, the last one first where its field holds one at a time: it is what is meant."""
    specs = _specs(kind, profile)
    if not specs or (kind.with_surgery and specs[0].name in filled.values):
        return []
    if any(spec.reading is not None for spec in specs):
        parts = [p for p in parts if is_of_now(p) or (kind.asked and re.search(kind.asked, p.question))]
    values = list(_values(kind, parts, specs, lexicon))
    many = all(spec.many for spec in specs)
    if not many:
        values = [v for v in values if not v.over][-1:]
    made: list[Found] = []
    for value in values:
        fitted = [(spec, fit(profile, spec, slot, v)) for spec, (slot, v) in zip(specs, value.values, strict=True)]
        if any(v is None for _, v in fitted) or not all(filled.takes(spec, v) for spec, v in fitted):
            continue
        for spec, v in fitted:
            filled.add(spec, v)
        made.append(_statement(value, fitted, profile))
    return made


def _specs(kind: Kind, profile: Profile) -> list[FieldSpec]:
    """The fields that a kind fills: all of a pair, else the first that the profile has."""
    if kind.pair:
        pairs = [spec_of(profile, slot) for slot in kind.pair]
        return [spec for spec in pairs if spec is not None] if None not in pairs else []
    one = next((spec for slot in kind.fields if (spec := spec_of(profile, slot)) is not None), None)
    return [] if one is None else [one]


def _values(kind: Kind, parts: Sequence[Part], specs: list[FieldSpec], lexicon: Lexicon) -> Iterator[Value]:
    since = _NEAR + 1
    names = tuple(kind.pair) or (specs[0].slot or specs[0].name,)
    aliases = names_of(specs[0]) if "{aliases}" in f"{kind.value}" else ()
    for part in parts:
        here = list(values_in(part, kind, names, lexicon, aliases, follows=since <= _NEAR))
        since = 1 if here else since + 1
        yield from here


def _statement(value: Value, fitted: Sequence[tuple[FieldSpec, JsonValue]], profile: Profile) -> Found:
    kind = value.kind
    words = {**dict(value.words), "v": _shown(value), **{g: str(v) for g, v in _pairs(value)}}
    says = (kind.says_not if value.over else kind.says) or kind.says
    text = _GROUP.sub(lambda m: m.group() if m[1] in {"owner", "of"} else words.get(m[1], ""), says)
    slots = tuple((spec.name, v) for spec, v in fitted)
    made = kind.kind or fitted[0][0].kind
    of_time = None if value.over else kind.of_time
    category = category_of(profile, text) if made == "intent" else None
    vague = kind.money and _ROUND.search(dict(value.words).get("money", "")) is not None
    return Found(
        value.start,
        value.end,
        made,
        text,
        slots,
        vague,
        value.over,
        attributes={"implied": True} if kind.whose == "has" else {},
        category=category,
        of_time=of_time,
        taken_back=value.over,
    )


def _shown(value: Value) -> str:
    spoken = dict(value.words)
    number = value.values[0][1]
    measured = isinstance(number, int | float) and not isinstance(number, bool)
    return str(number) if measured or not (words := spoken.get("v") or spoken.get("w")) else words.strip()


def _pairs(value: Value) -> list[tuple[str, JsonValue]]:
    return [(value.kind.pair[slot], v) for slot, v in value.values if slot in value.kind.pair]


def _kept(found: Iterable[Found], profile: Profile, filled: _Filled) -> list[Found]:
    """Those whose fields are still open."""
    kept: list[Found] = []
    for each in found:
        ((slot, value),) = each.slots
        spec = spec_of(profile, slot)
        if spec is not None and filled.takes(spec, value):
            filled.add(spec, value)
            kept.append(each)
    return kept
