"""Draws statements of the rules extractor for reading by hand: `python -m bench.sample_extraction FILE --count 200`.

Prints tab-separated rows: the turn's number in the file, the ordinal of the statement in its turn, kind, field, and,
unless `--ids` is given (data whose licence forbids passing text on), the statement and what was said. The same seed and
extractor draw the same rows.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

from processors.reader.rules.evaluate import read
from processors.reader.rules.rules import RuleExtractor
from schemas.profile.model import load_profile

HEAD = ("turn", "ordinal", "kind", "field")


def rows(text: str, count: int, seed: int) -> list[tuple[str, ...]]:
    """Statements drawn at random, in the order of the file."""
    extractor, profile = RuleExtractor(), load_profile("general")
    drawn: list[tuple[int, tuple[str, ...]]] = []
    for number, example in enumerate(read(text), 1):
        for c in extractor.extract(example.turn, profile):
            field = "+".join(c.fields) or c.field or ""
            texts = (c.text, example.turn.content.replace("\t", " ").replace("\n", " "))
            drawn.append((number, (str(number), str(c.ordinal), c.kind, field, *texts)))
    chosen = random.Random(seed).sample(range(len(drawn)), min(count, len(drawn)))
    return [drawn[i][1] for i in sorted(chosen)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1122)
    parser.add_argument("--ids", action="store_true", help="leave the texts out")
    arguments = parser.parse_args()
    width = len(HEAD) if arguments.ids else None
    print("\t".join(HEAD if arguments.ids else (*HEAD, "statement", "said")))
    for row in rows(arguments.file.read_text(encoding="utf-8"), arguments.count, arguments.seed):
        print("\t".join(row[:width]))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
