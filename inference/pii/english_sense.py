"""Which guesses of people, places and firms the words beside them contradict: towns, things, sentences of orders.

Cheap rules over the spans of one text: a known town is a place unless it is a name too; an abbreviation of computing, a
language, a program is nobody; "Mark it" and "Sandy soil" begin with a verb and an adjective.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files

from inference.pii.english_gazetteer import LISTED
from inference.pii.english_lexicon import Word
from inference.pii.english_relations import is_thing
from inference.pii.english_vocabulary import is_english
from inference.pii.english_words import COMMON, OF_FOOD, OPENS_OBJECT, THINGS
from inference.pii.spans import Spans
from inference.protocols import EntitySpan

_NAME = "town lexicon"
_SENTENCE = re.compile(r"(?:^|[.!?:\n])[\s\"'“(]{0,3}$")
# Before a town that is a name of people too.
_IN_TOWN = re.compile(r"\b(?:in|near|via|outside|from [A-Z]\w{2,20} to)[ ]$")
_VERSION = re.compile(r"[ ]v?[0-9]{1,3}(?:\.[0-9]{1,3}){1,3}\b")
_NEXT = re.compile(r"[ ](?P<word>[A-Za-z]{1,20})\b")
_IN_STATE = re.compile(r",[ ](?P<state>[A-Z][a-z\u00df-\u024f]{2,20})\b")
_CODE = re.compile(r"--|[=/<>|\\{}]|[a-z_]\(|\b-[a-zA-Z]\b")
_GUESSED = frozenset({"PERSON", "ORGANIZATION", "LOCATION", "NRP"})
_MISTAKEN = frozenset({"PERSON", "ORGANIZATION", "NRP"})


@lru_cache(maxsize=1)
def towns() -> frozenset[str]:
    """Towns and states of one Latin word that is no English one, in small letters."""
    lines = files("inference.pii").joinpath("data/towns.txt").read_text("utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))


def sensible(text: str, words: Sequence[Word], spans: Sequence[EntitySpan]) -> list[EntitySpan]:
    """Return `spans` less what is nobody, with towns called places, and towns that none of them covers added."""
    by_start = {word.start: word for word in words}
    kept = []
    for span in spans:
        word = by_start.get(span.start)
        alone = word is not None and word.end >= span.end - 2
        if span.entity not in _GUESSED or not (
            _is_nothing(text, span, word if alone else None) or _is_a_thing(text, span, words, word if alone else None)
        ):
            mistaken = span.entity in _MISTAKEN and span.recognizer != LISTED
            town = alone and word is not None and mistaken and _is_town(text, word)
            kept.append(EntitySpan("LOCATION", span.start, span.end, span.score, _NAME) if town else span)
    return sorted([*kept, *_unseen(text, words, Spans(kept))], key=lambda span: (span.start, span.end))


def _is_a_thing(text: str, span: EntitySpan, words: Sequence[Word], word: Word | None) -> bool:
    """Is the person a thing by what stands around? "The Norman" has its article within."""
    if span.entity != "PERSON":
        return False
    if word is not None and word.low not in {"the", "an", "a"}:
        return is_thing(text, span, word)
    article = text[span.start : span.end].partition(" ")
    if article[0].lower() not in {"the", "an", "a"} or " " in article[2]:
        return False
    last = next((w for w in words if w.start == span.end - len(article[2])), None)
    return last is not None and is_thing(text, span, last)


def _unseen(text: str, words: Sequence[Word], spans: Spans) -> Iterator[EntitySpan]:
    for word in words:
        known = word.capital and not word.flags and word.low in towns() and not is_english(word.low)
        if known and text[word.start + 1 : word.end].islower() and spans.over(word.start, word.end) is None:
            yield EntitySpan("LOCATION", word.start, word.end, 0.7, _NAME)


def _is_town(text: str, word: Word) -> bool:
    """Is a capitalised word a town: no name of people, or before its state?"""
    if not word.capital or word.low not in towns():
        return False
    state = _IN_STATE.match(text, word.end)
    placed = _IN_TOWN.search(text[max(0, word.start - 40) : word.start]) is not None
    if placed and not text.startswith(("'", "’"), word.end):
        return True
    return not word.flags or (state is not None and state["state"].lower() in towns())


def _is_nothing(text: str, span: EntitySpan, word: Word | None) -> bool:
    """Is the span no name: a piece of code; or, where it is one `word`, a thing, an order, a word before food?"""
    if word is None:
        return span.recognizer == "spacy" and _CODE.search(text, span.start, span.end) is not None
    if word.low in THINGS or (not word.capital and word.low in COMMON):
        return True
    if _VERSION.match(text, span.end):
        return span.entity != "LOCATION"
    following = _NEXT.match(text, span.end)
    follower = following["word"] if following is not None and span.end == word.end else ""
    if follower in OF_FOOD:
        return True
    ordinary = is_english(word.low) or "w" in word.flags
    starts = _SENTENCE.search(text[max(0, span.start - 4) : span.start]) is not None
    return ordinary and starts and follower in OPENS_OBJECT
