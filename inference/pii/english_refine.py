"""What a name lexicon and the words around a name add to the network's guesses in English.

The small network misses single given names, names of other languages and everything in lower case, and often takes
a family name for an organisation. General rules only: a known given name, a title or an introduction starts a name;
capitalised words after it continue it; what was a name once in a text is one again.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

from inference.pii.english_lexicon import Word, countries, words_of
from inference.pii.english_words import (
    ADDRESSED,
    COMMON,
    COMPANY,
    LABELS,
    OPENERS,
    OTHERWISE,
    PARTICLES,
    TITLES,
    UNITS,
)
from inference.protocols import EntitySpan

_NAME = "name lexicon"
_LONGEST = 5  # words of one name

_CAPITAL = re.compile(r"(?<![A-Za-z])(?!I\b)[A-Z\u00c0-\u00de]")
_INITIAL_GAP = re.compile(r"\.?[ ]{1,2}")
_GAP = re.compile(r"[ ]{1,2}")

_EDGE = " \t\r\n>*\"'“”‘’()[]{},;:!?|\\-"

# Says that a name follows, in any letter case, directly before it.
_STRONG_LEAD = re.compile(
    r"(?:\b(?:full |first |last |sur|maiden |middle |nick|legal |real |her |his |my |their |your )names?"
    r"(?:['’]s| is| was|:| =)|^\s{0,4}name:|\bcall(?:s|ed)? (?:me|him|her)|\bgoes by)[ \t]{0,4}[\"'“]?$",
    re.IGNORECASE | re.MULTILINE,
)
_LEAD = re.compile(
    r"(?:\b(?:i['’]m|i am|this is|it['’]s|hi|hello|hey|dear|thanks|thank you|regards|sincerely|cheers|attn:?|from:|to:"
    r"|cc:|user:|by)|^)[, \t]{0,4}[\"'“]?$",
    re.IGNORECASE,
)
_PLACE_LEAD = re.compile(
    r"\b(?:i['’]m in|am in|live[sd]? in|living in|based in|born in|moved? to|return(?:ed)? to|arrived? (?:at|in)|near"
    r"|(?:travel|fly|flew|drive|drove|trip|going|went|come|comes|coming|moved?|here|originally|am|i['’]m)"
    r" (?:to|from))[ ]$",
    re.IGNORECASE,
)
# A capital after these is no start of a sentence.
_WORK_LEAD = re.compile(r"\b(?:work(?:s|ed|ing)?|employed|intern(?:ed|ing)?) (?:for|at|by|with)[ ]$", re.IGNORECASE)
_NUMBER_BEFORE, _NUMBER_AFTER = re.compile(r"[0-9][A-Za-z]?[ ]$"), re.compile(r"[ ][0-9]")
_AMID = re.compile(r"[a-z][,]?[ ]$")


class _Spans:
    """Spans that do not overlap, to be asked what stands at a place in logarithmic time."""

    def __init__(self, spans: Iterable[EntitySpan]) -> None:
        self._spans = sorted(spans, key=lambda span: span.start)
        self._ends = [span.end for span in self._spans]

    def over(self, start: int, end: int) -> EntitySpan | None:
        """Return the first span that shares a character with `start:end`."""
        first = bisect_right(self._ends, start)
        return self._spans[first] if first < len(self._spans) and self._spans[first].start < end else None


def refine(text: str, guesses: Sequence[EntitySpan]) -> list[EntitySpan]:
    """Return `guesses` of the network over `text`, corrected and completed; sorted by start.

    Other entities that a found name covers or overlaps are dropped, unless they reach further than the name.
    """
    guesses = [piece for guess in guesses for piece in _trimmed(text, guess)]
    words = list(words_of(text))
    cased = _CAPITAL.search(text) is not None
    if cased:
        found = list(_cased(text, words, _Spans(guesses)))
        guessed_people = [guess for guess in guesses if guess.entity == "PERSON"]
        found += _repeated(words, _Spans(found), _Spans(guessed_people))
    else:
        found = list(_uncased(text, words))
    found += _places(words, _Spans(found), _Spans(guesses))
    names = _Spans(found)
    standing = (guess for guess in guesses if not _beats(names.over(guess.start, guess.end), guess))
    starts = [word.start for word in words]
    kept = (_relabelled(text, words[bisect_left(starts, g.start) : bisect_left(starts, g.end)], g) for g in standing)
    return sorted([*(guess for guess in kept if guess), *found], key=lambda span: (span.start, span.end))


def _places(words: Sequence[Word], names: _Spans, guesses: _Spans) -> Iterator[EntitySpan]:
    """Countries by name that nothing else covers; those that are also words only with a capital."""
    lows = [word.low for word in words]
    position = 0
    while position < len(words):
        options = countries().get(lows[position], ())
        name = next((n for n in options if tuple(lows[position : position + len(n)]) == n), None)
        word = words[position]
        position += len(name) if name else 1
        if name is None or (len(name) == 1 and not word.capital and (word.flags or word.low in COMMON)):
            continue
        start, end = word.start, words[position - 1].end
        guess = guesses.over(start, end)
        wrong = guess is not None and guess.entity == "PERSON" and guess.end - guess.start <= end - start + 2
        if names.over(start, end) is None and (guess is None or wrong):
            yield EntitySpan("LOCATION", start, end, 0.75, _NAME)


def _relabelled(text: str, inside: Sequence[Word], guess: EntitySpan) -> EntitySpan | None:
    """Call a guess what the words `inside` or before it say it is: a firm, a place; None: a part of an address."""
    if guess.entity not in {"PERSON", "ORGANIZATION"}:
        return guess
    entity = guess.entity
    if guess.entity == "PERSON" and _numbered(text, guess.start, guess.end):
        return None
    before = text[max(0, guess.start - 30) : guess.start]
    firm = len(inside) > 1 and inside[-1].low in COMPANY
    if firm or (not any("g" in word.flags for word in inside) and _WORK_LEAD.search(before)):
        entity = "ORGANIZATION"
    elif not any(word.flags for word in inside) and _PLACE_LEAD.search(before):
        entity = "LOCATION"
    return guess if entity == guess.entity else EntitySpan(entity, guess.start, guess.end, guess.score, _NAME)


def _numbered(text: str, start: int, end: int) -> bool:
    """Does a number stand on either side ("89 Joaquin Suarez 4740")? That is a street."""
    return bool(_NUMBER_BEFORE.search(text[max(0, start - 3) : start]) and _NUMBER_AFTER.match(text, end))


def _trimmed(text: str, guess: EntitySpan) -> Iterator[EntitySpan]:
    """Cut a guess at line ends; drop people with digits in their name, field labels and openers of a chat."""
    start = guess.start
    for line in text[guess.start : guess.end].splitlines(keepends=True):
        bare = line.strip(_EDGE)
        label = text.startswith((":", " ::"), start + line.find(bare) + len(bare))
        if bare.lower() in OPENERS or (label and bare.lower() in LABELS):
            bare = ""
        if bare and not (guess.entity == "PERSON" and any(c.isdigit() for c in bare)):
            first = start + line.index(bare)
            yield EntitySpan(guess.entity, first, first + len(bare), guess.score, guess.recognizer)
        start += len(line)


def _cased(text: str, words: Sequence[Word], guesses: _Spans) -> Iterator[EntitySpan]:
    position = 0
    while position < len(words):
        if not _starts(text, words, position, guesses):
            position += 1
            continue
        last = _extent(text, words, position)
        if last + 1 < len(words) and _adjoins(text, words[last], words[last + 1]) and words[last + 1].low in COMPANY:
            position = last + 2
            continue
        if not _numbered(text, words[position].start, words[last].end):
            yield EntitySpan("PERSON", words[position].start, words[last].end, 0.8, _NAME)
        position = last + 1


def _starts(text: str, words: Sequence[Word], position: int, guesses: _Spans) -> bool:
    """Does a name start at this word of a text with capitals?"""
    word = words[position]
    if not word.capital or len(word.low) < 2 or word.low in COMPANY | TITLES | UNITS:
        return False
    over = guesses.over(word.start, word.end)
    before = text[max(0, word.start - 30) : word.start]
    if position and words[position - 1].low in TITLES and len(before.rstrip(" .")) < len(before):
        return True
    if _STRONG_LEAD.search(before):
        return word.low not in OTHERWISE
    follower = words[position + 1] if position + 1 < len(words) else None
    pair = follower is not None and follower.capital and _adjoins(text, word, follower)
    if over is None:
        if word.given or (word.family and len(word.low) > 3):
            return True
        if word.known and "g" in word.flags and word.low not in ADDRESSED and _AMID.search(before):
            return True
        return word.known and pair and follower is not None and (follower.given or follower.like_family)
    return _overrules(text, word, follower if pair else None, over, before)


def _overrules(text: str, word: Word, follower: Word | None, over: EntitySpan, before: str) -> bool:
    """Does a name start at `word`, which the network took for (part of) `over`?"""
    if over.start < word.start and over.entity == "PERSON":
        return False
    alone = over.end <= word.end + 2 and over.start == word.start
    pair = follower is not None and over.start == word.start and over.end <= follower.end + 2
    if word.given:
        return alone or over.start == word.start if over.entity != "LOCATION" else alone or pair
    if over.entity == "NRP" or word.low in OTHERWISE:
        return False
    if pair and follower is not None and follower.like_family and follower.low not in COMPANY:
        return word.known or not follower.flags or over.entity != "ORGANIZATION"
    if alone and over.entity != "LOCATION":
        return word.like_family and len(word.low) > 3
    return word.known and "g" in word.flags and _LEAD.search(before) is not None


def _extent(text: str, words: Sequence[Word], position: int) -> int:
    """Return the index of the last word of the name that starts at `position`."""
    last = position
    for following in range(position + 1, min(len(words), position + _LONGEST)):
        word = words[following]
        if not _adjoins(text, words[following - 1], word):
            break
        if word.low in PARTICLES:
            continue
        if not word.capital or word.low in COMPANY | UNITS | OTHERWISE or word.low in {"i", "i'm"}:
            break
        last = following
    return last


def _adjoins(text: str, left: Word, right: Word) -> bool:
    """Do only blanks stand between the words, or an initial's full stop?"""
    gap = text[left.end : right.start]
    return bool(_GAP.fullmatch(gap)) or (len(left.low) == 1 and bool(_INITIAL_GAP.fullmatch(gap)))


def _uncased(text: str, words: Sequence[Word]) -> Iterator[EntitySpan]:
    """Names in a text without capitals: known given names, family names beside them, introductions."""
    position = 0
    while position < len(words):
        word = words[position]
        lead = _STRONG_LEAD.search(text[max(0, word.start - 30) : word.start])
        titled = position > 0 and words[position - 1].low in TITLES - {"miss", "doctor", "nurse", "sir"}
        if not ((word.given or word.family) and len(word.low) > 3) and not (word.known and (lead or titled)):
            position += 1
            continue
        last = position
        while last + 1 < len(words) and last < position + 2 and _adjoins(text, words[last], words[last + 1]):
            follower = words[last + 1]
            if not (follower.given or follower.family):
                break
            last += 1
        yield EntitySpan("PERSON", word.start, words[last].end, 0.7, _NAME)
        position = last + 1


def _repeated(words: Sequence[Word], found: _Spans, guessed: _Spans) -> Iterator[EntitySpan]:
    """Name words of the people found or guessed, where they stand elsewhere in the text."""
    around = [found.over(word.start, word.end) or guessed.over(word.start, word.end) for word in words]
    names = {word.low for word, person in zip(words, around, strict=True) if person and _repeatable(word, person)}
    for word, person in zip(words, around, strict=True):
        if person is None and word.capital and word.low in names:
            yield EntitySpan("PERSON", word.start, word.end, 0.7, _NAME)


def _repeatable(word: Word, person: EntitySpan) -> bool:
    """Is the word a name wherever it stands in this text, capitalised? An ordinary word only as a given name."""
    if not word.capital or len(word.low) < 3 or word.low in OTHERWISE | COMPANY | TITLES | UNITS:
        return False
    starts_longer = word.start == person.start and word.end < person.end
    return "w" not in word.flags or ("g" in word.flags and starts_longer and word.low != "will")


def _beats(name: EntitySpan | None, guess: EntitySpan) -> bool:
    """Does the found name take the place of the guess that it touches?"""
    if name is None or (guess.entity == "PERSON" and name.entity == "PERSON"):
        return False
    return guess.start >= name.start and guess.end <= name.end + 2
