"""Does a statement narrow what it reads by a comparison? A check of our own constants, not of SQL at large (C7)."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SIGN = "\x00"
"""Stands for the comparison in the text that is read."""
_TOKEN = re.compile(
    rf"{_SIGN}|'[^']*'|%\(\w+\)s|[()]|\b(?:FROM|JOIN)\s+(?:\{{v\}}|\w+)\.\w+"
    r"|\b(?:OR|NOT|SELECT|FROM|WHERE|ON|JOIN|GROUP|HAVING|ORDER|LIMIT|RETURNING|UNION)\b",
    re.I,
)


@dataclass(slots=True)
class _Part:
    """What stands between two parentheses: a SELECT, or a part of a condition. `reads`: it reads a table; `where`: the
    clause that is read narrows rows; `met`, `either`: the comparison, and an OR beside it, in that clause; `bound`:
    a clause before narrowed by the comparison."""

    denied: bool = False
    select: bool = False
    reads: bool = False
    where: bool = True
    met: bool = False
    either: bool = False
    bound: bool = False

    def clause_ends(self, narrows: bool = False) -> None:
        self.bound = self.bound or (self.where and self.met and not self.either)
        self.met = self.either = False
        self.where = narrows

    def loose(self) -> bool:
        """A SELECT has ended: did it read a table without the comparison?"""
        self.clause_ends()
        loose = self.reads and not self.bound
        self.reads = self.bound = False
        return loose


def narrows(statement: str, comparison: str) -> bool:
    """Whether `comparison` holds for every row of every SELECT that reads a table: it stands in its WHERE, and neither
    an OR nor a NOT gives a way around it."""
    text = re.sub(rf"(?<![\w.])(?:\w+\.)?{re.escape(comparison)}", _SIGN, statement)
    parts, denied = [_Part()], False
    for found in _TOKEN.finditer(text):
        sign, here = found.group().upper(), parts[-1]
        word = sign.split()[0]
        if sign == "(":
            parts.append(_Part(denied=denied))
        elif sign == ")":
            here.clause_ends()
            if len(parts) == 1 or (here.select and here.loose()):
                return False
            parts.pop()
            parts[-1].met = parts[-1].met or (here.bound and not here.denied and not here.select)
        elif sign == _SIGN:
            here.met = here.met or not denied
        elif sign == "OR":
            here.either = True
        elif sign == "UNION":
            if here.loose():
                return False
        elif word.isalpha() and sign != "NOT":
            here.select = here.select or word == "SELECT"
            here.reads = here.reads or sign != word
            here.clause_ends(word == "WHERE")
        denied = sign == "NOT"
    return _SIGN in text and len(parts) == 1 and not parts[0].loose()
