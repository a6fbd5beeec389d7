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
    r"\b(?:the|a|my|our|your|his|her|its|their|user's|every|each|all|these|those|earlier|later|almost|nearly|over"
    r"|under|than) $",
    re.IGNORECASE,
)
"""Behind these it is no time by itself: "the last week of May", "every next month"."""
_SURE = re.compile(
    r"(?:the )?day (?:before|after)|yesterday|tomorrow|tonight|today|(?:last|next|past|previous|coming|in)\b"
    r"|this (?!spring|summer|autumn|fall|winter)"
    r"|.*\b(?:ago|earlier|back)$",
    re.IGNORECASE,
)
"""A weekday by itself, and this summer, may lie before or behind."""
_OWNS = re.compile(r"['’]s?\b|-")
_PART = re.compile(r"morning|afternoon|evening|night", re.IGNORECASE)
_SEASON = re.compile(r"spring|summer|autumn|fall|winter", re.IGNORECASE)
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
        close = begin + len(span.text)
        before = text[:begin]
        if not (span.relative and _SURE.match(span.text)) or begin < end:
            continue
        if _OWNS.match(text, close) or _OF_ANOTHER.search(before) or any(b < close and begin < e for b, e in quoted):
            continue
        bare = _AFTER_A_PREPOSITION.search(before) is not None
        named = _named(span) if bare else f"{_PREPOSITION[span.precision]} {_named(span)}"
        pieces += [text[end:begin], named if before else named[:1].upper() + named[1:]]
        end = close
    return "".join([*pieces, text[end:]])


_PREPOSITION = {"day": "on", "week": "in", "month": "in", "season": "in", "year": "in"}


def _named(span: TimeSpan) -> str:
    start = span.start
    date = f"{start.day} {_MONTHS[start.month - 1]} {start.year}"
    if span.precision == "day":
        if (span.end - span.start).days > 1:
            return f"the weekend of {date}"
        part = _PART.search(span.text)
        return f"the {part.group().lower()} of {date}" if part else date
    if span.precision == "week":
        return f"the week of {date}"
    season = _SEASON.search(span.text)
    if span.precision == "season" and season:
        return f"{season.group().lower()} {start.year}"
    return f"{_MONTHS[start.month - 1]} {start.year}" if span.precision == "month" else str(start.year)
