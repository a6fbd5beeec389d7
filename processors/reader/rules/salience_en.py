"""What an English statement is about, by its words: beyond everyday chat, names, numbers, the owner (D2)."""

from __future__ import annotations

import re

from processors.reader.rules.clauses_en import ANSWERS_NO, VERB
from processors.reader.rules.common_en import CHAT, FUNCTION
from processors.reader.rules.numbers import ENGLISH_NUMBER
from processors.reader.rules.text import MASKED
from processors.reader.rules.words_en import alternatives

CONTENT_WORD = re.compile(r"[A-Za-z][\w'-]*|\d[\d,.]*")
_FIRST = re.compile(
    r"\b(?:I|I'm|I've|I'd|I'll|i|im|ive|[Ww]e|[Ww]e're|[Ww]e've|[Ww]e'll"
    r"|[Mm]y|[Oo]ur|me|us|mine|gonna|wanna)\b"
)
DROPPED = re.compile(
    r"(?:(?:just|also|really|finally|recently|even|actually|still|already)\s+)?"
    rf"(?P<verb>(?!(?:can|will|come|need)\b)(?:{VERB})|[a-z]{{2,14}}ed|got|made|saw|met|took|found|felt|ran"
    r"|sold(?! out)|gave|woke|wrote|drove|flew|ate|drank|taught|brought|broke|built|fell|forgot|kept|paid|rang|rode"
    r"|sent|slept|spent|swam|threw|told|tore|wore|began|caught|chose|fought|knew|stood|stuck|swore|swapped|handed)\b",
    re.I,
)
"""A predicate whose subject, the speaker, was left out."""
_DIGIT = re.compile(r"\d")
_LASTS = re.compile(
    r"\bfor (?:(?:about|over|almost|nearly|at least|the (?:past|last)) )?(?:an?|a few|several|many|a couple(?: of)?"
    rf"|{ENGLISH_NUMBER}) (?:weeks?|months?|years?|decades?)\b|\b(?:{alternatives('struggles', 'ways_of_living')})\b",
    re.I,
)
"""How long something has been so, and what is hard for somebody, are worth telling though their words are everyday."""
_MEETING = re.compile(
    r"(?:(?:hey|hi|hello|thanks(?! for)|thank you(?! (?:for|very|so"
    rf"))|wow|yeah|yes|yep|{ANSWERS_NO}|no (?:problem|worries|idea|bother)|nope|oh|well|so|and|but|also|haha|lol|ok"
    r"|okay|sure|right"
    r"|cool|great|nice|aw+|totally|definitely|absolutely|exactly|anyway"
    r"|actually|by the way|btw|plus|now|then|hello there|alright|perfect"
    r"|fine|please|sorry)\b[ ,!.]{0,3}){1,4}"
    r"(?:[A-Z][a-z]{1,15}[,!.] ?)?|[A-Z][a-z]{1,15}, (?=I\b|I'|my\b|we\b)",
    re.I,
)


def weight(text: str) -> float:
    """Weigh a statement by what it is about, not by its length."""
    words = CONTENT_WORD.findall(MASKED.sub(" ", text))
    content = {w.lower() for w in words} - FUNCTION - CHAT
    names = sum(1 for w in words[1:] if w[0].isupper() and w.lower() in content)
    mine = 3.0 if _FIRST.search(text) or DROPPED.match(text) else 0.0
    mine += 1.0 if mine and _LASTS.search(text) else 0.0
    return len(content) + 0.5 * names + mine + (0.5 if _DIGIT.search(text) else 0.0)


def without_greeting(text: str) -> str:
    """Return a sentence without "Yeah, Jo!" before it; unchanged where nothing would remain."""
    match = _MEETING.match(text)
    rest = text[match.end() :].lstrip(" ,!.;:-") if match else text
    return rest if len(rest) > 3 else text


def is_content(word: str) -> bool:
    """Is this word beyond everyday chat?"""
    low = word.lower()
    return low not in FUNCTION and low not in CHAT
