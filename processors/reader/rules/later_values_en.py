"""What is so by now, said in a word behind the news: "got promoted! senior buyer now", "we moved, Oulu now", "pay's
82k now", "I said 8 years, it's 10"."""

from __future__ import annotations

import re

from processors.reader.rules.bare_values_en import ABOUT, DATA, NAMES, Bare, answers, earns, is_name, parts
from processors.reader.rules.numbers import amount

_LATER = DATA["later"]
_EARNS = re.compile(
    rf"(?:{_LATER['earns']}) {ABOUT}(?P<sum>[$£€¥]?\s?\d[\d,.]{{0,14}}\s?(?:k|thousand|grand|million)?)"
    r"(?: ?(?P<currency>dollars|pounds|euros?|usd|gbp|eur|rmb|cny|hkd))?(?: (?:a|per) (?:year|yr)|,? before tax"
    r"| gross)*"
    r"(?P<now> now)?(?=\s*(?:$|[,.;!]|\band\b|\bbut\b))",
    re.I,
)
_MOVED = re.compile(_LATER["moved"], re.I)
_NEW_WORK = re.compile(_LATER["new_work"], re.I)
_PLACE_NOW = re.compile(rf"(?:(?:it's|in|to) )?(?P<place>{NAMES}|[a-z]{{3,20}}) now\b", re.I)
_WRONG_BEFORE = re.compile(_LATER["said"], re.I)
_DAYS = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day$|\b(?:home|here|there|better|worse|happy)\b", re.I)
_WITH = re.compile(rf"(?:I'm|I am|im) (?:now )?(?:with|at) (?P<firm>{NAMES})(?: now)?", re.I)
_LEAST = 1000
_AGED = re.compile(r"\bage\b", re.I)
_YEARS = re.compile(r"\b(?:years?|yrs?)\b.{0,30}\b(?:experience|work\w{0,3}|career|trade|job|business)\b", re.I)
_OLD = re.compile(r"\bold\b", re.I)


def later(text: str) -> list[Bare]:
    """The values that a turn says are so by now."""
    found: list[Bare] = []
    phrases = list(parts(text))
    for at, part in enumerate(phrases):
        if part.asks:
            continue
        if (match := _EARNS.match(part.text)) and (amount(match["sum"]) or 0) >= _LEAST:
            found.append(Bare(part.start, part.end, earns(match), "income"))
        following = phrases[at + 1] if at + 1 < len(phrases) else None
        if following is None or following.asks:
            continue
        if _MOVED.fullmatch(part.text) and (place := _PLACE_NOW.match(following.text)) and _is_place(place["place"]):
            where = place["place"] if place["place"][0].isupper() else place["place"].title()
            found.append(Bare(following.start, following.end, f"I live in {where}", "residence"))
        if _NEW_WORK.fullmatch(part.text) and (firm := _WITH.fullmatch(following.text)):
            found.append(Bare(following.start, following.end, f"I work for {firm['firm']}", "employer"))
        elif _NEW_WORK.fullmatch(part.text):
            blank = " " * following.start + following.text
            found += answers(blank, frozenset({"occupation"}))
    return found or _put_right(text)


def _is_place(words: str) -> bool:
    return is_name(words, cased=False) and _DAYS.search(words) is None


def _put_right(text: str) -> list[Bare]:
    """A number of years, or an age, that its speaker gave another time and now gives right."""
    match = _WRONG_BEFORE.search(text)
    if match is None or match["old"] == match["new"]:
        return []
    of = match["of"] + text[match.end() : match.end() + 24]
    if _AGED.search(match["of"]) or _OLD.search(of):
        return [Bare(match.start(), match.end(), f"I am {match['new']}", "age")]
    if _YEARS.search(of):  # of years alone the gate finds the field by the old value (`earlier_values`)
        return [Bare(match.start(), match.end(), f"I have {match['new']} years of experience", "years")]
    return []
