"""English self-statements: who the owner is, what they do, where they live and come from (B1, B2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from processors.reader.rules.clauses_en import Clause
from processors.reader.rules.found import Found
from processors.reader.rules.jobs_en import is_job
from processors.reader.rules.numbers import ENGLISH_NUMBER, amount, english_integer
from processors.reader.rules.person_en import conjugate
from schemas.base import JsonValue
from schemas.events.memory import CandidateKind

STOP = (
    r"(?=\s*(?:$|[,.;!?()]|\s(?:and|but|so|because|with|who|from|living"
    r"|working|based|for|at|in|on|since|now|these|to|while|where|which"
    r"|when|about|after|before|by|right|near|currently|this|last|until"
    r"|though|as|too|anymore|any|two|three|four|five|six|several|many|next|just|during|over|\d+)\b))"
)
WORD = r"[A-Za-z][\w'’&.+#/-]{0,30}"
NAME = r"[A-Z][\w'’&.-]{0,30}"
PLACE = (
    rf"(?:the )?(?:{NAME}(?:,? (?:{NAME}|of|upon|the|de|la|do|da|del"
    r"))"
) + (
    r"{0,4}|(?!the\b|a\b|an\b|my\b|this\b|that\b|here\b|there\b|it\b"
    r"|our\b|your\b|some\b|another\b|school\b|college\b|work\b|home\b"
    r"|love\b|general\b|fact\b|real\b)[a-z]{3,20}(?: [a-z]{3,20})?)"
)
THING = rf"{WORD}(?:[ ,]{{1,2}}{WORD}){{0,6}}?"
JOB = rf"{WORD}(?: {WORD}){{0,5}}?"
LATELY = (
    r"(?:(?:currently|now|still|also|actually|just|recently|really|originally"
    r"|presently|mostly|mainly|always|absolutely|actually)\s+)?"
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A predicate's pattern and the slots that its named groups fill. `constants` are set when it matches;
    `says_no` replaces them when the clause is negated (else the candidate is marked negated)."""

    pattern: re.Pattern[str]
    kind: CandidateKind = "fact"
    constants: Mapping[str, JsonValue] = field(default_factory=dict)
    says_no: Mapping[str, JsonValue] | None = None
    text: Callable[[re.Match[str]], str] | None = None
    negatable: bool = True


def rule(pattern: str, **options: Any) -> Rule:  # fields of `Rule`, each of its own type
    return Rule(re.compile(LATELY + pattern), **options)


_AGE_STOP = (
    r"(?=\s*(?:$|[,;!)]|\.(?!\d)|years?[- ]old\b|y/?o\b"
    r"|and\b(?! (?:an? )?(?:half|quarter|third) (?!(?:years?|now|today|already|of)\b)[a-z])"
    r"|now\b|but\b|already\b|this\b|so\b|today\b|next\b))"
)
"""Not 1.82 metres, nor four and a half hours."""
APPROX = r"(?P<about>about |around |roughly |almost |nearly |over |approximately |more than |some |close to |~)?"
_UNTIL_NOW = (
    r" (?:since (?![^,;.!]{0,60}\b(?:until|till|to|before|when)\b)[\w ]{2,30}?|all (?:my|our) li(?:fe|ves)"
    r"|for (?:(?:about|around|over|almost|nearly|more than|the (?:last|past)) ){0,2}"
    rf"(?:{ENGLISH_NUMBER}|an?|a few|many|several|some) (?:year|month|week|decade)s?(?: now)?)"
    r"(?=\s*(?:$|[,.;!]|and\b(?! then| before| now| moved)))"
)
"""Who has lived somewhere since 2019 lives there; who has lived there may be gone."""

RULES: tuple[Rule, ...] = (
    rule(rf"am {APPROX}(?P<age>(?!one\b){ENGLISH_NUMBER}){_AGE_STOP}(?: years?[- ]old| y/?o)?"),
    rule(rf"(?:just )?(?:turned|have turned) (?P<age>{ENGLISH_NUMBER})(?=$"
r"|[,.;!]|\s(?:last|yesterday|in|on|recently|today|this|and|a|two"
r"|three)\b)"),
    rule(rf"am an? (?P<age>{ENGLISH_NUMBER})[- ]years?[- ]old (?P<occupation>{JOB}){STOP}"),
    rule(r"am in (?:my|the) (?:early |mid-? ?|late )?(?P<age_decade>twenties"
r"|thirties|forties|fifties|sixties|seventies|\d0s)\b"),
    rule(rf"(?:work|am working|have worked|have been working) as an? (?P<occupation>{JOB}){STOP}"),
    rule(rf"(?:work|am working|have worked) (?:at|for|with) [\w .&'-]{{2,40}}? as an? (?P<occupation>{JOB}){STOP}"),
    rule(rf"(?:work|am working) (?:at|for) (?P<employer>{PLACE}){STOP}"),
    rule(rf"(?:joined|have joined) (?P<employer>{NAME}(?: {NAME}){{0,3}}) as an? (?P<occupation>{JOB}){STOP}"),
    rule(r"(?:live|am living|am based|reside|have been living"
rf"|am now living|settled|am located) in (?P<residence>{PLACE}){STOP}"),
    rule(rf"have (?:always )?lived in (?P<residence>{PLACE}){_UNTIL_NOW}"),
    rule(r"(?:have (?:just |recently )?)?(?:relocated|moved) (?:here )?(?:from"
rf" {NAME} )?(?:back )?to (?P<residence>{NAME}(?:,? {NAME}){{0,3}}"
rf"){STOP}"),
    rule(rf"(?:come|am|am originally) from (?P<origin>{PLACE}){STOP}"),
    rule(rf"(?:was born(?: and raised)?|grew up) in (?P<origin>{NAME}(?:,? {NAME}){{0,3}}){STOP}"),
    rule(rf"have {APPROX}(?P<years>{ENGLISH_NUMBER})\+? years'? (?:of )?(?:work |working"
rf" |professional )?experience(?: (?:in|as|with) [\w ]{{2,40}}?{STOP}"
r")?"),
    rule(rf"have (?:been working|worked) (?:in|as|at|for) [\w ]{{2,50}}? for"
rf" {APPROX}(?P<years>{ENGLISH_NUMBER}) years\b"),
    rule(rf"(?:earn|make|get paid|am paid|am making|am earning) {APPROX}"
rf"(?P<income>[$£€¥]?\s?\d[\d,.]{{0,14}}\s?(?:k|K|thousand|million"
r"|m)?(?: ?(?:dollars|pounds|euros|USD|GBP|EUR|RMB|CNY|HKD|yuan"
r"))?) (?:a|per) year\b"),
)  # fmt: skip

# A place of work inside a predicate that another rule has read: "work as a nurse in Leeds".
_WORKPLACE = re.compile(
    rf"{LATELY}(?:work|am working) [\w' ,-]{{1,60}}? in (?P<residence>{NAME}"
    rf"(?: {NAME}){{0,3}}){STOP}"
)
_EXPERIENCE = re.compile(
    rf"\bwith {APPROX}(?P<years>{ENGLISH_NUMBER}"
    rf")\+? years'? (?:of )?(?:\w{{2,15}} )?experience\b"
)
_JOBS_EMPLOYER = re.compile(
    rf"{LATELY}(?:work|am working|have been working|have worked) as an? [\w' -]{{1,60}}? (?:at|for"
    rf") (?P<employer>(?:the )?{NAME}(?: {NAME}){{0,3}}){STOP}"
)

_NEGATED = re.compile(
    r"(?P<lead>(?:(?:currently|really|actually|also)\s+)?)(?:(?P<aux>am"
r"|was|have|can|will|do|did|would|could)(?:n't| not)"
    r"|don't|do not|can't|cannot|never|no longer|haven't|wasn't|won't|didn't|am no longer)\s+",
)  # fmt: skip
_NO_MORE = re.compile(
    r"(?:[^,;]{0,40}?\b)?no longer\b|[^,;]{0,140}?\b(?:anymore|any more|any longer)(?=\s*(?:$|[,.;!]))"
)
"""What was so and is over, not what never was."""


def positive(body: str) -> tuple[str, bool]:
    """Return a predicate without its negation and whether it had one ("am not married" -> "am married", True)."""
    if body.startswith("have no "):
        return f"have any {body[8:]}", True
    match = _NEGATED.match(body)
    if match is None:
        return body, False
    aux = match.group("aux")
    if match.group().strip().startswith("am no longer"):
        aux = "am"
    rest = body[match.end() :]
    if aux in {"do", "did"} or aux is None:
        return rest, True
    return f"{aux} {rest}", True


def apply(rules: tuple[Rule, ...], clause: Clause) -> list[Found]:
    """Run rules over a clause whose subject is the speaker; each gives at most one statement."""
    if clause.subject not in {"I", "we"} or not clause.states:
        return []
    body, negated = positive(clause.body)
    found = []
    for each in rules:
        match = each.pattern.match(body)
        if match is None or (negated and not each.negatable):
            continue
        made = _found(each, match, clause, negated)
        if made is not None:
            found.append(made)
    return found


def self_statements(clause: Clause) -> list[Found]:
    """Return what an English clause plainly says of its speaker."""
    found = apply(RULES, clause)
    if clause.subject == "I" and clause.states:
        body, negated = positive(clause.body)
        if (match := _WORKPLACE.match(body)) and not negated:
            home = {"residence": match["residence"]}
            found.append(_fact(clause, f"{{owner}} works in {match['residence']}", home, implied=True))
        if (match := _JOBS_EMPLOYER.match(body)) and not negated:
            found.append(_fact(clause, f"{{owner}} works for {match['employer']}", {"employer": match["employer"]}))
        if (match := _EXPERIENCE.search(body)) and (years := english_integer(match["years"])) is not None:
            about = match["about"] or ""
            phrase = f"{{owner}} has {about}{match['years']} years of experience"
            found.append(_fact(clause, phrase, {"years": years}, approximate=bool(about)))
    return found


def _fact(
    clause: Clause, text: str, slots: Mapping[str, JsonValue], *, approximate: bool = False, **attributes: JsonValue
) -> Found:
    return Found(clause.start, clause.end, "fact", text, tuple(slots.items()), approximate, attributes=attributes)


def _found(rule: Rule, match: re.Match[str], clause: Clause, negated: bool) -> Found | None:
    slots: dict[str, JsonValue] = {}
    groups = {name: value for name, value in match.groupdict().items() if value}
    approximate = groups.pop("about", None) is not None
    if "occupation" in groups and (
        _NO_JOB.match(groups["occupation"]) or (_BEING.match(match.group()) and not is_job(groups["occupation"]))
    ):
        groups.pop("occupation")
        if "age" not in groups:
            return None
    for name, value in groups.items():
        converted = _convert(name, value.strip(" ,.'"))
        if converted is None or (name in _NAMES and not _is_name(value, clause)):
            return None
        slots[converted[0]] = converted[1]
    if negated and rule.says_no is not None:
        slots.update(rule.says_no)
    else:
        slots.update(rule.constants)
    text = rule.text(match) if rule.text else _ADDING.sub("", match.group().strip(" ,."))
    if "age_decade" in groups:
        text = re.sub(r"\b(?:my|the)\b", "their", text, count=1)
    phrase = f"{{owner}} {conjugate(text)}"
    if negated:
        over = rule.kind == "preference" and _NO_MORE.match(clause.body)
        phrase = f"{NO_LONGER} {conjugate(text)}" if over else f"{{owner}} {deny(text)}"
    marks = negated and rule.says_no is None
    attributes: dict[str, JsonValue] = {"correction": True} if clause.correcting else {}
    if "residence" in slots and _MOVED.search(match.group()):
        attributes["moved"] = True
    rest = match.string[match.end() :]
    if len(slots) == 1 and (
        was := re.match(
            r"(?: now| anymore)?, not (?:in |at |an? )?(?P<v>[A-Z][\w ]{1,30}"
            r")$",
            rest,
        )
    ):
        attributes["replaces"] = was["v"]
    if "age" in slots and (old := re.match(rf",? not ({ENGLISH_NUMBER})\b", rest)):
        attributes["replaces"] = english_integer(old.group(1))
    return Found(
        clause.start, clause.end, rule.kind, phrase, tuple(slots.items()), approximate, marks, attributes=attributes
    )


NO_LONGER = "{owner} no longer"
_MOVED = re.compile(r"\b(?:moved|relocated)\b", re.I)
_ADDING = re.compile(r"^(?:(?:also|actually|just) +)+(?!turned\b)")
"""It joins a statement to the talk before it."""
_NO_JOB = re.compile(
    r"(?:my|your|our|his|her|their|its|this|that|the same|part|one|it|you|we|they)\b|.*\b(?:jobs?|works?|careers?)$",
    re.I,
)
"""What is said of work in place of what the work is."""
_BEING = re.compile(rf"{LATELY}(?:am|have been) ")
"""What somebody is may be anything, what they work as is work."""
_NAMES = frozenset({"residence", "origin", "employer"})
_NO_NAME = re.compile(
    r"(?:the|a|an|my|our|your)\b|(?:fear|peace|harmony|hope|luxury|poverty|denial|love|pain|sin|myself|ourselves|themselves"
    r"|himself|herself|nothing|everything|someone|free|now|today|always|money|fun|charity|experience|exposure)$",
    re.I,
)


def _is_name(value: str, clause: Clause) -> bool:
    """A place or a firm: capitalised, unless the writer uses no capitals at all."""
    if value != value.lower():
        return True
    return not clause.cased and _NO_NAME.match(value.strip()) is None


def deny(predicate: str) -> str:
    """Return the third person of a denied predicate ("live in Leeds" -> "does not live in Leeds")."""
    first, _, rest = predicate.partition(" ")
    auxiliary = {"am": "is", "was": "was", "can": "can", "will": "will", "would": "would", "could": "could"}
    if first in auxiliary:
        return f"{auxiliary[first]} not {rest}"
    if first == "have" and rest.split(" ")[0].endswith(("ed", "en")):
        return f"has not {rest}"
    return f"does not {predicate}"


_OLDEST = 120
_DECADE = {"twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70}


def _convert(name: str, value: str) -> tuple[str, JsonValue] | None:
    if name in {"age", "years", "count"}:
        number = english_integer(value)
        return None if number is None or (name == "age" and number > _OLDEST) else (name, number)
    if name == "age_decade":  # "in my early thirties" is no more exact than 30+ (B2)
        return "age", f"{_DECADE.get(value) or value.removesuffix('s')}+"
    if name == "income":
        money = amount(value)
        return None if money is None else (name, money)
    return (name, value) if value else None
