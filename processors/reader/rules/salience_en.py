"""English sentences worth keeping as they are: what happened to the owner, what they have and mean to do (D2).

A sentence is scored by what it is about, not by its length: distinct words beyond everyday chat, names, times,
numbers, and whether the owner is in it. Praise, thanks, advice and talk about the other person score low.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from processors.reader.rules.clauses_en import VERB
from processors.reader.rules.common_en import CHAT, FUNCTION
from processors.reader.rules.text import MASKED, Sentence

KEEP = 5.75
"""Score from which a turn's best sentence is kept; calibrated to fewer than one memory in two turns of chat."""
_SECOND = 0.3
"""What the turn's other sentences add: a turn that says much is told, not chatted."""

CONTENT_WORD = re.compile(r"[A-Za-z][\w'-]*|\d[\d,.]*")
_FIRST = re.compile(
    r"\b(?:I|I'm|I've|I'd|I'll|im|ive|[Ww]e|[Ww]e're|[Ww]e've|[Ww]e'll"
    r"|[Mm]y|[Oo]ur|me|us|mine|gonna|wanna)\b"
)
DROPPED = re.compile(
    r"(?:(?:just|also|really|finally|recently|even|actually|still|already)\s+)?"
    rf"(?P<verb>(?!(?:can|will|come|need)\b)(?:{VERB})|[a-z]{{2,14}}ed|got|made|saw|met|took|found|felt)\b",
    re.I,
)
"""A predicate whose subject, the speaker, was left out."""
_POINTING = re.compile(
    r"(?:let's|lets|congrats|congratulations|hope|you|your|you're|that|that's|it|it's|this|those|these|he|she"
    r"|they|he's|she's|they're|sounds?|thanks?|thank|good|wow|so|such"
    r"|what an?)\b",
    re.I,
)
_YOU = re.compile(r"\byou(?:r|'re|'ve|'ll|'d|rs|rself)?\b", re.I)
# What holds for everyone tells nothing of anyone: "eating well is key", "moving house can be hard".
_GENERAL = re.compile(
    r"\b(?:can|could|should|must|might|may|let's|is key|is important"
    r"|is vital|is essential|are important|we all|people)\b|^[A-Z]?"
    r"[a-z]+ing\b",
    re.I,
)
_SINGULAR = re.compile(r"\b(?:I|I'm|I've|I'd|I'll|my|me|mine)\b", re.I)
_PLEASANT = re.compile(
    r"\b(?:I|we)(?:'ll| will)(?: definitely| surely| always)? (?:keep"
    r"|try|do|be|give|let|make sure|check|remember|think)\b"
    r"|\b(?:glad|happy|excited|can't wait|look(?:ing)? forward) to "
    r"(?:see|hear|know|talk|catch|help|hearing|seeing|talking)\b",
    re.I,
)
_DIGIT = re.compile(r"\d")
_MEETING = re.compile(
    r"(?:(?:hey|hi|hello|thanks(?! for)|thank you(?! (?:for|very|so"
    r"))|wow|yeah|yes|yep|no|nope|oh|well|so|and|but|also|haha|lol|ok"
    r"|okay|sure|right"
    r"|cool|great|nice|aw+|totally|definitely|absolutely|exactly|anyway"
    r"|actually|by the way|btw|plus|now|then|hello there|alright|perfect"
    r"|fine|please|sorry)\b[ ,!.]{0,3}){1,4}"
    r"(?:[A-Z][a-z]{1,15}[,!.] ?)?|[A-Z][a-z]{1,15}, (?=I\b|I'|my\b|we\b)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Weighed:
    sentence: Sentence
    score: float
    wants: bool


def weigh(sentence: Sentence, *, timed: bool, answers: bool, wants: bool) -> Weighed:
    """Score one sentence; `timed`: it names a time, `answers`: the turn before asked something."""
    words = CONTENT_WORD.findall(MASKED.sub(" ", sentence.text))
    if (sentence.asks and not wants) or not words:
        return Weighed(sentence, 0.0, False)
    low = {w.lower() for w in words}
    content = low - FUNCTION - CHAT
    names = sum(1 for w in words[1:] if w[0].isupper() and w.lower() in content)
    said = without_greeting(sentence.text)
    mine = _FIRST.search(sentence.text) is not None or DROPPED.match(said) is not None
    score = len(content) + 0.5 * names + (3.0 if mine else 0.0)
    score += (1.0 if timed else 0.0) + (1.0 if answers else 0.0)
    score += 0.5 if _DIGIT.search(sentence.text) else 0.0
    score -= 2.0 if _POINTING.match(said) else 0.0
    score -= 1.5 if _YOU.search(sentence.text) else 0.0
    score -= 1.0 if _GENERAL.search(said) and not _SINGULAR.search(said) else 0.0
    score -= 1.0 if _PLEASANT.search(said) else 0.0
    return Weighed(sentence, max(score, 0.0), wants)


def best(weighed: list[Weighed]) -> list[Weighed]:
    """Return the sentences that a turn is kept by: the best where the turn reaches KEEP, and every wish that does
    by itself; in the order of the text."""
    if not weighed:
        return []
    first = max(weighed, key=lambda w: w.score)
    others = sum(w.score for w in weighed) - first.score
    reached = first.score + _SECOND * others >= KEEP
    return [w for w in weighed if (w is first and reached) or (w.wants and w.score >= KEEP)]


def without_greeting(text: str) -> str:
    """Return a sentence without "Yeah, Jo!" before it; unchanged where nothing would remain."""
    match = _MEETING.match(text)
    rest = text[match.end() :].lstrip(" ,!.;:-") if match else text
    return rest if len(rest) > 3 else text


def is_content(word: str) -> bool:
    """Is this word beyond everyday chat?"""
    low = word.lower()
    return low not in FUNCTION and low not in CHAT
