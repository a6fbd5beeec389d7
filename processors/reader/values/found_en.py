"""Values of English talk: those of a kind in a part of a turn, and what says that they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from processors.reader.values.jobs_en import jobs
from processors.reader.values.kinds_en import KINDS, Ground, Kind, bare, filled, is_lead
from processors.reader.values.lists_en import WORDS
from processors.reader.values.parts_en import Part
from processors.reader.values.wording_en import worded
from schemas.base import JsonValue

_ANSWER = 60
"""Characters before a sentence that may still answer."""
LOOKED_BACK = 200
"""Characters of a turn before a part in which what it follows is looked for."""
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx|circa|ca|nearly|almost|close to|some|over)|~) ?$", re.I
)
_OR_SO = re.compile(
    r"[^,.;]{0,16}\b(?:or so|ish|give or take|roughly|more or less)\b|,? (?:give or take|roughly|more or less)\b", re.I
)
_SAYS_WHO = re.compile(rf",? ?(?:my|our|his|her|their) (?:[a-z]+ ){{0,2}}?{WORDS.relatives}\b", re.I)
"""Behind a name, who that is: "Amit, my brother, ..."."""
_NOT_NOW, _CORRECTS = re.compile(WORDS.not_now, re.I), re.compile(WORDS.corrects, re.I)
_BEFORE_FIRM = re.compile(r",? (?:at|for|with|w/|@|over at|of|to)(?: the)? $|^@$", re.I)
_TONGUE = re.compile(filled(r"(?<![\w-])(?:{tongues})(?![\w'-])"), re.I)
_JOINS_TONGUES = re.compile(
    r"(?:and|plus|some|a|bit|of|little|&|fluent|fluently|native|basic|good|decent|mostly|also|obviously|course|all|both"
    r"|i|speak|yes|well|oh|no|my|is|are|rusty|but|enough|to|get|by|very|pretty|fairly)",
    re.I,
)

_IT_IS = re.compile(r"\b(?:it's|it is|its|makes it|is) $", re.I)
_JOINS_VALUES = re.compile(r"and|plus|&|\+|with|some|a|bit|of|the|my|both|also|again|too|n", re.I)


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
    ends: bool = False


def values(kind: Kind, part: Part, question: str) -> Iterator[Value]:
    """The values of a kind that a part of the speaker's says. `question`: what they were asked just before."""
    if kind.unless is not None and kind.unless.search(part.lead(len(part.text))):
        if kind.says_not:
            yield from _all_ended(kind, part)
        return
    sense = bool(question) and not _NOT_NOW.search(question)
    asked = sense and kind.asked is not None and kind.asked.search(question) is not None
    follows = kind.follows is not None and kind.follows.search(part.before[-LOOKED_BACK:]) is not None
    rest = part.sentence[part.at + len(part.text) :]
    answers = asked and (part.opens or not kind.opens) and _SAYS_WHO.match(rest) is None
    for pattern in (kind.asked_value if answers else None, kind.follows_value if follows else None):
        match = pattern.fullmatch(part.text) if pattern is not None else None
        if match is not None and (one := _value(kind, part, *_place(match), "said")) is not None:
            yield one
            return
    for begin, end, spoken in candidates(kind, part.text):
        if _ends(kind, part, begin, end):
            if (one := _ended(kind, part, begin, end, spoken)) is not None:
                yield one
            continue
        ground = _ground(kind, part, begin, end, asked=asked)
        if ground is not None and (one := _value(kind, part, begin, end, spoken, ground)) is not None:
            yield one


def _all_ended(kind: Kind, part: Part) -> Iterator[Value]:
    for begin, end, spoken in candidates(kind, part.text):
        if _ends(kind, part, begin, end) and (one := _ended(kind, part, begin, end, spoken)) is not None:
            yield one


def _ends(kind: Kind, part: Part, begin: int, end: int) -> bool:
    """Do the words beside a value say that it is no more? What only ran out goes on."""
    if kind.ends_unless is not None and kind.ends_unless.search(part.sentence):
        return False
    before = kind.ends_before is not None and kind.ends_before.search(part.text[:begin]) is not None
    behind = kind.ends_behind is not None and kind.ends_behind.match(part.text[end:]) is not None
    denied = kind.denies_behind is not None and kind.denies_behind.match(part.text[end:]) is not None
    return before or behind or denied


def _ended(kind: Kind, part: Part, begin: int, end: int, spoken: str) -> Value | None:
    own = part.own or part.begins_with(begin) or _done_to_me(kind, part)
    if part.asks or not own or not part.is_so(begin, end):
        return None
    made = worded(kind, spoken, ends=True)
    if made is None:
        return None
    value, text = made
    return Value(kind, value, text, part.start + begin, part.start + end, "said", ends=True)


def _done_to_me(kind: Kind, part: Part) -> bool:
    """Does somebody do to the speaker what the kind is about: "the doctor put me on ..."?"""
    return kind.to_me is not None and kind.to_me.search(part.text) is not None


def candidates(kind: Kind, text: str) -> Iterator[tuple[int, int, str]]:
    """What looks like a value of a kind in a text: its place and its words."""
    if kind.type == "job":
        yield from ((begin, end, text[begin:end]) for begin, end in jobs(text))
        return
    for match in kind.value.finditer(text) if kind.value is not None else ():
        yield _place(match)


def _place(match: re.Match[str]) -> tuple[int, int, str]:
    group = next((n for n in ("value", "value2") if n in match.re.groupindex and match[n] is not None), 0)
    return (*match.span(group), match[group])


def _ground(kind: Kind, part: Part, begin: int, end: int, *, asked: bool) -> Ground | None:
    if asked and _answers(kind, part, begin, end):
        return "said"
    if kind.needs is not None and not kind.needs.match(part.text[end:]):
        return None
    if kind.with_whom is not None and not kind.with_whom.search(part.text):
        return None
    if _is_cued(kind, part, begin, end) or (asked and kind.asked_value is None and bare(part, begin, end)):
        return "said"
    if kind.after_job and _behind_a_job(part, begin, of_firm=kind.type == "firm"):
        return "said"
    if kind.slot == "language" and _only_tongues(part.sentence):
        return "said"
    is_all = kind.alone != "" and (bare(part, begin, end) or (kind.many and _only_values(kind, part)))
    if kind.alone == "always" and is_all:
        return "said"
    if is_all and not _CORRECTS.search(part.sentence):
        return "said" if part.named else "listed"
    return None


def _answers(kind: Kind, part: Part, begin: int, end: int) -> bool:
    """Does a value stand where an answer does: at the head of the turn, or for one of several or one that its own words
    tell, in its first sentence?"""
    if kind.answers is not None and part.first and part.own and kind.answers.fullmatch(part.text[begin:end]):
        return True
    if kind.many and kind.value is not None and kind.asked is not None:
        return part.first and part.own
    heads = part.at == 0 and len(part.before) < _ANSWER and is_lead(part.text[:begin])
    return heads and kind.type in ("integer", "number", "money", "text", "title")


def _is_cued(kind: Kind, part: Part, begin: int, end: int) -> bool:
    """Do words of the kind stand beside a value, or in what is said up to it?"""
    up_to = part.sentence[: part.at + begin] if kind.type == "school" else part.sentence
    before = kind.before if kind.needs_beside is None or kind.needs_beside.search(part.text) else None
    beside = (
        (before, part.lead(begin)), (kind.led, part.sentence[: part.at + begin]), (kind.within, part.text),
        (kind.near, f"{part.before[-80:]} {up_to}"),
    )  # fmt: skip
    if any(pattern is not None and pattern.search(text) for pattern, text in beside):
        return True
    if kind.behind is not None and kind.behind.match(part.text[end:]):
        return True
    rest = part.sentence[part.at + end :]
    holds_still = bare(part, begin, end) or _IT_IS.search(part.text[:begin]) is not None
    return kind.corrected is not None and holds_still and kind.corrected.match(rest) is not None


def _behind_a_job(part: Part, begin: int, *, of_firm: bool) -> bool:
    """ "managing director at ...", or a number of years in a sentence that names a job."""
    if of_firm:
        return any(_BEFORE_FIRM.fullmatch(part.text[end:begin]) for _, end in jobs(part.text[:begin]))
    lead = part.sentence[: part.at + begin]
    return any(_is_own_job(lead[:at].rpartition(",")[2]) for at, _ in jobs(lead))


def _is_own_job(lead: str) -> bool:
    """Does what leads to a job say that it is the speaker's?"""
    before = KINDS["occupation"].before
    return is_lead(lead) or (before is not None and before.search(lead) is not None)


def _only_values(kind: Kind, part: Part) -> bool:
    """Does a part list values of a kind, and nothing else?"""
    rest = kind.value.sub(" ", part.text) if kind.value is not None else part.text
    return all(_JOINS_VALUES.fullmatch(word) for word in re.findall(r"[\w'&+]+", rest))


def _only_tongues(sentence: str) -> bool:
    """Does a sentence list two languages or more, and nothing else?"""
    rest = re.findall(r"[\w'&]+", _TONGUE.sub(" ", sentence))
    return len(_TONGUE.findall(sentence)) > 1 and all(_JOINS_TONGUES.fullmatch(word) for word in rest)


def _is_ones_own(kind: Kind, part: Part, begin: int, end: int, spoken: str) -> bool:
    """Is a value the speaker's, or of those whose it is to be, and so?"""
    if kind.of_kin and spoken.lower().startswith(("my ", "our ")):
        return not part.asks
    if kind.of_blood or _done_to_me(kind, part):
        return not part.asks and part.is_so(begin, end, of_once=kind.of_once)
    planned = kind.kind == "intent"
    return part.holds(begin, end, of_once=kind.of_once, planned=planned, to_hearer=kind.to_hearer)


def _value(kind: Kind, part: Part, begin: int, end: int, spoken: str, ground: Ground) -> Value | None:
    if not _is_ones_own(kind, part, begin, end, spoken):
        return None
    denied = part.denies(begin, end)
    if denied and kind.slot != "children" and not kind.denies:
        return None
    made = worded(kind, spoken)
    if made is None:
        return None
    value, text = made
    vague = _ABOUT.search(part.text[:begin]) is not None or _OR_SO.match(part.sentence[part.at + end :]) is not None
    about = vague and isinstance(value, int | float) and not isinstance(value, bool)
    return Value(kind, value, text, part.start + begin, part.start + end, ground, about)
