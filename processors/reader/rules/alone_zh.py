"""Chinese statements better than their turn: one thing said, of the speaker, resolved, sayable in a month.

The counterpart of `alone_en`. Clauses between commas that keep their subject are one statement, up to LONGEST
characters; one that asks, supposes, quotes, speaks to somebody or points at what nothing here names ends it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from processors.reader.rules.clauses_zh import Clause, clauses
from processors.reader.rules.clauses_zh import Subject as About
from processors.reader.rules.found import Found
from processors.reader.rules.standing_zh import (
    ASKS,
    LABELLED,
    LONGEST,
    QUOTES,
    SAID,
    SHORTEST,
    SPEAKER,
    SUPPOSED,
    WIDEST,
    YOU,
    opened,
    stands,
    tidy,
    weight,
)
from processors.reader.rules.text import Sentence
from schemas.events.memory import DropLabel

LONG_TURN = 25
COPIED = 0.75
"""A statement with this share of a turn longer than LONG_TURN says no more than the turn."""
KEPT_WHOLE = 24
"""Characters up to which one that repeats its turn is told all the same."""
KEEP = 4.0
"""Weight from which a statement is worth telling."""
MOST = 3
"""Statements of one turn; of one longer than MUCH characters, two more."""
MUCH = 80
_SIZE = re.compile(r"[\u4e00-\u9fff]|[A-Za-z0-9]+")
_MOMENT = ("等一下", "稍等", "等等")


@dataclass(frozen=True, slots=True)
class Alone:
    """A statement at `start:end` of the turn, its words still the speaker's own."""

    start: int
    end: int
    text: str
    weight: float
    dropped: DropLabel | None = None


def alone(sentence: Sentence, original: str, taken: Sequence[Found], before: About) -> list[Alone]:
    """Return the statements of a sentence in order; those that do not stand alone are dropped. `original` is the
    sentence with its quotations, `taken` what is found in it already, `before` who the clause before was about."""
    addressed = sum(1 for part in re.split(r"[，,；\s]", original) if YOU.search(part))
    if addressed > 1 or YOU.match(original) or original.startswith(_MOMENT):
        return []  # what a letter to somebody says of its writer is said to them
    found: list[Alone] = []
    run: list[Clause] = []
    for clause in clauses(sentence, before):
        said = tidy(original[clause.start - sentence.start : clause.end - sentence.start])
        if not said:
            continue
        if SAID.search(said):
            break
        if not _usable(said, clause, taken):
            found += _closed(run, original, sentence)
            run = []
            continue
        if run and (_begins(said, clause, run[-1]) or len(_joined([*run, clause], original, sentence)) > LONGEST):
            found += _closed(run, original, sentence)
            run = []
        run.append(clause)
    return found + _closed(run, original, sentence)


def _usable(said: str, clause: Clause, taken: Sequence[Found]) -> bool:
    if not clause.states or len(said) > WIDEST or LABELLED.match(clause.raw):
        return False
    if any(p.search(said) for p in (QUOTES, YOU, ASKS, SUPPOSED)):
        return False
    return not any(f.overlaps(clause.start, clause.end) for f in taken)


def _begins(said: str, clause: Clause, before: Clause) -> bool:
    """Does a clause begin another statement: the speaker named again, or another subject?"""
    if SPEAKER.match(opened(said)):
        return True
    return clause.subject != before.subject and clause.subject != "other"


def _joined(run: Sequence[Clause], original: str, sentence: Sentence) -> str:
    return opened(tidy(original[run[0].start - sentence.start : run[-1].end - sentence.start]))


def _closed(run: Sequence[Clause], original: str, sentence: Sentence) -> list[Alone]:
    """The statement of a run of clauses; shorter where its end does not stand alone, dropped where no part does."""
    for last in range(len(run), 0, -1):
        text = _joined(run[:last], original, sentence)
        if stands(text, of_other=run[0].subject == "other", of_kin=run[0].subject == "亲友"):
            return [Alone(run[0].start, run[last - 1].end, text, weight(text))]
    text = _joined(run, original, sentence) if run else ""
    return [Alone(run[0].start, run[-1].end, text, weight(text), "unresolved")] if len(text) >= SHORTEST else []


def worth(told: Sequence[Alone], turn: str) -> list[Alone]:
    """Return those of a turn in the order of the text, all but the kept ones dropped: at most MOST are kept, the
    weightiest, and none that repeats a long turn."""
    if turn.count("你") + turn.count("您") >= max(3, turn.count("我")):
        return [replace(a, dropped=a.dropped or "addressed") for a in told]  # it is about the one it speaks to
    size = len(_SIZE.findall(turn))

    def copies(text: str) -> bool:
        held = len(_SIZE.findall(text))
        return size > LONG_TURN and held > KEPT_WHOLE and held >= COPIED * size

    fit = [a for a in told if a.dropped is None and a.weight >= KEEP and not copies(a.text)]
    best = sorted(fit, key=lambda a: -a.weight)[: MOST if size <= MUCH else MOST + 2]

    def label(a: Alone) -> DropLabel | None:
        if a.dropped is not None or a in best:
            return a.dropped
        return "light" if a.weight < KEEP else "copy" if copies(a.text) else "too_many"

    return [replace(a, dropped=label(a)) for a in told]
