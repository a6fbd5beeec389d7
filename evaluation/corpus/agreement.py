"""How far a second reader, who has not seen the first labels, labels a turn alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evaluation.corpus.entries import Entry, Language, Statement
from evaluation.corpus.read import ROOT, values

COMPARED = ("owner", "polarity", "modality", "time", "kind")


@dataclass
class Agreement:
    """Counts of one language."""

    turns: int = 0
    same_verdict: int = 0
    """Turns from which both keep something, or neither does."""
    kept: int = 0
    """Kept statements of the first reader."""
    met: int = 0
    """Those of which half the clause, or half of its own, is a kept clause of the second reader."""
    equal: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COMPARED, 0))
    """Of those met, how many carry the same label."""

    def lines(self) -> Iterator[str]:
        yield f"turns {self.turns}, same verdict {self.same_verdict / self.turns:.3f}"
        yield f"kept statements {self.kept}, met {self.met / self.kept:.3f}"
        yield ", ".join(f"{name} {same / self.met:.3f}" for name, same in self.equal.items())


def met_by(statement: Statement, text: str, others: Sequence[Statement]) -> Statement | None:
    """The kept statement of another reader over the same words; of several the one of the same attribute."""
    start = text.find(statement.clause)
    end = start + len(statement.clause)
    best: Statement | None = None
    for other in others:
        begin = text.find(other.clause)
        shared = min(end, begin + len(other.clause)) - max(start, begin)
        if other.keep and 2 * shared >= min(end - start, len(other.clause)):
            best = other if best is None or other.attribute == statement.attribute else best
    return best


def agreement(language: Language, folder: Path = ROOT) -> Agreement:
    """The agreement over all turns of a language that were labelled twice."""
    first = {entry.id: entry for entry in values(folder, f"{language}[0-9].jsonl", Entry)}
    found = Agreement()
    for second in values(folder, f"second_{language}.jsonl", Entry):
        base = first[second.id]
        found.turns += 1
        found.same_verdict += bool(second.nothing) == bool(base.nothing)
        for statement in base.statements:
            if not statement.keep:
                continue
            found.kept += 1
            if (other := met_by(statement, base.text, second.statements)) is not None:
                found.met += 1
                for name in COMPARED:
                    found.equal[name] += getattr(other, name) == getattr(statement, name)
    return found
