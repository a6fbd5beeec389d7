"""Organisations and places that are known by name, and firms by their form ("... Ltd", "University of ...").

The network takes a firm of one word for a person or a town as often as not. What is listed is none of them; a listed
word counts with its capital alone, beside no other name.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise

from inference.pii.english_lexicon import Word, listed
from inference.pii.english_vocabulary import is_english
from inference.protocols import EntitySpan
from inference.stopwords import ENGLISH

LISTED = "name list"

_SMALL = frozenset({"of", "the", "and", "for", "without", "von", "du", "de", "del", "es"})
_GAP = re.compile(r"[ ]{1,2}(?:&[ ])?|-|\.[ ]")
_FIRST = re.compile(r"(?P<word>[A-Z][a-z]{0,12})[ ]")
_BLANK = re.compile(r"[ ]{1,2}")
_SENTENCE = re.compile(r"(?:^|[.!?:\n>])[\s\"'“(*-]{0,4}$")
_CAP = r"[A-Z\u00c0-\u00de][A-Za-z\u00c0-\u024f'’-]{1,24}"
_LEADS = (
    r"(?!(?:The|A|An|My|Our|His|Her|Their|Your|This|That|In|At|On|From|For|With|By|And|But|So|When|If|After|Before|Is|Was"
    r"|To|Ask|Tell|Call|Dear|Hi|Hello|Thanks|No|Yes)[ ])"
)
_FORMS = re.compile(
    rf"(?<![\w-]){_LEADS}(?:(?:{_CAP}|[A-Z]{{2,6}})(?:[ ]&)?,?[ ]){{1,4}}(?:Ltd|Limited|Inc|LLC|LLP|GmbH|AG|BV"
    rf"|NV|Plc|PLC|Oy|AB|SpA|KG|SE"
    r"|Pty|Corp|Corporation)\b\.?"
    rf"|\b(?:University|Ministry|Department|Institute|Bank|Bureau|Academy|College|Council|Court|Chamber"
    rf"|Society)[ ]of[ ]"
    rf"(?:the[ ])?{_CAP}(?:[ ](?:and[ ])?{_CAP}){{0,3}}"
    rf"|(?<![\w-]){_LEADS}(?:{_CAP}[ ]){{1,3}}(?:University|Hospital|Philharmonic|Orchestra|Polytechnic"
    rf"|Infirmary|Airlines|Airways"
    r"|Pharmaceuticals|Logistics|Insurance|Foundation|Institute|Ministry|Agency|Council|Bank|Brewery|Bakery)\b"
)

@lru_cache(maxsize=2)
def _names(file: str) -> dict[str, tuple[tuple[str, ...], ...]]:
    return listed(files("inference.pii").joinpath(f"data/{file}.txt").read_text("utf-8").splitlines())


def known_spans(text: str, words: Sequence[Word]) -> list[EntitySpan]:
    """The listed names of a text, and firms by their form, which win; sorted, none overlapping."""
    found = []
    position = 0
    while position < len(words):
        run = _run(text, words, position)
        if run is None:
            position += 1
            continue
        last, entity = run
        found.append(EntitySpan(entity, words[position].start, words[last].end, 0.8, LISTED))
        position = last + 1
    forms = list(_by_form(text))
    kept = [span for span in found if not any(span.start < form.end and form.start < span.end for form in forms)]
    return sorted([*kept, *forms], key=lambda span: span.start)


def _run(text: str, words: Sequence[Word], first: int) -> tuple[int, str] | None:
    word = words[first]
    if not word.capital:
        return None
    for file, entity in (("organizations", "ORGANIZATION"), ("places", "LOCATION")):
        for name in _names(file).get(word.low, ()):
            last = first + len(name) - 1
            same = last < len(words) and tuple(w.low for w in words[first : last + 1]) == name
            if same and _is_name(text, words, first, last):
                return last, entity
    return None


def _is_name(text: str, words: Sequence[Word], first: int, last: int) -> bool:
    """Are the words of a listed name written as one, and is a single one no word that begins a sentence, no part of
    another name?"""
    run = words[first : last + 1]
    if not all(word.capital or word.low in _SMALL for word in run):
        return False
    if any(_GAP.fullmatch(text, a.end, b.start) is None for a, b in pairwise(run)):
        return False
    word = run[0]
    if len(run) > 1:
        return True
    starts = _SENTENCE.search(text[max(0, word.start - 6) : word.start]) is not None
    if starts and is_english(word.low) and not text[word.start : word.end].isupper():
        return False
    before = words[first - 1] if first else None
    behind = words[last + 1] if last + 1 < len(words) else None
    beside = before is not None and before.capital and _BLANK.fullmatch(text, before.end, word.start)
    if beside and before is not None and _SENTENCE.search(text[max(0, before.start - 6) : before.start]):
        beside = None if is_english(before.low) else beside
    if beside:
        return False
    goes_on = behind is not None and behind.capital and _BLANK.fullmatch(text, word.end, behind.start)
    return not (goes_on and behind is not None and behind.flags)


def _by_form(text: str) -> Iterator[EntitySpan]:
    """Yield firms and institutions by the form of their names."""
    for match in _FORMS.finditer(text):
        start, end = match.span()
        while (lead := _FIRST.match(text, start, end)) is not None and lead["word"].lower() in ENGLISH:
            start = lead.end()
        if " " in text[start:end]:
            yield EntitySpan("ORGANIZATION", start, end, 0.75, LISTED)
