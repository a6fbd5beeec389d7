"""English clauses that say, without naming the speaker, that something holds no more: "scrap the Japanese thing",
"forget the 80 kilos", "you can delete that thing about Elbow", "day 41 smoke free". Worded in the first person; owners
are named last.
"""

from __future__ import annotations

import re

from processors.reader.rules.words_en import alternatives

_LEAD = r"(?:(?:ok(?:ay)?|so|and|oh|just|please|pls|you (?:can|may)|(?:can|could) you)[, ]{1,2}){0,4}"
_END = r"(?: (?:now|then|after all|actually|please|again|for now))?(?=\s*(?:$|[,;.!]| because\b| since\b| as\b| but\b))"
_NAMED = (
    rf"(?:the|my|our) (?:[\w'-]+ ){{1,3}}(?:{alternatives('given_up')})"
    r"|the (?:[\w'-]+ )?[$£€]?\d[\d.,:]*(?:[a-z]{1,3}|%)?(?: [a-z]{2,14})?"
)
_DROPPED = re.compile(rf"{_LEAD}(?:scrap|forget(?: about)?|drop|ditch|bin|never mind) (?P<what>{_NAMED}){_END}", re.I)
_WITHDRAWAL = re.compile(
    rf"{_LEAD}(?:scrap|forget(?: about)?|drop|ignore|disregard|delete|remove|erase|never mind) "
    r"(?:(?:the|that|this|my|all that|all the) (?:thing|stuff|business)|what(?:ever)? I (?:said|told you|mentioned)"
    r"|everything I (?:said|told you)) (?:about|on|regarding) "
    rf"(?P<what>(?!(?:it|that|this|him|her|them|you|us)\b)[\w'’-]+(?: [\w'’-]+){{0,5}}?){_END}",
    re.I,
)
_NO_MORE = re.compile(
    rf"{_LEAD}no more (?P<what>[a-z][\w'-]*(?: [\w'-]+){{0,2}}) for (?:me|us)(?: now)?(?=\s*(?:$|[,;.!]))", re.I
)
_UNIT = r"(?:day|week|month|year)s?"
_WITHOUT = rf"(?P<what>[a-z]{{3,14}}[- ]free|{alternatives('without')})"
_FREE = (
    re.compile(
        rf"{_LEAD}(?P<unit>day|week|month|year) (?P<n>\d{{1,4}})(?: of being)?,? {_WITHOUT}"
        r"(?= *(?:$|[,;.!]|today\b))", re.I
    ),
    re.compile(
        rf"{_LEAD}(?P<n>\d{{1,4}}|an?|{alternatives('counts')}) (?P<unit>{_UNIT}),? {_WITHOUT}"
        r"(?= *(?:$|[,;.!]|and\b|today\b|now\b|this\b))", re.I
    ),
)  # fmt: skip

TAKEN_BACK = ("I take back what I said about ", "I have dropped ", "I have given up ")


def no_longer_so(text: str) -> str | None:
    """The statement of a clause that takes something back or says how long it has been over; None for any other."""
    if match := _WITHDRAWAL.match(text):
        return f"I take back what I said about {match['what']}"
    if match := _DROPPED.match(text):
        return f"I have dropped {match['what']}"
    if match := _NO_MORE.match(text):
        return f"I have given up {match['what']}"
    for pattern in _FREE:
        if match := pattern.match(text):
            many = match["n"].lower() not in {"1", "a", "an", "one"}
            unit = match["unit"].lower().removesuffix("s")
            what = match["what"].lower().replace(" free", "-free")
            return f"I have been {what} for {match['n'].lower()} {unit}{'s' if many else ''}"
    return None
