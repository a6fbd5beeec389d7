"""Which English statements of a turn are worth telling: the weightiest, few, and none that repeats a long turn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from processors.reader.rules.antecedents_en import KIN
from processors.reader.rules.words_en import alternatives
from schemas.events.memory import DropLabel

LONG_TURN = 12
COPIED = 0.75
"""A statement with this share of the words of a turn longer than LONG_TURN says no more than the turn."""
KEPT_WHOLE = 20
"""Words up to which one that repeats its turn is told all the same: one clause, and nothing to leave out."""
KEEP = 4.0
"""Weight from which a statement is worth telling (`salience_en.weight`)."""
KEEP_MORE = 5.0
"""The same for further statements of one turn, but for those of a life (`_OF_A_LIFE`)."""
KEEP_TOLD = 7.5
"""The same for what happened in a turn of more than A_STORY words, where it names no day, number or person: a story has
many steps, and they are of the moment."""
MOST = 3
"""Statements of one turn; of one longer than MUCH words, two more."""
MUCH = 40
A_STORY = 60
"""Words from which a turn may tell one."""

_OF_A_LIFE = re.compile(
    rf"\d|(?<=[a-z,'] )(?!I\b)[A-Z][a-z]|(?<=[a-z] )(?:my|our) (?!friends\b)|{KIN.pattern}"
    r"|\b(?:live|work|study|teach|speak|own|drive|eat|drink|sleep|smoke|run|swim|cook|dance|paint|sing|volunteer|commute|job|jobs|degree)\b"
    r"|^(?:[Mm]y|[Oo]ur) (?:[\w-]+ ){0,2}(?:favou?rites?|passion|hobby|hobbies|dream|goal|wish|plan)\b",
)
_STEP = re.compile(
    r"(?:I|we|my [\w' -]{1,40}?) (?!(?:have|has|had) got\b|got to\b)"
    r"(?:(?:have|had|then|just|even|also|only|finally) ){0,2}"
    rf"(?:[a-z]+ed|{alternatives('steps')})\b",
    re.I,
)
_DATED = re.compile(
    r"\d|(?<=[a-z,'] )(?!I\b)[A-Z]\w|\b(?:last|next|this|every|since|ago|yesterday|\w+days?|week|month|year|years)\b"
)


@dataclass(frozen=True, slots=True)
class Alone:
    """A statement at `start:end` of the turn, its words still the speaker's own."""

    start: int
    end: int
    text: str
    weight: float
    dropped: DropLabel | None = None
    of_a_third: bool = False
    """Said of a thing or somebody else: it needs no owner."""


def _least(text: str) -> float:
    """The weight from which a further statement of a turn is worth telling: less, where it says something of a life."""
    return KEEP if _OF_A_LIFE.search(text) else KEEP_MORE


def worth(told: Sequence[Alone], turn: str) -> list[Alone]:
    """Return those of a turn in the order of the text, all but the kept ones dropped: at most MOST are kept, the
    weightiest, and none that repeats a long turn."""
    size = len(turn.split())

    def copies(text: str) -> bool:
        held = len(text.split())
        return size > LONG_TURN and held > KEPT_WHOLE and held >= COPIED * size

    def light(a: Alone) -> bool:
        return a.weight < (KEEP_TOLD if size > A_STORY and _STEP.match(a.text) and not _DATED.search(a.text) else KEEP)

    fit = [a for a in told if a.dropped is None and not light(a) and not copies(a.text)]
    most = MOST if size <= MUCH else MOST + 2
    best = sorted(fit, key=lambda a: (a.of_a_third, a.text.startswith("No "), -a.weight))[:most]
    best = [a for n, a in enumerate(best) if n == 0 or a.of_a_third or a.weight >= _least(a.text)]

    def label(a: Alone) -> DropLabel | None:
        if a.dropped is not None or a in best:
            return a.dropped
        return "light" if light(a) else "copy" if copies(a.text) else "too_many"

    return [replace(a, dropped=label(a)) for a in told]
