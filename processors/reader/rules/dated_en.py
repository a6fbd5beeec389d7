"""English statements with the date that is meant in place of "last night" and "next month", which say nothing in a
month."""

from __future__ import annotations

import re
from datetime import datetime

from processors.language import times
from processors.language.timespan import TimeSpan
from processors.reader.rules.text import QUOTED

_AFTER_A_PREPOSITION = re.compile(
    r"\b(?:on|in|by|until|till?|since|from|before|after|for|of|to|through|during|about|around|between|and|at) $",
    re.IGNORECASE,
)
_OF_ANOTHER = re.compile(
    r"\b(?:the|a|my|our|your|his|her|its|their|user's|every|each|all|this|these|those|earlier|later|almost|nearly|over"
    r"|under|than|half|exactly|late|early|as|called|named|titled|next to|(?:day|week|month|year)s? from) $",
    re.IGNORECASE,
)
"""Behind these it is no time by itself: "the last week of May", "every next month"."""
_OF_OUR_DAYS = re.compile(
    r"\b(?:of|kids|children|people|men|women|girls|boys|teens|teenagers|parents|society|world|music|movies|life) $",
    re.IGNORECASE,
)
"""The horses of today are those of our days."""
_SURE = re.compile(
    r"(?:the )?day (?:before|after)|yesterday|tomorrow|tonight|today|(?:last|next|past|previous|in)\b"
    r"|this (?!spring|summer|autumn|fall|winter)"
    r"|.*\bago$",
    re.IGNORECASE,
)
"""A weekday by itself, and this summer, may lie before or behind."""
_AHEAD = re.compile(
    r"\b(?:will|shall|again|going to|gonna|plan(?:s|ning)?|wants?|hop(?:es?|ing)|intends?|due|starts?|begins?|ends?"
    r"|expires?|leaves?|moves?|opens?|arrives?|retires?|turns|is|are"
    r"|(?:has|have|there is|there's) (?:an?|the|my|his|her|their)"
    r"|(?:mov|leav|fly|start|com|visit|travell?|see|meet|retir|turn|finish|hav|gett|giv|tak|marry|open|return)ing)\b"
    r"|['’]ll\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"n['’]t\b|\b(?:not|never|nobody|nothing|no|only|once|twice|times?|best|worst|first)\b", re.IGNORECASE
)
"""With these, and behind what has happened, "in two months" says how long, and not when."""
_GOES_ON = re.compile(
    r"['’]s?\b|-| (?:than|of|today|tomorrow|yesterday|last|next|this|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)
_OF_THE_DAY = re.compile(r" {1,2}(morning|afternoon|evening|night)\b", re.IGNORECASE)
_VAGUE = re.compile(r"\b(?:few|couple)\b", re.IGNORECASE)
_LOOKED_BACK = 24
"""Characters before a time that are looked at."""
_PART = re.compile(r"morning|afternoon|evening|night", re.IGNORECASE)
_SEASON = re.compile(r"spring|summer|autumn|fall|winter", re.IGNORECASE)
_SEASON_OF_NOW = re.compile(
    r"(?<!\bof )(?<!\buntil )(?<!\bby )(?<!\bsince )(?<!\bfor )\b(?:(?:in|during|over|through) )?this (spring"
    r"|summer|autumn|fall)\b(?!'s|-)",
    re.I,
)
"""Of this year, whether it is over or to come; a winter lies in two."""
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def dated(text: str, at: datetime) -> str:
    """Return a statement with its relative times as dates; `at` is when it was said, in the zone of who said it. What
    is quoted stays."""
    quoted = [q.span() for q in QUOTED.finditer(text)]
    pieces, end = [], 0
    for begin, span in times.placed(text, at):
        close, before = begin + len(span.text), text[max(0, begin - _LOOKED_BACK) : begin]
        part = _OF_THE_DAY.match(text, close) if span.precision == "day" else None
        close = part.end() if part else close
        if (vague := _counted_from(span, text, begin, at)) and not any(b < close and begin < e for b, e in quoted):
            pieces += [text[end:begin], vague if begin else vague[:1].upper() + vague[1:]]
            end = close
            continue
        if (
            begin < end
            or not _is_stated(span, text, begin)
            or _GOES_ON.match(text, close)
            or _OF_ANOTHER.search(before)
            or (span.text.lower() == "today" and _OF_OUR_DAYS.search(before))
        ):
            continue
        if any(b < close and begin < e for b, e in quoted):
            continue
        flying_in = span.precision == "day" and before.endswith(" in ")
        bare = _AFTER_A_PREPOSITION.search(before) is not None and not flying_in
        date = _named(span, part[1] if part else span.text)
        named = date if bare else f"{_PREPOSITION[span.precision]} {date}"
        if bare and before.endswith("about ") and span.text.lower().endswith(" ago"):
            begin, named = begin - len("about "), f"{_PREPOSITION[span.precision]} about {date}"
        pieces += [text[end:begin], named if begin else named[:1].upper() + named[1:]]
        end = close
    return _SEASON_OF_NOW.sub(lambda m: f"in {m[1].lower()} {at.year}", "".join([*pieces, text[end:]]))


def _counted_from(span: TimeSpan, text: str, begin: int, at: datetime) -> str:
    """A few days ago, or in a few: it is said from which day it counts. Empty for other times."""
    if not (span.relative and _VAGUE.search(span.text)):
        return ""
    date = f"{at.day} {_MONTHS[at.month - 1]} {at.year}"
    low = span.text.lower()
    if low.endswith(" ago"):
        return f"{span.text[: -len(' ago')]} before {date}"
    ahead = _AHEAD.search(text, 0, begin) and not _DENIED.search(text, 0, begin)
    return f"{span.text[len('in ') :]} after {date}" if low.startswith("in ") and ahead else ""


_PREPOSITION = {"day": "on", "week": "in", "month": "in", "season": "in", "year": "in"}


def _is_stated(span: TimeSpan, text: str, begin: int) -> bool:
    """Does a span count from when it was said, for sure and exactly, and is it no name?"""
    if not (span.relative and _SURE.match(span.text)) or _VAGUE.search(span.text):
        return False
    phrase = text[:begin]
    if span.text.lower().startswith("in ") and begin and (_DENIED.search(phrase) or not _AHEAD.search(phrase)):
        return False
    return begin == 0 or not text[begin].isupper()


def _named(span: TimeSpan, text: str) -> str:
    """The date of a span; `text` may name a part of the day."""
    start = span.start
    date = f"{start.day} {_MONTHS[start.month - 1]} {start.year}"
    if span.precision == "day":
        if (span.end - span.start).days > 1:
            return f"the weekend of {date}"
        part = _PART.search(text)
        return f"the {part.group().lower()} of {date}" if part else date
    if span.precision == "week":
        return f"the week of {date}"
    season = _SEASON.search(span.text)
    if span.precision == "season" and season:
        return f"{season.group().lower()} {start.year}"
    return f"{_MONTHS[start.month - 1]} {start.year}" if span.precision == "month" else str(start.year)


def with_year(text: str, span: TimeSpan) -> str:
    """Return a statement with the year of a month, day or season that it names by itself, a weekday as its date.
    `span` has been resolved. What is quoted, or no part of the statement, stays."""
    if (found := re.search(rf"\b{re.escape(span.text)}(?!\w)", text)) is None or _HAS_YEAR.search(text):
        return text
    quoted = any(q.start() < found.end() and found.start() < q.end() for q in QUOTED.finditer(text))
    if quoted or _WEEKDAYS.search(span.text):
        return text
    if _GOES_ON.match(text, found.end()) or (span.precision == "season" and not _SEASON.search(span.text)):
        return text
    lead = re.match(r"(?:in|during|since|until|by|on) ", found.group(), re.IGNORECASE)
    begins = _NEEDS_NO_PREPOSITION.search(text[max(0, found.start() - _LOOKED_BACK) : found.start()])
    preposition = lead.group() if lead else "" if begins else f"{_PREPOSITION[span.precision]} "
    named = f"{preposition}{_named(span, span.text)}"
    return f"{text[: found.start()]}{named}{text[found.end() :]}"


_NEEDS_NO_PREPOSITION = re.compile(rf"{_AFTER_A_PREPOSITION.pattern}|\b(?:is|are|was|were|be) $", re.IGNORECASE)
_WEEKDAYS = re.compile(r"days$", re.IGNORECASE)
"""On Mondays: on each of them."""
_HAS_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
