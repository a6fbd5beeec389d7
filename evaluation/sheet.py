"""A sheet for a blind reader: memories beside the talk that they are from, shuffled, without who worded them.

`NAME.csv` is what the reader fills in, `NAME.key.csv` says whose each row is and stays closed until then.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Sequence
from pathlib import Path

from evaluation.talk import Line, Made, Window

QUESTIONS = (
    "supported by the turns, all of it", "of the right person",
    "one whole, correct sentence that stands alone in a month", "worth having next month",
)  # fmt: skip
"""A memory is good where all four are answered with yes."""
_BEFORE, _AFTER = 4, 1


def shown(window: Window, made: Made) -> str:
    """The turns that a memory is from, marked, with four before and one after."""
    at = [n for n, t in enumerate(window.turns) if t.id in made.turns] or [0]
    first, last = max(0, min(at) - _BEFORE), max(at) + _AFTER + 1
    return "\n".join(_line(n in at, line) for n, line in enumerate(window.turns[:last]) if n >= first)


def _line(source: bool, line: Line) -> str:
    return f"{'> ' if source else '  '}{line.speaker}: {line.text}"


def write(path: Path, windows: Sequence[Window], made: Sequence[Made], most: int, seed: int) -> int:
    """Write at most `most` memories of each wording in a drawn order, and return how many; same seed, same sheet."""
    drawn = random.Random(seed)
    by_name = {w.window: w for w in windows}
    chosen: list[Made] = []
    for author in sorted({m.by for m in made}):
        theirs = sorted((m for m in made if m.by == author), key=lambda m: (m.window, m.who, m.text))
        chosen += drawn.sample(theirs, min(most, len(theirs)))
    drawn.shuffle(chosen)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as sheet, path.with_suffix(".key.csv").open(
        "w", encoding="utf-8", newline=""
    ) as key:  # fmt: skip
        rows, keys = csv.writer(sheet), csv.writer(key)
        rows.writerow(["row", "talk", "speaker", "memory", *QUESTIONS, "remark"])
        keys.writerow(["row", "by", "window", "kind", "turns"])
        for n, made_ in enumerate(chosen, 1):
            rows.writerow([n, shown(by_name[made_.window], made_), made_.who, made_.text, *("" for _ in QUESTIONS), ""])
            keys.writerow([n, made_.by, made_.window, made_.kind, " ".join(made_.turns)])
    return len(chosen)
