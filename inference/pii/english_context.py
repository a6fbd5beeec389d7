"""People and firms that only the words around them tell: a list of people, a speaker's label, one spoken to, an owner.

Names that no lexicon holds stand where names stand. A word counts as unknown when it is no English word; what an
English word needs beside its place is said with each rule.
"""

import re
from collections.abc import Iterator, Sequence

from inference.pii.english_lexicon import Word
from inference.pii.english_vocabulary import is_english
from inference.pii.english_words import ADDRESSED, COMPANY, OPENERS, OTHERWISE, TITLES, UNITS
from inference.pii.spans import Spans
from inference.protocols import EntitySpan
from inference.stopwords import ENGLISH

_NAME = "name context"
_LONGEST_ITEM = 3  # words
_LEAST_LIST = 3  # items

_COMMA = re.compile(r",[ ]{1,2}")
_BLANK = re.compile(r"[ ]{1,2}")
_BEFORE_AND = re.compile(r",?[ ]{1,2}")
# Spoken to: "Vittore, can I ..." at the start of a text or line.
_SPOKEN_TO = re.compile(
    r",[ ](?:can|could|please|do|did|does|will|would|are|have|what|when|where|who|why|how|is|let['’]?s|don['’]t|you)\b"
)
_LINE_START = re.compile(r"(?:^|\n)[ \"“'>*?-]{0,4}$")
_LABEL_END = re.compile(r"[ ]{0,2}:[ \t\\\"“]")
# Owns what only people have.
_OWNS = re.compile(
    r"['’]s (?:wife|husband|partner|mother|father|mom|mum|dad|sister|brother|son|daughter|kids|children|parents"
    r"|birthday|wedding|funeral|(?:home |new |old |e-?mail |postal )?address|(?:phone|mobile|cell) number)\b"
)
_HERE = re.compile(r"\b(?:here(?:['’]s| is)|this is|tell me|remember|what(?:['’]s| is)|was|is)[ ]$", re.IGNORECASE)
# Does or is what only people do or are; the second kind firms do too.
_ACTS = re.compile(
    r"[ ](?:live[sd] (?:at|in|on|with|near)|loves|loved|hates|hated|laughed|smiled|cried|married|texted|(?:is|was) my"
    r"|(?:had )?(?:gave|given|told) (?:me|him|her|us|them|his|my))\b"
)
_ACTS_TOO = re.compile(
    r"[ ](?:thinks|thought|feels|felt|asked|said|says|likes|liked|wants|wanted|knows|knew|had (?:given|told|asked)"
    r"|studie[sd]|began|decided|works|worked|is (?:very|so|always|such)|was an? (?:huge|big))\b"
)
_SENTENCE = re.compile(r"(?:^|[.!?]\s{1,2}|\n)[\"“]?$|\b(?:tell|think|because|that|when|if|is|and|but|so)[ ]$")
# Sounds, not names: "Hmm, what", "Yeahh, can", "Umm".
_SOUND = re.compile(
    r"(?:ha|he|hi|ah|aw|um|uh|oh|oo|hm|mm|ye|ya|yu|na|no|wo|ug|eh|ew|ow|ps|sh|we|su|ok|gr|aa|lo|om|bt)\w{0,40}"
)
# Before a firm: what is spent, met or done there, or belongs to it.
_AT_FIRM = re.compile(
    r"\b(?:(?:work(?:s|ed|ing)?|employed|jobs?|positions?|roles?|years?|months?|weeks?|interned|internship|offices?|meet"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|lawyers?|attorneys?|consultants?|analyst|engineer|partner) (?:at|for)"
    r"|(?:address|offices?|ceo|founders?|head|websites?|employees|president|director|manager|headquarters) of"
    r"|the)[ ]$",
    re.IGNORECASE,
)
_SINGULAR = re.compile(r"[ ](?:is|was|has)\b")


def firms(text: str, words: Sequence[Word], cased: bool) -> Iterator[EntitySpan]:
    """Yield firms called after families, "Holt, Lund and Myers" or "Reyes-Brown", where a firm stands."""
    for items in _lists(text, words, cased):
        families = [item[0] for item in items if len(item) == 1 and "f" in item[0].flags]
        serial = text[items[-2][-1].end : items[-1][0].start].startswith(",")
        start, end = items[0][0].start, items[-1][-1].end
        one = _SINGULAR.match(text, end) is not None
        if len(families) == len(items) == _LEAST_LIST and not serial and (one or _stands_as_firm(text, start, end)):
            yield EntitySpan("ORGANIZATION", start, end, 0.8, _NAME)
    for word in words:
        if word.capital and "-" in word.low and word.double_family and _stands_as_firm(text, word.start, word.end):
            yield EntitySpan("ORGANIZATION", word.start, word.end, 0.8, _NAME)


def _stands_as_firm(text: str, start: int, end: int) -> bool:
    """On a line of its own among others, or after words that a firm follows?"""
    before = text[max(0, start - 40) : start]
    ends = end == len(text) or text[end] == "\n"
    alone = _LINE_START.search(before) and ends and (start > 6 or end < len(text))
    return bool(alone or _AT_FIRM.search(before))


def people(text: str, words: Sequence[Word], named: Spans, guesses: Spans, cased: bool) -> Iterator[EntitySpan]:
    """Yield people that `named` (spans found so far) lacks; a guess that reaches further than the name stays."""
    chosen: dict[int, Word] = {}
    for items in _lists(text, words, cased):
        chosen |= {word.start: word for word in _of_list(items, named, guesses, cased)}
    if cased:
        chosen |= {word.start: word for word in words if word.capital and _may_be(word) and _acts(text, word, guesses)}
    chosen |= {word.start: word for word in _labels(text, words, named, guesses)}
    for word in chosen.values():
        if named.over(word.start, word.end) is None and _fits(word, guesses):
            yield EntitySpan("PERSON", word.start, word.end, 0.7, _NAME)


def heading(text: str, words: Sequence[Word], named: Spans, guesses: Spans) -> Iterator[EntitySpan]:
    """Yield the unknown name that is the first line of several, as in a card: two or three words, none English."""
    line = text.find("\n")
    inside = [word for word in words if word.end <= line]
    if line < 0 or not 2 <= len(inside) <= _LONGEST_ITEM or not _LINE_START.search(text[: inside[0].start]):
        return
    start, end = inside[0].start, inside[-1].end
    unknown = all(word.capital and (len(word.low) == 1 or _may_be(word)) for word in inside)
    if unknown and text[end:line].strip(" .,") == "" and not (named.over(start, end) or guesses.over(start, end)):
        yield EntitySpan("PERSON", start, end, 0.6, _NAME)


def _fits(word: Word, guesses: Spans) -> bool:
    guess = guesses.over(word.start, word.end)
    return guess is None or (guess.start >= word.start and guess.end <= word.end + 2)


def _may_be(word: Word) -> bool:
    """Could this be the name of somebody unknown: no English word, nothing that is always something else?"""
    return len(word.low) > 2 and word.low not in OTHERWISE | OPENERS | COMPANY | TITLES and not is_english(word.low)


def _is_spoken_to(text: str, word: Word) -> bool:
    if not word.capital or _SPOKEN_TO.match(text, word.end) is None or _SOUND.fullmatch(word.low):
        return False
    return bool(_LINE_START.search(text[max(0, word.start - 6) : word.start]))


def _is_owner(text: str, word: Word) -> bool:
    owned = _OWNS.match(text, word.end) if word.capital else None
    if owned is None:
        return False
    shared = owned.group().endswith(("address", "number"))  # shops have them too
    return not shared or bool(_HERE.search(text[max(0, word.start - 12) : word.start]))


def _acts(text: str, word: Word, guesses: Spans) -> bool:
    """Is `word` spoken to, an owner, or the subject of what people do?"""
    if _is_spoken_to(text, word) or _is_owner(text, word):
        return True
    if _SENTENCE.search(text[max(0, word.start - 10) : word.start]) is None:
        return False
    if _ACTS.match(text, word.end):
        return True
    return guesses.over(word.start, word.end) is None and _ACTS_TOO.match(text, word.end) is not None


def _labels(text: str, words: Sequence[Word], named: Spans, guesses: Spans) -> Iterator[Word]:
    """Speakers' labels at line starts, where another one is a known person."""
    labels = [
        word
        for word in words
        if _LABEL_END.match(text, word.end) and _LINE_START.search(text[max(0, word.start - 6) : word.start])
    ]
    if any(_called(label, "PERSON", named, guesses) for label in labels):
        yield from (label for label in labels if "g" in label.flags or (label.capital and _may_be(label)))


def _called(word: Word, entity: str, named: Spans, guesses: Spans) -> bool:
    span = named.over(word.start, word.end) or guesses.over(word.start, word.end)
    return span is not None and span.entity == entity


def _of_list(items: Sequence[Sequence[Word]], named: Spans, guesses: Spans, cased: bool) -> Iterator[Word]:
    """The single words of a list that are people because most of its items are."""
    if any(item[-1].low in COMPANY or _called(item[-1], "ORGANIZATION", named, guesses) for item in items):
        return
    people_ = sum(_called(item[-1], "PERSON", named, guesses) for item in items)
    like = sum(
        not _called(item[-1], "PERSON", named, guesses) and len(item) == 1 and (item[0].given or item[0].like_family)
        for item in items
    )
    if not people_ or (people_ + like) * 2 <= len(items) - (people_ > 1):
        return
    for item in items:
        word = item[0]
        if len(item) == 1 and word.low not in OTHERWISE - {"april", "june"} | COMPANY | UNITS | ADDRESSED:
            known = bool(word.flags) and people_ > 1
            if known or (_may_be(word) and (cased or not word.low.isascii())):
                yield word


def _lists(text: str, words: Sequence[Word], cased: bool) -> Iterator[list[list[Word]]]:
    """Yield enumerations of three items or more, "X, Y and Z": runs of capitalised words, or single words."""
    position = 0
    while position < len(words):
        items: list[list[Word]] = []
        following: int | None = position
        while following is not None:
            item, behind = _item(text, words, following, cased)
            if not item:
                break
            items.append(item)
            position = behind - 1
            following = _next_item(text, words, behind)
        if len(items) >= _LEAST_LIST:
            yield items
        position += 1


def _item(text: str, words: Sequence[Word], first: int, cased: bool) -> tuple[list[Word], int]:
    """Return the words of the item that starts at index `first`, and the index behind it."""
    item: list[Word] = []
    position = first
    while position < len(words) and len(item) < (_LONGEST_ITEM if cased else 1):
        word = words[position]
        if (cased and not word.capital) or word.low in ENGLISH:
            break
        if item and not _BLANK.fullmatch(text, item[-1].end, word.start):
            break
        item.append(word)
        position += 1
    return item, position


def _next_item(text: str, words: Sequence[Word], behind: int) -> int | None:
    """Return the index of the next item's first word, if a comma or "and" joins it."""
    if behind >= len(words):
        return None
    end, word = words[behind - 1].end, words[behind]
    if word.low in {"and", "or"} and behind + 1 < len(words):
        joined = _BEFORE_AND.fullmatch(text, end, word.start) and _BLANK.fullmatch(
            text, word.end, words[behind + 1].start
        )
        return behind + 1 if joined else None
    return behind if _COMMA.fullmatch(text, end, word.start) else None
