"""What the words in and around a guess of the network say it is: a firm, a place, no entity at all."""

import re
from collections.abc import Iterator, Sequence

from inference.pii.english_lexicon import Word
from inference.pii.english_places import is_placed
from inference.pii.english_vocabulary import is_english
from inference.pii.english_words import COMPANY, LABELS, OPENERS, TITLES
from inference.protocols import EntitySpan

_NAME = "name lexicon"
_EDGE = " \t\r\n>*\"'“”‘’()[]{},;:!?|\\-"
_PLACE_LEAD = re.compile(
    r"\b(?:i['’]m in|am in|live[sd]? in|living in|based in|born in|moved? to|return(?:ed)? to|arrived? (?:at|in)|near"
    r"|(?:home ?|birth|capital )?(?:city|town|village|suburb)(?: of)?"
    r"|(?:travel|fly|flew|drive|drove|trip|going|went|come|comes|coming|moved?|here|originally|am|i['’]m)"
    r" (?:to|from))[ ]$",
    re.IGNORECASE,
)
_WORK_LEAD = re.compile(r"\b(?:work(?:s|ed|ing)?|employed|intern(?:ed|ing)?|starts?|started|contract|accounts?"
                        r"|shares|vacancy|interview|job"
    r"|shift|insured|booked|lawyers? (?:is|are)|parcel is|delivered|audited) (?:for|at|by|with"
    r"|through)[ ]$", re.IGNORECASE)
_INSTITUTION = frozenset(
    {"hospital", "university", "college", "school", "institute", "academy", "bank", "ministry", "council", "orchestra"}
)
_THE_LEAD = re.compile(r"\b[Tt]he[ ]$")
_FIRMS_OWN = re.compile(r"[ ](?:offices?|company|team|app|website|stores?|headquarters|staff|group)\b")
_TITLE_LEAD = re.compile(rf"\b(?:{'|'.join(sorted(TITLES))})\.?[ ]$", re.IGNORECASE)
_NUMBER_BEFORE, _NUMBER_AFTER = re.compile(r"[0-9][A-Za-z]?[ ]$"), re.compile(r"[ ][0-9]")


def trimmed(text: str, guess: EntitySpan) -> Iterator[EntitySpan]:
    """Cut a guess at line ends; drop people with digits in their name, field labels and openers of a chat."""
    start = guess.start
    for line in text[guess.start : guess.end].splitlines(keepends=True):
        bare = line.strip(_EDGE)
        if guess.entity != "PERSON" and bare.startswith("the "):
            bare = bare[4:].lstrip()
        label = text.startswith((":", " ::"), start + line.find(bare) + len(bare))
        if bare.lower() in OPENERS or (label and bare.lower() in LABELS):
            bare = ""
        if bare and not (guess.entity == "PERSON" and any(c.isdigit() for c in bare)):
            first = start + line.index(bare)
            yield EntitySpan(guess.entity, first, first + len(bare), guess.score, guess.recognizer)
        start += len(line)


def relabelled(text: str, inside: Sequence[Word], guess: EntitySpan) -> EntitySpan | None:
    """Call a guess what the words `inside` or before it say it is: a firm, a place; None: nothing, or in an address."""
    if guess.entity == "LOCATION" and len(inside) > 1 and inside[-1].low in _INSTITUTION:
        return EntitySpan("ORGANIZATION", guess.start, guess.end, guess.score, _NAME)
    if guess.entity not in {"PERSON", "ORGANIZATION"}:
        return guess
    before = text[max(0, guess.start - 30) : guess.start]
    if guess.entity == "PERSON" and (numbered(text, guess.start, guess.end) or _is_phrase(inside, before)):
        return None
    entity = guess.entity
    known = any("g" in word.flags for word in inside)
    named = any(word.flags for word in inside)
    the_firm = _THE_LEAD.search(before) and _FIRMS_OWN.match(text, guess.end)
    firm = len(inside) > 1 and inside[-1].low in COMPANY
    if firm or (not known and _WORK_LEAD.search(before)) or (not named and the_firm):
        entity = "ORGANIZATION"
    elif (not named and _PLACE_LEAD.search(before)) or (len(inside) == 1 and is_placed(text, inside[0])):
        entity = "LOCATION"
    return guess if entity == guess.entity else EntitySpan(entity, guess.start, guess.end, guess.score, _NAME)


def numbered(text: str, start: int, end: int) -> bool:
    """Does a number stand on either side ("89 Joaquin Suarez 4740")? That is a street."""
    return bool(_NUMBER_BEFORE.search(text[max(0, start - 3) : start]) and _NUMBER_AFTER.match(text, end))


def _is_phrase(inside: Sequence[Word], before: str) -> bool:
    """Are all words ordinary English and none a name ("Guilty Pleasures", "Salesperson")?"""
    ordinary = all(not word.flags and is_english(word.low) for word in inside)
    return ordinary and bool(inside) and _TITLE_LEAD.search(before) is None
