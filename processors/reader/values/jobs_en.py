"""Where English talk names what somebody works as: "managing director", "ios dev", "head of analytics"."""

from __future__ import annotations

import re

from processors.reader.rules.jobs_en import JOBS, NOT_SO, is_job
from processors.reader.values.lists_en import LISTS

_WORD = re.compile(r"(?<![\w'-])[A-Za-z][\w'/&+-]{1,24}(?![\w-])")
_HEADS = frozenset(LISTS["job_heads"].split("|"))
_NO_PART = re.compile(rf"(?:{LISTS['no_job_words']})", re.I)
_ALONE = {"head", "chief", "lead", "chair", "md", "pa", "monitor", "intern", "worker", "partner", "guide", "guard"}
"""Heads that say what somebody does with another word alone."""
_OF = re.compile(
    r" (?:of|to|for)(?: the| an?)? "
    r"(?!(?:now|moment|day|week|year|years|time|living|present|place|same|(?:the )?last)\b)"
    r"(?![A-Z][a-z])[a-zA-Z][\w&-]{1,20}"
    r"(?: (?!(?:now|at|for|in|with|and|but|since|these|here|days?|only|still)\b)[a-z&-]{2,20})?",
)
_MOST = 4
"""Words before a head."""


def jobs(text: str) -> list[tuple[int, int]]:
    """The places of what may be somebody's work."""
    words = [m.span() for m in _WORD.finditer(text)]
    found: list[tuple[int, int]] = []
    for at, (begin, end) in enumerate(words):
        head = text[begin:end].lower()
        if head not in _HEADS and head not in JOBS and not is_job(head):
            continue
        first = at
        while first > max(0, at - _MOST) and _joined(text, words[first - 1], words[first]):
            first -= 1
        more = _OF.match(text, end)
        if (head in _ALONE and first == at and more is None) or NOT_SO.search(text, words[first][0], end):
            continue
        if found and found[-1][1] > words[first][0]:
            if found[-1][1] < end:
                found[-1] = (found[-1][0], more.end() if more else end)
            continue
        found.append((words[first][0], more.end() if more else end))
    return found


def _joined(text: str, word: tuple[int, int], following: tuple[int, int]) -> bool:
    phrase = text[slice(*word)]
    between = text[word[1] : following[0]]
    return between == " " and _NO_PART.fullmatch(phrase) is None and not phrase.endswith(("'s", "ly"))
