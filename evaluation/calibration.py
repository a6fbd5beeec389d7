"""Calibrated readings of what the rules find, from the corpus:

    python -m evaluation.calibration

A statement counts as one to keep where a labelled statement to keep stands in the same place of its turn: half of the
characters of the shorter one lie in both. That says whether what was said there is to be kept, not whether it is well
said. Printed: a reading a cell (processors/reader/rules/readings.toml), drawn to the mean by ten statements, and the
calibration error of each cell's reading on writers who are held out in turn.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.corpus.entries import Utterance
from evaluation.corpus.read import ROOT, Context, contexts
from evaluation.in_memory import START
from inference.language import language_of
from processors.reader.rules.protocol import Extractor, Role, TurnView
from processors.reader.rules.readings import cell_of, cell_of_dropped
from processors.reader.rules.rules import RuleExtractor
from schemas.events.memory import Candidate
from schemas.profile.model import load_profile

DRAWN = 10
"""Statements with the mean of all that each cell is counted with."""
SHARED = 0.5
BINS = 10


@dataclass(frozen=True, slots=True)
class Row:
    """One statement that was found. `cell`: table and cell of the readings."""

    writer: str
    cell: tuple[str, str]
    keep: bool


Reads = Callable[[Row], float]


def rows(extractor: Extractor, folder: Path = ROOT) -> Iterator[Row]:
    """What may be missed, and what was dropped, of every user's turn of the corpus."""
    profile = load_profile("general")
    for context in contexts(folder):
        if _role(context.turn) != "user":
            continue
        view = view_of(context)
        language = "zh" if view.language == "zh" else "en"
        writer = context.place.partition("#")[0].rpartition("-")[0]
        reading = extractor.read(view, profile)
        for c in reading.candidates:
            if c.reading is not None:
                yield Row(writer, (language, cell_of(c, language)), to_keep(c, context))
        for d in reading.dropped:
            yield Row(writer, ("dropped", cell_of_dropped(d.label, language)), to_keep(d.candidate, context))


def view_of(context: Context) -> TurnView:
    turn = context.turn
    named = None if turn.speaker == "user" else turn.speaker
    before = tuple((_role(s), s.text) for s in context.before[-4:])
    return TurnView(turn.text, "user", language_of(turn.text), START, speaker=named, previous=before)


def _role(turn: Utterance) -> Role:
    return "assistant" if turn.speaker == "assistant" else "tool" if turn.speaker == "tool" else "user"


def to_keep(c: Candidate, context: Context) -> bool:
    """Does something to keep stand where it was read?"""
    head = c.head
    for statement in context.kept():
        start = context.turn.text.find(statement.clause)
        end = start + len(statement.clause)
        if head is not None and start >= 0:
            both = min(head.end, end) - max(head.start, start)
            if both >= SHARED * min(head.end - head.start, end - start):
                return True
    return False


def fitted(found: Iterable[Row]) -> Reads:
    """The reading of a row, from the counts of its cell; of kept and of dropped ones by themselves."""
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    sums: dict[bool, list[int]] = {True: [0, 0], False: [0, 0]}
    for row in found:
        for totals in (counts[row.cell], sums[row.cell[0] == "dropped"]):
            totals[0] += 1
            totals[1] += row.keep

    def read(row: Row) -> float:
        seen, kept = counts.get(row.cell, [0, 0])
        of_all, of_kept = sums[row.cell[0] == "dropped"]
        return (kept + DRAWN * of_kept / max(1, of_all)) / (seen + DRAWN)

    return read


def error(read: Sequence[tuple[float, bool]]) -> float:
    """Expected calibration error: over tenths of the readings, by how much their mean misses what was to be kept."""
    bins: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for reading, keep in read:
        bins[min(BINS - 1, int(reading * BINS))].append((reading, keep))
    return sum(abs(sum(p for p, _ in b) - sum(k for _, k in b)) for b in bins.values()) / max(1, len(read))


def held_out(found: Sequence[Row]) -> dict[str, list[tuple[float, bool]]]:
    """By writer: readings fitted on all others, and whether each was to be kept."""
    out: dict[str, list[tuple[float, bool]]] = {}
    for writer in sorted({row.writer for row in found}):
        read = fitted(row for row in found if row.writer != writer)
        out[writer] = [(read(row), row.keep) for row in found if row.writer == writer]
    return out


def main() -> None:
    found = list(rows(RuleExtractor()))
    read = fitted(found)
    for cell in sorted({row.cell for row in found}):
        mine = [row for row in found if row.cell == cell]
        share = sum(row.keep for row in mine) / len(mine)
        print(f"{cell[0]:8} {cell[1]:14} {len(mine):5} statements, {share:.3f} to keep, reading {read(mine[0]):.2f}")
    for name, dropped in (("taken", False), ("dropped", True)):
        by_writer = held_out([row for row in found if (row.cell[0] == "dropped") == dropped])
        pooled = [pair for pairs in by_writer.values() for pair in pairs]
        print(f"{name}: {len(pooled)} statements, calibration error {error(pooled):.3f} on writers held out")
        for writer, pairs in by_writer.items():
            means = sum(p for p, _ in pairs) / len(pairs), sum(k for _, k in pairs) / len(pairs)
            print(f"  {writer:10} {len(pairs):5}, mean reading {means[0]:.3f}, to keep {means[1]:.3f}")


if __name__ == "__main__":
    main()
