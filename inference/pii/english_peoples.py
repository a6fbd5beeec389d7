"""Nationalities and religions: a closed class, of which the network misses the rarer ones."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files

from inference.pii.english_lexicon import Word
from inference.pii.spans import Spans
from inference.protocols import EntitySpan

_NAME = "people lexicon"
# A language, not a people.
_SPOKEN = re.compile(
    r"\b(?:speaks?|spoke|spoken|speaking|learn(?:s|ed|ing)?|study|studie[sd]|studying|teach(?:es|ing)?|taught|fluent in"
    r"|in|into|from|translate[sd]?|understands?)[ ]$",
    re.IGNORECASE,
)
_LANGUAGE = re.compile(
    r"[ ](?:languages?|lessons?|class(?:es)?|courses?|speakers?|speaking|grammar|words?|subtitles|translation)\b"
)
# Part of a longer name ("British Airways"), of an address ("Greenlander 52888"), of a place ("Cyprus (Greek)").
_NAME_GOES_ON = re.compile(r"[ -][A-Z]|\s{1,3}[0-9]")
_OF_PLACE = re.compile(r"[A-Za-z][ ]\($")
_SENTENCE_START = re.compile(r"(?:^|[.!?\n][\"'”’)]{0,2}\s{0,4})[\"'“(]{0,2}$")
_ALSO_WORDS = frozenset(
    {"pole", "poles", "polish", "scot", "finn", "christian", "georgian", "dane", "danes", "turk", "swede", "swedes"}
    | {"lao", "catholic", "english", "french", "dutch", "jain", "quaker", "shia", "swiss", "baptist", "methodist"}
)
"""Also a verb, a given name or a style: in small letters or at the start of a sentence they say nothing."""


@lru_cache(maxsize=1)
def _peoples() -> frozenset[str]:
    lines = files("inference.pii").joinpath("data/peoples.txt").read_text("utf-8").splitlines()
    names = {line.lower() for line in lines if not line.startswith("#")}
    return frozenset(names | {f"{name}s" for name in names if not name.endswith(("s", "sh", "ch", "se"))})


def people_spans(text: str, words: Sequence[Word], names: Spans, guesses: Spans) -> Iterator[EntitySpan]:
    """Yield peoples that no found name covers, nor a place or anything longer that the network guesses."""
    for word in words:
        if word.low not in _peoples() or names.over(word.start, word.end) is not None:
            continue
        guess = guesses.over(word.start, word.end)
        place = guess is not None and guess.entity == "LOCATION"
        longer = guess is not None and guess.end - guess.start > word.end - word.start + 2
        if not place and not longer and _is_people(text, word):
            yield EntitySpan("NRP", word.start, word.end, 0.75, _NAME)


def _is_people(text: str, word: Word) -> bool:
    before = text[max(0, word.start - 30) : word.start]
    if (
        _SPOKEN.search(before)
        or _OF_PLACE.search(before)
        or _LANGUAGE.match(text, word.end)
        or _NAME_GOES_ON.match(text, word.end)
    ):
        return False
    return word.low not in _ALSO_WORDS or (word.capital and _SENTENCE_START.search(before) is None)
