"""What keeps a wording of the profile from being read in a clause: whose it is, what is denied, what else it is of."""

from __future__ import annotations

import re
from functools import lru_cache

from processors.reader.rules import clauses_zh
from processors.reader.rules.making_zh import meant
from processors.reader.rules.others import of_anothers_zh
from schemas.profile.wording import SAID, Wording

_DIRECTLY_DENIED_ZH = re.compile(
    r"(?:不是|并非|没有?|無|无|未|(?<!忍)(?<!止)(?<!差)不)"
    r"(?:再|怎么|什么|任何|觉得|感觉|感到|出现|发生|有|太|很|那么|这么|特别|经常|常|总|老|会|过|得过?|犯过?|一点儿?|是|因为){0,3}$"
)
"""Before a value that is of its time. A denial elsewhere in the clause is about something else: 头痛不能上班."""
_OWNED_BEHIND_ZH = re.compile(
    rf"[，,：:\s]*(?:这|那)?(?:个|次)?(?:数|数据)?是(?:我|我们)?(?:家)?(?:{clauses_zh.KIN}|[他她])的"
)
_FEELS_ZH = re.compile(r"(?:感觉|感到|觉得)(?:有点儿?|有些|很|特别|非常|一阵|好|真)*$")
"""What one feels is so; what one believes may not be."""


def lead(wording: Wording, match: re.Match[str]) -> str:
    """The clause before the first value of a match."""
    found = [match.start(name) for name in match.re.groupindex if match[name] is not None and name != SAID]
    return match.string[: min(found, default=match.start())]


def begin(match: re.Match[str]) -> int:
    """Where a match begins; one that keeps all that is said, where its first value does."""
    names = match.re.groupindex
    if SAID not in names or match.start(SAID) > match.start():
        return match.start()
    return min((match.start(n) for n in names if n != SAID and match[n] is not None), default=match.start())


def excluded(wording: Wording, said: str, before: str) -> bool:
    """Is what a wording rules out in a clause, or in what its sentence `said` before it where that counts?"""
    if any(_guard(pattern).search(text) for pattern in wording.unless for text in (said, before) if text):
        return True
    return wording.behind is not None and _guard(wording.behind).search(before) is None


@lru_cache(maxsize=512)
def _guard(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def meant_zh(wording: Wording, match: re.Match[str]) -> bool:
    """Is what a wording found said as so, of the speaker?"""
    if wording.of_time is None and not wording.ends:
        return meant(match.string, begin(match))
    leading = _FEELS_ZH.sub("", match.string[: begin(match)])
    return meant(leading, len(leading))


def opens(allowed: str, clause: clauses_zh.Clause, match: re.Match[str]) -> bool:
    """May what stands before a match stand there, in a clause that does not name the speaker?"""
    return not clauses_zh.carried(clause) or _guard(allowed).fullmatch(match.string[: match.start()]) is not None


def said_of_nothing(wording: Wording, match: re.Match[str]) -> bool:
    """Is what is of its time denied right before it? Then it was not; nor is it a cure."""
    return wording.of_time is not None and _DIRECTLY_DENIED_ZH.search(lead(wording, match)) is not None


def of_somebody(clause: clauses_zh.Clause) -> bool:
    """Does a clause that does not name the speaker stand beside words of somebody else?"""
    if not clauses_zh.carried(clause):
        return False
    beside = of_anothers_zh(clause.before) or of_anothers_zh(clause.raw)
    return beside or _OWNED_BEHIND_ZH.match(clause.after) is not None
