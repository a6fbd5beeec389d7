"""Values of a profile's own fields in English talk, by what they take: one of several names, a yes or no, a sum, a
number with a unit, a time, a time zone, whether others support what is planned."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from zoneinfo import available_timezones

from processors.reader.rules.catalogue import canonical
from processors.reader.rules.numbers import amount
from processors.reader.values.kinds_en import bare, filled, is_lead
from processors.reader.values.lists_en import MEANINGS, WORDS
from processors.reader.values.parts_en import Part
from processors.reader.values.wording_en import is_a_year
from schemas.base import JsonValue
from schemas.profile.model import FieldSpec

_GIVES_UP = re.compile(WORDS.gives_up, re.I)
_NOT_MEANT = re.compile(WORDS.not_meant, re.I)
_SUM = re.compile(filled(r"(?<![\w.,])(?P<value>{sum})"), re.I)
_TIME = re.compile(rf"(?<![\w-])(?:(?:in|by|around|from|for) )?(?P<value>{WORDS.takes['time']})(?![\w-])", re.I)
_PLANNED = re.compile(WORDS.takes["planned"], re.I)
_LATER = re.compile(WORDS.takes["later"], re.I)
_ZONE_BEFORE = re.compile(WORDS.takes["zone_before"], re.I)
_ZONE_FOR = re.compile(WORDS.takes["zone_for"], re.I)
_CLOCK = re.compile(r"\d{1,2}(?:[:.]\d\d)? ?(?:[ap]m)?,? (?:in |by )?$", re.I)
_OFFSET = re.compile(r"(?<!\w)(?:UTC|GMT) ?(?P<sign>[+-]) ?(?P<hours>\d{1,2})(?![\w:.])", re.I)
_SUPPORT = re.compile(WORDS.takes["support"], re.I)
_AGAINST = re.compile(WORDS.takes["against"], re.I)
_NOT_SO = re.compile(r"\b(?:his|her|their|your|if|whether|hope|might|may|would|used to|was|were)\b", re.I)
_OF_A_CITY = re.compile(r"(?:Africa|America|Asia|Atlantic|Australia|Europe|Indian|Pacific)/\w[\w-]+")
_MANY = re.compile(r"parents|kids|children|folks|in-laws|siblings", re.I)
_RELATIVES = re.compile(rf"\b{WORDS.takes['relatives']}\b", re.I)
_VERBS = re.compile(WORDS.takes["verbs"])
_YES, _NO, _UNSURE = (re.compile(p, re.I) for p in (WORDS.yes, WORDS.no, WORDS.unsure))
_FOR, _FOR_BEHIND = re.compile(WORDS.choice["for"], re.I), re.compile(WORDS.choice["behind"], re.I)
_NOT, _NOT_BEHIND = re.compile(WORDS.choice["not"], re.I), re.compile(WORDS.choice["not_behind"], re.I)
_FOR_ME = re.compile(r",? for (?:me|us)\b", re.I)
_FIRST = re.compile(WORDS.choice["first"], re.I)
_NO_SUM, _ZONE_BEHIND = re.compile(WORDS.takes["no_sum"], re.I), re.compile(WORDS.takes["zone_behind"], re.I)
_THEY = re.compile(r"(?:oh |well |yes |yeah )*(?:they|he|she)\b", re.I)
_HAS = re.compile(
    r"\b(?:have|got|with|signed|accepted|there's|found|received|made (?:me|us)|gave (?:me|us)|my)\b[^,;]{0,24}$", re.I
)
_CAME, _FELL_THROUGH = re.compile(WORDS.came, re.I), re.compile(WORDS.fell_through, re.I)
_LEAST_SUM = 1000
_OF_THE_HEARER = re.compile(
    r"\byou(?:r|'d|'ve)?\b|^(?:and |so |ok |great,? )*(?:any|got|is there|are there|what about|how about)\b", re.I
)


@dataclass(frozen=True, slots=True)
class FieldValue:
    field: str
    value: JsonValue
    text: str
    start: int
    end: int
    ends: bool = False


def field_values(spec: FieldSpec, parts: Sequence[Part], question: str) -> Iterator[FieldValue]:
    """What the parts of a turn say of one of the profile's own fields."""
    if spec.kind == "intent":
        parts = [p for p in parts if not (_GIVES_UP.search(p.sentence) or not_meant(p.sentence))]
    if spec.takes is not None:
        yield from _TAKES[spec.takes](spec, parts, question)
    elif spec.slot is not None:
        return
    elif spec.type == "boolean":
        yield from _yes_or_no(spec, parts, question)
    elif spec.type == "money":
        yield from _sums(spec, parts, question)
    elif spec.type in ("integer", "number") and spec.unit is not None:
        yield from _measured(spec, parts)
    elif spec.aliases or spec.values:
        yield from _one_of(spec, parts, question)


def not_meant(sentence: str) -> bool:
    """Is what a sentence plans a joke, or for no time?"""
    return _NOT_MEANT.search(sentence) is not None


@lru_cache(maxsize=256)
def cues(spec_label: str, words: tuple[str, ...]) -> re.Pattern[str]:
    named = sorted({w.lower() for w in (spec_label, *words) if w and w.isascii()}, key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, named))})(?:s|'s|ing)?(?![\w-])", re.I)


def _cues(spec: FieldSpec) -> re.Pattern[str]:
    return cues(_label(spec), spec.cues)


def _label(spec: FieldSpec) -> str:
    return spec.label.get("en") or re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", spec.name).lower()


def spoken_as(spec: FieldSpec, value: JsonValue) -> str:
    """The statement that a field holds a value, with the owner's mark."""
    if isinstance(value, bool):
        return _yes_text(spec, value)
    return _spoken(spec, str(value))


def one_of_its_names(spec: FieldSpec, text: str, begin: int, end: int) -> str | None:
    """The value of a field by a name of it that overlaps `begin:end` of a text."""
    for match in _names(spec).finditer(text):
        if match.start() < end and begin < match.end():
            value = canonical(spec, match.group())
            return value if not spec.values or value in spec.values else None
    return None


def what_it_takes(spec: FieldSpec, text: str, begin: int, end: int) -> str | None:
    """The time of a plan that overlaps `begin:end` of a text; whether it says that others support what is planned."""
    if spec.takes == "time":
        times = (m["value"] for m in _TIME.finditer(text) if m.start() < end and begin < m.end())
        return next(times, None)
    if spec.takes == "support":
        return "against it" if _AGAINST.search(text) else "supportive" if _SUPPORT.search(text) else None
    return None


def _spoken(spec: FieldSpec, shown: str, *, ends: bool = False) -> str:
    label = _label(spec)
    if _VERBS.match(label):
        return f"{{owner}} {label} {shown}"
    return f"{{owner}}'s {label} is {'no longer ' if ends else ''}{shown}"


def _asked(spec: FieldSpec, question: str) -> bool:
    return bool(question) and _OF_THE_HEARER.search(question) is not None and _cues(spec).search(question) is not None


def _one_of(spec: FieldSpec, parts: Sequence[Part], question: str) -> Iterator[FieldValue]:
    """A value by its name: of a plan, the one that is chosen or given up; else where the field is meant."""
    asked = _asked(spec, question)
    names = _names(spec)
    for part in parts:
        for match in names.finditer(part.text):
            begin, end = match.span()
            lead, rest = part.text[:begin], part.text[end:]
            place = (part.start + begin, part.start + end)
            value = canonical(spec, match.group())
            if spec.values and value not in spec.values:
                continue
            if spec.kind == "intent" and part.own and (_NOT.search(lead) or _NOT_BEHIND.match(rest)):
                if not part.asks and part.holds(begin, end, planned=True, of_once=True):
                    yield FieldValue(spec.name, value, _spoken(spec, value, ends=True), *place, ends=True)
                continue
            if _FIRST.match(rest) or part.denies(begin, end):
                continue
            plan = spec.kind == "intent" and (_FOR.search(part.lead(begin)) or _FOR_BEHIND.match(rest))
            chosen = plan or (spec.kind == "preference" and _FOR_ME.match(rest))
            sense = _cues(spec).search(part.text) is not None and spec.kind != "intent"
            answers = asked and (bare(part, begin, end) or (part.opens and is_lead(lead) and spec.kind != "intent"))
            if not (chosen or sense or answers):
                continue
            if part.holds(begin, end, planned=spec.kind != "fact"):
                yield FieldValue(spec.name, value, _spoken(spec, value), *place)


def _names(spec: FieldSpec) -> re.Pattern[str]:
    words = {n for name, others in spec.aliases.items() for n in (name, *others)} | set(spec.values)
    named = sorted((w for w in words if w.isascii()), key=len, reverse=True)
    return _any_of(tuple(named))


@lru_cache(maxsize=256)
def _any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, words)) or '(?!)'})(?![\w-])", re.I)


def _yes_or_no(spec: FieldSpec, parts: Sequence[Part], question: str) -> Iterator[FieldValue]:
    """What answers a question of the field; else what denies or states what it is called."""
    label = _label(spec)
    if parts and _asked(spec, question) and not parts[0].asks and not _UNSURE.search(parts[0].text):
        first = parts[0]
        no, yes = _NO.match(first.text), _YES.match(first.text)
        if (no or yes) and first.own:
            yield _boolean(spec, first, not no)
            return
    strong = cues(label, tuple(w for w in spec.cues if " " in w))
    for part in parts:
        match = strong.search(part.text)
        if match is None:
            continue
        itself, rest = part.begins_with(match.start()), part.text[match.end() :]
        if itself and not part.asks and part.is_so(*match.span()) and (_CAME.match(rest) or _FELL_THROUGH.match(rest)):
            yield _boolean(spec, part, spoken=_CAME.match(rest) is not None)
        elif not part.holds(*match.span()):
            continue
        elif part.denies(*match.span()):
            yield _boolean(spec, part, spoken=False)
        elif _HAS.search(part.text[: match.start()]):
            yield _boolean(spec, part, spoken=True)


def _boolean(spec: FieldSpec, part: Part, spoken: bool) -> FieldValue:
    return FieldValue(spec.name, spoken, _yes_text(spec, spoken), part.start, part.end)


def _yes_text(spec: FieldSpec, yes: bool) -> str:
    thing = _label(spec).removeprefix("has ").removeprefix("have ")
    article = "" if thing.endswith("s") else "an " if thing[0] in "aeiouAEIO" else "a "
    return f"{{owner}} has {article}{thing}" if yes else f"{{owner}} has no {thing}"


def _sums(spec: FieldSpec, parts: Sequence[Part], question: str) -> Iterator[FieldValue]:
    asked = _asked(spec, question)
    for n, part in enumerate(parts):
        for match in _SUM.finditer(part.text):
            begin, end = match.span("value")
            number = amount(match["value"])
            before = parts[n - 1].text if n and parts[n - 1].sentence is part.sentence and parts[n - 1].own else ""
            sense = _cues(spec).search(f"{before} {part.text}") is not None or (asked and bare(part, begin, end))
            other = _NO_SUM.search(part.text)
            no_sum = number is None or number < _LEAST_SUM or is_a_year(match["value"])
            if no_sum or not sense or other or part.denies(begin, end):
                continue
            if part.holds(begin, end, planned=spec.kind == "intent"):
                shown = match["value"].strip()
                yield FieldValue(spec.name, number, _spoken(spec, shown), part.start + begin, part.start + end)


def _measured(spec: FieldSpec, parts: Sequence[Part]) -> Iterator[FieldValue]:
    """A number with the field's unit, in a part that names the field."""
    number = _with_unit(spec.unit or "")
    for part in parts:
        match = number.search(part.text)
        if match is None or not _cues(spec).search(part.text[: match.start()]) or spec.reading is not None:
            continue
        value = amount(match["value"])
        if value is not None and part.holds(*match.span()) and not part.denies(*match.span()):
            shown = f"{match['value']} {spec.unit}"
            place = (part.start + match.start(), part.start + match.end())
            yield FieldValue(spec.name, value, _spoken(spec, shown), *place)


@lru_cache(maxsize=128)
def _with_unit(unit: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.,/])(?P<value>\d[\d.,]{{0,9}})\s?{re.escape(unit)}(?!\w)", re.I)


def _times(spec: FieldSpec, parts: Sequence[Part], question: str) -> Iterator[FieldValue]:
    """When something is planned: where the field is meant, or another time takes the place of one."""
    asked = _asked(spec, question) or re.search(r"\bwhen (?:do|would|will|are|did|should|could)\b", question, re.I)
    for n, part in enumerate(parts):
        for match in _TIME.finditer(part.text):
            begin, end = match.span("value")
            before = parts[n - 1].text if n and parts[n - 1].sentence is part.sentence else ""
            sense = _cues(spec).search(part.text[:begin]) or (asked and bare(part, begin, end))
            sense = sense or (asked and part.opens and is_lead(part.text[:begin]))
            for_it = asked or _TIME.search(before) or _is_year(match["value"])
            instead = for_it and (_PLANNED.search(part.text[:begin]) or _LATER.match(part.text[end:]))
            if (sense or instead) and part.holds(begin, end, planned=True) and not part.denies(begin, end):
                shown = match["value"]
                yield FieldValue(spec.name, shown, _spoken(spec, shown), part.start + begin, part.start + end)


def _is_year(time: str) -> bool:
    return re.search(r"20\d\d|year", time) is not None


def _zones(spec: FieldSpec, parts: Sequence[Part], question: str) -> Iterator[FieldValue]:
    named, zones = _zone_names(), _cities()
    for part in parts:
        if match := _OFFSET.search(part.text):
            lead, rest = part.text[: match.start()], part.text[match.end() :]
            if (_ZONE_BEFORE.search(lead) or _ZONE_BEHIND.match(rest)) and _held_zone(part, match):
                shown = f"UTC{match['sign']}{int(match['hours'])}"
                yield _zone(spec, part, match, canonical(spec, shown), shown)
            continue
        for match in named.finditer(part.text):
            if _CLOCK.search(part.text[: match.start()]):
                continue
            code = match["value"].isupper() and len(match["value"]) > 2
            if not (match["time"] or code) or not _held_zone(part, match):
                continue
            lead, rest = part.text[: match.start()], part.text[match.end() :]
            sense = _ZONE_BEFORE.search(lead) or _ZONE_BEHIND.match(rest) or bare(part, *match.span())
            if (match["time"] and (_ZONE_FOR.search(part.text) or bare(part, *match.span()))) or (code and sense):
                name = match["value"]
                zone = canonical(spec, name)
                zone = zone if zone != name else MEANINGS["time_zone"].sense(name) or zones.get(name.lower(), name)
                yield _zone(spec, part, match, zone, name)


@lru_cache(maxsize=1)
def _zone_names() -> re.Pattern[str]:
    names = f"{MEANINGS['time_zone'].pattern}|{'|'.join(_cities())}"
    time = r"(?: local| standard| summer)? time(?: ?zone)?"
    return re.compile(rf"(?<![\w/])(?P<value>{names})(?P<time>{time})?(?![\w/-])", re.I)


def _held_zone(part: Part, match: re.Match[str]) -> bool:
    return part.holds(*match.span()) and not part.denies(*match.span())


def _zone(spec: FieldSpec, part: Part, match: re.Match[str], zone: str, shown: str) -> FieldValue:
    place = (part.start + match.start(), part.start + match.end())
    return FieldValue(spec.name, zone, _spoken(spec, f"{zone} ({shown})" if zone != shown else zone), *place)


@lru_cache(maxsize=1)
def _cities() -> Mapping[str, str]:
    """The cities that time zones are named after."""
    of_cities = (z for z in sorted(available_timezones()) if _OF_A_CITY.fullmatch(z))
    return {zone.split("/")[1].replace("_", " ").lower(): zone for zone in of_cities}


def _support(spec: FieldSpec, parts: Sequence[Part], question: str) -> Iterator[FieldValue]:
    """What the speaker's people think of what is planned; who is meant may stand in the question."""
    asked = _RELATIVES.search(question)
    for part in parts:
        against = _AGAINST.search(part.text)
        match = against or _SUPPORT.search(part.text)
        if match is None or part.asks or _NOT_SO.search(part.text[: match.start()]):
            continue
        answers = not part.named and bool(_YES.match(part.text) or _NO.match(part.text))
        answers = answers or (asked is not None and _THEY.match(part.text) is not None)
        who = _RELATIVES.search(part.text[: match.start()]) or (asked if answers else None)
        if who is not None:
            value = "against it" if against else "supportive"
            text = f"{{owner}}'s {who.group().lower()} {'are' if _MANY.fullmatch(who.group()) else 'is'} {value}"
            yield FieldValue(spec.name, value, text, part.start, part.end)


_TAKES: Mapping[str, Callable[[FieldSpec, Sequence[Part], str], Iterator[FieldValue]]] = {
    "time": _times, "time_zone": _zones, "support": _support,
}  # fmt: skip
