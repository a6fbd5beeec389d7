"""What a name lexicon and the words around a name add to the network's guesses in English.

The small network misses single given names, names of other languages and everything in lower case, and often takes
a family name for an organisation. General rules only: a known given name, a title or an introduction starts a name;
capitalised words after it continue it; what was a name once in a text is one again.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise

from inference.pii.english_context import firms, heading, people
from inference.pii.english_gazetteer import known_spans
from inference.pii.english_lexicon import Word, words_of
from inference.pii.english_peoples import people_spans
from inference.pii.english_places import country_runs, country_spans, is_placed
from inference.pii.english_relabel import numbered, relabelled, trimmed
from inference.pii.english_relations import related
from inference.pii.english_sense import sensible
from inference.pii.english_vocabulary import is_english
from inference.pii.english_words import ADDRESSED, COMPANY, OTHERWISE, PARTICLES, PLAIN_GIVEN, TITLES, UNITS
from inference.pii.spans import Spans
from inference.protocols import EntitySpan
from inference.stopwords import ENGLISH

_NAME = "name lexicon"
_LONGEST = 5  # words of one name

_CAPITAL = re.compile(r"(?<![A-Za-z])(?!I\b)[A-Z\u00c0-\u00de]")
_INITIAL_GAP = re.compile(r"\.?[ ]{1,2}")
_GAP = re.compile(r"[ ]{1,2}")

# Says that a name follows, in any letter case, directly before it.
_STRONG_LEAD = re.compile(
    r"(?:\b(?:full |first |last |sur|maiden |middle |nick|legal |real |her |his |my |their |your )names?"
    r"(?:['’]s| is| was|:| =)|^\s{0,4}name:|\bcall(?:s|ed)? (?:me|him|her)|\bgoes by)[ \t]{0,4}[\"'“]?$",
    re.IGNORECASE | re.MULTILINE,
)
# The answer to such a question.
_ASKED = re.compile(
    r"\b(?:(?:full|first|last|sur|maiden|middle|legal|real|your) ?name|name on (?:the|my|your) (?:account|card))\?"
    r"[\"”]?[ \n]{1,3}(?:[A-Za-z]{1,9}:[ ])?$",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:\b(?:i['’]m|i am|this is|it['’]s|hi|hello|hey|dear|thanks|thank you|regards|sincerely|cheers|attn:?|from:|to:"
    r"|cc:|user:|by)|^)[, \t]{0,4}[\"'“]?$",
    re.IGNORECASE,
)
_OF_FIRM = re.compile(r"['’]s[ ]|,?[ ]of[ ]|,[ ]")
_GREETED = re.compile(r"\b(?:hi|hello|hey|dear|thanks|thank you|bye|love|morning|with|and|by)[ ]$", re.IGNORECASE)
# A capital here is no start of a sentence, nor part of a run of capitals.
_AMID = re.compile(r"(?:^|[^A-Za-z])[a-z]{1,20}[,]?[ ]$")


def refine(text: str, guesses: Sequence[EntitySpan]) -> list[EntitySpan]:
    """Return `guesses` of the network over `text`, corrected and completed; sorted by start.

    Other entities that a found name covers or overlaps are dropped, unless they reach further than the name.
    """
    guesses = [piece for guess in guesses for piece in trimmed(text, guess)]
    words = list(words_of(text))
    starts = [word.start for word in words]
    inside = {g: words[bisect_left(starts, g.start) : bisect_left(starts, g.end)] for g in guesses}
    runs = country_runs(words)
    known = known_spans(text, words)
    own = Spans(known)
    taken = {index for first, last in runs for index in range(first, last + 1) if last > first}
    taken |= {index for index, word in enumerate(words) if own.over(word.start, word.end)} if known else set()
    found = _names(text, words, guesses, taken)
    found = [*(span for span in known if _is_new(span, Spans(found), Spans(guesses))), *found]
    found += country_spans(words, runs, Spans(found), Spans(guesses))
    found += people_spans(text, words, Spans(found), Spans(guesses))
    names = Spans(found)
    kept_guesses = (guess for guess in guesses if not _beats(names.over(guess.start, guess.end), guess))
    kept = (relabelled(text, inside[guess], guess) for guess in kept_guesses)
    return sensible(text, words, [*(guess for guess in kept if guess), *found])


def _is_new(span: EntitySpan, names: Spans, guesses: Spans) -> bool:
    """Is a known name covered by no other that was found, nor by a longer guess of its entity?"""
    guess = guesses.over(span.start, span.end)
    longer = guess is not None and guess.entity == span.entity and guess.end - guess.start > span.end - span.start
    return names.over(span.start, span.end) is None and not longer


def _names(text: str, words: Sequence[Word], guesses: Sequence[EntitySpan], taken: Set[int]) -> list[EntitySpan]:
    """Return people and family-named firms; none starts at a word whose index is `taken`."""
    cased = _CAPITAL.search(text) is not None
    around = Spans(guesses)
    found = list(firms(text, words, cased))
    if found:
        taken = taken | {i for i, word in enumerate(words) if Spans(found).over(word.start, word.end)}
    if not cased:
        found += _uncased(text, words, taken)
        found += people(text, words, Spans(found), around, cased)
        return found + list(related(text, words, Spans(found), around, taken))
    found += _cased(text, words, around, taken)
    found += people(text, words, Spans(found), around, cased)
    found += heading(text, words, Spans(found), around)
    found += related(text, words, Spans(found), around, taken)
    guessed_people = [guess for guess in guesses if guess.entity == "PERSON"]
    return found + list(_repeated(text, words, Spans(found), Spans(guessed_people)))


def _cased(text: str, words: Sequence[Word], guesses: Spans, taken: Set[int]) -> Iterator[EntitySpan]:
    position = 0
    while position < len(words):
        if position in taken or not _starts(text, words, position, guesses):
            position += 1
            continue
        last = _extent(text, words, position)
        name = words[position : last + 1]
        if last + 1 < len(words) and _adjoins(text, words[last], words[last + 1]) and words[last + 1].low in COMPANY:
            position = last + 2
            continue
        position = last + 1
        if numbered(text, name[0].start, name[-1].end) or _is_heading(name):
            continue
        place = len(name) == 1 and is_placed(text, name[0])
        yield EntitySpan("LOCATION" if place else "PERSON", name[0].start, name[-1].end, 0.8, _NAME)


def _is_heading(name: Sequence[Word]) -> bool:
    """Are two ordinary words in the name, beside each other ("Lilly Open Innovation")? Then it names a thing."""
    plain = [not word.flags and len(word.low) > 2 and is_english(word.low) for word in name]
    return any(first and second for first, second in pairwise(plain))


def _starts(text: str, words: Sequence[Word], position: int, guesses: Spans) -> bool:
    """Does a name start at this word of a text with capitals?"""
    word = words[position]
    if not word.capital or len(word.low) < 2 or word.low in COMPANY | TITLES | UNITS:
        return False
    over = guesses.over(word.start, word.end)
    before = text[max(0, word.start - 40) : word.start]
    if position and words[position - 1].low in TITLES and len(before.rstrip(" .")) < len(before):
        return True
    if _STRONG_LEAD.search(before):
        return word.low not in OTHERWISE
    if _ASKED.search(before):
        return word.known or (len(word.low) > 2 and not is_english(word.low))
    follower = words[position + 1] if position + 1 < len(words) else None
    pair = follower is not None and follower.capital and _adjoins(text, word, follower)
    if _has_initial(text, words, position):
        return True
    if over is None:
        if word.given or (word.family and len(word.low) > 3):
            return True
        if word.known and "g" in word.flags and word.low not in ADDRESSED and _stands_out(word, before):
            return True
        return word.known and pair and follower is not None and (follower.given or follower.like_family)
    return _overrules(text, word, follower if pair else None, over, before)


def _has_initial(text: str, words: Sequence[Word], position: int) -> bool:
    """A capital letter between two capitalised words that are no English ones ("Mijail C Adomo")?"""
    if position + 2 >= len(words):
        return False
    first, initial, last = words[position : position + 3]
    if len(initial.low) > 1 or initial.low == "i" or not (initial.capital and last.capital):
        return False
    foreign = all(
        len(word.low) > 2 and word.low not in OTHERWISE and not is_english(word.low) for word in (first, last)
    )
    return foreign and _adjoins(text, first, initial) and _adjoins(text, initial, last)


def _stands_out(word: Word, before: str) -> bool:
    """Is the capital of a word that is also ordinary no matter of where it stands ("tell Will that", "Hi Grace")?"""
    if word.low in ENGLISH and before.endswith(", "):
        return False  # "..., Can I"
    return bool(_AMID.search(before) or _GREETED.search(before))


def _overrules(text: str, word: Word, follower: Word | None, over: EntitySpan, before: str) -> bool:
    """Does a name start at `word`, which the network took for (part of) `over`?"""
    if over.start < word.start and over.entity == "PERSON":
        return False
    if word.given and over.entity == "ORGANIZATION" and _LEAD.search(before):
        return True
    alone = over.end <= word.end + 2 and over.start == word.start
    pair = follower is not None and over.start == word.start
    if pair and follower is not None and over.end > follower.end + 2:
        pair = over.entity == "ORGANIZATION" and _OF_FIRM.match(text, follower.end) is not None
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


def _uncased(text: str, words: Sequence[Word], taken: Set[int]) -> Iterator[EntitySpan]:
    """Names in a text without capitals: known given names, family names beside them, introductions."""
    position = 0
    while position < len(words):
        word = words[position]
        if position in taken or not _starts_uncased(text, words, position):
            position += 1
            continue
        last = position
        while last + 1 < len(words) and last < position + 2 and _adjoins(text, words[last], words[last + 1]):
            follower = words[last + 1]
            unknown = last == position and len(follower.low) > 4 and not is_english(follower.low)
            if not (follower.given or follower.family or unknown or _is_foreign(follower)):
                break
            last += 1
        yield EntitySpan("PERSON", word.start, words[last].end, 0.7, _NAME)
        position = last + 1


def _starts_uncased(text: str, words: Sequence[Word], position: int) -> bool:
    word = words[position]
    if (word.given or word.family) and len(word.low) > 3:
        return True
    before = text[max(0, word.start - 40) : word.start]
    if _STRONG_LEAD.search(before) or _ASKED.search(before):
        return word.known or (len(word.low) > 2 and not is_english(word.low))
    if position and words[position - 1].low in TITLES - {"miss", "doctor", "nurse", "sir"}:
        return word.known
    follower = words[position + 1] if position + 1 < len(words) else None
    if follower is None or "g" not in word.flags or not word.known or not _adjoins(text, word, follower):
        return False
    unknown = len(follower.low) > 4 and not is_english(follower.low)
    plain = "w" not in word.flags or word.low in PLAIN_GIVEN
    return (_is_foreign(follower) and word.low not in ENGLISH) or (unknown and plain)


def _is_foreign(word: Word) -> bool:
    """Has the word letters that English has not?"""
    return len(word.low) > 3 and not word.low.isascii() and not is_english(word.low)


def _repeated(text: str, words: Sequence[Word], found: Spans, guessed: Spans) -> Iterator[EntitySpan]:
    """Name words of the people found or guessed, where they stand elsewhere in the text."""
    around = [found.over(word.start, word.end) or guessed.over(word.start, word.end) for word in words]
    names = {word.low for word, person in zip(words, around, strict=True) if person and _repeatable(word, person)}
    ended = (word for word, person in zip(words, around, strict=True) if person and _ends(word, person))
    endings = {word.low for word in ended}
    for word, person in zip(words, around, strict=True):
        amid = word.low in endings and _AMID.search(text[max(0, word.start - 24) : word.start])
        if person is None and word.capital and (word.low in names or amid):
            yield EntitySpan("PERSON", word.start, word.end, 0.7, _NAME)


def _ends(word: Word, person: EntitySpan) -> bool:
    """Is the word the family name of a longer name ("Brad Key")? It is one again where a capital needs a reason."""
    return word.capital and word.end == person.end and word.start > person.start and word.low not in OTHERWISE | ENGLISH


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
