"""People whom only their relation to somebody shows, in either letter case ("my husband mark", "lunch with Femi",
"Rich and Penny are getting divorced"), and names that are things where they stand ("Ruby and Perl", "an Allen key").

Words are those of data/english_people_words.toml.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from inference.pii.english_lexicon import Word
from inference.pii.english_vocabulary import is_english
from inference.pii.english_words import ADDRESSED, COMPANY, OPENERS, OTHERWISE, TITLES, UNITS
from inference.pii.spans import Spans
from inference.protocols import EntitySpan
from inference.stopwords import ENGLISH

_NAME = "name relation"
_LONGEST = 3  # words of one name
_LOOKED = 60  # characters before a word
_TOOLS = 80  # characters around a word
_BLANK = re.compile(r"[ ]{1,2}")
_ENDS = re.compile(r"['’\"”]?(?:[,.;:!?)\n]|\Z|[ ](?:and|but|or|-|–)(?![a-z]))")
_WHEN = re.compile(r"[ ](?:yesterday|today|tomorrow|tonight|at|on|and|last|next|this|about|in|from|after|before"
    r"|again)\b")
_WHEN_OR_END = re.compile(_WHEN.pattern + r"|[.!?\n]|\Z")
_POSSESSED = re.compile(r"['’]s[ ]")
_HIS = re.compile(r"[ ](?:[a-z'’]{2,12}[ ]){0,4}?(?:his|her)[ ](?!own\b)[a-z]")
_AND_HIS = re.compile(r"[ ]and[ ](?:his|her)[ ][a-z]")
_NEVER = OPENERS | COMPANY | TITLES | UNITS | ADDRESSED
_AUXILIARY = frozenset({"will", "may", "can"})
_SENTENCE = re.compile(r"(?:^|[.!?]\s{1,2}|\n)[\"“]?$")
_COUPLE = re.compile(
    r"[ ](?:are[ ](?:getting|moving|expecting|engaged|married|divorced|fighting|friends|together|coming)"
    r"|(?:got|just[ ]got)[ ](?:married|engaged|divorced)|broke[ ]up|split[ ]up|live[ ]in|had[ ]a[ ](?:baby|fight)"
    r"|have[ ](?:two|three|a)[ ](?:kids?|children|daughter|son|baby|dog))\b"
)
# What only people do or are, and what firms do too.
_HUMAN = re.compile(
    r"[ ](?:(?:can|could)n?['’]t[ ]make[ ]it|(?:forgot|married|babysits|snores)\b"
    r"|plays[ ](?:bass|drums|piano|guitar|violin|football|tennis|chess)\b"
    r"|is[ ](?:pregnant|vegan|vegetarian|engaged|divorced|on[ ](?:leave|holiday|parental))\b"
    r"|has[ ](?:a[ ](?:cold|baby)|the[ ]flu|two[ ]kids)\b)"
)
_ACTS = re.compile(
    r"[ ](?:(?:lent|borrowed|promised|phoned|rang|emailed|forwarded|signed|owes|owed|adopted|teaches)\b"
    r"|(?:called|dropped|stopped)[ ](?:by|in|off|me|back)\b)"
)
_ARTICLE = re.compile(r"\b(?:[Tt]he|[Aa]n?)[ ]$")
_NEXT = re.compile(r"[ ](?P<word>[A-Za-z'’]{1,20})")
_RELEASE = re.compile(r"[ ]?(?:[0-9]{1,2}\.[0-9]|on[ ]Rails\b|[\u4e00-\u9fff]{0,4}[0-9]{1,2}\.[0-9])")
_TITLE_LEAD = re.compile(
    r"\b(?:movie|film|show|series|song|album|novel|musical|opera|game|font)[ ](?:called[ ]|is[ ]|to[ ])?[\"“]?$"
)


class _Leads(NamedTuple):
    """Where a name may stand in a text: behind a relation, behind what is shared with somebody."""

    relations: Mapping[int, re.Match[str]]
    shared: Mapping[int, re.Match[str]]


def related(
    text: str, words: Sequence[Word], named: Spans, guesses: Spans, taken: Set[int]
) -> Iterator[EntitySpan]:
    """Yield people by their relation that `named` (spans found so far) lacks, none at a word in `taken`. What the
    network takes for a firm or a place needs a relation that none has."""
    leads_ = _Leads(*({m.end(): m for m in leads()[kind].finditer(text)} for kind in ("relation", "shared")))
    position = 0
    while position < len(words):
        word = words[position]
        free = position not in taken and named.over(word.start, word.end) is None
        if free and _is_related(text, words, position, guesses, leads_):
            last = _extent(text, words, position) if word.capital else position
            yield EntitySpan("PERSON", word.start, words[last].end, 0.75, _NAME)
            position = last
        position += 1


def _is_related(text: str, words: Sequence[Word], position: int, guesses: Spans, found: _Leads) -> bool:
    word = words[position]
    lead, shared = found.relations.get(word.start), word.start in found.shared
    if not (word.capital or shared or lead) or len(word.low) < 3 or word.low in _NEVER:
        return False
    if word.capital:
        if word.low in OTHERWISE:
            return False
        before = text[max(0, word.start - 6) : word.start]
        guess = guesses.over(word.start, word.end)
        free = guess is None or guess.entity == "PERSON"
        sure = _is_introduced(text, word, lead, free) or _is_of_couple(text, words, position)
        return sure or _is_met(text, word, before, shared, free) or _acts(text, word, before, free)
    if shared and "g" in word.flags and _WHEN_OR_END.match(text, word.end):
        return True
    return lead is not None and _is_introduced_small(text, word, lead)


def _unknown(word: Word) -> bool:
    return not is_english(word.low) or word.given


def _is_introduced(text: str, word: Word, lead: re.Match[str] | None, free: bool) -> bool:
    """"my boss is Tunde", "My dentist Femi Adeyemi"."""
    if lead is None or not (_unknown(word) or "g" in word.flags):
        return False
    pair = text[word.end : word.end + 1] == " " and text[word.end + 1 : word.end + 2].isupper()
    if lead["is"] and not free and "g" not in word.flags and not pair:
        return False  # "our accountant is Deloitte"
    if not lead["is"]:
        return True
    return _unknown(word) and (pair or _ENDS.match(text, word.end) is not None)


def _is_introduced_small(text: str, word: Word, lead: re.Match[str]) -> bool:
    if word.low in ENGLISH | _AUXILIARY:
        return False
    if not ("g" in word.flags or not is_english(word.low)):
        return False
    following = _NEXT.match(text, word.end)
    goes_on = following is not None and following["word"].lower().replace("’", "'") in _data("goes_on")
    ends = re.match(r"['’]?[,.;!?)\n]|\Z", text[word.end : word.end + 2]) is not None
    if lead["is"]:
        return "g" in word.flags and not is_english(word.low) and (goes_on or ends)
    return goes_on or (ends and word.known) or _POSSESSED.match(text, word.end) is not None


def _is_met(text: str, word: Word, before: str, shared: bool, free: bool) -> bool:
    """"lunch with Femi at one", "a reference for Siobhán"."""
    if shared:
        ends = _ENDS.match(text, word.end) or _WHEN.match(text, word.end)
        return _unknown(word) or ("g" in word.flags and ends is not None)
    foreign = free and len(word.low) > 3 and not word.low.isascii() and not is_english(word.low)
    return foreign and re.search(r"[a-z][ ]$", before) is not None and _ARTICLE.search(before) is None


def _acts(text: str, word: Word, before: str, free: bool) -> bool:
    """Does an unknown name do what people do, or is something his or hers?"""
    if is_english(word.low) and not word.given:
        return False
    if _AND_HIS.match(text, word.end):
        return free or "g" in word.flags or "-" in word.low
    if _SENTENCE.search(before[-6:]) is None:
        return False
    if _HUMAN.match(text, word.end):
        return True
    return free and (_ACTS.match(text, word.end) is not None or _HIS.match(text, word.end) is not None)


def _is_of_couple(text: str, words: Sequence[Word], position: int) -> bool:
    """One of "Rich and Penny", who are getting divorced?"""
    for first, joint in ((position - 2, position - 1), (position, position + 1)):
        if first < 0 or joint + 1 >= len(words) or words[joint].low != "and":
            continue
        pair = (words[first], words[joint + 1])
        if all(w.capital and "g" in w.flags for w in pair) and _COUPLE.match(text, pair[1].end):
            return True
    return False


def _extent(text: str, words: Sequence[Word], position: int) -> int:
    last = position
    for following in range(position + 1, min(len(words), position + _LONGEST)):
        word = words[following]
        joined = _BLANK.fullmatch(text, words[following - 1].end, word.start)
        if not joined or not word.capital or word.low in OTHERWISE | COMPANY | UNITS or word.low in ENGLISH:
            break
        last = following
    return last


def is_thing(text: str, span: EntitySpan, word: Word) -> bool:
    """Is the person `span` of one `word` a thing: a language among others, a kind ("an Allen key"), a description?"""
    before = text[max(0, span.start - _LOOKED) : span.start]
    if word.low in _data("tool_names") and (_RELEASE.match(text, word.end) or _is_among_tools(text, word)):
        return True
    if _TITLE_LEAD.search(before):
        return True
    following = _NEXT.match(text, word.end)
    follower = following["word"].lower().replace("’", "'") if following is not None else ""
    own = text[span.start : word.start].lower().strip()
    if _ARTICLE.search(before) or own in {"the", "a", "an"}:
        return not (follower in _data("after_article") or _is_family(word) or _POSSESSED.match(text, word.end))
    if word.low not in _data("describing") or not follower or not following or not following["word"][0].islower():
        return False
    if _SENTENCE.search(before[-6:]) is None:
        return False
    if follower.endswith("s") and follower not in _data("person_does"):
        behind = _NEXT.match(text, following.end())
        return behind is None or behind["word"].lower() in _data("plural_goes_on")
    return follower not in _data("person_does") and not follower.endswith("ed")


def _is_among_tools(text: str, word: Word) -> bool:
    near = text[max(0, word.start - _TOOLS) : word.end + _TOOLS]
    return any(match.group().lower() != word.low for match in leads()["tools"].finditer(near))


def _is_family(word: Word) -> bool:
    """"the Andersons"."""
    return word.low.endswith("s") and len(word.low) > 4


@lru_cache(maxsize=1)
def _lists() -> dict[str, frozenset[str]]:
    content = files("inference.pii").joinpath("data/english_people_words.toml").read_text("utf-8")
    return {key: frozenset(value.split()) for key, value in tomllib.loads(content).items()}


def _data(key: str) -> frozenset[str]:
    return _lists()[key]


@lru_cache(maxsize=1)
def leads() -> dict[str, re.Pattern[str]]:
    """What stands before a name, by its kind; and the names of tools."""
    kinds = ("relations", "shared", "tools")
    relations, shared, tools = ("|".join(sorted(_data(kind), key=len, reverse=True)) for kind in kinds)
    return {
        "relation": re.compile(
            rf"\b(?:my|his|her|our|their|your)[ ](?:[a-z-]{{2,12}}[ ]){{0,2}}?(?:{relations})"
            r"(?P<is>[ ](?:is|was)(?:[ ](?:called|named))?)?,?[ ]",
            re.IGNORECASE,
        ),
        "shared": re.compile(rf"\b(?:{shared})[ ]with[ ]", re.IGNORECASE),
        "tools": re.compile(rf"\b(?:{tools})\b|\b(?-i:Go)\b", re.IGNORECASE),
    }
