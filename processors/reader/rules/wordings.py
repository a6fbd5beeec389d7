"""What the profile's wordings find in a clause (`schemas.profile.wording`): the domain's words are data; how people
deny, correct and speak of themselves is language and stands here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

from processors.reader.rules import clauses_en, clauses_zh
from processors.reader.rules import wording_guards as guards
from processors.reader.rules.found import Found
from processors.reader.rules.life_en import named_slots
from processors.reader.rules.making_zh import of_others
from processors.reader.rules.numbers import amount, whole
from processors.reader.rules.others import doubted_en, of_anothers_en, of_anothers_zh, of_the_family_en
from processors.reader.rules.self_en import STOP, Rule, apply, positive, rule
from processors.reader.rules.text import Sentence
from schemas.base import JsonValue
from schemas.profile.model import Profile
from schemas.profile.wording import ABOUT, END, STATEMENT_SLOT, Person, Wording

_PERSON_ZH: Mapping[clauses_zh.Subject, Person] = {"我": "I", "我们": "we", "我的": "my"}
_DENIED_ZH = re.compile(r"[不没无]有?$")
_NO_MORE_EN = re.compile(r"\b(?:any ?more|any longer|no longer|stopped)\b", re.I)
_DENIED_WITHIN = re.compile(r"不|没|无|并非|\b(?:not|never|no)\b|n't\b", re.I)
_DENIED_BEFORE_EN = re.compile(
    r"(?:\b(?:not|never)|n't)(?: (?:ever|even|really|actually|to|be|allowed to|supposed to|meant to))* ?$", re.I
)
"""What is denied or forbidden with its verb: "must not take aspirin", "was told never to take it"."""
_NO_VALUE = re.compile(
    r"(?:nothing|anything|everything|something|none|it|that|this|them|these|those|you|him|her|me|us)\b|任何|什么|所有|这|那|它|你|他|她|别的|其他|东西|一切",
    re.I,
)
"""No name of a thing."""
_AND = re.compile(r"\s*(?:[、,，]|\band\b|\bor\b|以及|[和与跟及又])\s*(?:\band\b\s*)?(?:\ban?\s)?")
_PLACE = re.compile(r"\{(\w+)\}")
_TAKEN_UP = re.compile(r"(?:it|that)(?: is|'s| was| came)\b", re.I)
"""What was named in the clause before: "I took my pressure and it was ..."."""
LOOKED_BACK = 600
"""Characters of the turn before a sentence in which it is looked for whom it is about."""
WHOLE = frozenset({"my", "none"})
"""Wordings for these read a clause as it stands."""
_UNNAMED = re.compile(
    r"(?:(?:today|this morning|this evening|last night|yesterday)(?:'s)?[:,]? ?"
    r"|(?:morning|evening|latest|new|home) "
    r"|(?:please |can you |could you )?(?:log|record|note|save|add|remember|write down|put down"
    r"|(?:just |have )?(?:took|taken|measured|checked|tested))(?: down)?(?: that| this)?:? "
    r"(?:my )?){0,3}",
    re.I,
)
"""What may stand before a wording in a clause of nobody: "the pressure in the tank" is not the speaker's."""
_OPENING = re.compile(
    r"(?:(?:about |around |almost |over )?(?:\d{1,2}|an?|one|two|three|four|five|six|seven|eight|nine|ten|several"
    r"|a few|a couple of) (?:day|week|month|year)s? ago"
    r"|(?:the day before )?yesterday(?: (?:morning|afternoon|evening))?"
    r"|last (?:night|[A-Za-z]{3,10})|this (?:morning|afternoon|evening|week|month|year)"
    r"|(?:in|since|on|back in) (?:[A-Za-z]{3,10},? )?(?:\d{4}|[A-Za-z]{3,10}day)"
    r"|on (?:\d{1,2}(?:st|nd|rd|th)? (?:of )?[A-Za-z]{3,9}|[A-Za-z]{3,9} \d{1,2}(?:st|nd|rd|th)?)(?:,? \d{4})?"
    r"|for (?:[a-z]{1,8} ){1,3}(?:day|week|month|year)s?|when I was \d{1,2}|at \d{1,2}(?:[:.]\d\d)? ?[ap]\.?m\.?)"
    r"(?: at [\d:.]{1,5} ?[ap]\.?m\.?)?,? (?=I\b|my\b)",
    re.I,
)
"""A time before the speaker."""
_LEADS_EN = re.compile(r":\s*$|^(?:in (?:my|the|a|an|our|this|that) |for (?:example|instance)\b)", re.I)
_Names: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""Lexicon -> its names in the language of a wording."""


def wordings_en(
    profile: Profile, clause: clauses_en.Clause, found: list[Found], text: str = "", *, named: bool = True
) -> list[Found]:
    """Return what an English clause says in the profile's words, beside what is `found` in it already. `text`: the turn
    before its sentence; `named`: whether the clause names the speaker."""
    whole, clause = clause.body, _behind_its_time(clause)
    person = clause.subject
    taken_up = person == "other" and _TAKEN_UP.match(clause.body) is not None
    if not clause.states or (person == "other" and not taken_up):
        return []
    turned = not named and guards.leads_to_another(text + clause.before, "en")
    theirs = turned or guards.spoken_by_another(clause.before, "en")
    before = _leading_en(clause, text)
    findings: list[Found] = []
    for wording, names in _worded(profile, "en", "none" if person == "other" else person):
        if (taken_up and wording.behind is None) or (theirs and _has_one_subject(wording)):
            continue
        if wording.says is None:
            plain = map(named_slots, apply((_predicate(wording.pattern, names),), clause))
            new = [one for f in plain if f is not None for one in _each(wording, f)]
            if wording.of_time is None:
                findings += new
            elif not guards.excluded(wording, whole, before):
                kept = [f for f in new if not f.negated or _NO_MORE_EN.search(clause.body)]
                findings += _beside([*found, *findings], clause.start, _timed(wording, kept))
            continue
        whole_clause = not WHOLE.isdisjoint(wording.of)
        body, negated = (clause.body, False) if whole_clause else positive(clause.body)
        match = _compiled(wording.pattern, names, latin=True).search(body)
        if match is None or doubted_en(body[: match.start()]) or of_the_family_en(body[match.end() :]):
            continue
        if person == "none" and not (findings or wording.behind or _UNNAMED.fullmatch(body, 0, match.start())):
            continue
        if guards.excluded(wording, whole, before) or guards.of_one_met(body[: match.end()]):
            continue
        if not whole_clause and _DENIED_BEFORE_EN.search(body, 0, match.start()):
            if negated:
                continue
            negated = True
        denied = whole_clause and not wording.ends and _denied_within(wording, match)
        if not of_anothers_en(guards.lead(wording, match)) and not denied:
            findings += _beside(
                [*found, *findings], clause.start, _wording_finding(wording, match, clause, negated=negated)
            )
    return findings


def _leading_en(clause: clauses_en.Clause, text: str) -> str:
    """What leads to a clause and may rule a wording out in it: of its sentence, where it names nobody or a colon or a
    place ("In my dream, ...") leads there; and the heading before."""
    leads = clause.subject in {"none", "other"} or _LEADS_EN.search(clause.before) is not None
    heading = guards.label(text, "en") if clause.subject in {"none", "other"} else ""
    return heading + (clause.before if leads else "")


def _has_one_subject(wording: Wording) -> bool:
    """May it be told of anybody, where nobody is named?"""
    return wording.of_time is not None or wording.ends or bool(wording.numbers)


def wordings_zh(profile: Profile, clause: clauses_zh.Clause, found: list[Found], text: str = "") -> list[Found]:
    """Return what a Chinese clause says in the profile's words, beside what is `found` in it already. `text`: the turn
    before its sentence."""
    person = _PERSON_ZH.get(clause.subject)
    if not clause.states or person is None:
        return []
    unnamed = clauses_zh.carried(clause)
    theirs = guards.spoken_by_another(clause.before, "zh") or (unnamed and guards.leads_to_another(text, "zh"))
    of_theirs = person == "my" and "的" not in clause.body[:2]
    findings: list[Found] = []
    for wording, names in _worded(profile, "zh", person):
        whole_clause = not WHOLE.isdisjoint(wording.of)
        if (of_theirs and wording.opens is None) or (theirs and _has_one_subject(wording)):
            continue
        if not whole_clause and not names and of_others(clause):  # what is no known name may be anyone's
            continue
        match = _compiled(wording.pattern, names, latin=False).search(clause.body)
        if match is None or not guards.meant_zh(wording, match) or of_anothers_zh(guards.lead(wording, match)):
            continue
        leads = unnamed or clause.before.rstrip().endswith(("：", ":"))
        if guards.excluded(wording, clause.raw, guards.label(text, "zh") * unnamed + clause.before * leads):
            continue
        if wording.opens is not None and not guards.opens(wording.opens, clause, match):
            continue
        if (wording.of_time or wording.ends) and (guards.of_somebody(clause) or guards.said_of_nothing(wording, match)):
            continue
        within = not wording.ends and not wording.of_time and _denied_within(wording, match)
        if not (whole_clause and (within or _DENIED_ZH.search(clause.body[: match.start()]))):
            negated = within or (not whole_clause and _DENIED_ZH.search(clause.body[: match.start()]) is not None)
            findings += _beside(
                [*found, *findings], clause.start, _wording_finding(wording, match, clause, negated=negated)
            )
    return findings


def _behind_its_time(clause: clauses_en.Clause) -> clauses_en.Clause:
    """A clause of nobody that opens with a time before its speaker, as the speaker's: "Two weeks ago I had ..."."""
    match = _OPENING.match(clause.body) if clause.subject == "none" else None
    if match is None:
        return clause
    rest = clause.body[match.end() :]
    (phrase, *_) = clauses_en.clauses(Sentence(rest, 0, len(rest), asks=False))
    return replace(clause, subject=phrase.subject, body=phrase.body)


def _worded(profile: Profile, language: str, person: Person) -> Iterable[tuple[Wording, _Names]]:
    """The wordings for clauses of a person, each with the names of the lexicons that it asks for."""
    for wording in profile.wordings:
        if wording.language != language or person not in wording.of:
            continue
        names = tuple((slot, _names(profile, slot, language)) for slot in wording.lexicons())
        if all(listed for _, listed in names):
            yield wording, names


def _names(profile: Profile, slot: str, language: str) -> tuple[str, ...]:
    latin = language == "en"
    return tuple(name for name in profile.lexicon.get(slot, ()) if name.isascii() == latin)


def _filled(pattern: str, names: _Names, *, latin: bool) -> str:
    for slot, listed in names:
        longest_first = sorted(listed, key=len, reverse=True)
        pattern = pattern.replace(f"{{lexicon.{slot}}}", f"(?:{'|'.join(map(re.escape, longest_first))})")
    return pattern.replace(END, STOP) if latin else pattern


@lru_cache(maxsize=512)
def _compiled(pattern: str, names: _Names, *, latin: bool) -> re.Pattern[str]:
    return re.compile(_filled(pattern, names, latin=latin), re.IGNORECASE)


@lru_cache(maxsize=256)
def _predicate(pattern: str, names: _Names) -> Rule:
    return rule(f"(?i:{_filled(pattern, names, latin=True)})")


def _denied_within(wording: Wording, match: re.Match[str]) -> bool:
    """Does a denial stand between the words of a wording ("blood pressure is not ...", 对花粉不过敏)?"""
    phrase = match.group()
    for name in sorted(match.re.groupindex, key=lambda n: -match.start(n)):
        if name != STATEMENT_SLOT and match[name] is not None:
            phrase = phrase[: match.start(name) - match.start()] + " " + phrase[match.end(name) - match.start() :]
    return _DENIED_WITHIN.search(phrase) is not None


def _each(wording: Wording, found: Found) -> list[Found]:
    """One statement for each of several things named: each stands or falls by itself (B3). What names none is none."""
    if len(found.slots) != 1 or not isinstance(found.slots[0][1], str):
        return [found]
    slot, value = found.slots[0]
    names = [part for part in _AND.split(value) if part] if wording.many else [value]
    if any(_NO_VALUE.match(name) for name in names):
        return []
    return [replace(found, text=found.text.replace(value, name), slots=((slot, name),)) for name in names]


def _wording_finding(
    wording: Wording, match: re.Match[str], clause: clauses_en.Clause | clauses_zh.Clause, *, negated: bool
) -> list[Found]:
    says = wording.says_not if negated else wording.says
    if not says or (negated and wording.ends):  # "not gone" is none of its ends
        return []
    values = _values(wording, match)
    if not values:
        return []
    words = {**values, "said": match.group(), **{k: v for k, v in match.groupdict().items() if v is not None}}
    text = _PLACE.sub(lambda m: str(words.get(m[1], "")) if m[1] not in {"owner", "of"} else m.group(), says)
    marks = {"correction": True} if clause.correcting else {}
    approximate = any(match.groupdict().get(name) for name in ABOUT)
    slots = tuple(values.items())
    over = negated or wording.ends
    found = Found(
        clause.start, clause.end, "fact", text, slots, approximate, over, attributes=marks,
        of_time=None if over else wording.of_time, taken_back=wording.ends,
    )  # fmt: skip
    return _each(wording, found)


def _timed(wording: Wording, found: Sequence[Found]) -> list[Found]:
    return [f if f.negated else replace(f, of_time=wording.of_time) for f in found]


def _values(wording: Wording, match: re.Match[str]) -> dict[str, JsonValue]:
    values: dict[str, JsonValue] = {}
    for slot in wording.slots():
        if slot in wording.numbers:
            parts = wording.numbers[slot] or {slot: 1.0}
            numbers = [(_number(match[group]), of_one) for group, of_one in parts.items() if match[group]]
            each = [number * of_one for number, of_one in numbers if number is not None]
            total = sum(each) + wording.plus.get(slot, 0)
            value: JsonValue = whole(round(total, wording.digits)) if each else None
            least, most = wording.within.get(slot, (total, total))
            if each and not least <= total <= most:
                return {}
        elif slot in wording.words:
            phrase = ((match[group] or "").strip() for group in wording.words[slot])
            value = "".join(wording.canonical.get(s.lower(), s) for s in phrase)
        else:
            value = match[slot]
        if value is not None and value != "":
            values[slot] = value
    pairs = [(values.get(slot), values.get(other)) for slot, other in wording.less_than.items()]
    return {} if any(a is not None and b is not None and a >= b for a, b in pairs) else values


def _number(text: str) -> float | None:
    """Digits, or numerals with 点 in place of the point (六点八)."""
    before, point, after = text.partition("点")
    if not point:
        return amount(text)
    parts = [amount(before), *(amount(each) for each in after)]
    return None if None in parts else float(f"{parts[0]}.{''.join(map(str, parts[1:]))}")


def _beside(found: list[Found], start: int, findings: list[Found]) -> list[Found]:
    """Leave out what fills a slot that the same clause has filled already, with more of its words."""
    here = [f for f in found if f.start >= start]
    return [f for f in findings if not any(_fills_again(g, f) for g in here)]


def _fills_again(before: Found, found: Found) -> bool:
    """Does it fill a slot again: apart from one value that ends where another one begins?"""
    held, values = dict(before.slots), dict(found.slots)
    shared = held.keys() & values.keys()
    same = before.negated == found.negated or any(_holds_value(held[slot], values[slot]) for slot in shared)
    return bool(shared) and same


def _holds_value(longer: JsonValue, value: JsonValue) -> bool:
    """Is it the value, or does it hold it as a part of its word (偏头痛, 头痛)?"""
    return longer == value or (isinstance(longer, str) and isinstance(value, str) and value in longer)
