"""What English talk says of its speaker in bare words, without a sentence: the answer to one question or several ("37,
masters in statistics").

Each value is said again as a sentence of the first person, which the rules then read. What a question asks for is data
(bare_values.toml); how a value of each kind stands alone is language and stands here.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files

from processors.reader.rules.common_en import CHAT, FUNCTION
from processors.reader.rules.jobs_en import is_job
from processors.reader.rules.life_en import NATIONS, TONGUES
from processors.reader.rules.numbers import ENGLISH_NUMBER, amount, english_integer
from processors.reader.rules.others import KIN_EN
from schemas.base import JsonValue

DATA = tomllib.loads((files(__package__) / "bare_values.toml").read_text(encoding="utf-8"))["en"]
ASKED = {kind: re.compile(pattern, re.I) for kind, pattern in DATA["asked"].items()}
OF_ONCE = frozenset(DATA["of_once"])
POLITE = re.compile(DATA["polite"], re.I)
_DOUBTED = re.compile(DATA["doubted"], re.I)
_NO_NAME = frozenset(DATA["no_name"].split()) | FUNCTION | CHAT
_TRADES = "|".join(sorted((t.replace("_", " ") for t in DATA["trades"].split()), key=len, reverse=True))

NAME = r"(?-i:[A-Z][\w'’&.-]{1,30})"
NAMES = rf"{NAME}(?: (?:{NAME}|of|de|la|the(?= [A-Z]))){{0,3}}"
ABOUT = r"(?P<about>about |around |roughly |nearly |almost |over |some |approximately |maybe |~|going on )?"
_SEGMENT = re.compile(r"(?:[^,;:.!?\n–—-]|(?<=\w)[-.':](?=\w)|(?<=\d),(?=\d{3})|-(?=\w)|(?<=\w)\.(?= ?[a-z]\.))+")
_LEADS = re.compile(
    r"(?:(?:well|oh|um+|er+|yes|yeah|yep|sure|ok|okay|so|and|just|it's|its|that's|that'd be|currently|now|i'm|im|i am"
    r"|lol|haha|hi|hello)\b[\s,]*){1,3}(?=\S)",
    re.I,
)
_OF_SOMEBODY = re.compile(
    rf"(?:I|we|my|our|he|she|they|it|his|her|their|you|your|this|that|the|there|{KIN_EN})\b(?!')", re.I
)
_OF_KIN = re.compile(rf"\b(?:{KIN_EN})s?\b", re.I)
_END_WORDS = r"(?: (?:now|currently|at the moment|for now|from now on|these days|at present|btw|lol))?"
_AGE = re.compile(
    rf"(?:just )?(?:turned |turning )?{ABOUT}(?P<n>{ENGLISH_NUMBER})(?: ?(?:years?(?: old)?|yrs?(?: old)?|y/?o))?"
    r"(?: (?:now|already|last (?:week|month)|this (?:year|month|week)|yesterday|today|in \w+))?",
    re.I,
)
_YEARS = re.compile(
    rf"{ABOUT}(?P<n>{ENGLISH_NUMBER})\+?(?P<unit> ?(?:years?|yrs?))?(?P<rest>(?: {DATA['enough']}){{0,3}})", re.I
)
_DEGREES = {
    "phd": "PhD", "ph.d": "PhD", "doctorate": "doctorate", "mba": "MBA", "msc": "MSc", "ma": "MA", "bsc": "BSc",
    "ba": "BA", "master's": "master's", "masters": "masters", "master": "master", "bachelor's": "bachelor's",
    "bachelors": "bachelors", "bachelor": "bachelor",
}  # fmt: skip
_DEGREE = re.compile(
    rf"(?:i have )?(?:an? |my )?(?P<degree>{'|'.join(map(re.escape, _DEGREES))})(?: degree)?"
    r"(?:,? (?:in|of) (?P<major>[a-z][\w&-]{2,25}(?: (?:and |& )?[a-z][\w&-]{2,25}){0,3}?))?"
    rf"(?: (?:from|at) (?P<school>{NAMES}|[a-z][\w-]{{2,20}}))?(?:,? (?:in )?\d{{4}})?",
    re.I,
)
_STUDIED = re.compile(
    rf"(?P<major>[a-z][\w&-]{{2,25}}(?: (?:and |& )?[a-z][\w&-]{{2,25}}){{0,2}}?) (?:at|from) (?P<school>{NAMES})", re.I
)
_SCHOOL = re.compile(rf"(?:at |from )?(?P<school>{NAMES})", re.I)
_PLACE = re.compile(rf"(?:in |near |around )?(?P<place>{NAMES}){_END_WORDS}", re.I)
_BASED = re.compile(
    r"(?:i'm |i am )?(?:based|living|live|remote|remotely|working remotely|located|joining|dialling in)"
    rf" (?:in|from|out of|near) (?P<place>{NAMES}|(?!home\b|here\b|there\b|now\b)[a-z]{{3,20}}){_END_WORDS}",
    re.I,
)
_JOB = re.compile(
    r"(?:i'm |i am )?(?:an? |the )?(?P<job>(?!from\b)[a-z][\w/'-]{1,25}"
    r"(?: (?!(?:at|for|with|from|in|now|out)\b)(?:of )?[a-z][\w/'-]{1,25}){0,3}?)"
    rf"(?: (?:at|for|with) (?:(?P<firm>(?:the )?{NAMES})|an? (?P<sort>[a-z]{{3,20}}(?: [a-z]{{3,20}})?)))?"
    rf"(?: (?:from|in|based in) (?P<place>{NAMES}))?{_END_WORDS}",
    re.I,
)
_HEADS = re.compile(
    r"(?:senior|junior|lead|head|chief|deputy|assistant|associate|principal|staff|vice|managing|team)\b.*"
    r"|.*\b(?:lead|head|officer|president|director|manager)$|(?:head|director|vp|chief|manager) of .+",
    re.I,
)
"""Ranks: what is behind them may be anything."""
_FIRM = re.compile(rf"(?:at |for |with )?(?P<firm>(?:the )?{NAMES})", re.I)
_NATION = re.compile(rf"(?:an? )?(?P<nation>{NATIONS})(?: (?:citizen|national|passport(?: holder)?))?", re.I)
_INCOME = re.compile(
    rf"{ABOUT}(?P<sum>[$£€¥]?\s?\d[\d,.]{{0,14}}\s?(?:k|thousand|grand|million|m|lakh)?)"
    r"(?: ?(?P<currency>dollars|pounds|euros?|usd|gbp|eur|rmb|cny|hkd|yuan|inr|chf|aud|cad|sgd))?"
    r"(?:,? (?:before tax|after tax|pre-?tax|gross|net|a year|per year|a yr|pa|p\.a|yearly|annually|per annum|or so|ish"
    r"|roughly|now|plus bonus)){0,3}",
    re.I,
)
_TONGUE = rf"(?:(?:fluent|good|basic|some|a little|a bit of|native|mostly|conversational|decent) )?(?:{TONGUES})"
_TONGUES = re.compile(rf"(?P<list>{_TONGUE}(?:(?:, (?:and )?| and | & |/| plus ){_TONGUE}){{0,5}})(?! or\b)", re.I)
_ONE_TONGUE = re.compile(rf"\b(?:{TONGUES})\b", re.I)
_CHILDREN = re.compile(
    r"(?P<n>an?|one|two|three|four|five|six|\d) (?:little |teenage |grown |small |young |lovely )?"
    r"(?P<who>boy|girl|son|daughter|kid|child|baby|toddler)(?P<many>s|ren)?\b.*",
    re.I,
)
_CHILD = {"boy": "son", "girl": "daughter", "kid": "child", "baby": "child", "toddler": "child"}
_MARITAL = re.compile(
    r"(?:happily |still |recently )?(?P<state>married|single|divorced|engaged|widowed|separated)\b.*", re.I
)
_ONE_OF_TEN = 1000
"""The least that somebody earns in a year."""


@dataclass(frozen=True, slots=True)
class Bare:
    """Words at `start:end` and what they say as a sentence of a kind of value; with a `value`, that is its value as it
    stands, and `says` tells it of the owner."""

    start: int
    end: int
    says: str
    kind: str
    value: JsonValue = None


@dataclass(frozen=True, slots=True)
class Part:
    """What stands between two commas or stops."""

    text: str
    start: int
    end: int
    asks: bool


def parts(text: str) -> Iterator[Part]:
    for match in _SEGMENT.finditer(text):
        raw = match.group()
        start = match.start() + len(raw) - len(raw.lstrip())
        phrase = raw.strip()
        if phrase:
            yield Part(phrase, start, start + len(phrase), text[match.end() : match.end() + 1] == "?")


def answers(text: str, asked: frozenset[str]) -> list[Bare]:
    """What a turn says to questions for values of these kinds, up to where it goes on to talk."""
    found: list[Bare] = []
    missed = 0
    if "language" in asked and (spoken := _spoken(text)) is not None:
        found.append(spoken)
    for part in parts(text):
        if part.asks or _OF_KIN.search(part.text) or missed > 1:
            break
        here = [] if any(b.start <= part.start < b.end for b in found) else _values(part, asked, found)
        missed = 0 if here else missed + 1
        found += here
    return found


def _values(part: Part, asked: frozenset[str], found: Sequence[Bare]) -> list[Bare]:
    lead = _LEADS.match(part.text)
    phrase = part.text[lead.end() :] if lead else part.text
    if doubted(phrase) or _OF_SOMEBODY.match(phrase):
        return []
    says = list(_says(phrase, asked, {b.kind for b in found}, first=not found))
    return [bare_value(part.start, part.end, kind, sentence) for kind, sentence in says]


def bare_value(start: int, end: int, kind: str, sentence: str) -> Bare:
    """A value as its sentence says it; what is no job's name is told as it stands."""
    if kind == "occupation" and is_trade(sentence):
        return Bare(start, end, f"{{owner}}'s job is {sentence}", kind, sentence)
    return Bare(start, end, sentence, kind)


def _says(phrase: str, asked: frozenset[str], had: set[str], *, first: bool) -> Iterator[tuple[str, str]]:
    """The kinds of value that a phrase wholly is, and what it says."""
    left = asked - had
    works = bool(asked & {"occupation", "employer"})
    if "age" in left and (match := _AGE.fullmatch(phrase)) and 10 <= (english_integer(match["n"]) or 0) <= 110:
        yield "age", f"I am {match['about'] or ''}{match['n']}"
    elif (match := _YEARS.fullmatch(phrase)) and ("years" in left or (works and match["unit"] and match["rest"])):
        yield "years", f"I have {(match['about'] or '').replace('going on ', 'about ')}{match['n']} years of experience"
    elif asked & {"education", "university"} and (match := _DEGREE.fullmatch(phrase)):
        yield "education", _degree(match)
    elif "education" in left and (match := _STUDIED.fullmatch(phrase)):
        yield "education", f"I studied {match['major']} at {match['school']}"
    elif left & {"university"} and (match := _SCHOOL.fullmatch(phrase)):
        yield "university", f"I graduated from {match['school']}"
    elif "nationality" in left and (match := _NATION.fullmatch(phrase)):
        yield "nationality", f"I am {match['nation'].title()}"
    elif "income" in left and (match := _INCOME.fullmatch(phrase)) and (amount(match["sum"]) or 0) >= _ONE_OF_TEN:
        yield "income", earns(match)
    elif "children" in left and (match := _CHILDREN.fullmatch(phrase)):
        who = _CHILD.get(match["who"].lower(), match["who"].lower())
        plural = "children" if who == "child" else f"{who}s"
        yield "children", f"I have {match['n']} {plural}" if match["many"] else f"I have a {who}"
    elif "marital" in left and (match := _MARITAL.fullmatch(phrase)):
        yield "marital", f"I am {match['state'].lower()}"
    elif "name" in left and first and (match := re.fullmatch(rf"{NAME}(?: {NAME}){{0,2}}", phrase, re.I)):
        yield "name", f"My name is {phrase}"
    elif (place := _BASED.fullmatch(phrase)) and "residence" in left:
        yield "residence", f"I live in {place['place']}"
    elif works and (match := _JOB.fullmatch(phrase)) and works_as(match["job"]):
        yield from _job(match, asked)
    elif "residence" in left and (match := _PLACE.fullmatch(phrase)) and _is_name(match["place"]):
        yield "residence", f"I live in {match['place']}"
    elif works and "employer" not in had and (match := _FIRM.fullmatch(phrase)) and _is_name(match["firm"]):
        yield "employer", f"I work for {match['firm']}"


def _degree(match: re.Match[str]) -> str:
    degree = f"I have a {_DEGREES[match['degree'].lower()]}"
    school = match["school"] and (match["school"].title() if match["school"].islower() else match["school"])
    if match["major"]:
        degree += f" in {match['major']}"
    return f"{degree} from {school}" if school else degree


def _job(match: re.Match[str], asked: frozenset[str]) -> Iterator[tuple[str, str]]:
    yield "occupation", as_work(match["job"])
    if match["firm"] and _is_name(match["firm"]):
        yield "employer", f"I work for {match['firm']}"
    elif match["sort"]:
        yield "industry", f"I work in the {match['sort']} industry"
    if match["place"]:
        yield "residence", f"I live in {match['place']}"


def works_as(words: str) -> bool:
    low = words.lower()
    if low.split()[0] in FUNCTION or re.search(r"\b(?:my|your|his|her|their)\b", low):
        return False
    return is_job(low) or is_trade(low) or _HEADS.fullmatch(low) is not None


def is_trade(words: str) -> bool:
    return re.fullmatch(_TRADES, words, re.I) is not None


def as_work(job: str) -> str:
    return job if is_trade(job) else f"I work as {'an' if job[0].lower() in 'aeiou' else 'a'} {job}"


def earns(match: re.Match[str]) -> str:
    currency = f" {match['currency'].upper()}" if match["currency"] else ""
    return f"I earn {match['about'] or ''}{match['sum'].strip()}{currency} a year"


def doubted(phrase: str) -> bool:
    """Does an answer say no value, or none for certain?"""
    return _DOUBTED.search(phrase) is not None


def _is_name(words: str) -> bool:
    return words.split()[0].lower() not in _NO_NAME


def is_name(words: str, *, cased: bool = True) -> bool:
    """May a word be somebody's name: of one who writes it without a capital, too?"""
    return words.lower() not in _NO_NAME and (not cased or words[0].isupper())


def _spoken(text: str) -> Bare | None:
    """The languages that a turn begins with."""
    match = _TONGUES.match(text)
    if match is None or re.match(r"\s*\?| or\b", text[match.end() :]):
        return None
    named = [m.group().capitalize() for m in _ONE_TONGUE.finditer(match["list"])]
    joined = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
    return Bare(0, match.end(), f"I speak {joined}", "language")


def listed_tongues(text: str) -> Bare | None:
    """Two languages or more that open a turn and end a sentence or a part of it."""
    spoken = _spoken(text)
    if spoken is None or " and " not in spoken.says or not re.match(r"\s*(?:$|[.;!,]|but\b)", text[spoken.end :]):
        return None
    return spoken
