"""What the Chinese readers share: making a statement of a clause, and telling what is denied, past or of others."""

from __future__ import annotations

import re
from typing import Any

from processors.extract.clauses_zh import Clause
from processors.extract.found import Found
from schemas.memory import CandidateKind

_DENIED = re.compile(r"(?:不是|没有|没|不在|不|并非|不再|从未|未曾)(?:过|在)?$")
_WISHED = re.compile(
    r"(?:想要?|要|打算|希望|准备|梦想|将来|以后|能|可以|会|去|考虑|像"
    r"|当成|成为|如何|怎么)(?:要|去|成为|当|做|在)?$"
)
_PAST = re.compile(
    r"以前|之前|曾经?|过去|当时|那时|那年|小时候|原来|从前|[去前]年"
    r"|上学|上大学|大学时|年轻时|\d{4}年|年前|上个?[月周]|毕业后的?第"
    r"|辞职|离职|离开"
)
_OTHERS = re.compile(r"^[^，]{0,10}?(?:你|您|他|她|它|别人|人家|大家)")


def made(
    clause: Clause,
    span: tuple[int, int],
    text: str,
    *slots: tuple[str, Any],
    kind: CandidateKind = "fact",
    approximate: bool = False,
    negated: bool = False,
    **attributes: Any,
) -> Found:
    """Return a statement of the clause; `span` is its place in the clause's body."""
    if clause.correcting:
        attributes["correction"] = True
    offset = clause.start + max(clause.raw.find(clause.body), 0)
    return Found(
        offset + span[0], offset + span[1], kind, text, slots, approximate=approximate, negated=negated,
        attributes=attributes,
    )  # fmt: skip


def denied(body: str, at: int) -> bool:
    """Does a negation stand right before?"""
    return _DENIED.search(body[max(0, at - 4) : at]) is not None


def wished(body: str, at: int) -> bool:
    """Is it wanted, planned or compared rather than so?"""
    return _WISHED.search(body[max(0, at - 4) : at]) is not None


def past(clause: Clause) -> bool:
    """Does the clause tell of what was, not of what holds?"""
    return _PAST.search(clause.raw) is not None


def of_others(clause: Clause) -> bool:
    """Does the clause turn to another person before it says anything ("我猜你32岁")?"""
    return _OTHERS.match(clause.body) is not None
