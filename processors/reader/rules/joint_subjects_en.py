"""English subjects of two: "my wife and I went to Rome", "me and my sister run a cafe", "Tom and I are vegetarians".

What such a clause says is of both: its verb goes with them, and its "our" is theirs.
"""

from __future__ import annotations

import re

from processors.reader.rules.others import KIN_EN
from processors.reader.rules.words_en import alternatives

_NAMED = (
    rf"(?!(?:{alternatives('no_names', 'opens_no_subject', 'not_within_a_subject', 'no_couple', 'states')})\b)"
    r"(?-i:[A-Z][a-z]{1,20}(?: [A-Z][a-z]{1,20})?)"
)
_WHO = rf"(?:(?:my|our) (?:[\w-]+ ){{0,2}}?(?:{KIN_EN})s?(?: (?-i:[A-Z])[a-z]{{1,20}})?|{_NAMED})"
_OFTEN = "usually|sometimes|often|lately|recently|normally"
_FRONTED = (
    r"(?:(?:before|after|during|in|on|since|every|each|last|this|next|at|over|until|back in|once a|twice a)\b"
    r"(?:(?!\b(?:I|we|my|our|with|to|and|that|who)\b)[^,;]){1,30}?,? )?"
)
"""Before the war, last May."""
_WITH = re.compile(rf"(?:(?:so|and|but|well|yeah|yes|also|then|{_OFTEN}),? ){{0,2}}{_FRONTED}{_WHO}$", re.I)
_AND_I = re.compile(r" {0,2}and I\b(?!'m\b| am\b| was\b)", re.I)
_AND_I_ARE = re.compile(r" {0,2}and I (?:are|were)\b", re.I)
_TOGETHER = re.compile(
    rf"^(?P<opens>(?:(?:{_OFTEN}),? )?{_FRONTED}|(?:[^,;]{{1,40}}, ?)?)(?P<who>{_WHO}),? and I (?!am\b|was\b)", re.I
)
_ME_FIRST = re.compile(
    rf"(?P<me>(?:^|(?<=[.!?,;\n] )|(?<=\band )|(?<=\bso ))(?:me|I) and )(?P<who>{_WHO})"
    r"(?= (?!(?:and|or|back|in|on|at|with|for|to|of|from|by|as|off|out|up|the|an?)\b))"
    rf"|(?:^|(?<=[.!?\n] ))(?P<first>{_WHO}) and me(?= (?:{alternatives('of_two')})\b)",
    re.I,
)
_LATER = {"we": "they", "our": "their", "us": "them", "ours": "theirs", "ourselves": "themselves"}
_THEIRS = re.compile(r"\b(?:we|our|us|ours|ourselves)\b", re.I)
_OF_ONE = {"are": "am", "were": "was"}
_OF_MANY = re.compile(r"\A(?:are|were)\b")


def names_another(text: str, begin: int, at: int) -> bool:
    """Does a subject of two, and no more, begin at `begin` and go on at `at`: "my wife" "and I went"?"""
    if _AND_I_ARE.match(text, at) is not None:
        return True
    return _AND_I.match(text, at) is not None and _WITH.match(text[begin:at].strip()) is not None


def another_first(text: str) -> str:
    """The text with "me and my sister" as "My sister and I"; its length stays."""
    return _ME_FIRST.sub(_put_first, text)


def _put_first(match: re.Match[str]) -> str:
    who = match["who"] or match["first"]
    who = f"{who[0].upper()}{who[1:]}" if (match["me"] or who)[0].isupper() else who
    return f"{who} and I".ljust(len(match.group()))


def as_we(text: str) -> str:
    """The statement with "we" in place of a subject of two."""
    return _TOGETHER.sub(lambda m: f"{m['opens']}we ", text)


def as_one(text: str) -> str:
    """The statement with "I" in place of a subject of two: unlike "we" it speaks of nobody else."""
    match = _TOGETHER.match(text)
    if match is None:
        return text
    rest = _OF_MANY.sub(lambda m: _OF_ONE[m.group()], text[match.end() :])
    return f"{match['opens']}I {rest}"


def both(text: str, owner: str) -> str:
    """The statement with the owner named before whom they do it with; unchanged where its subject is one."""
    match = _TOGETHER.match(text)
    if match is None:
        return text
    whom = re.sub(r"^(?:my|our)\b", "their", match["who"], flags=re.I)
    rest = _THEIRS.sub(lambda m: _LATER[m.group().lower()], text[match.end() :])
    return f"{match['opens']}{owner} and {whom} {rest}"
