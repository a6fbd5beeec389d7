"""Kinds of values in English talk (kinds_en.toml): what may be one, and what says that it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from processors.reader.rules.common_en import CHAT, FUNCTION
from processors.reader.rules.numbers import amount, english_integer
from processors.reader.values.jobs_en import jobs
from processors.reader.values.lists_en import LISTS, MEANINGS, read_data
from processors.reader.values.parts_en import Part
from schemas.base import JsonValue
from schemas.events.memory import CandidateKind

_DATA = read_data("kinds_en.toml")
Ground = Literal["said", "listed"]
"""Does a cue say that a value is the field's, or only what stands beside it?"""


def filled(pattern: str) -> str:
    """A pattern with the lists, tables and parts that it names."""
    named = {**LISTS, **{name: each.pattern for name, each in MEANINGS.items()}, **_DATA["parts"]}
    for _ in range(4):
        pattern = re.sub(r"\{([a-z_]+)\}", lambda m: f"(?:{named[m[1]]})" if m[1] in named else m.group(), pattern)
    return pattern


def _compiled(pattern: str | None) -> re.Pattern[str] | None:
    return None if not pattern else re.compile(filled(pattern), re.I)


_LEADS = re.compile(filled("{leads}"), re.I)
_TAILS = re.compile(filled("{tails}"), re.I)
_ABOUT = re.compile(r"(?:\b(?:about|around|roughly|approximately|approx|circa|ca|nearly|almost|close to|some|over)|~) ?$", re.I)
_OR_SO = re.compile(r"[^,.;]{0,16}\b(?:or so|ish|give or take|roughly|more or less)\b|,? (?:give or take|roughly|more or less)\b", re.I)
_CALENDAR = re.compile(
    r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|january|february|march|april|may|june|july"
    r"|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|christmas|easter"
    r"|spring|summer|autumn|fall|winter|i|i'm|i've)\b",
    re.I,
)
_LANGUAGE_OR_NATION = re.compile(filled("(?:{tongues}|{nations})"), re.I)
_A_NAME = re.compile(r"[A-Z][a-zà-ÿ'-]{1,20}(?: [A-Z][\w'-]{1,20})?")
_BEFORE_FIRM = re.compile(r",? (?:at|for|with|@|over at|of|to)(?: the)? $|^@$", re.I)
_JOINS_TONGUES = re.compile(
    r"(?:and|plus|some|a|bit|of|little|&|fluent|fluently|native|basic|good|decent|mostly|also|obviously|course|all|both"
    r"|i|speak|yes|well|oh|no|my|is|are|rusty|but|enough|to|get|by|very|pretty|fairly)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Kind:
    slot: str
    says: str
    value: re.Pattern[str] | None
    type: str
    before: re.Pattern[str] | None
    behind: re.Pattern[str] | None
    within: re.Pattern[str] | None
    near: re.Pattern[str] | None
    asked: re.Pattern[str] | None
    asked_value: re.Pattern[str] | None
    follows: re.Pattern[str] | None
    follows_value: re.Pattern[str] | None
    needs: re.Pattern[str] | None
    with_whom: re.Pattern[str] | None
    unless: re.Pattern[str] | None
    alone: str
    of: str
    kind: CandidateKind
    of_once: bool
    many: bool
    denies: bool
    to_hearer: bool
    of_kin: bool
    after_job: bool
    least: int
    within_numbers: tuple[int, int]


def _kind(slot: str, data: Mapping[str, Any]) -> Kind:
    before = data.get("before")
    return Kind(
        data.get("slot", slot), data["says"], _compiled(data.get("value")), data.get("type", "text"),
        _compiled(None if before is None else f"(?:{before})$"),
        *(_compiled(data.get(name)) for name in ("behind", "within", "near", "asked")),
        _compiled(f"{{leads}}(?:{data['asked_value']}){{tails}}" if "asked_value" in data else None),
        *(_compiled(data.get(name)) for name in ("follows", "follows_value")),
        *(_compiled(data.get(name)) for name in ("needs", "with_whom", "unless")),
        data.get("alone", ""), data.get("of", ""), data.get("kind", "fact"), data.get("of_once", False),
        data.get("many", False), data.get("denies", False), data.get("to_hearer", False), data.get("of_kin", False),
        data.get("after_job", False), data.get("least", 0),
        tuple(data.get("within_numbers", (0, 10**9))),
    )  # fmt: skip


KINDS: Mapping[str, Kind] = {slot: _kind(slot, data) for slot, data in _DATA["kinds"].items()}


@dataclass(frozen=True, slots=True)
class Value:
    """A value at `start:end` of the turn, and how it is told."""

    kind: Kind
    value: JsonValue
    text: str
    start: int
    end: int
    ground: Ground
    approximate: bool = False


def bare(part: Part, begin: int, end: int) -> bool:
    """Does a part say nothing but what stands at `begin:end`?"""
    return _LEADS.fullmatch(part.text[:begin]) is not None and _TAILS.fullmatch(part.text[end:]) is not None


def values(kind: Kind, part: Part, question: str) -> Iterator[Value]:
    """The values of a kind that a part of the speaker's says. `question`: what they were asked just before."""
    if kind.unless is not None and kind.unless.search(part.text):
        return
    asked = kind.asked is not None and bool(question) and kind.asked.search(question) is not None
    if asked and kind.asked_value is not None and (match := kind.asked_value.fullmatch(part.text)):
        if (one := _value(kind, part, *match.span("value"), match["value"], "said")) is not None:
            yield one
            return
    if kind.follows is not None and kind.follows_value is not None and kind.follows.search(part.before[-200:]):
        if (match := kind.follows_value.fullmatch(part.text)) is not None:
            group = next(n for n in ("value", "value2") if n in match.re.groupindex and match[n])
            if (one := _value(kind, part, *match.span(group), match[group], "said")) is not None:
                yield one
                return
    for begin, end, said in _candidates(kind, part.text):
        ground = _ground(kind, part, begin, end, asked=asked)
        if ground is not None and (one := _value(kind, part, begin, end, said, ground)) is not None:
            yield one


def _candidates(kind: Kind, text: str) -> Iterator[tuple[int, int, str]]:
    if kind.type == "job":
        yield from ((begin, end, text[begin:end]) for begin, end in jobs(text))
        return
    for match in kind.value.finditer(text) if kind.value is not None else ():
        group = next((n for n in ("value", "value2") if n in match.re.groupindex and match[n] is not None), 0)
        yield (*match.span(group), match[group])


def _ground(kind: Kind, part: Part, begin: int, end: int, *, asked: bool) -> Ground | None:
    lead, rest = part.text[:begin], part.text[end:]
    if part.sentence[: part.at].rstrip().endswith(":"):
        lead = f"{part.sentence[: part.at].rstrip()} {lead}"
    if kind.needs is not None and not kind.needs.match(rest):
        return None
    if kind.with_whom is not None and not kind.with_whom.search(part.text):
        return None
    if kind.before is not None and kind.before.search(lead):
        return "said"
    if kind.behind is not None and kind.behind.match(rest):
        return "said"
    if kind.within is not None and kind.within.search(part.text):
        return "said"
    if kind.near is not None and kind.near.search(f"{part.before[-80:]} {part.sentence}"):
        return "said"
    if kind.after_job and _behind_a_job(part, begin, of_firm=kind.type == "firm"):
        return "said"
    if kind.type == "title" and kind.many and _only_tongues(part.sentence):
        return "said"
    if asked and bare(part, begin, end):
        return "said"
    if kind.alone and bare(part, begin, end):
        return "said" if kind.alone == "always" or part.named else "listed"
    return None


def _behind_a_job(part: Part, begin: int, *, of_firm: bool) -> bool:
    """ "managing director at ...", or a number of years in a sentence that names a job."""
    if of_firm:
        return any(_BEFORE_FIRM.fullmatch(part.text[end:begin]) for _, end in jobs(part.text[:begin]))
    return bool(jobs(part.sentence[: part.at + begin]))


def _only_tongues(sentence: str) -> bool:
    """Does a sentence list two languages or more, and nothing else?"""
    tongue = KINDS["language"].value
    assert tongue is not None
    rest = re.findall(r"[\w'&]+", tongue.sub(" ", sentence))
    return len(tongue.findall(sentence)) > 1 and all(_JOINS_TONGUES.fullmatch(word) for word in rest)


def _value(kind: Kind, part: Part, begin: int, end: int, said: str, ground: Ground) -> Value | None:
    of_kin = kind.of_kin and said.lower().startswith(("my ", "our ")) and not part.asks
    if not of_kin and not part.holds(begin, end, of_once=kind.of_once, to_hearer=kind.to_hearer):
        return None
    denied = part.denies(begin, end)
    if denied and kind.slot != "children" and not kind.denies:
        return None
    made = _CONVERT[kind.type](kind, said.strip(" .,'"))
    if made is None:
        return None
    value, shown = made
    vague = _ABOUT.search(part.text[:begin]) is not None or _OR_SO.match(part.sentence[part.at + end :]) is not None
    text = kind.says.replace("{value}", str(value)).replace("{said}", shown)
    about = vague and isinstance(value, int | float) and not isinstance(value, bool)
    return Value(kind, value, _with_article(text, kind, shown), part.start + begin, part.start + end, ground, about)


def _with_article(text: str, kind: Kind, shown: str) -> str:
    if kind.type == "job":
        article = "" if shown.split()[0].lower() in ("head", "vp") else "an " if shown[0] in "aeiouAEIO" else "a "
        text = text.replace("works as ", f"works as {article}")
    if kind.of == "degree" and shown[0].isupper():
        text = text.removesuffix(" degree")
    return re.sub(r"\ba (?=[aeiou]|MBA|MSc|MA\b)", "an ", text)


Made = tuple[JsonValue, str] | None


def _integer(kind: Kind, said: str) -> Made:
    number = english_integer(re.sub(r"\+|\s?(?:years?|yrs?|yr|y)$", "", said, flags=re.I))
    least, most = kind.within_numbers
    return (number, said) if number is not None and least <= number <= most else None


def _number(kind: Kind, said: str) -> Made:
    number = amount(said.replace(",", "."))
    least, most = kind.within_numbers
    return (number, said) if number is not None and least <= number <= most else None


def _money(kind: Kind, said: str) -> Made:
    number = amount(said)
    return (number, said.strip()) if number is not None and number >= kind.least else None


def _named(words: str) -> bool:
    first = words.removeprefix("the ").split()[0].lower()
    return not (
        first in FUNCTION | CHAT or _CALENDAR.match(words) or _LANGUAGE_OR_NATION.fullmatch(words) or words.isdigit()
    )


def is_a_name(words: str) -> bool:
    """May a phrase be what somebody is called?"""
    return _A_NAME.fullmatch(words) is not None and _named(words) and not jobs(words)


def _place(kind: Kind, said: str) -> Made:
    shown = said if said != said.lower() else said.title()
    return (shown, shown) if _named(said) else None


def _firm(kind: Kind, said: str) -> Made:
    return (said, said) if _named(said) else None


def _name(kind: Kind, said: str) -> Made:
    shown = said if said != said.lower() else said.title()
    return (shown, shown) if _named(said) and not jobs(said) else None


def _title(kind: Kind, said: str) -> Made:
    meant = (MEANINGS[kind.of].meant(said) if kind.of else None) or said
    shown = meant if meant != meant.lower() else re.sub(r"\bAnd\b", "and", meant.title())
    return shown, shown


def _text(kind: Kind, said: str) -> Made:
    meant = (MEANINGS[kind.of].meant(said) if kind.of else None) or said
    return meant, meant


def _children(kind: Kind, said: str) -> Made:
    none = re.match(r"no\b|zero|never|without|don't|dont|haven't|havent|have no|not|0|childless|child-?free", said, re.I)
    if none or re.search(r"(?:none|no|zero|nope)$", said, re.I):
        return False, "no children"
    own = re.sub(r"^(?:my|our) ", "", said)
    if english_integer(own) is not None:
        return True, f"{own} child" if own in ("1", "one") else f"{own} children"
    return True, "children" if re.match(r"father|mother|dad|mum|mom|parent|[a-z]+$", own, re.I) else own


_CONVERT: Mapping[str, Callable[[Kind, str], Made]] = {
    "integer": _integer, "number": _number, "money": _money, "place": _place, "firm": _firm, "title": _title, "text": _text,
    "children": _children, "name": _name, "job": _text,
}  # fmt: skip
