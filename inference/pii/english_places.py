"""Countries by name, places by what is said before them, and towns by the street address before them."""

import re
from collections.abc import Iterator, Sequence

from inference.pii.english_lexicon import Word, countries
from inference.pii.english_words import COMMON
from inference.pii.spans import Spans
from inference.protocols import EntitySpan

_NAME = "name lexicon"

# Before a capitalised word that is also a given name these say that it is a place ("born in Florence").
_IN_PLACE = re.compile(
    r"\b(?:live[sd]?|living|based|born|raised|grew up|years?|months?|weeks?|weekend|stay(?:s|ed|ing)?|offices?|house"
    r"|home|apartment|hotel|restaurant|store|shop|school|conference|meeting|met|i['’]m|is|are|was|were|been|located"
    r"|while|somewhere|vacation|holidays?|arrived?|arriving) in[ ]$"
    r"|\b(?:originally|(?:moved|came|come|comes) here|back) from[ ]$"
    r"|\b(?:city|town|village|suburb|island|county)(?: of)?[ ]$",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"['’]s?\b|['’](?=\s)")
# From the end of a street address to its town.
_TO_TOWN = re.compile(r"(?:[ ]?,[ ]?|[ ]?,?[ ]?\n[ >?]{0,5})$")
# After a town: the country, a code, or the end of the line. After a word that is a given name too: only the first two.
_AFTER_TOWN = re.compile(r"[ ]?(?:$|\n|[.,](?:\s|$)|[0-9]{3})")
_CODED = re.compile(r"[ ]?(?:,[ ]|,?[ ]?\n[ >?]{0,5})?(?:[A-Z]{2}[ ])?[0-9]{4,5}\b")


def country_runs(words: Sequence[Word]) -> list[tuple[int, int]]:
    """Return first and last index of each country's name in `words`; one that is also a word only with a capital."""
    lows = [word.low for word in words]
    runs = []
    position = 0
    while position < len(words):
        options = countries().get(lows[position], ())
        name = next((n for n in options if tuple(lows[position : position + len(n)]) == n), None)
        first, word = position, words[position]
        position += len(name) if name else 1
        if name is None or (len(name) == 1 and not word.capital and (word.flags or word.low in COMMON)):
            continue
        runs.append((first, position - 1))
    return runs


def country_spans(
    words: Sequence[Word], runs: Sequence[tuple[int, int]], names: Spans, guesses: Spans
) -> Iterator[EntitySpan]:
    """Yield the countries that no found name covers, nor a guess other than a person of that name."""
    for first, last in runs:
        start, end = words[first].start, words[last].end
        guess = guesses.over(start, end)
        wrong = guess is not None and guess.entity == "PERSON" and guess.end - guess.start <= end - start + 2
        if names.over(start, end) is None and (guess is None or wrong):
            yield EntitySpan("LOCATION", start, end, 0.75, _NAME)


def is_placed(text: str, word: Word) -> bool:
    """Does the text before `word` say that it is a place, and nothing after it that it owns something?"""
    return bool(_IN_PLACE.search(text[max(0, word.start - 30) : word.start])) and not _POSSESSIVE.match(text, word.end)


def call_towns(text: str, spans: Sequence[EntitySpan]) -> list[EntitySpan]:
    """Return `spans` with the people that directly follow a street address called places: a town follows its street.

    `spans` may overlap; a person who is nothing but a town stands behind a comma or a line break.
    """
    streets = [span for span in spans if span.entity == "ADDRESS"]
    if not streets:
        return list(spans)
    ends = {span.end for span in streets}
    return [
        EntitySpan("LOCATION", span.start, span.end, span.score, span.recognizer)
        if span.entity in {"PERSON", "ORGANIZATION"} and _is_town(text, span, ends)
        else span
        for span in spans
    ]


def _is_town(text: str, span: EntitySpan, street_ends: set[int]) -> bool:
    between = _TO_TOWN.search(text[max(0, span.start - 10) : span.start])
    if between is None or span.start - len(between.group()) not in street_ends:
        return False
    pattern = _CODED if span.recognizer == _NAME else _AFTER_TOWN
    return bool(pattern.match(text, span.end))
