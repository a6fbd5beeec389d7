"""What others wrote or said, and a user pastes or tells behind a colon: "Customer wrote: Stop sending me emails",
"Here is the prompt: Always answer in JSON", "Recipe: ... Don't overmix". It is nobody's statement, and no order.

Only what could be taken for the user's own is left out: what is in the first person, or tells somebody what to do.
"""

from __future__ import annotations

import re

from processors.reader.rules.words_en import alternatives

_OPENS = r"(?:^|(?<=[.!?\n] )|(?<=\n))(?P<lead>(?:(?:and|but|so|ok|okay|hi|hey|well|then|also|btw|look)\b,? ){0,2})"
_KIND = rf"(?:{alternatives('texts_of_others')})"
_NOBODY_SAYS = rf"(?!(?:{alternatives('no_sayer')})\b)"
_MORE = r"(?:[ \t](?!(?:I|I'm|I've|my|our|we)\b)(?:(?:from|by|of) (?:my|our) )?[\w'#/&.-]{1,24}){0,5}"
_REPORTED_SPEECH = re.compile(
    rf"{_OPENS}{_NOBODY_SAYS}(?!(?:I|we|you)\b)(?:(?!(?:I|we|you)\b)[\w'&.-]+[ \t]){{1,5}}?"
    rf"(?:(?:just|then|also|once|only|has|had|always) ){{0,2}}(?:{alternatives('writes_or_says')})"
    rf"(?:[ \t](?:to|in|on|at|by|with|me|us|him|her|them|back|[\w'-]+)){{0,5}}?[ \t]?:(?![\d/])",
    re.I,
)
"""Somebody else's words under who says them."""
_HEADED = re.compile(
    rf"{_OPENS}{_NOBODY_SAYS}"
    r"(?P<given>(?:here(?:'s| is| are)|this is|that's|see|below is|attached is|(?:I )?(?:got|found|received|read)) )?"
    rf"(?P<whose>(?:the|an?|another|this|that|his|her|their|your|what|[\w-]+'s|some)[ \t])?"
    rf"(?:(?!(?:I|my|our|we|you)\b)[\w'-]+[ \t]){{0,2}}?(?P<kind>{_KIND})\b{_MORE}[ \t]?:(?![\d/])",
    re.I,
)
"""A text of others under its name; "my letter" is the user's own."""
_MAY_BE_ONES_OWN = re.compile(rf"(?:{alternatives('headings_of_ones_own')})", re.I)
_OF_SOMEBODY = re.compile(rf"\b(?:from|by)\b|\b(?:{alternatives('roles', 'who_writes')})\b", re.I)
_CARES = re.compile(rf"\b(?:{alternatives('who_cares')})(?:'s)?\b", re.I)
"""What a doctor says is of the speaker."""
_HOW_TO = re.compile(rf"(?:{alternatives('tells_how')})", re.I)
_AS_ONES_OWN = re.compile(
    r"\b(?:I|I'm|I've|I'd|I'll|my|me|mine|we|we're|our|us)\b"
    rf"|(?:^|[.!?,;\n] ?)(?:please |just |you (?:must|should|can) )?(?:never|always|stop|don't|do not|only"
    rf"|{alternatives('answers', 'acts')})\b",
    re.I,
)
_OF_A_TEXT = re.compile(
    r"(?:(?:so|and|but|well|ok|oh)\b,? ){0,2}(?:the|this|that|an?|their|his|her|[\w-]+'s) (?:[\w'-]+ ){0,3}?"
    rf"(?:{_KIND}|{alternatives('texts_at_large')})\b[^\"'\u201c]{{0,60}}[\"'\u201c]_{{3,}}",
    re.I,
)
"""A text that is quoted, and what one says of it in the same breath."""

_QUOTES = ('"', "'", "\u201c", "\u2018")


def without_others_words(text: str) -> str:
    """The text with such heads masked and what stands behind them, up to the end of their paragraph; its length
    stays."""
    at = 0
    while True:
        heads = [m for m in (_REPORTED_SPEECH.search(text, at), _HEADED.search(text, at)) if m is not None]
        if not heads:
            return text
        head = min(heads, key=lambda m: m.end())
        at = head.end()
        end = _end_of(text, at)
        if text[at:].lstrip().startswith(_QUOTES):
            continue  # what is quoted ends with its quotation
        if _CARES.search(head.group()) or _heads_ones_own(head):
            continue
        if _HOW_TO.search(head.group()) or _AS_ONES_OWN.search(text[at:end].strip()):
            begin = head.start() + len(head["lead"])
            text = text[:begin] + re.sub(r"[^\n]", " ", text[begin:end]) + text[end:]
            at = end


def _heads_ones_own(head: re.Match[str]) -> bool:
    """Is it a label that one puts before one's own words, and that names nobody else: "Announcement: I'm pregnant"?"""
    if head.re is not _HEADED or head["given"] or head["whose"] or not _MAY_BE_ONES_OWN.fullmatch(head["kind"]):
        return False
    return _OF_SOMEBODY.search(head.group()) is None


def quotes_a_text(sentence: str) -> bool:
    """Does a sentence, with what is quoted masked, tell what a text says?"""
    return _OF_A_TEXT.match(sentence) is not None


def _end_of(text: str, at: int) -> int:
    """Where the words behind a head end: with their line, or under it with the next empty line."""
    rest = text[at:]
    begin = at + len(rest) - len(rest.lstrip(" \t\n"))
    end = text.find("\n\n" if "\n" in text[at:begin] else "\n", begin)
    return len(text) if end < 0 else end
